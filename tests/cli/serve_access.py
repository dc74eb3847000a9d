"""Who may ask a film serve, and how much; called by serve_access.sh in a folder with faq.film and faq.pool."""
import contextlib
import functools
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import PATIENCE, check, undescribed, until  # noqa: E402

Server = functools.partial(serving.Server, FILM)
A, B = "I lost my card", "my card is gone"


def message(answer):
    return answer.get("error", {}).get("message", "") if isinstance(answer, dict) else str(answer)


def program(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True)


def limits():
    options = ["--max-body", "2000", "--max-texts", "3", "--max-pool", "102", "--max-connections", "4", "--timeout", str(PATIENCE), "--max-header", "1000"]
    with Server("limited.pool", *options) as server:
        big = json.dumps({"a": "x" * 3000, "b": "y"})
        status, answer, headers = server.ask("POST", "/v1/match", big, raw=True)
        with contextlib.closing(socket.create_connection((server.host, server.port))) as early:
            early.sendall(b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n")
            check("a huge one is refused before it is sent", b" 413 " in early.recv(1000))
        check("a large body is 413", status == 413 and "--max-body" in message(answer), status, answer)
        connection = server.connect()
        connection.request("POST", "/v1/match", iter([big[:1000].encode(), big[1000:].encode()]), {"Content-Type": "application/json"}, encode_chunked=True)
        check("also without a length", connection.getresponse().status == 413)
        connection.close()
        check("a long list is 413", server.ask("POST", "/v1/predict", {"pairs": [["a", "b"]] * 4})[0] == 413
              and server.ask("POST", "/v1/embed", {"texts": ["a"] * 4})[0] == 413)
        status, answer, _ = server.ask("GET", "/healthz", headers={"X-Long": "x" * 1200})
        check("a large head is 431", status == 431 and "--max-header" in message(answer), status, answer)
        room = 102 - server.ask("GET", "/v1/model")[1]["pool"]["sentences"]
        fits = [{"text": f"new {i}"} for i in range(3)]
        status, answer, _ = server.ask("POST", "/v1/pool", {"sentences": fits})
        check("the pool grows up to its limit and no further", (status == 200) == (room >= 3) and
              server.ask("POST", "/v1/pool", {"sentences": [{"text": "x"}, {"text": "y"}, {"text": "z"}]})[0] == 507, room, status, answer)
        # They have all the time there is, so only one thing sends them away: that there is no room for another.
        slow = [slow_client(server) for _ in range(4)]
        statuses = []

        def one_went():  # 503 while the server has not noticed yet that our last connection has ended
            statuses.append(server.ask("GET", "/healthz")[0])
            return statuses[-1] == 200 and select.select(slow, [], [], 0)[0]
        went = until(one_went)
        check("with every connection taken by slow clients, another is answered", statuses[-1] == 200, statuses)
        texts = [one.recv(1000) for one in select.select(slow, [], [], 0)[0]]
        check("and a slow one is sent away with 408", went and all(b"HTTP/1.1 408" in t for t in texts), texts)
        check("/metrics counts it as full", int(sent_away(server)["full"]) >= 1, sent_away(server))
        for one in slow:
            one.close()
    with Server("faq.film", "--timeout", "1") as server:
        slow = [slow_client(server) for _ in range(4)]
        texts = [one.recv(1000) for one in slow]
        check("slow clients are sent away with 408 though there is room", all(b"HTTP/1.1 408" in t for t in texts), texts)
        check("/metrics counts them as slow", until(lambda: int(sent_away(server).get("slow", 0)) >= 4), sent_away(server))
        for one in slow:
            one.close()
    all_connections_busy()


def slow_client(server):
    """A connection on which half a request was sent."""
    one = socket.create_connection((server.host, server.port), timeout=PATIENCE)
    one.sendall(b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n")
    return one


def sent_away(server):
    """How many connections were closed by the server, by reason; nothing where it closed ours too."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        return dict(re.findall(r'film_connections_sent_away_total\{reason="(\w+)"\} (\d+)', server.ask("GET", "/metrics")[1]))
    return {}


def all_connections_busy():
    with Server("faq.film", "--max-connections", "1", "--max-texts", "20000") as server:
        statuses = []

        def long_request(count, sent, outcome):
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = server.connect()
                connection.request("POST", "/v1/dedup", json.dumps({"texts": [f"sentence {i} of {i * 7919 % 1000}" for i in range(count)]}),
                                   {"Content-Type": "application/json"})
                sent.set()
                outcome.append(connection.getresponse().status)
            sent.set()

        # Until somebody asks while a long request is computed: one that is answered too soon gets longer, and the pause
        # after one that was still arriving, and so was sent away.
        count, pause, end = 1000, 0.02, time.monotonic() + PATIENCE
        while 503 not in statuses and time.monotonic() < end:
            sent, outcome = threading.Event(), []
            busy = threading.Thread(target=long_request, args=(count, sent, outcome))
            busy.start()
            sent.wait()
            time.sleep(pause)
            while busy.is_alive() and 503 not in statuses:
                statuses.append(server.ask("GET", "/healthz")[0])
            busy.join()
            if outcome == [200]:
                count = min(2 * count, 20000)
            else:
                pause *= 2
        check("when every connection waits for an answer, others get 503", 503 in statuses, statuses)
        check("and are answered afterwards", until(lambda: server.ask("GET", "/healthz")[0] == 200))
        away = re.search(r'film_connections_sent_away_total\{reason="full"\} (\d+)', server.ask("GET", "/metrics")[1])
        check("and counted", int(away[1]) >= statuses.count(503), away[0], statuses.count(503))


def tokens():
    token = "a-token-of-some-length"
    open("token", "w").write(token + "\n")
    with Server("faq.pool", "--token-file", "token", "--allow-origin", "https://app.example", "--read-only", "--log", "log.jsonl", listen="[::1]:0") as server:
        check("it listens on IPv6's loopback", server.host == "::1")
        check("without a token: 401", server.ask("GET", "/v1/model")[0] == 401 and server.ask("GET", "/metrics")[0] == 401
              and server.ask("POST", "/v1/match", {"a": A, "b": B})[0] == 401)
        wrong = [None, "", "Bearer", "Bearer ", "Basic " + token, "Bearer " + token[:-1], "Bearer " + token + "x", "Bearer x"]
        check("with a wrong one: 401", all(server.ask("GET", "/v1/model", headers={"Authorization": w})[0] == 401 for w in wrong))
        check("the page and /healthz need none", server.ask("GET", "/")[0] == server.ask("GET", "/healthz")[0] == 200)
        given = {"Authorization": "Bearer " + token}
        check("with the token: answered", server.ask("GET", "/v1/model", headers=given)[0] == 200)
        status, answer, _ = server.ask("POST", "/v1/pool", {"sentences": [{"text": "x"}]}, given)
        check("--read-only refuses changes (403)", status == 403 and server.ask("DELETE", "/v1/pool", {"ids": []}, given)[0] == 403)
        check("and /v1/model says so", server.ask("GET", "/v1/model", headers=given)[1]["limits"]["read_only"] is True)
        asking = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
        status, _, headers = server.ask("OPTIONS", "/v1/match", headers=asking)
        check("the allowed origin's preflight needs no token", status == 204 and headers["Access-Control-Allow-Origin"] == "https://app.example"
              and "Authorization" in headers["Access-Control-Allow-Headers"] and "POST" in headers["Access-Control-Allow-Methods"], headers)
        status, _, headers = server.ask("POST", "/v1/match", {"a": A, "b": B}, {**given, "Origin": "https://app.example"})
        check("and it may read answers", headers["Access-Control-Allow-Origin"] == "https://app.example" and headers["Vary"] == "Origin")
        for origin in ("https://app.example.evil", "http://app.example", "null", "https://APP.example"):
            check(f"{origin} may not", not server.ask("GET", "/healthz", headers={"Origin": origin})[2]["Access-Control-Allow-Origin"])
        server.stop()
    log = open("log.jsonl").read()
    lines = [json.loads(line) for line in log.splitlines()]
    check("every log line is JSON with its fields", lines and all({"time", "method", "path", "status", "ms", "received", "sent"} <= set(l) for l in lines))
    check("statuses are logged", {200, 401, 403, 204} <= {l["status"] for l in lines})
    check("neither token nor sentences are", token not in log and A not in log)
    refused = program("serve", "faq.film", "--listen", "0.0.0.0:0")
    check("beyond this machine a token is needed", refused.returncode == 1 and "token" in refused.stderr, refused.stderr)
    with Server("faq.film", "--log", "-", "--log-text", environment={"FILM_TOKEN": token}, listen="0.0.0.0:0") as server:
        server.host = "127.0.0.1"
        check("FILM_TOKEN is one", server.ask("POST", "/v1/match", {"a": A, "b": B}, {"Authorization": "bearer " + token})[0] == 200)
        server.ask("POST", "/v1/match", b"\xff\xfe", {"Authorization": "bearer " + token}, raw=True)
        server.process.send_signal(signal.SIGTERM)
        lines = [json.loads(line) for line in server.process.stdout.read().splitlines()]
        server.stop()
        check("--log-text logs the sentences, - is standard output", len(lines) == 2 and A in lines[0]["body"], lines)
    for text, why in (("short", "characters"), ("with a space in between", "characters")):
        open("bad-token", "w").write(text)
        refused = program("serve", "faq.film", "--token-file", "bad-token")
        check(f'"{text}" is no token', refused.returncode == 1 and why in refused.stderr, refused.stderr)
    for listen, code in (("nonsense", 1), ("127.0.0.1:99999", 1), ("::1:80", 1), ("127.0.0.1:", 1), ("no.such.host.invalid:80", 3)):
        refused = program("serve", "faq.film", "--listen", listen)
        check(f"--listen {listen} is refused", refused.returncode == code and listen in refused.stderr, refused.returncode, refused.stderr)


shutil.copy("faq.pool", "limited.pool")
limits()
tokens()
check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
serving.finish()
