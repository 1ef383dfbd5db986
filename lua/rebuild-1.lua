-- Sets a bucket right from the ledger, in one step: drops what is settled, keeps the other reservations and
-- leaves the rest. Creates the bucket, and repairs one that somebody damaged. The caller holds the lock on
-- the ledger's bucket row.
--
-- KEYS[1]  the bucket
-- ARGV[1]  remainder: units the ledger can still sell from it, 0 .. 2^53-1
-- ARGV[2+] ids of reservations to drop (booked already, or dead)
--
-- Replies  {1, left}  left = remainder - units of the reservations kept; may be negative
--
-- Repeat   same effect, same reply.

local limit = 9007199254740991

local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end

for i = 2, #ARGV do redis.call('HDEL', KEYS[1], 'r:' .. ARGV[i]) end

local left = tonumber(ARGV[1])
local values = redis.call('HGETALL', KEYS[1])
for i = 1, #values, 2 do
    local field = values[i]
    if field ~= 'left' then
        local units = string.match(values[i + 1], '^%d+$') and tonumber(values[i + 1])
        local ours = #field == 34 and string.match(field, '^r:[0-9A-F]+$')
        if ours and units and units <= limit then
            left = left - units
        else
            -- Not written by us, and nobody would ever end it.
            redis.call('HDEL', KEYS[1], field)
        end
    end
end

redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left))
return {1, left}
