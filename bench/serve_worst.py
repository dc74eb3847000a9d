#!/usr/bin/env python3
"""Looks for the request that costs film serve most.

    bench/serve_worst.py [POOL]

Sends requests that are as large and as unusual as the default limits allow, one kind at a time, to a new server each. Prints
the processor time that the server spends on it, the growth of its peak memory, and the slowest of the small matches that are
sent meanwhile; the worst of each is at the end. Fails when a request or a small match is not answered as it should be.
Without POOL, the FAQ example is served.
"""
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lib"))
from serving import Server  # noqa: E402

FILM = str(ROOT / "build" / "release" / "film")
SENTENCE, TEXTS, BODY = 65536, 10000, 8 << 20
SMALL = {"a": "I lost my card", "b": "what should I do, my card is gone"}
TICK = os.sysconf("SC_CLK_TCK")


def sentences():
    """Name and two sentences of nearly the largest size."""
    chance = random.Random(1)
    words = [f"w{i}" for i in range(12000)]
    fill = lambda unit: (unit * (SENTENCE // len(unit.encode()) + 1)).encode()[:SENTENCE].decode("utf-8", "ignore")
    shuffled = words[:]
    chance.shuffle(shuffled)
    return [
        ("one letter", fill("a"), fill("a")[:-1] + "b"),
        ("one word, repeated", fill("card "), fill("card ")[5:]),
        ("distinct words, shuffled", " ".join(words)[:SENTENCE], " ".join(shuffled)[:SENTENCE]),
        ("words of one letter", fill("a b c d e f g h i j "), fill("j i h g f e d c b a ")),
        ("numbers", fill("12 000 kg 5 pm May 3 "), fill("13 000 lb 6 pm May 4 ")),
        ("combining marks", "e" + fill("\u0301")[:-4], "o" + fill("\u0308")[:-4]),
        ("Han characters", fill("\u6211\u7684\u5361"), fill("\u5361\u7684\u6211")),
        ("contractions", fill("can't won't isn't "), fill("cannot will not is not ")),
        ("quotes and brackets", fill("\"(-LRB- "), fill(")\" -RRB- ")),
    ]


def requests():
    """Name, path and body of every request."""
    chance = random.Random(2)
    questions = [line.split("\t")[1] for line in (ROOT / "examples/faq/questions.tsv").read_text().splitlines()[1:]]
    for name, a, b in sentences():
        yield "match, " + name, "/v1/match", {"a": a, "b": b, "reasons": "all"}
        yield "explain, " + name, "/v1/explain", {"a": a, "b": b}
        yield "search, " + name, "/v1/search", {"q": a, "k": 100, "explain": True}
        yield "dedup, " + name, "/v1/dedup", {"texts": [a[i + 1:] + " " + b[:i] for i in range(60)]}
    short = [f"{chance.choice(questions)} {i}" for i in range(TEXTS)]
    yield "dedup, 10,000 questions", "/v1/dedup", {"texts": short}
    yield "predict, 10,000 pairs", "/v1/predict", {"pairs": [[chance.choice(short), chance.choice(short)] for _ in short]}
    long = [" ".join(chance.choice(questions) for _ in range(5)) for _ in range(TEXTS)]
    yield "predict, 10,000 long pairs", "/v1/predict", {"pairs": [[chance.choice(long), chance.choice(long)] for _ in range(7000)]}
    yield "embed, 10,000 long texts", "/v1/embed", {"texts": long}
    yield "add, 10,000 sentences", "/v1/pool", {"sentences": [{"text": text} for text in short]}
    yield "JSON, nested", "/v1/match", "[" * (BODY - 1)
    yield "JSON, many keys", "/v1/match", "{" + ",".join(f'"k{i}": {i}' for i in range(500000)) + "}"


def processor(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def peak(process):
    line = next(x for x in pathlib.Path(f"/proc/{process}/status").read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def post(server, path, body):
    connection = http.client.HTTPConnection(server.host, server.port, timeout=300)
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    length = len(answer.read())
    connection.close()
    return answer.status, length


def measure(pool, path, body):
    """Status, MiB of the response, small matches that failed; processor seconds, MiB of memory, slowest small match in seconds."""
    body = body if isinstance(body, str) else json.dumps(body)
    small, slowest, refused, over = json.dumps(SMALL), [0.0], [], threading.Event()
    with Server(FILM, pool) as server:
        for route in ("/v1/match", "/v1/explain"):  # the first request of each kind also prepares tables
            assert post(server, route, small)[0] == 200
        assert post(server, "/v1/search", json.dumps({"q": SMALL["a"]}))[0] == 200
        before, memory = processor(server.process.pid), peak(server.process.pid)

        def ask():
            while not over.is_set():
                start = time.monotonic()
                answer = post(server, "/v1/match", small)[0]
                if answer != 200:
                    refused.append(answer)
                slowest[0] = max(slowest[0], time.monotonic() - start)
                time.sleep(0.02)
        asking = threading.Thread(target=ask)
        asking.start()
        status, length = post(server, path, body)
        over.set()
        asking.join()
        spent = processor(server.process.pid) - before, peak(server.process.pid) - memory
        return status, length / 2**20, refused, (*spent, slowest[0])


def main():
    with tempfile.TemporaryDirectory() as folder:
        pool = sys.argv[1] if len(sys.argv) > 1 else folder + "/faq.pool"
        if not os.path.exists(pool):
            subprocess.run([FILM, "train", ROOT / "examples/faq/train.tsv", "-q", "-o", folder + "/faq.film"], check=True)
            subprocess.run([FILM, "pool", "create", pool, "--model", folder + "/faq.film", "-q"], check=True)
            subprocess.run([FILM, "pool", "add", pool, ROOT / "examples/faq/questions.tsv", "-q"], check=True)
        rows, wrong = [], 0
        print(f"{'request':<36}{'status':>7}{'response MiB':>14}{'processor s':>13}{'memory MiB':>12}{'small match ms':>16}")
        for name, path, body in requests():
            status, length, refused, spent = measure(pool, path, body)
            wrong += len(refused) + (status not in (200, 400, 413, 503))
            rows.append((name, *spent))
            print(f"{name:<36}{status:>7}{length:>14.1f}{spent[0]:>13.2f}{spent[1]:>12.0f}{1000 * spent[2]:>16.0f}"
                  + (f"  small matches failed: {refused}" if refused else ""), flush=True)
    for column, unit in ((1, "s of a processor"), (2, "MiB"), (3, "s until a small match is answered")):
        worst = max(rows, key=lambda row: row[column])
        print(f"worst: {worst[column]:.2f} {unit}: {worst[0]}")
    sys.exit(wrong > 0)


main()
