"""serve_paced.py HOST:PORT BODIES PATH RATE SECONDS NAME: asks RATE times a second, spread over connections, whether or not
earlier answers have come; times count from when a request was due, so that a pause of the server is not left out."""
import select
import socket
import sys
import time

where, bodies, path, rate, seconds, name = sys.argv[1:7]
host, port = where.rsplit(":", 1)
rate, seconds = float(rate), float(seconds)
requests = []
for line in open(bodies, "rb"):
    body = line.strip()
    requests.append(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                    % (path.encode(), len(body), body))


class Connection:
    def __init__(self):
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.due = b"", None

    def send(self, request, due):
        self.due = due
        self.socket.sendall(request)

    def receive(self):
        """True when the answer is complete."""
        self.buffer += self.socket.recv(1 << 20)
        head = self.buffer.find(b"\r\n\r\n")
        if head < 0:
            return False
        at = self.buffer.find(b"Content-Length: ")
        length = int(self.buffer[at + 16:self.buffer.find(b"\r\n", at)])
        if len(self.buffer) < head + 4 + length:
            return False
        assert self.buffer.startswith(b"HTTP/1.1 200"), self.buffer[:200]
        self.buffer = b""
        return True


idle = [Connection() for _ in range(16)]
poll, busy = select.epoll(), {}
for one in idle:
    poll.register(one.socket.fileno(), select.EPOLLIN)
times, sent = [], 0
start = time.perf_counter()
while True:
    now = time.perf_counter()
    while idle and now < start + seconds and start + sent / rate <= now:
        one = idle.pop()
        one.send(requests[sent % len(requests)], start + sent / rate)
        busy[one.socket.fileno()] = one
        sent += 1
    if now >= start + seconds and not busy:
        break
    for number, _ in poll.poll(0.0002):
        one = busy.get(number)
        if one and one.receive():
            times.append(time.perf_counter() - one.due)
            idle.append(busy.pop(number))
times.sort()
print(f"{name:<38} {len(times) / seconds:9.0f} requests/s  p50 {1e3 * times[len(times) // 2]:6.2f}ms  "
      f"p99 {1e3 * times[int(0.99 * len(times))]:6.2f}ms  of {rate:.0f} asked for")
