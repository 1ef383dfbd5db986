-- Adds units that a committed return has made sellable.
--
-- KEYS[1]  the bucket
-- ARGV[1]  units, 0 .. 2^53-1
--
-- Replies  {1}   added
--          {-1}  no such bucket; nothing changed, whoever creates it reads the ledger
--          {-2}  damaged: not a hash, or `left` is no whole number or would grow past 2^53-1; nothing changed
--
-- Repeat   adds again: never sent twice; when in doubt the bucket is rebuilt.

local limit = 9007199254740991

local left = redis.pcall('HGET', KEYS[1], 'left')
if not left then return {-1} end
if type(left) == 'table' then
    if string.sub(left.err, 1, 9) == 'WRONGTYPE' then return {-2} end
    return left
end
left = string.match(left, '^-?%d+$') and tonumber(left)
if not left or left > limit or left < -limit then return {-2} end

left = left + tonumber(ARGV[1])
if left > limit then return {-2} end
redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left))
return {1}
