-- Requests for wrk: BODIES is a file with a JSON body per line, TARGET the path. Every answer that is not 200 counts
-- as an error, which wrk prints. DELAY: milliseconds that a connection waits before its next request, on average.
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
