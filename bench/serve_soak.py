"""serve_soak.py [REQUESTS]: film serve answers a hostile mix of requests (default 10,000,000) while allocations and calls fail.
The mix: match, explain, search, dedup, embed, changes of the pool, reloads, bad JSON, unknown routes, wrong tokens, bodies that
are too large, cut off or never end. tests/fault/fault.c fails every N-th allocation and system call of the server. Prints
its memory after each run of wrk. Fails when memory grows after the first tenth, when an answer 200 is not the right one, when
the server ends, or when a sentence that it acknowledged is not in the pool. Needs wrk and build/release."""
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Server  # noqa: E402

FILM = os.path.join(ROOT, "build", "release", "film")
WANTED = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
SECONDS = int(os.environ.get("SECONDS_EACH", 20 if WANTED > 1_000_000 else 2))
TOKEN = "soak-token-of-this-run"
FAULTS = "memory=200003,receive=50021,send=50023,accept=211,read=20011,write=20021,sync=503,open=97,map=101,truncate=53"
PIPELINED = 8
A, B = "I lost my card", "what should I do, my card is gone"
HEADERS = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}


def http_request(method, path, body=None, token=TOKEN, kind="application/json", more=""):
    body = body if body is None or isinstance(body, str) else json.dumps(body)
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{more}"
    if body is not None:
        head += f"Content-Type: {kind}\r\nContent-Length: {len(body.encode())}\r\n"
    return head + "\r\n" + (body or "")


def batches(texts, chance):
    """Pipelined requests; one that ends its connection is the last of its batch."""
    def text():
        return chance.choice(texts)
    ordinary = [lambda: http_request("POST", "/v1/match", {"a": text(), "b": text()})] * 24 + [
        lambda: http_request("POST", "/v1/match", {"a": text(), "b": text(), "reasons": 10}),
        lambda: http_request("POST", "/v1/predict", {"pairs": [[text(), text()] for _ in range(4)]}),
        lambda: http_request("POST", "/v1/explain", {"a": text(), "b": text()}),
        lambda: http_request("POST", "/v1/search", {"q": text(), "k": 3}),
        lambda: http_request("POST", "/v1/search", {"q": text(), "k": 3}),
        lambda: http_request("POST", "/v1/dedup", {"texts": [text() for _ in range(4)]}),
        lambda: http_request("POST", "/v1/embed", {"texts": [text()]}),
        lambda: http_request("GET", "/v1/model"), lambda: http_request("GET", "/metrics"), lambda: http_request("GET", "/healthz"),
        lambda: http_request("POST", "/v1/match", '{"a": "' + text().replace('"', "") + '", "b": '),
        lambda: http_request("POST", "/v1/match", {"a": text()}), lambda: http_request("POST", "/v1/match", [[[[[]]]]]),
        lambda: http_request("POST", "/v1/match", {"a": "e" + "\u0301" * 300, "b": "\u202e" * 50}),
        lambda: http_request("POST", "/v1/nowhere", {}), lambda: http_request("GET", "/v1/../etc/passwd"),
        lambda: http_request("POST", "/v1/pool", {"sentences": [{"id": "\u0007" * 3, "text": 7}]})]
    ending = [
        lambda: http_request("POST", "/v1/match", {"a": A, "b": B}, token="wrong"),
        lambda: http_request("POST", "/v1/match", "a=b", kind="text/plain"), lambda: http_request("PUT", "/v1/match", {}),
        lambda: http_request("POST", "/v1/match", {"a": "w " * 40000, "b": B}),
        lambda: http_request("GET", "/healthz", more="X-Long: " + "x" * 9000 + "\r\n"),
        lambda: http_request("GET", "/healthz", more="Host: other\r\n")]
    for number in range(3000):
        made = [chance.choice(ordinary)() for _ in range(PIPELINED)]
        if number % 10 == 0:
            made[-1] = chance.choice(ending)()
        yield "".join(made)


class Soak:
    def __init__(self, server):
        self.server, self.going = server, True
        self.lock = threading.Lock()
        self.counts = dict.fromkeys(["cut off", "right", "failed", "reloads", "changes"], 0)
        self.wrong, self.acknowledged, self.expected = [], set(), None

    def count(self, name):
        with self.lock:
            self.counts[name] += 1

    def ask(self, method, path, body):
        """(status, text), or (0, "") where the connection fails."""
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        try:
            connection.request(method, path, json.dumps(body), HEADERS)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def check_answers(self):
        """Every answer 200 to the same question is the same."""
        while self.going:
            status, text = self.ask("POST", "/v1/match", {"a": A, "b": B, "reasons": 3})
            if status == 200 and text != self.expected:
                self.wrong.append(text)
            self.count("right" if status == 200 else "failed")
            time.sleep(0.005)

    def change_pool(self):
        number = 0
        while self.going:  # 200 sentences, so that the pool does not grow
            name, old, number = f"soak-{number % 200}", f"soak-{(number + 100) % 200}", number + 1
            status, _ = self.ask("POST", "/v1/pool", {"sentences": [{"id": name, "text": f"quagga {number % 1000}"}]})
            if status == 200:
                self.acknowledged.add(name)
            if number % 2:
                self.acknowledged.discard(old)  # gone or not: an answer may be lost
                self.ask("DELETE", "/v1/pool", {"ids": [old]})
            self.count("changes")
            time.sleep(0.02)

    def cut_off(self):
        """Connections that end, with a reset, in the middle of a head or body; bodies that are too large."""
        chance = random.Random(2)
        whole = http_request("POST", "/v1/dedup", {"texts": [A, B] * 2000}).encode()
        large = http_request("POST", "/v1/match", "").replace("Content-Length: 0", "Content-Length: 100000000").encode()
        chunked = large.replace(b"Content-Length: 100000000", b"Transfer-Encoding: chunked") + b"8000\r\n" + b" " * 32768
        while self.going:
            sent = chance.choice([whole[:chance.randrange(len(whole))], whole, large + b" " * 100000, chunked, os.urandom(200)])
            try:
                with socket.create_connection((self.server.host, self.server.port), timeout=60) as one:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.sendall(sent)
            except OSError:
                pass
            self.count("cut off")
            time.sleep(0.01)

    def reload(self):
        while self.going:
            time.sleep(2)
            self.server.process.send_signal(signal.SIGHUP)
            self.count("reloads")

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024

    def wrk(self, requests):
        """Runs wrk; returns (requests answered, those not 2xx)."""
        done = subprocess.run(["wrk", "-t1", "-c16", f"-d{SECONDS}", "-s", os.path.join(ROOT, "bench", "serve_mixed.lua"),
                               f"http://{self.server.host}:{self.server.port}"], env={**os.environ, "REQUESTS": requests}, capture_output=True, text=True)
        answered, other = re.search(r"(\d+) requests in", done.stdout), re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
        if not answered:
            raise RuntimeError(done.stdout + done.stderr)
        return int(answered[1]), int(other[1]) if other else 0

    def run(self, requests):
        for _ in range(100):  # an undisturbed answer, whichever faults come first
            status, self.expected = self.ask("POST", "/v1/match", {"a": A, "b": B, "reasons": 3})
            if status == 200:
                break
        threads = [threading.Thread(target=work) for work in (self.check_answers, self.change_pool, self.cut_off, self.reload)]
        for thread in threads:
            thread.start()
        total, refused, samples, start = 0, 0, [], time.monotonic()
        try:
            while total < WANTED and self.server.process.poll() is None:
                answered, other = self.wrk(requests)
                total, refused = total + answered, refused + other
                samples.append((total, self.memory()))
                print(f"{total:>12,} requests, {time.monotonic() - start:5.0f} s, {samples[-1][1]:7.1f} MB", flush=True)
        finally:
            self.going = False
            for thread in threads:
                thread.join()
        return total, refused, samples


def main():
    folder = tempfile.mkdtemp()
    try:
        return soak(folder)
    finally:
        shutil.rmtree(folder)


def soak(folder):
    faq = os.path.join(ROOT, "examples", "faq")
    model, pool, token, requests = (os.path.join(folder, name) for name in ("faq.film", "faq.pool", "token", "requests"))
    for arguments in (["train", faq + "/train.tsv", "--seed", "1", "-q", "-o", model], ["pool", "create", pool, "--model", model],
                      ["pool", "add", pool, faq + "/questions.tsv", "-q"]):
        subprocess.run([FILM, *arguments], check=True)
    with open(token, "w", encoding="ascii") as file:
        file.write(TOKEN + "\n")
    with open(faq + "/train.tsv", encoding="utf-8") as file:
        texts = [field for line in list(file)[1:] for field in line.rstrip("\n").split("\t")[1:3]]
    with open(requests, "w", encoding="utf-8", newline="") as file:
        file.write("\0".join(batches(texts, random.Random(1))))
    faults = {"LD_PRELOAD": os.path.join(ROOT, "build", "release", "tests", "fault.so"), "FAULT_EVERY": os.environ.get("FAULTS", FAULTS),
              "FAULT_COUNT": os.path.join(folder, "count")}
    server = Server(FILM, pool, "--token-file", token, "--log", "/dev/null", environment=faults)
    state = Soak(server)
    total, refused, samples = state.run(requests)
    code = server.process.poll()
    ended = code is not None
    code = server.stop() if not ended else code
    with open(os.path.join(folder, "count"), encoding="ascii") as file:
        calls = dict(line.split() for line in file)
    injected = sum(int(calls[kind]) // int(number) for kind, number in (part.split("=") for part in faults["FAULT_EVERY"].split(",")))
    with sqlite3.connect(pool) as database:
        present = {row[0] for row in database.execute("SELECT id FROM sentence")}
    lost = state.acknowledged - present
    whole = subprocess.run([FILM, "pool", "check", pool], capture_output=True, text=True)
    early = max(memory for done, memory in samples[:max(1, len(samples) // 10)])
    late = max(memory for _, memory in samples)
    print(f"{total:,} requests ({refused:,} refused), {injected:,} faults, " + ", ".join(f"{number:,} {name}" for name, number in state.counts.items()))
    print(f"memory {early:.1f} MB after the first tenth, {late:.1f} MB at most; exit code {code}; "
          f"{len(state.wrong)} wrong answers, {len(lost)} of {len(state.acknowledged):,} acknowledged sentences lost")
    failures = [text for text, bad in [("memory grew", late > 1.1 * early + 8), ("wrong answers", state.wrong), ("lost sentences", lost),
                                       ("the server ended: " + "".join(server.lines[-5:]), ended or code), ("pool check: " + whole.stdout, whole.returncode)] if bad]
    print("; ".join(failures) or "all holds")
    return bool(failures)


sys.exit(main())
