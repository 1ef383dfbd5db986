-- Ends reservations whose deduction provably did not happen: the units go back into the bucket.
--
-- KEYS[1]  the bucket
-- ARGV     reservation ids, 32 upper-case hex digits each, at least one
--
-- Replies  {1}   none of the ids is reserved any more; what they held is in `left`
--          {-1}  no such bucket
--          {-2}  damaged: not a hash, or `left` or the units are no whole number; nothing changed
--
-- Repeat   no effect, same reply: an id that is not reserved gives nothing back.

local limit = 9007199254740991

local function whole(text)
    local number = string.match(text, '^-?%d+$') and tonumber(text)
    if number and number <= limit and number >= -limit then return number end
    return nil
end

local left = redis.pcall('HGET', KEYS[1], 'left')
if not left then return {-1} end
if type(left) == 'table' then
    if string.sub(left.err, 1, 9) == 'WRONGTYPE' then return {-2} end
    return left
end
left = whole(left)
if not left then return {-2} end

local fields = {}
local seen = {}
for i = 1, #ARGV do
    local field = 'r:' .. ARGV[i]
    local units = redis.call('HGET', KEYS[1], field)
    if units and not seen[field] then
        units = whole(units)
        if not units or units < 0 then return {-2} end
        left = left + units
        if left > limit then return {-2} end
        seen[field] = true
        fields[#fields + 1] = field
    end
end

-- HDEL is never refused for lack of memory, and after it neither is the HSET.
for i = 1, #fields do redis.call('HDEL', KEYS[1], fields[i]) end
if #fields > 0 then redis.call('HSET', KEYS[1], 'left', string.format('%.0f', left)) end
return {1}
