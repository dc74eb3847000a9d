#!/usr/bin/env python3
"""Records: F1 of published entity matching sets.

    bench/records.py [--one-text | --labels] [NAME...]

Reads ../shared/data/em/NAME/{train,valid}.jsonl.zst. Trains with default options, predicts, and prints F1 at the stored
threshold and at the best one, the processor seconds and memory of training and predictions per processor second. Beer's valid file has 14
matches: its row is the mean of five folds over both files, with its standard error. --one-text pastes all fields
together: the model then compares sentences. --labels: F1 after 50, 100, 200 and 500 labels, drawn at random or by the pairs
nearest to the threshold of the last model, as film dedup --review asks; a fifth of train is the test, mean of three draws.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "em"
FILM = os.environ.get("FILM", str(ROOT / "build" / "release" / "film"))
FOLDS = 5


def rows(name, part):
    text = subprocess.run(["zstdcat", DATA / name / (part + ".jsonl.zst")], capture_output=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def paste(row):
    sides = [" ".join(v for k, v in row.items() if k.startswith(side) and v) for side in ("left_", "right_")]
    return {"sentence1": sides[0], "sentence2": sides[1], "label": row["label"]}


def f1(labels, verdicts):
    return 200 * sum(a and b for a, b in zip(labels, verdicts)) / max(1, sum(labels) + sum(verdicts))


def best_f1(labels, probabilities):
    found = best = 0
    for rank, i in enumerate(sorted(range(len(labels)), key=lambda i: -probabilities[i]), 1):
        found += labels[i]
        best = max(best, 200 * found / (rank + sum(labels)))
    return best


def write(path, data):
    with open(path, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in data)


def run(*command):
    """Runs film; returns its processor seconds and MB."""
    process = subprocess.Popen([FILM, *command])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("film %s: exit code %d" % (command[0], process.returncode))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def predict(folder, data):
    """Verdicts, probabilities and processor seconds."""
    write(folder / "test.jsonl", data)
    seconds, _ = run("predict", folder / "m.film", folder / "test.jsonl", "-q", "-o", folder / "out.tsv")
    with open(folder / "out.tsv") as lines:
        columns = [line.rstrip("\n").split("\t") for line in lines][1:]
    assert len(columns) == len(data)
    return [int(c[1]) for c in columns], [float(c[0]) for c in columns], seconds


def measure(folder, train, test):
    """F1 stored, F1 best, processor seconds of training, its MB, predictions per processor second."""
    write(folder / "train.jsonl", train)
    seconds, memory = run("train", folder / "train.jsonl", "-q", "-o", folder / "m.film")
    verdicts, probabilities, spent = predict(folder, test)
    labels = [int(row["label"]) for row in test]
    return f1(labels, verdicts), best_f1(labels, probabilities), seconds, memory, len(test) / spent


def folds(data):
    """Folds that share no record."""
    parent = {}

    def find(x):
        parent.setdefault(x, x)
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    def sides(row):
        return [json.dumps([v for k, v in row.items() if k.startswith(s)]) for s in ("left_", "right_")]
    for row in data:
        a, b = sides(row)
        parent[find(a)] = find(b)
    groups = sorted({find(sides(row)[0]) for row in data})
    random.Random(1).shuffle(groups)
    fold = {group: i % FOLDS for i, group in enumerate(groups)}
    return [fold[find(sides(row)[0])] for row in data]


def few_labels(folder, data, draw, by_review):
    """F1 at the stored threshold after 50, 100, 200 and 500 labels."""
    order = random.Random(draw).sample(data, len(data))
    test, pool, labelled, figures = order[:len(order) // 5], order[len(order) // 5:], [], []
    for wanted in (50, 100, 200, 500):
        if labelled and by_review:
            some = pool[:1500]
            verdicts, probabilities, _ = predict(folder, some)
            same = [p for p, v in zip(probabilities, verdicts) if v] or [1]
            threshold = (min(same) + max([p for p, v in zip(probabilities, verdicts) if not v] or [0])) / 2
            nearest = sorted(range(len(some)), key=lambda i: abs(probabilities[i] - threshold))
            pool = [some[i] for i in nearest] + pool[1500:]
        labelled, pool = labelled + pool[:wanted - len(labelled)], pool[wanted - len(labelled):]
        figures.append(measure(folder, labelled, test)[0])
    return figures


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or ["Abt-Buy", "DBLP-ACM", "Beer", "wdc-computers", "wdc-cameras"]
    change = paste if "--one-text" in sys.argv else dict
    if "--labels" in sys.argv:
        print("| set | labels | 50 | 100 | 200 | 500 |\n|---|---|---|---|---|---|")
        for name in names:
            for by_review in (0, 1):
                with tempfile.TemporaryDirectory() as folder:
                    draws = [few_labels(pathlib.Path(folder), rows(name, "train"), draw, by_review) for draw in range(3)]
                print("| %s | %s | %s |" % (name, "by review" if by_review else "at random", " | ".join(
                    "%.1f" % statistics.mean(column) for column in zip(*draws))), flush=True)
        return
    print("| set | F1 stored | F1 best | seconds | MB | predictions/s |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in names:
            train, test = rows(name, "train"), rows(name, "valid")
            if name == "Beer":
                data = train + test
                of = folds(data)
                all_figures = [measure(folder, [change(r) for r, f in zip(data, of) if f != k],
                                       [change(r) for r, f in zip(data, of) if f == k]) for k in range(FOLDS)]
                figures = [statistics.mean(column) for column in zip(*all_figures)]
                error = statistics.stdev(row[0] for row in all_figures) / FOLDS ** 0.5
                stored = "%.1f ± %.1f" % (figures[0], error)
            else:
                figures = measure(folder, list(map(change, train)), list(map(change, test)))
                stored = "%.1f" % figures[0]
            print("| %s | %s | %.1f | %.1f | %.0f | %.0f |" % (name, stored, *figures[1:]), flush=True)


if __name__ == "__main__":
    main()
