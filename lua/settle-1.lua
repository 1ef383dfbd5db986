-- Ends reservations whose ledger row is committed: the units are sold and leave the bucket.
--
-- KEYS[1]  the bucket
-- ARGV     reservation ids, 32 upper-case hex digits each, at least one
--
-- Replies  {1}   none of the ids is reserved any more
--          {-1}  no such bucket
--          {-2}  damaged: not a hash; nothing changed
--
-- Repeat   no effect, same reply.

local found = redis.pcall('EXISTS', KEYS[1])
if found == 0 then return {-1} end

for i = 1, #ARGV do
    local deleted = redis.pcall('HDEL', KEYS[1], 'r:' .. ARGV[i])
    if type(deleted) == 'table' then
        if string.sub(deleted.err, 1, 9) == 'WRONGTYPE' then return {-2} end
        return deleted
    end
end
return {1}
