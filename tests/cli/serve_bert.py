"""Asks film serve with pools whose models carry a BERT encoder; called by serve_bert.sh in a folder with NAME.film and
NAME.pool of each. A vector's last digits may depend on what it was encoded together with, so figures are compared to 1e-4."""
import concurrent.futures
import json
import os
import struct
import subprocess
import sys

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import Server, check, finish, undescribed  # noqa: E402

A, B = "how is my card lost", "what is the same number"
TEXTS = [A, B, "the lost card", ""]
PAIRS = [(a, b) for a in TEXTS[:3] for b in TEXTS[:3]] * 4


def program(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True, check=True).stdout


def near(one, other):
    return len(one) == len(other) and all(abs(a - b) < 1e-4 for a, b in zip(one, other))


def embedded(model):
    """The vectors film embed writes of TEXTS."""
    with open("texts.txt", "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in TEXTS)
    rows = json.loads(program("embed", model, "texts.txt", "--format", "lines", "-q", "--json", "-o", "v.npy"))
    content = open("v.npy", "rb").read()
    count = rows["rows"] * rows["dim"]
    values = struct.unpack(f"<{count}f", content[-4 * count:])
    return [list(values[i:i + rows["dim"]]) for i in range(0, count, rows["dim"])]


def ask_all(name, server):
    ask = lambda path, body: server.ask("POST", path, body)[:2]  # noqa: E731
    told = json.loads(program("match", name + ".film", A, B, "--json"))
    status, one = ask("/v1/match", {"a": A, "b": B})
    check(f"{name}: /v1/match answers what film match prints", status == 200 and one["same"] == told["same"]
          and near([one["probability"], one["similarity"]], [told["probability"], told["similarity"]]), one, told)
    check(f"{name}: its reasons add up",
          abs(one["bias"] + sum(r["weight"] for r in one["reasons"]) - one["log_odds"]) < 1e-4, one)
    status, found = ask("/v1/embed", {"texts": TEXTS})
    check(f"{name}: /v1/embed has film embed's vectors", status == 200 and
          all(near(a, b) for a, b in zip(found["vectors"], embedded(name + ".film"))), found)
    status, found = ask("/v1/search", {"q": A, "k": 3})
    told = [json.loads(line) for line in program("search", name + ".pool", A, "-k", "3", "--json").splitlines()]
    check(f"{name}: /v1/search finds what film search finds", status == 200 and len(told) == 3
          and near([r["probability"] for r in found["results"]], [r["probability"] for r in told]), found, told)
    status, why = ask("/v1/explain", {"a": A, "b": B})
    networks = [r["text"] for g in why["groups"] for r in g["reasons"]]
    wanted = "similarity of the encoder" if name == "bert" else "a network that cannot be explained"
    check(f"{name}: /v1/explain names the network's part", status == 200 and wanted in networks, why)
    added = {"sentences": [{"id": "new", "text": A}]}
    check(f"{name}: a sentence is added", ask("/v1/pool", added) == (200, {"added": 1, "replaced": 0, "present": 0}))
    status, found = ask("/v1/search", {"q": A, "k": 1})
    check(f"{name}: and found", found["results"][0]["id"] == "new", found)


def ask_at_once(name, server):
    """Many threads ask one encoder."""
    status, many, _ = server.ask("POST", "/v1/predict", {"pairs": PAIRS})
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        each = list(threads.map(lambda p: server.ask("POST", "/v1/match", {"a": p[0], "b": p[1], "reasons": 0})[1], PAIRS))
    check(f"{name}: pairs asked by eight threads are those of one request", status == 200
          and near([answer["probability"] for answer in each], many["probabilities"]), many, each)


for name in ("bert", "deep"):
    with Server(FILM, name + ".pool") as server:
        ask_all(name, server)
        ask_at_once(name, server)
        check(f"{name}: SIGTERM: exit 0", server.stop() == 0)
    with Server(FILM, name + ".film") as server:
        status, answer, _ = server.ask("POST", "/v1/dedup", {"texts": [A, B, A]})
        check(f"{name}: a bare model serves too", status == 200 and answer["records"] == 3, answer)
check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
finish()
