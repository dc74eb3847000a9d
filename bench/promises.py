#!/usr/bin/env python3
"""Promised against real precision: film train --operating precision=P on one half, its threshold on the other half.

    bench/promises.py [--em N] [--quora N] [--precision P] [--rows valid|all] [--data FOLDER] [--log FILE] [--sets A,B]

N random splits of each entity-matching set (em/NAME/valid.jsonl.zst, or with all also train.jsonl.zst) and
N draws of 4,000 Quora pairs. The halves are grouped by record: rows that are connected by records stay together; where
more than a fifth of all rows are connected, the rows of one left record do. A promise is broken where the precision on
the other half is below P though training reported it as reached. Prints per set: promises reached and broken, the mean
of the promised lower bound, of the cross-validated and of the real precision, and of the recall on the other half; last,
the share of reached promises that were broken with its exact 95 % interval. With --log, trials in the file are not repeated,
so a run may be stopped at any time; --em 0 --quora 0 prints what the file has. A trial takes 5 to 20 s of one processor.
"""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILM = os.environ.get("FILM", os.path.join(ROOT, "build", "release", "film"))


def read_em(path):
    """Rows (label, left, right); the fields of a record become one text."""
    text = subprocess.run(["zstdcat", path], check=True, stdout=subprocess.PIPE, text=True).stdout

    def side(row, prefix):
        return " ".join(" ".join(str(value) for key, value in row.items() if key.startswith(prefix)).split())
    return [(int(row["label"]), side(row, "left_"), side(row, "right_")) for row in map(json.loads, text.splitlines())]


def read_quora(path):
    with open(path, encoding="utf-8") as file:
        next(file)
        return [(int(label), a, b) for label, a, b in (line.rstrip("\n").split("\t") for line in file)]


def halves(rows, rng):
    """Two random halves that share no record, or no left record where nearly all rows are connected."""
    parent = {}

    def root(record):
        parent.setdefault(record, record)
        while parent[record] != record:
            parent[record] = parent[parent[record]]
            record = parent[record]
        return record
    for _, a, b in rows:
        parent[root(a)] = root(b)
    group = [root(a) for _, a, _ in rows]
    if collections.Counter(group).most_common(1)[0][1] > len(rows) / 5:
        group = [a for _, a, _ in rows]
    side = {name: rng.random() < 0.5 for name in dict.fromkeys(group)}
    return ([row for row, name in zip(rows, group) if side[name]],
            [row for row, name in zip(rows, group) if not side[name]])


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write("label\ta\tb\n")
        file.writelines(f"{label}\t{a}\t{b}\n" for label, a, b in rows)


def trial(train, test, precision, folder):
    """What training promises about TRAIN, and what comes on TEST. Fewer positives than prove the precision without an
    error (59 for 0.95) cannot reach it: nothing is trained."""
    if sum(label for label, _, _ in train) < math.log(0.05) / math.log(precision):
        return {"reached": False, "bound": None, "cross_validated": None, "pairs": 0, "real": None, "passed": 0, "recall": 0,
                "train": len(train), "test": len(test)}
    paths = [os.path.join(folder, name) for name in ("train.tsv", "test.tsv", "model.film")]
    write(paths[0], train)
    write(paths[1], test)
    about = json.loads(subprocess.run(
        [FILM, "train", paths[0], "-o", paths[2], "--operating", f"precision={precision}", "--threads", "1",
         "--json", "--quiet"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)
    point = about["figures"]["operating"]
    if not point["reached"]:
        return {"reached": False, "bound": point["interval"][0], "cross_validated": point["precision"], "pairs": point["pairs"],
                "real": None, "passed": 0, "recall": 0, "train": len(train), "test": len(test)}
    lines = subprocess.run([FILM, "predict", paths[2], paths[1], "--quiet"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()[1:]
    same = np.array([line.endswith("\t1") for line in lines])
    label = np.array([row[0] for row in test]) == 1
    assert len(same) == len(label)
    return {"reached": True, "bound": point["interval"][0], "cross_validated": point["precision"],
            "pairs": point["pairs"], "real": float(label[same].mean()) if same.any() else None,
            "passed": int(same.sum()), "recall": float(same[label].mean()), "train": len(train), "test": len(test)}


def mean(values):
    values = [value for value in values if value is not None]
    return f"{np.mean(values):8.3f}" if values else "       -"


def exact_interval(hits, count):
    """Clopper-Pearson with 95 %, by bisection of the binomial distribution."""
    def at_most(k, p):
        return sum(math.comb(count, i) * p ** i * (1 - p) ** (count - i) for i in range(k + 1))

    def solve(k, wanted):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(k, middle) > wanted else (low, middle)
        return low
    return (solve(hits - 1, 0.975) if hits else 0.0), (solve(hits, 0.025) if hits < count else 1.0)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--em", type=int, default=20)
    options.add_argument("--quora", type=int, default=100)
    options.add_argument("--precision", type=float, default=0.95)
    options.add_argument("--rows", choices=["all", "valid"], default="valid")
    options.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"))
    options.add_argument("--sets", help="only these sets, comma-separated")
    options.add_argument("--log", help="append one JSON line per trial, and take up the trials it has")
    options = options.parse_args()
    em = os.path.join(options.data, "em")
    sets = {}
    for name in sorted(os.listdir(em)):
        parts = ["valid"] if options.rows == "valid" else ["train", "valid"]
        sets[name] = sum((read_em(os.path.join(em, name, f"{part}.jsonl.zst")) for part in parts), [])
    sets["quora"] = read_quora(os.path.join(options.data, "qqp", "train-strict.tsv"))
    if options.sets:
        sets = {name: sets[name] for name in options.sets.split(",")}
    results = {name: [] for name in sets}
    done = set()
    for line in open(options.log, encoding="utf-8") if options.log and os.path.exists(options.log) else []:
        result = json.loads(line)
        if result["set"] in results and result["promised"] == options.precision:
            done.add((result["set"], result["number"]))
            results[result["set"]].append(result)
    # One trial of every set in turn, so that a run that is stopped early has measured all of them.
    for number in range(max(options.em, options.quora)):
        for name, rows in sets.items():
            if number >= (options.quora if name == "quora" else options.em) or (name, number) in done:
                continue
            rng = random.Random(f"{name} {number}")
            drawn = rng.sample(rows, 4000) if name == "quora" else rows
            with tempfile.TemporaryDirectory() as folder:
                result = trial(*halves(drawn, rng), options.precision, folder)
            results[name].append(result)
            if options.log:
                with open(options.log, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"set": name, "number": number, "promised": options.precision, **result}) + "\n")
    print(f"{'set':14} trials reached broken    bound  cross-v.   real   recall")
    total = [0, 0, 0]
    for name, trials in results.items():
        kept = [t for t in trials if t["reached"]]
        broken = sum(t["real"] is not None and t["real"] < options.precision for t in kept)
        print(f"{name:14} {len(trials):6} {len(kept):7} {broken:6} {mean([t['bound'] for t in kept])} "
              f"{mean([t['cross_validated'] for t in kept])} {mean([t['real'] for t in kept])} "
              f"{mean([t['recall'] for t in kept])}")
        total = [a + b for a, b in zip(total, (len(trials), len(kept), broken))]
    print(f"{'all':14} {total[0]:6} {total[1]:7} {total[2]:6}")
    low, high = exact_interval(total[2], total[1])
    print(f"broken: {total[2]} of {total[1]} reached ({100 * low:.1f} to {100 * high:.1f} %)")


if __name__ == "__main__":
    main()
