"""Asks a real film serve; called by serve.sh in a folder with faq.film, other.film and faq.pool."""
import base64
import contextlib
import functools
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import time

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
import serving  # noqa: E402
from serving import PATIENCE, api, check, undescribed, until  # noqa: E402

Server = functools.partial(serving.Server, FILM)


def message(answer):
    return answer.get("error", {}).get("message", "") if isinstance(answer, dict) else str(answer)


def program(*arguments):
    return subprocess.run([FILM, *arguments], capture_output=True, text=True)


A, B = "I lost my card", "my card is gone"
STARTED = time.time()


def the_page(server):
    status, text, headers = server.ask("GET", "/")
    check("GET / is the page", status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and "<html" in text)
    policy = headers["Content-Security-Policy"]
    check("its policy allows nothing from elsewhere and nothing inline",
          "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, policy)
    check("and other security headers are there", headers["X-Content-Type-Options"] == "nosniff"
          and headers["Referrer-Policy"] == "no-referrer", headers)
    status, text, again = server.ask("GET", "/", headers={"If-None-Match": headers["ETag"]})
    check("its ETag is answered with 304 and no body", status == 304 and text == "", status, text)
    status, text, head = server.ask("HEAD", "/")
    check("HEAD has the length and no body", status == 200 and text == "" and int(head["Content-Length"]) > 50, head)
    for line in open(os.path.join(ROOT, "web", "assets.def")):
        found = re.match(r'ASSET\(\w+, "([^"]+)", "([^"]+)", "([^"]+)"\)', line)
        if found:
            connection = server.connect()
            connection.request("GET", found[1])
            answer = connection.getresponse()
            check(f"{found[1]} is {found[2]}", answer.status == 200 and answer.getheader("Content-Type") == found[3]
                  and answer.read() == open(os.path.join(ROOT, found[2]), "rb").read())
            connection.close()
    check("/healthz", server.ask("GET", "/healthz")[:2] == (200, {"status": "ok"}))
    check("/openapi.json is the file", server.ask("GET", "/openapi.json")[1] == api.document)
    for path in ("/web/", "/page.html", "/../server/openapi.json", "/%2e%2e/etc/passwd", "/v1", "/v1/match/"):
        status, answer, _ = server.ask("GET", path)
        check(f"{path} is nothing", status == 404 and message(answer))


def ordered(reasons, same):
    """For the verdict first, the strongest first; then against it."""
    keys = [((r["weight"] > 0) != same, -abs(r["weight"])) for r in reasons]
    return keys == sorted(keys)


def pairs(server, model):
    ask = lambda path, body: server.ask("POST", path, body)[:2]  # noqa: E731
    status, one = ask("/v1/match", {"a": A, "b": B, "reasons": "all"})
    told = json.loads(program("match", model, A, B, "--json").stdout)
    status, changed = ask("/v1/match", {"a": A, "b": B, "reasons": "all", "reversals": True})
    check("/v1/match with reversals answers what film match --json prints", status == 200 and changed == told, changed)
    check("without, it answers the same but for what would change it",
          one == {k: v for k, v in told.items() if k not in ("differences", "reversals", "judgements")}, one)
    found = changed["reversals"][0]
    check("a reversal is one", ask("/v1/match", {"a": found["a"], "b": found["b"]})[1]["same"] != changed["same"], found)
    check("pairs and reversals exclude each other", ask("/v1/match", {"pairs": [[A, B]], "reversals": True})[0] == 400)
    check("the reasons and the bias add up to the log-odds",
          abs(one["bias"] + sum(r["weight"] for r in one["reasons"]) - one["log_odds"]) < 1e-6)
    status, record = ask("/v1/match", {"a": {"text": A}, "b": {"text": B, "none": None}})
    check("an object is a record: the words of its values count, not its names",
          status == 200 and record["probability"] == one["probability"] and record["a"] == {"text": A}, record)
    status, many = ask("/v1/match", {"pairs": [[{"text": A}, B]]})
    check("also in a list of pairs", status == 200 and many["results"][0]["probability"] == one["probability"], many)
    strongest = sorted(one["reasons"], key=lambda r: -abs(r["weight"]))
    for wanted, body in ((3, {"reasons": 3}), (10, {}), (10, {"reversals": True})):
        few = ask("/v1/match", {"a": A, "b": B, **body})[1]
        *given, others = few["reasons"]
        check(f"{body}: the {wanted} strongest reasons, those for the verdict first",
              sorted(given, key=lambda r: -abs(r["weight"])) == strongest[:wanted]
              and ordered(given, few["same"]) and ordered(one["reasons"], one["same"]), few)
        check(f"{body}: the other reasons are one entry", others["kind"] == others["id"] == "others"
              and abs(others["weight"] - sum(r["weight"] for r in strongest[wanted:])) < 1e-9, others)
    check("more than there are: all", ask("/v1/match", {"a": A, "b": B, "reasons": 99999})[1] == one)
    check("a reason without a word has the title of its group",
          all(("title" in r and "group" in r) == (r["side"] is None) for r in one["reasons"]))
    status, none = ask("/v1/match", {"a": A, "b": B, "reasons": 0})
    check("reasons: 0 leaves the verdict the same", none == {**one, "reasons": []}, none)
    status, prior = ask("/v1/match", {"a": A, "b": B, "prior": 0.9, "decision": "threshold", "memory": False,
                                      "reasons": "all", "reversals": True})
    told = json.loads(program("match", model, A, B, "--json", "--prior", "0.9", "--decision", "threshold", "--no-memory").stdout)
    check("prior, decision and memory are those of film match", prior == told)
    status, again = ask("/v1/match", {"a": A, "b": B, "reasons": "all"})
    check("and are forgotten afterwards", again == one)
    status, many = ask("/v1/match", {"pairs": [[A, B], {"a": A, "b": A}], "prior": 0.5})
    check("pairs are judged as one by one", status == 200 and len(many["results"]) == 2
          and many["results"][0] == {k: one[k] for k in ("probability", "same", "similarity")}, many)
    status, probabilities = ask("/v1/predict", {"pairs": [[A, B], {"a": A, "b": A}]})
    check("/v1/predict has their probabilities",
          probabilities == {"probabilities": [r["probability"] for r in many["results"]]}, probabilities)
    check("no pairs, no results", ask("/v1/match", {"pairs": []})[1] == {"results": []}
          and ask("/v1/predict", {"pairs": []})[1] == {"probabilities": []})
    hostile = '<script>"\\\u202e\U0001f600\u0007\n' * 20
    status, answer = ask("/v1/match", {"a": hostile, "b": hostile, "reasons": 5})
    check("hostile text comes back as it was", status == 200 and answer["a"] == hostile)
    status, answer = ask("/v1/match", {"a": "", "b": ""})
    check("empty sentences have a verdict", status == 200 and 0 <= answer["probability"] <= 1)
    status, vectors = ask("/v1/embed", {"texts": [A, B, ""]})
    check("/v1/embed", status == 200 and vectors["dim"] == 12 and [len(v) for v in vectors["vectors"]] == [12] * 3)
    status, openai = ask("/v1/embeddings", {"input": [A, B, ""], "model": "any", "encoding_format": "float"})
    check("/v1/embeddings has the vectors of /v1/embed", status == 200 and openai["object"] == "list"
          and [d["embedding"] for d in openai["data"]] == vectors["vectors"] and [d["index"] for d in openai["data"]] == [0, 1, 2])
    status, openai = ask("/v1/embeddings", {"input": A, "model": "any", "encoding_format": "base64", "dimensions": 12})
    packed = base64.b64decode(openai["data"][0]["embedding"])
    check("and in base64", status == 200 and packed == struct.pack("12f", *vectors["vectors"][0]))
    status, groups = ask("/v1/dedup", {"texts": [A, "where is my parcel?", A + "?", "Where is my parcel?"], "threshold": 0.95})
    found = sorted(sorted(m["index"] for m in c["members"]) for c in groups.get("clusters", []))
    check("/v1/dedup finds the same words", status == 200 and [1, 3] in found and groups["records"] == 4, groups)
    status, groups = ask("/v1/dedup", {"records": [{"id": "x", "text": A}, {"id": "y", "text": A}, {"text": "other"}]})
    check("/v1/dedup keeps ids", [m["id"] for m in groups["clusters"][0]["members"]] == ["x", "y"], groups)
    several = [line.split("\t")[1] for line in open(os.path.join(ROOT, "examples", "faq", "questions.tsv"))][1:]
    status, usual = ask("/v1/dedup", {"texts": several, "threshold": 0.6})
    status, rare = ask("/v1/dedup", {"texts": several, "threshold": 0.6, "prior": 0.05})
    check("/v1/dedup counts what would stay where duplicates are rare", usual["sure"] == rare["pairs"] == rare["sure"]
          and usual["pairs"] > usual["sure"], usual["pairs"], usual["sure"], rare["pairs"])
    check("nothing to deduplicate", ask("/v1/dedup", {"texts": []})[1]["clusters"] == [])


def explanations(server):
    status, why, _ = server.ask("POST", "/v1/explain", {"a": A, "b": B})
    told = program("explain", "faq.film", "--pair", A, B, "--json")
    check("/v1/explain answers what film explain --json prints", status == 200 and why == json.loads(told.stdout), told.stderr)
    check("/v1/explain adds up", status == 200 and abs(sum(w["weight"] for w in why["words"])
          + sum(g["weight"] for g in why["groups"]) + why["bias"] - why["log_odds"]) < 1e-6, why)
    check("/v1/explain points at the words", all((A if w["side"] == "a" else B)[slice(*w["span"])] == w["text"]
                                                 for w in why["words"]))


def the_pool(server):
    ask = lambda method, path, body: server.ask(method, path, body)[:2]  # noqa: E731
    status, found = ask("POST", "/v1/search", {"q": "Where is my parcel?", "k": 2})
    told = [json.loads(line) for line in program("search", "faq.pool", "Where is my parcel?", "-k", "2", "--json").stdout.splitlines()]
    check("/v1/search answers what film search prints", [(r["id"], r["text"], r["category"]) for r in found["results"]]
          == [(r["id"], r["text"], r["category"]) for r in told] and found["results"][0]["id"] == "parcel-where", found)
    status, why = ask("POST", "/v1/search", {"q": "Where is my parcel?", "k": 1, "explain": True})
    first = why["results"][0]
    check("with reasons", first["reasons"] and "bias" in first)
    check("and groups that add up to them", ordered(first["groups"], first["same"]) and all(g["title"] for g in first["groups"])
          and abs(sum(g["weight"] for g in first["groups"]) - sum(r["weight"] for r in first["reasons"])) < 1e-9, first["groups"])
    status, lists = ask("POST", "/v1/search", {"queries": ["Where is my parcel?", "zzzz", A], "k": 1})
    check("several queries have a list each", len(lists["results"]) == 3 and lists["results"][0] == found["results"][:1], lists)
    status, lists = ask("POST", "/v1/search", {"queries": ["a", "Where is my parcel?", "b"], "least": 0.9999999})
    check("also those without an answer", len(lists["results"]) == 3, lists)
    check("no queries", ask("POST", "/v1/search", {"queries": []})[1] == {"results": []})
    status, answer = ask("POST", "/v1/search", {"q": A, "where": {"category": "workplace-it"}})
    check("where", answer["results"] and {r["category"] for r in answer["results"]} == {"workplace-it"})
    new = [{"id": "n1", "text": "a zanzibar zebra", "category": "animals", "more": {"legs": 4, "wild": True}},
           {"text": "another zebra"}]
    check("adding", ask("POST", "/v1/pool", {"sentences": new})[1] == {"added": 2, "replaced": 0, "present": 0})
    check("again", ask("POST", "/v1/pool", {"sentences": new})[1] == {"added": 0, "replaced": 0, "present": 2})
    status, answer = ask("POST", "/v1/search", {"q": "zebra of zanzibar", "k": 1, "where": {"legs": 4, "wild": True}})
    check("it is found at once, by its own fields", [r["id"] for r in answer["results"]] == ["n1"]
          and answer["results"][0]["more"] == {"legs": 4, "wild": True}, answer)
    changed = [{"id": "n1", "text": "a zebra of zanzibar"}]
    check("an id with another text is refused", ask("POST", "/v1/pool", {"sentences": changed})[0] == 400)
    check("and replaced when asked", ask("POST", "/v1/pool", {"sentences": changed, "replace": True})[1]["replaced"] == 1)
    check("half of a bad list is not added", ask("POST", "/v1/pool", {"sentences": [{"id": "n2", "text": "b"}, {"id": "n3"}]})[0] == 400
          and ask("DELETE", "/v1/pool", {"ids": ["n2"], "ignore_missing": True})[1] == {"removed": 0})
    check("removing an id that is not there", ask("DELETE", "/v1/pool", {"ids": ["n1", "nobody"]})[0] == 400)
    check("removing", ask("DELETE", "/v1/pool", {"ids": ["n1", "nobody"], "ignore_missing": True})[1] == {"removed": 1})
    status, about = ask("GET", "/v1/model", None)
    told = json.loads(program("info", "faq.film", "--json").stdout)
    check("the OpenAPI file is of this version", about["version"] == api.document["info"]["version"])
    check("/v1/model", about["model"] == told and about["pool"]["sentences"] > 50 and about["report"] is False)


BAD = [  # what is sent, the status, a piece of the message
    ("{", 400, "line 1, column 1"), ("", 400, "invalid JSON"), ("[1]", 400, "must be a JSON object"), ("\"x\"", 400, ""),
    ('{"a": "x", "b": "y"} {}', 400, "invalid JSON"), ('{"a": "x", "a": "y", "b": "z"}', 400, "duplicate"),
    ('{"a": "\xff", "b": "y"}'.encode("latin-1"), 400, "invalid JSON"), ('{"a": "\\ud800", "b": "y"}', 400, "invalid JSON"),
    ('{"a": "x\\u0000", "b": "y"}', 400, "invalid JSON"), ('{"a": 1, "b": "y"}', 400, "a must be a string, not a number"),
    ('{"a": null, "b": "y"}', 400, "not null"), ('{"a": "x"}', 400, "b is missing"), ('{}', 400, "a is missing"),
    ('{"a": "x", "b": "y", "c": 1}', 400, 'unknown field "c"'), ('{"a": "x", "b": "y", "prior": 1}', 400, "between 0 and 1"),
    ('{"a": "x", "b": "y", "prior": -1e300}', 400, "between"), ('{"a": "x", "b": "y", "prior": 1e999}', 400, "invalid JSON"),
    ('{"a": "x", "b": "y", "prior": "half"}', 400, "number"), ('{"a": "x", "b": "y", "reasons": -1}', 400, "from 0"),
    ('{"a": "x", "b": "y", "reasons": 1.5}', 400, "integer"), ('{"a": "x", "b": "y", "reasons": "most"}', 400, "or all"), ('{"a": "x", "b": "y", "reasons": 99999999999999999999}', 400, "JSON"),
    ('{"a": "x", "b": "y", "memory": 1}', 400, "boolean"), ('{"a": "x", "b": "y", "decision": "no"}', 400, "auto|full|threshold"),
    ('{"pairs": 1}', 400, "array"), ('{"pairs": [["x"]]}', 400, "pairs[0]"), ('{"pairs": [["x", 2]]}', 400, "pairs[0][1]"),
    ('{"pairs": [{"a": "x"}]}', 400, "pairs[0]"), ('{"pairs": [], "a": "x"}', 400, "cannot be combined"),
    ('{"a": "x\\u20\u00e9\u00e9\n'.encode(), 400, "invalid JSON"),
    ('{"a": ' + "[" * 5000 + "]" * 5000 + "}", 400, "depth"), ('{"' + "n" * 5000 + '": 1}', 400, "unknown field"),
]


def plain_bodies(server):
    """Plain bodies are read in place; with an escaped name the JSON library reads them. json.loads says which are valid."""
    bodies = ['{"a": "%s", "b": "%s"}' % (A, B), ' {\t"b":"%s"\n,"a" :"%s" , "reasons": 0}\r\n' % (B, A), '{"a": "", "b": "\u00e9t\u00e9 \u4e2d"}',
              '{"a": "x", "b": "y", "reasons": "all", "memory": false}', '{"a": "x", "b": "y", "memory": true, "reversals": false, "reasons": 3}',
              '{"a": "say \\"hi\\"", "b": "x"}', '{"a": "x", "b": "y", "reasons": 01}', '{"a": "x", "b": "y", "reasons": 1e0}',
              '{"a": "x", "b": "y",}', '{"a": "x" "b": "y"}', '{"a" "x", "b": "y"}', '{"a": "x", "b": "y"', '{"a": "x", "b": "y"}}',
              '{"a": "x", "b": "y"}\0', '{"a": "x\ty", "b": "y"}', '{"a": "x", "b": "y", "memory": truely}', '{"a": "x", "b": "y", "reasons": 1234567890}']
    wrong = []
    for body in bodies:
        try:
            valid = all(type(v) is not float for v in json.loads(body).values())
        except ValueError:
            valid = False
        first, second = (server.ask("POST", "/v1/match", text.encode(), raw=True)[:2] for text in (body, body.replace('"a"', '"\\u0061"', 1)))
        if (first[0] == 200) != valid or first[0] != second[0] or (valid and first[1] != second[1]):
            wrong.append((body, first, second))
    check("plain bodies are read as the JSON library reads them", not wrong, *wrong)


def refusals(server):
    wrong = []
    for body, wanted, piece in BAD:
        status, answer, _ = server.ask("POST", "/v1/match", body, raw=True)
        if status != wanted or piece not in message(answer):
            wrong.append((body[:60], status, message(answer)))
    check(f"{len(BAD)} bad bodies are refused and told why", not wrong, *wrong)
    others = [("/v1/search", {"k": 3}, "q"), ("/v1/search", {"q": "x", "queries": []}, "exactly one"), ("/v1/search", {"q": "x", "k": 0}, "1 to 1000"),
              ("/v1/search", {"q": "x", "k": 1 << 62}, "1000"), ("/v1/search", {"q": "x", "where": {"a": [1]}}, "where"), ("/v1/search", {"q": "x", "least": 2}, "0 to 1"),
              ("/v1/search", {"q": "x", "where": {"no-such-field": "1"}}, "no-such-field"), ("/v1/search", {"queries": ["x", 1]}, "queries[1]"),
              ("/v1/predict", {}, "pairs"), ("/v1/embed", {}, "texts"), ("/v1/embed", {"texts": [1]}, "texts[0]"),
              ("/v1/classify", {}, "exactly one"), ("/v1/classify", {"text": "x"}, "no categories"),
              ("/v1/embeddings", {"model": "x"}, "input is missing"), ("/v1/embeddings", {"input": [[1, 2]]}, "input[0]"),
              ("/v1/embeddings", {"input": "x", "dimensions": 7}, "must be 12"), ("/v1/embeddings", {"input": 1}, "a string or an array"),
              ("/v1/explain", {"a": "x"}, "b is missing"),
              ("/v1/dedup", {}, "exactly one"), ("/v1/dedup", {"texts": ["x", []]}, "texts[1]"), ("/v1/dedup", {"records": [{"id": "x"}]}, "records[0]"),
              ("/v1/dedup", {"texts": [], "threshold": 1.5}, "threshold"), ("/v1/pool", {}, "sentences"), ("/v1/pool", {"sentences": ["x"]}, "sentences[0]"),
              ("/v1/pool", {"sentences": [{"text": "x", "more": 1}]}, "object"), ("/v1/pool", {"sentences": [{"text": "x", "id": "\n"}]}, "")]
    wrong = []
    for path, body, piece in others:
        status, answer, _ = server.ask("POST", path, body)
        if status != 400 or piece not in message(answer):
            wrong.append((path, body, status, message(answer)))
    check(f"{len(others)} other requests that make no sense are 400", not wrong, *wrong)
    status, answer, headers = server.ask("GET", "/v1/match")
    check("405 names the methods", status == 405 and headers["Allow"] == "POST, OPTIONS", status, headers)
    status, answer, headers = server.ask("PUT", "/v1/pool", {})
    check("405 of the pool", status == 405 and headers["Allow"] == "POST, DELETE, OPTIONS")
    check("TRACE is refused", server.ask("TRACE", "/")[0] == 405)
    status, answer, _ = server.ask("POST", "/v1/match", "{}", {"Content-Type": "text/plain"}, raw=True)
    check("415 without JSON's type", status == 415 and "application/json" in message(answer))
    status, answer, headers = server.ask("OPTIONS", "/v1/match", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
    check("another origin gets no permission", status == 204 and not headers["Access-Control-Allow-Origin"], status)
    status, answer, _ = server.ask("GET", "/healthz", headers={"Host": "evil.example"})
    check("another name than this machine's is refused (421)", status == 421)
    check("localhost is one of its names", server.ask("GET", "/healthz", headers={"Host": "LOCALHOST:1"})[0] == 200)
    check("/report without a report is 404", server.ask("GET", "/report")[0] == 404)


def raw(server, data, wanted=1):
    """What comes back for these bytes, until so many answers have come or the connection is closed."""
    with contextlib.closing(socket.create_connection((server.host, server.port), timeout=PATIENCE)) as one:
        one.sendall(data)
        text = b""
        while text.count(b"HTTP/1.1 ") < wanted:
            piece = one.recv(65536)
            if not piece:
                break
            text += piece
        return text


def wire(server):
    """Bytes that no ordinary client sends."""
    def request(path, body):
        return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
    match = request("/v1/match", '{"a": "x", "b": "y", "reasons": 0}')
    check("five requests at once have five answers", raw(server, 5 * match, 5).count(b"HTTP/1.1 200 ") == 5)
    check("HTTP/1.0 without a Host", b" 200 " in raw(server, b"GET /healthz HTTP/1.0\r\n\r\n"))
    for bad in (b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
                b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                b"GET /" + b"x" * 50000 + b" HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 9000 + b"\r\n"):
        with contextlib.suppress(ConnectionResetError):
            check(f"{bad[:20]!r}... is refused", re.match(rb"HTTP/1.1 (4|5)", raw(server, bad)))
    many = json.dumps({"texts": [f"sentence {i}" for i in range(300)]})
    for _ in range(10):
        with contextlib.closing(socket.create_connection((server.host, server.port))) as one:
            one.sendall(request("/v1/dedup", many))
    check("clients that leave while they are answered harm nobody", b" 200 " in raw(server, match))


def bare_model():
    open("report.html", "w").write("<!doctype html><title>report</title>")
    with Server("faq.film", "--report", "report.html") as server:
        asked = [server.ask("POST", "/v1/search", {"q": "x"}), server.ask("POST", "/v1/pool", {"sentences": []}), server.ask("DELETE", "/v1/pool", {"ids": []})]
        check("what needs a pool is 409", [a[0] for a in asked] == [409] * 3, asked)
        status, about, _ = server.ask("GET", "/v1/model")
        check("/v1/model without a pool", about["pool"] is None and about["report"] is True)
        status, text, headers = server.ask("GET", "/report")
        check("/report is the file, shut off from everything", status == 200 and "report" in text and "sandbox" in headers["Content-Security-Policy"])
        refused = program("serve", "faq.film", "--listen", f"127.0.0.1:{server.port}")
        check("a port that is taken", refused.returncode == 3 and "cannot listen" in refused.stderr, refused.stderr)
    refused = program("serve", "missing.film")
    check("no such model", refused.returncode == 3 and "missing.film" in refused.stderr)
    open("damaged.film", "wb").write(open("faq.film", "rb").read()[:5000])
    check("a damaged model", program("serve", "damaged.film").returncode == 2)


def metrics(server):
    samples, wrong = {}, []

    def counts_agree():
        nonlocal status, headers, count, total, bucket
        status, text, headers = server.ask("GET", "/metrics")
        for line in text.splitlines():
            found = re.fullmatch(r'([a-z_]+)(\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? ([0-9.e+-]+|\+Inf)', line)
            if found:
                samples[found[1] + (found[2] or "")] = float(found[3])
            elif not re.match(r"# (HELP|TYPE) film_|# (HELP|TYPE) process_", line):
                wrong.append(line)
        count = samples.get('film_request_seconds_count{endpoint="/v1/match"}', 0)
        total = sum(v for k, v in samples.items() if k.startswith('film_requests_total{endpoint="/v1/match"'))
        bucket = samples.get('film_request_seconds_bucket{endpoint="/v1/match",le="+Inf"}')
        return count == total == bucket

    status = headers = count = total = bucket = None
    agree = until(counts_agree)  # a request is counted when its answer has been sent, perhaps just now
    check("/metrics is what Prometheus reads", status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4") and not wrong, wrong)
    check("its counts agree", agree and samples['film_requests_total{endpoint="/v1/match",status="400"}'] >= len(BAD), count, total, bucket)
    check("and the gauges", samples["film_pool_sentences"] > 50 and samples["film_requests_in_flight"] >= 1
          and STARTED - 2 <= samples["process_start_time_seconds"] <= time.time() + 2)


def examples():
    """The examples in the OpenAPI file are requests that work and fit their own schema."""
    with Server("faq.pool") as server:
        wrong = []
        for path, operations in api.document["paths"].items():
            for method, operation in operations.items():
                example = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
                if example is not None:
                    wrong += api.request_problems(method, path, example)
                    status, answer, _ = server.ask(method.upper(), path, example)
                    fine = 400 if path == "/v1/classify" else 200  # this model has no categories
                    wrong += [] if status == fine else [(path, status, answer)]
        check("the examples of the OpenAPI file work", not wrong, *wrong)


shutil.copy("faq.pool", "asked.pool")
with Server("asked.pool") as main:
    the_page(main)
    pairs(main, "faq.film")
    explanations(main)
    the_pool(main)
    plain_bodies(main)
    refusals(main)
    wire(main)
    metrics(main)
    check("SIGTERM: exit 0", main.stop() == 0 and "stopping\n" in main.lines, main.lines)
bare_model()
examples()
check("every answer is as the OpenAPI file describes it", not undescribed, *undescribed[:5])
serving.finish()
