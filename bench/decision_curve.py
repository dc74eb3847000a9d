"""The learning curve of the decision: 1/8, 1/4, 1/2 and all of the training pairs.

    bench/decision_curve.py TRAIN.tsv DEV.tsv [PLOT.svg]

Each part is a subset of every larger one and consists of whole connected components: none of its questions occurs in
the other pairs, as none of TRAIN occurs in DEV. The full decision and one threshold on the similarity (chosen on
held-out training rows) are trained on each; the measures are those of film eval, at the models' own thresholds.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILM = os.environ.get("FILM", os.path.join(ROOT, "build", "release", "film"))


def film(*arguments):
    return json.loads(subprocess.run([FILM, *map(str, arguments), "--json", "--quiet"], check=True,
                                     stdout=subprocess.PIPE, text=True).stdout)


def parts(path, shares, folder):
    """Files of the first SHARES of the components, shuffled."""
    with open(path, encoding="utf-8") as file:
        head, *rows = file.read().splitlines()
    root = {}

    def find(x):
        while root.setdefault(x, x) != x:
            root[x] = x = root[root[x]]
        return x

    ends = [row.split("\t")[1:3] for row in rows]
    for a, b in ends:
        root[find(a)] = find(b)
    components = {}
    for row, (a, _) in zip(rows, ends):
        components.setdefault(find(a), []).append(row)
    order = list(components.values())
    random.Random(1).shuffle(order)
    files, chosen, used = [], [], 0
    for share in shares:
        while used < len(order) and len(chosen) < share * len(rows):
            chosen += order[used]
            used += 1
        name = os.path.join(folder, f"part-{len(chosen)}.tsv")
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join([head, *chosen]) + "\n")
        files.append((len(chosen), name))
    return files


def main():
    train, dev, *image = sys.argv[1:]
    curve = {"full": [], "threshold": []}
    print(f"{'pairs':>8}  {'decision':9}  accuracy  log loss     AUC     ECE  train s")
    with tempfile.TemporaryDirectory(prefix="film-") as folder:
        model = os.path.join(folder, "model.film")
        files = parts(train, (1 / 8, 1 / 4, 1 / 2, 1), folder)
        for count, path in files:
            for decision, points in curve.items():
                start = time.perf_counter()
                film("train", path, "-o", model, "--decision", decision)
                seconds = time.perf_counter() - start
                found = film("eval", model, dev, "-k", 0, "--bootstrap", 0)
                points.append(100 * found["accuracy"])
                print(f"{count:8}  {decision:9}  {points[-1]:8.2f}  {found['log_loss']:8.4f}  {found['auc']:.4f}  "
                      f"{found['ece']:.4f}  {seconds:7.1f}", flush=True)
    if image:
        plot.lines(image[0], "Learning curve on Quora pairs", "training pairs (logarithmic)", "dev accuracy, %",
                   [count for count, _ in files], [("full decision", curve["full"]), ("one threshold", curve["threshold"])],
                   66, 86, 2)


main()
