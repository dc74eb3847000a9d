"""serve_first.py FILM FILE PATH BODY: milliseconds from starting film serve to its first response."""
import http.client
import re
import subprocess
import sys
import time

film, file, path, body = sys.argv[1:5]
started = time.perf_counter()
server = subprocess.Popen([film, "serve", file, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
port = int(re.search(r":(\d+)\n", server.stderr.readline())[1])
connection = http.client.HTTPConnection("127.0.0.1", port)
connection.request("POST", path, body, {"Content-Type": "application/json"})
answer = connection.getresponse()
answer.read()
print(round(1000 * (time.perf_counter() - started), 1))
assert answer.status == 200
server.terminate()
server.wait()
