"""Prints the most confident wrong verdicts of a model for manual inspection: pairs, probabilities, strongest reasons.

    bench/decision_errors.py MODEL DEV.tsv [COUNT, 50]
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILM = os.environ.get("FILM", os.path.join(ROOT, "build", "release", "film"))


def film(*arguments):
    return subprocess.run([FILM, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def reason(r):
    other = " / " + r["other"]["text"] if "other" in r else f" ({r['side']})" if r["side"] else ""
    return f"{r['weight']:+.2f} {r['kind']}: {r['text']}{other}"


def main():
    model, dev = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    with open(dev, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    answers = [line.split("\t") for line in film("predict", model, dev, "--quiet").splitlines()][-len(rows):]
    wrong = [(abs(float(a[-2]) - int(r[0])), float(a[-2]), r, n + 2) for n, (a, r) in enumerate(zip(answers, rows)) if a[-1] != r[0]]
    print(f"{len(wrong)} wrong of {len(rows)}: {sum(r[0] == '0' for _, _, r, _ in wrong)} called the same, "
          f"{sum(r[0] == '1' for _, _, r, _ in wrong)} called different")
    for number, (_, p, (label, a, b), line) in enumerate(sorted(wrong, key=lambda w: -w[0])[:count], 1):
        answer = json.loads(film("match", model, a, b, "--json"))
        print(f"\n{number}. line {line}, label {label}, p {p:.4f}\n  a: {a}\n  b: {b}\n    " +
              "; ".join(map(reason, answer["reasons"][:6])))


main()
