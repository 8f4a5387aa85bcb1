-- Makes creations, each on its own. KEYS: their keys, then the predecessor of each, then the head of each, then what is
-- created before each. ARGV, five for each: the value; what is required of the predecessor ("" nothing, "exists" that it
-- exists, "equals" that its value is the third); the number of an item, which becomes the value of the head ("" for what
-- is no item); the value of what is created before ("" for nothing). The same value, if it exists already, is written once
-- more, so that WAIT has a write to wait for. A key that does not hold a string gives its error for that creation; any
-- other error comes before the first write.
local count = #KEYS / 4
local found = redis.call('MGET', unpack(KEYS, count + 1, 3 * count))
local replies = {}
local function isThere(key, value)
  return redis.call('SETNX', key, value) == 1 or redis.pcall('GET', key) == value
end
for i = 1, count do
  local key, value, required, version, first = KEYS[i], ARGV[5 * i - 4], ARGV[5 * i - 3], ARGV[5 * i - 1], ARGV[5 * i]
  local predecessor, head = found[i], version ~= '' and found[count + i] and tonumber(found[count + i])
  local gap = required ~= '' and not predecessor
  local failover = required == 'equals' and predecessor and predecessor ~= ARGV[5 * i - 2]
  local hole = head and head >= tonumber(version)
  if (gap or failover or hole) and redis.call('EXISTS', key) == 0 then
    replies[i] = gap and 'gap' or failover and 'failover' or 'hole'
  elseif gap or failover then
    replies[i] = 'conflict'
  elseif first ~= '' and not isThere(KEYS[3 * count + i], first) then
    replies[i] = 'taken'
  elseif redis.call('SETNX', key, value) == 1 then
    if version ~= '' then redis.call('SET', KEYS[2 * count + i], version) end
    replies[i] = 'created'
  else
    local stored = redis.pcall('GET', key)
    if stored == value then
      redis.call('SET', key, value)
      replies[i] = 'same'
    else
      replies[i] = type(stored) == 'table' and stored or 'conflict'
    end
  end
end
return replies
