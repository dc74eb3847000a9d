"""serve_bodies.py PAIRS.tsv FOLDER: bodies for wrk from rows "label, question, question"; and a check that a running server
returns the results of film: serve_bodies.py --check FILM MODEL POOL HOST:PORT FOLDER."""
import http.client
import json
import subprocess
import sys


def write(folder, name, bodies):
    with open(f"{folder}/{name}", "w") as out:
        for body in bodies:
            out.write(json.dumps(body) + "\n")


def make(path, folder):
    rows = [line.rstrip("\n").split("\t")[1:3] for line in open(path, encoding="utf-8")][1:5001]
    write(folder, "match", ({"a": a, "b": b, "reasons": 0} for a, b in rows))
    write(folder, "match-10", ({"a": a, "b": b, "reasons": 10} for a, b in rows))
    write(folder, "match-all", ({"a": a, "b": b, "reasons": "all"} for a, b in rows))
    write(folder, "match-100", ({"pairs": rows[i:i + 100]} for i in range(0, len(rows), 100)))
    write(folder, "explain", ({"a": a, "b": b} for a, b in rows))
    write(folder, "search", ({"q": a, "k": 10} for a, _ in rows))


def check(film, model, pool, where, folder):
    connection = http.client.HTTPConnection(where)

    def ask(path, body):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status == 200, content
        return content

    bodies = [json.loads(line) for line in open(f"{folder}/match-all")][:20]
    for body in bodies[:5]:
        told = subprocess.run([film, "match", model, body["a"], body["b"], "--json"], capture_output=True, check=True)
        assert ask("/v1/match", {**body, "reversals": True}) == json.loads(told.stdout), body
    single = [ask("/v1/match", {**body, "reasons": 0})["probability"] for body in bodies]
    batch = ask("/v1/predict", {"pairs": [[b["a"], b["b"]] for b in bodies]})["probabilities"]
    assert single == batch
    if pool:
        told = subprocess.run([film, "search", pool, bodies[0]["a"], "--json"], capture_output=True, check=True, text=True)
        wanted = [json.loads(line)["id"] for line in told.stdout.splitlines()]
        assert [r["id"] for r in ask("/v1/search", {"q": bodies[0]["a"]})["results"]] == wanted
    print("answers are those of film match and film search")


if sys.argv[1] == "--check":
    check(*sys.argv[2:7])
else:
    make(*sys.argv[1:3])
