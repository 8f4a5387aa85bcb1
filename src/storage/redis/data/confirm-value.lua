-- Writes KEYS[1] once more if its value is ARGV[1], so that WAIT has a write to wait for, which is after the first. 1:
-- written; 0: the key has another value.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1
