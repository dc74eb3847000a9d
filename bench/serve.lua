-- Requests for wrk: BODIES is a file with one JSON body per line, TARGET the path. wrk counts every status other than 200
-- as an error. DELAY: the mean number of milliseconds that a connection waits before its next request.
local bodies = {}
for line in io.lines(os.getenv("BODIES")) do bodies[#bodies + 1] = line end
local target, at = os.getenv("TARGET"), 0
local headers = {["Content-Type"] = "application/json"}

request = function()
  at = at % #bodies + 1
  return wrk.format("POST", target, headers, bodies[at])
end

local pause = tonumber(os.getenv("DELAY") or "")
if pause then
  delay = function() return math.random(0, 2 * pause) end
end
