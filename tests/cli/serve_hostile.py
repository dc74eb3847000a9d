"""Clients that mean harm; called by serve_hostile.sh in a folder with faq.film and faq.pool."""
import contextlib
import functools
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import PATIENCE, check, undescribed, until  # noqa: E402

Server = functools.partial(serving.Server, FILM)
A, B = "I lost my card", "my card is gone"
SANITIZED = b"__asan_init" in open(FILM, "rb").read()  # memory figures are those of the sanitizer then
TOKEN = "a-token-of-some-length"


def program(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True)


def message(answer):
    return answer.get("error", {}).get("message", "") if isinstance(answer, dict) else str(answer)


def sample(server, name, headers=None):
    """A number of /metrics."""
    found = re.search("^" + re.escape(name) + r" (\S+)$", server.ask("GET", "/metrics", headers=headers)[1], re.M)
    return float(found[1]) if found else -1


def memory(server, field="VmHWM"):
    """Megabytes of the server: VmHWM is the peak, VmRSS what it has now."""
    text = open(f"/proc/{server.process.pid}/status").read()
    return int(re.search(field + r":\s+(\d+)", text)[1]) / 1024


def connect(server):
    return socket.create_connection((server.host, server.port), timeout=PATIENCE)


def head(path, length, *more):
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                        f"Content-Length: {length}", *more, "", ""]).encode()


def receive(one):
    """The status and the head of a response."""
    text = b""
    while b"\r\n\r\n" not in text:
        piece = one.recv(65536)
        if not piece:
            break
        text += piece
    return int(text.split(b" ")[1]) if text.startswith(b"HTTP/1.1 ") else 0, text


def bodies_without_a_token():
    open("token", "w").write(TOKEN)
    size, given = 7900000, {"Authorization": "Bearer " + TOKEN}
    with Server("faq.film", "--token-file", "token") as server:
        before = memory(server)
        clients = [connect(server) for _ in range(30)]
        for path, more, one in zip(["/v1/match", "/v1/nothing", "/healthz"] * 10, [[], ["Authorization: Bearer wrong"]] * 15, clients):
            one.sendall(head(path, size, *more) + b"x" * (size - 1))
        statuses = []
        for one in clients:
            one.sendall(b"x")
            statuses.append(receive(one)[0])
            one.close()
        check("bodies without a token are read, discarded and rejected", set(statuses) == {401, 404, 405}, statuses)
        if not SANITIZED:
            check("and never stored", memory(server) < before + 60, before, memory(server))
        with contextlib.closing(connect(server)) as one:
            one.sendall(head("/v1/match", size, "Expect: 100-continue"))
            check("a client that waits for 100-continue is rejected at once", receive(one)[0] == 401)
        check("the token is still the right one", server.ask("POST", "/v1/match", {"a": A, "b": B}, given)[0] == 200)


def buffer():
    with Server("faq.film", "--max-body", "1000000", "--max-buffer", "2500000") as server:
        clients, size = [connect(server) for _ in range(8)], 900000
        for one in clients:
            one.sendall(head("/v1/embed", size) + b" " * (size - 1))
        check("bodies beyond --max-buffer are not stored", until(lambda: sample(server, "film_requests_rejected_total") >= 6)
              and sample(server, "film_buffered_bytes") <= 2500000, sample(server, "film_buffered_bytes"))
        answers = []
        for one in clients:
            one.sendall(b" ")
            answers.append(receive(one))
            one.close()
        statuses = [status for status, _ in answers]
        check("their clients are told to try again", statuses.count(503) >= 6 and statuses.count(400) >= 1
              and all(b"Retry-After: 1" in text for status, text in answers if status == 503), statuses)
        check("the memory is given back", until(lambda: sample(server, "film_buffered_bytes") == 0))
        check("and others are answered", server.ask("POST", "/v1/embed", {"texts": [A]})[0] == 200)


def large_response():
    with Server("faq.film", "--max-body", "500000", "--max-buffer", "1000000") as server:
        asked = {"texts": [f"card {i}" for i in range(10000)]}  # 12 numbers of 9 digits each
        status, answer, _ = server.ask("POST", "/v1/embed", asked)
        check("a response over a quarter of --max-buffer is refused", status == 413 and "fewer" in message(answer), status)
        asked["texts"] = asked["texts"][:1000]
        check("a shorter one is sent", server.ask("POST", "/v1/embed", asked)[0] == 200)


def texts(count):
    return {"texts": [f"sentence {i} of {i * 7919 % 1000} about card {i % 97}" for i in range(count)]}


def start_batch(server, count, outcome):
    def work():
        with contextlib.suppress(OSError, http.client.HTTPException):
            outcome.append(server.ask("POST", "/v1/dedup", texts(count))[::2])
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def queues():
    with Server("faq.pool", "--threads", "1", "--max-queue", "2", "--max-texts", "50000") as server:
        count, seen = 1000, False
        while not seen and count < 50000:  # until the others ask while batches are computed
            outcome = []
            threads = [start_batch(server, count, outcome) for _ in range(6)]
            until(lambda: sample(server, "film_requests_in_flight") >= 3 or len(outcome) >= 4)
            asked = [server.ask("POST", "/v1/search", {"q": A})[0], server.ask("GET", "/v1/model")[0], server.ask("GET", "/healthz")[0],
                     server.ask("POST", "/v1/explain", {"a": A, "b": B})[0]]
            seen = sample(server, "film_requests_in_flight") >= 2  # /metrics itself is one
            for thread in threads:
                thread.join()
            count *= 2
        check("a search is answered while batches wait", seen and asked == [200] * 4, asked, count)
        refused = [headers for status, headers in outcome if status == 503]
        check("a full queue is answered with 503 and Retry-After", refused and all(h["Retry-After"] == "1" for h in refused)
              and any(status == 200 for status, _ in outcome), [status for status, _ in outcome])


def leaving():
    with Server("faq.film", "--threads", "1", "--max-texts", "50000") as server:
        for _ in range(5):
            body = json.dumps(texts(20000)).encode()
            with contextlib.closing(connect(server)) as one:
                one.sendall(head("/v1/dedup", len(body)) + body)
        gone = 'film_requests_cancelled_total{reason="gone"}'
        check("requests of clients that left are cancelled", until(lambda: sample(server, gone) == 5), sample(server, gone))
        check("and nothing of them is left", until(lambda: sample(server, "film_requests_in_flight") == 1))
    with Server("faq.film", "--deadline", "0.02", "--max-texts", "50000") as server:
        answers = [server.ask("POST", path, body) for path, body in (
            ("/v1/dedup", texts(20000)), ("/v1/embed", texts(20000)), ("/v1/predict", {"pairs": [[A, B + str(i)] for i in range(20000)]}))]
        check("a late request is answered with 503", all(status == 503 and "--deadline" in message(answer) and headers["Retry-After"]
              for status, answer, headers in answers), [(status, message(answer)) for status, answer, _ in answers])
        check("and counted", sample(server, 'film_requests_cancelled_total{reason="late"}') == 3)


def sizes():
    with Server("faq.pool", "--max-sentence", "1000") as server:
        long = "x" * 1001
        bodies = [("/v1/match", {"a": long, "b": B}), ("/v1/match", {"pairs": [[A, long]]}), ("/v1/search", {"q": long}), ("/v1/embed", {"texts": [long]}),
                  ("/v1/dedup", {"texts": [long]}), ("/v1/explain", {"a": A, "b": long}), ("/v1/pool", {"sentences": [{"text": long}]})]
        asked = [server.ask("POST", path, body) for path, body in bodies]
        check("a sentence beyond --max-sentence is 413", all(s == 413 and "--max-sentence" in message(a) for s, a, _ in asked), asked)
        check("one of that size is answered", server.ask("POST", "/v1/match", {"a": long[1:], "b": B})[0] == 200)
        deep = "leaf"
        for _ in range(100):
            deep = {"x": deep}
        status, answer, _ = server.ask("POST", "/v1/pool", {"sentences": [{"text": "deep", "more": deep}]})
        check("deeply nested fields are 400", status == 400 and "100 levels" in message(answer), answer)
        check("and a filtered search works", server.ask("POST", "/v1/search", {"q": A, "where": {"category": "workplace-it"}})[0] == 200)
    if SANITIZED:
        return
    with Server("faq.film", "--max-sentence", "9000000", "--max-body", "20000000", "--threads", "2") as server:
        server.ask("POST", "/v1/match", {"a": A, "b": B})
        before = memory(server, "VmRSS")
        for turn in range(4):
            words = " ".join(f"w{i}" for i in range(1000000))
            server.ask("POST", "/v1/match", {"a": words, "b": words[::-1]})
        check("scratch memory of long sentences is given back", until(lambda: memory(server, "VmRSS") < before + 60, 20),
              before, memory(server, "VmRSS"))


def wire():
    """Requests that a proxy and the server could read differently."""
    ok = b'{"a": "x", "b": "y", "reasons": 0}'
    base = [b"POST /v1/match HTTP/1.1", b"Host: localhost", b"Content-Type: application/json", b"Content-Length: %d" % len(ok)]
    cases = {"two lengths": [b"Content-Length: 5"], "two equal lengths": base[3:], "two hosts": [b"Host: other"], "two types": [b"Content-Type: text/plain"],
             "a length and chunks": [b"Transfer-Encoding: chunked"], "two tokens": [b"Authorization: Bearer a", b"Authorization: Bearer b"]}
    with Server("faq.film") as server:
        for name, more in cases.items():
            with contextlib.closing(connect(server)) as one:
                one.sendall(b"\r\n".join([*base, *more, b"", b""]) + ok)
                status, text = receive(one)
                rest = text
                with contextlib.suppress(OSError):
                    while piece := one.recv(65536):
                        rest += piece
                check(f"{name}: 400, and the connection is closed", status == 400 and rest.count(b"HTTP/1.1") == 1, text[:300])
        for path in (b"/healthz%00", b"/healthz%00.html", b"/%68ealthz"):
            with contextlib.closing(connect(server)) as one:
                one.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
                check(f"{path} is no path", receive(one)[0] in (0, 400, 404))
        line, host = b"GET /healthz HTTP/1.1\r\n", b"Host: localhost\r\n"
        hidden = {"after the path": b"GET /healthz\0.html HTTP/1.1\r\n" + host, "at the end of the path": b"GET /healthz\0 HTTP/1.1\r\n" + host,
                  "after the method": b"GET\0X /healthz HTTP/1.1\r\n" + host, "in an argument": b"GET /healthz?a=1\0x HTTP/1.1\r\n" + host,
                  "in Host": line + b"Host: localhost\0.evil\r\n", "in another header": line + host + b"X-A: b\0c\r\n"}
        for name, text in hidden.items():
            with contextlib.closing(connect(server)) as one:
                one.sendall(text + b"\r\n")
                check(f"a NUL byte {name} is refused", receive(one)[0] == 400)
        for text in (b"GET /healthz?a=b&&c=d=e&f+g=%20 HTTP/1.1\r\n" + host, line + b"Host:\t localhost\r\nX-Empty:\r\nCookie: a=b; c=d\r\n",
                     b"GET /healthz HTTP/1.0\r\n" + host, line + b"X-Long: " + b"x" * 7000 + b"\r\n" + host):
            with contextlib.closing(connect(server)) as one:
                for piece in (text[:20], text[20:], b"\r\n"):  # the head arrives in pieces
                    one.sendall(piece)
                check(f"{text[:45]} is answered", receive(one)[0] == 200)
        check("ordinary requests are answered", server.ask("POST", "/v1/match", {"a": A, "b": B})[0] == 200)


def damaged():
    shutil.copy("faq.pool", "damaged.pool")
    with Server("damaged.pool") as server:
        status = server.ask("POST", "/v1/search", {"q": A})[0]
        with open("damaged.pool", "r+b") as file:
            file.seek(16384)
            file.write(b"\xff" * (os.path.getsize("damaged.pool") - 16384))
        # another writer's change makes SQLite read the pages again
        os.utime("damaged.pool")
        answers = []
        found = until(lambda: answers.append(server.ask("POST", "/v1/pool", {"sentences": [{"text": f"new {len(answers)}"}]})[0])
                      or server.ask("POST", "/v1/search", {"q": A, "where": {"category": "x"}})[0] == 500 or answers[-1] == 500)
        check("a damaged pool is 500, no fault of the client", status == 200 and found and 400 not in answers, status, answers[:5])


def logs():
    with Server("faq.film", "--log", "-", "--log-text") as server:
        connection = server.connect()
        connection.request("GET", "/healthz", "not parsed \xff\n".encode("latin-1"), {"Content-Type": "text/plain"})
        status = connection.getresponse().status
        connection.close()
        server.process.send_signal(signal.SIGTERM)
        lines = [json.loads(line) for line in server.process.stdout.read().splitlines()]
        check("--log-text logs no body that was not parsed", status == 200 and len(lines) == 1 and "body" not in lines[0], lines)


def descriptors():
    open("film-few", "w").write(f'#!/bin/sh\nulimit -n 60\nexec "{FILM}" "$@"\n')
    os.chmod("film-few", 0o755)
    with serving.Server(os.path.abspath("film-few"), "faq.film", "--threads", "1", "--timeout", str(PATIENCE)) as server:
        idle = [connect(server) for _ in range(100)]
        check("without descriptors, idle connections make room", server.ask("GET", "/healthz")[0] == 200)
        for one in idle:
            one.close()


def files():
    """The files of a running server are overwritten or truncated in place."""
    shutil.copy("faq.film", "live.film")
    with Server("live.film") as server:
        before = server.ask("POST", "/v1/match", {"a": A, "b": B})[:2]
        size = os.path.getsize("live.film")
        with open("live.film", "r+b") as file:
            file.write(b"\0" * (size // 2))
        check("a model overwritten in place is not noticed", server.ask("POST", "/v1/match", {"a": A, "b": B})[:2] == before)
        os.truncate("live.film", 0)
        texts = [f"{A} {i} lost refund" for i in range(300)]
        check("nor is a truncated one", server.ask("POST", "/v1/match", {"a": A, "b": B})[:2] == before
              and server.ask("POST", "/v1/embed", {"texts": texts})[0] == 200 and server.process.poll() is None)
    shutil.copy("faq.pool", "large.pool")
    with open("large.tsv", "w") as table:
        table.writelines(f"l{i}\tquestion {i} about card {i * 7919 % 5003}\n" for i in range(6000))
    program("pool", "add", "large.pool", "large.tsv", "--columns", "id,text")
    os.chmod("large.pool", 0o600)
    program("search", "large.pool", "question 1")
    check("the index file has the permissions of its pool", os.stat("large.pool.index").st_mode & 0o777 == 0o600)
    with Server("large.pool") as server:
        queries = {"queries": [f"question {i} about card" for i in range(200)]}
        server.ask("POST", "/v1/search", {"q": "question 1"})
        os.truncate("large.pool.index", 100)
        status, answer, _ = server.ask("POST", "/v1/search", queries)
        check("an index file truncated in place is not noticed", status == 200 and len(answer["results"]) == 200
              and all(answer["results"]) and server.process.poll() is None, status)


bodies_without_a_token()
buffer()
large_response()
queues()
leaving()
sizes()
wire()
files()
damaged()
logs()
descriptors()
check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
serving.finish()
