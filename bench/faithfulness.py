"""Deletion curves: how far the probability of a verdict falls when words are deleted, in four orders.

    bench/faithfulness.py MODEL DEV.tsv [PLOT.svg]    runs build/release/faithfulness_driver; see its head
"""
import os
import subprocess
import sys

import plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DRIVER = os.path.join(ROOT, "build", "release", "faithfulness_driver")
NAMES = {"explained": "what the explanation names", "idf": "highest idf", "idf, once": "highest idf, in one sentence only",
         "random": "random words"}


def main():
    model, dev, image = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    lines = subprocess.run([DRIVER, model, dev, "1000", "5"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    head, *rows = (line.split("\t") for line in lines[:-1])
    print("| verdict | pairs | words deleted by | " + " | ".join(head[3:]) + " |")
    print("|---" * len(head) + "|")
    for verdict, pairs, order, *values in rows:
        print(f"| {verdict} | {pairs} | {NAMES[order]} | " + " | ".join(f"{100 * float(v):.1f}" for v in values) + " |")
    print(lines[-1].replace("\t", ": "))
    areas = {(row[0], row[2]): float(row[-1]) for row in rows}
    for verdict in ("same", "different", "all"):
        for rival in ("idf", "idf, once", "random"):
            assert areas[verdict, "explained"] > areas[verdict, rival], (verdict, rival)
    ratio = {rival: areas["all", "explained"] / areas["all", rival] for rival in ("idf", "idf, once", "random")}
    print("area, explained over " + ", ".join(f"{NAMES[r]}: {ratio[r]:.2f}" for r in ratio))
    if image:
        series = [(NAMES[row[2]], [100 * float(v) for v in row[3:-1]]) for row in rows if row[0] == "all"]
        plot.lines(image, "Deleting words: how far the verdict's probability falls", "words deleted",
                   "fall of the probability, points", [1, 2, 3, 4, 5], series, 0, 40, 10, log=False,
                   below=[NAMES["idf"]])


main()
