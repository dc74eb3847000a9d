"""Deletion curves, comprehensiveness and sufficiency: how far the probability of a verdict falls when words are left out,
by the explanation, by leave-one-out, LIME and KernelSHAP, by idf and at random.

    bench/faithfulness.py MODEL DEV.tsv [PLOT.svg [PAIRS]]    runs build/release/faithfulness_driver; see its head
"""
import os
import subprocess
import sys

import plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DRIVER = os.path.join(ROOT, "build", "release", "faithfulness_driver")
NAMES = {"explained": "what the explanation names", "idf": "highest idf", "idf, once": "highest idf, in one sentence only",
         "random": "random words", "left out": "leave-one-out", "lime": "LIME, 200 samples",
         "shap": "KernelSHAP, 200 samples"}


def main():
    model, dev, image = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    pairs = sys.argv[4] if len(sys.argv) > 4 else "300"
    lines = subprocess.run([DRIVER, model, dev, pairs, "5"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    head, *rows = (line.split("\t") for line in lines[:-1])
    print("| verdict | pairs | words deleted by | " + " | ".join(head[3:]) + " |")
    print("|---" * len(head) + "|")
    for verdict, pairs, order, *values in rows:
        print(f"| {verdict} | {pairs} | {NAMES[order]} | " + " | ".join(f"{100 * float(v):.1f}" for v in values[:-2]) +
              f" | {float(values[-2]):.0f} | {float(values[-1]):.2f} |")
    print(lines[-1].replace("\t", ": "))
    areas = {(row[0], row[2]): float(row[8]) for row in rows}
    for verdict in ("same", "different", "all"):
        for rival in ("idf", "idf, once", "random"):
            assert areas[verdict, "explained"] > areas[verdict, rival], (verdict, rival)
    ratio = {rival: areas["all", "explained"] / areas["all", rival] for rival in ("idf", "idf, once", "random")}
    print("area, explained over " + ", ".join(f"{NAMES[r]}: {ratio[r]:.2f}" for r in ratio))
    if image:
        series = [(NAMES[row[2]], [100 * float(v) for v in row[3:8]]) for row in rows if row[0] == "all"]
        plot.lines(image, "Deleting words: how far the verdict's probability falls", "words deleted",
                   "fall of the probability, points", [1, 2, 3, 4, 5], series, 0, 40, 10, log=False,
                   below=[NAMES["idf"]])


main()
