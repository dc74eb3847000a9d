"""Reversals: for how many verdicts film finds edits that reverse them, and whether they do.

    bench/reversals.py MODEL DEV.tsv [PAIRS]    PAIRS random rows of DEV (1,000)

The reversals come from film serve (/v1/explain). They are checked without the code that found them: the edits are
applied here, and film predict judges the edited sentences. A reversal counts if the verdict changes, has at most three
edits, and its text is the one that was reported.
"""
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILM = os.environ.get("FILM") or os.path.join(ROOT, "build", "release", "film")


def explain(model, pairs):
    server = subprocess.Popen([FILM, "serve", model, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)\n", server.stderr.readline())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for a, b in pairs:
            connection.request("POST", "/v1/explain", json.dumps({"a": a, "b": b}), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, body
            yield json.loads(body)
    finally:
        server.terminate()
        server.wait()


def words(text):
    return re.sub(r" +", " ", text).strip()


def apply_edits(answer, reversal):
    """The sentences after the edits, up to spaces; from the spans alone."""
    text = {side: answer[side].encode() for side in "ab"}
    old = dict(text)
    for edit in sorted(reversal["edits"], key=lambda edit: -edit["span"][0]):
        side, (start, end) = edit["side"], edit["span"]
        by = b""
        if "by" in edit:
            first, last = edit["by_span"]
            by = old["b" if side == "a" else "a"][first:last]
            assert by.decode() == edit["by"]
        assert old[side][start:end].decode() == edit["text"]
        text[side] = text[side][:start] + by + text[side][end:]
    return [text[side].decode() for side in "ab"]


def predict(model, pairs):
    """The verdicts of film predict."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pairs.jsonl")
        with open(path, "w", encoding="utf-8") as out:
            for a, b in pairs:
                out.write(json.dumps({"a": a, "b": b}) + "\n")
        done = subprocess.run([FILM, "predict", model, path, "--format", "jsonl", "-q"], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line)["same"] for line in done.stdout.splitlines()]


def main():
    model, dev, most = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rows = [line.rstrip("\n").split("\t") for line in open(dev, encoding="utf-8")]
    rows = rows[1:] if rows[0][0] == "label" else rows
    pairs = [tuple(row[1:3]) for row in random.Random(1).sample(rows, min(most, len(rows)))]
    began = time.perf_counter()
    answers = list(explain(model, pairs))
    seconds = time.perf_counter() - began
    before = predict(model, pairs)
    found = [(i, answer, answer["reversals"][0]) for i, answer in enumerate(answers) if answer["reversals"]]
    edited = [apply_edits(answer, reversal) for _, answer, reversal in found]
    after = predict(model, edited)
    good = []
    for (i, answer, reversal), (a, b), verdict in zip(found, edited, after):
        assert answer["same"] == before[i]
        assert words(a) == words(reversal["a"]) and words(b) == words(reversal["b"]), (answer, reversal)
        if verdict != before[i] and len(reversal["edits"]) <= 3:
            good.append((i, len(reversal["edits"]), reversal["words"]))
    assert max(answer["judgements"] for answer in answers) <= 200
    print("| verdict | pairs | reversed | median edits | median words | judgements, mean | largest |")
    print("|---|---|---|---|---|---|---|")
    for name, wanted in (("same", [True]), ("different", [False]), ("all", [True, False])):
        group = [i for i, verdict in enumerate(before) if verdict in wanted]
        own = [entry for entry in good if before[entry[0]] in wanted]
        used = [answers[i]["judgements"] for i in group]
        print(f"| {name} | {len(group)} | {100 * len(own) / len(group):.1f} % | {statistics.median(e for _, e, _ in own):g} | "
              f"{statistics.median(w for _, _, w in own):g} | {statistics.mean(used):.0f} | {max(used)} |")
    print(f"found {len(found)}, reversed by film predict {len(good)}; {1000 * seconds / len(pairs):.1f} ms per explanation")


main()
