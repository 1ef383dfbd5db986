-- Takes units out of a bucket for one reservation.
--
-- KEYS[1]  the bucket
-- ARGV[1]  reservation id, 32 upper-case hex digits
-- ARGV[2]  units, 0 .. 2^53-1
-- ARGV[3]  1: take them even if `left` becomes negative (the ledger books them anyway); 0: only if they fit
--
-- Replies  {1, left}  granted; left after the call
--          {0, left}  fewer units left; nothing changed
--          {-1}       no such bucket
--          {-2}       damaged: not a hash, or `left` is not a whole number; nothing changed
--
-- Repeat   with the same id: granted again, nothing taken twice.

local limit = 9007199254740991

local left = redis.pcall('HGET', KEYS[1], 'left')
if not left then return {-1} end
if type(left) == 'table' then
    if string.sub(left.err, 1, 9) == 'WRONGTYPE' then return {-2} end
    return left
end
left = string.match(left, '^-?%d+$') and tonumber(left)
if not left or left > limit or left < -limit then return {-2} end

local field = 'r:' .. ARGV[1]
if redis.call('HEXISTS', KEYS[1], field) == 1 then return {1, left} end

local units = tonumber(ARGV[2])
if ARGV[3] ~= '1' and left < units then return {0, left} end
left = left - units
if left < -limit then return {-2} end

-- One write for both, so that an error (OOM, READONLY) leaves nothing half done.
redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left), field, ARGV[2])
return {1, left}
