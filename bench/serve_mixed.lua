-- Requests for wrk from the file REQUESTS (bench/serve_soak.py): pipelined batches, each with the same number of requests,
-- separated by NUL.
local batches, at = {}, 0
for batch in io.open(os.getenv("REQUESTS"), "rb"):read("*a"):gmatch("[^%z]+") do batches[#batches + 1] = batch end
request = function()
  at = at % #batches + 1
  return batches[at]
end
