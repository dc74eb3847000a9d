#!/usr/bin/env python3
"""What packing a model with few bits costs, on more pairs than one held-out file has.

    bench/pack.py FILM PAIRS.tsv... [--bits N]

Five folds over the questions of the files (label, question1, question2): each fold trains on the pairs without its
questions and is measured on the others, with 32 bits and packed. Prints the accuracy and log loss of both for every
fold and their means, and how many verdicts and by how much log-odds change. It needs NumPy.
"""
import os
import random
import subprocess
import sys
import tempfile

import numpy

FOLDS = 5


def probabilities(film, model, pairs):
    printed = subprocess.run([film, "predict", model, pairs, "-q", "-o", "-"], check=True, capture_output=True, text=True)
    head, *rows = [line.split("\t") for line in printed.stdout.splitlines()]
    return numpy.array([float(row[head.index("probability")]) for row in rows])


def compared(film, bits, train, test, folder):
    """Accuracy in percent and log loss with 32 bits and packed, then the changes."""
    labels = numpy.array([int(row[0]) for row in test])
    model, packed, pairs, held_out = (os.path.join(folder, name) for name in ("m.film", "p.film", "train.tsv", "test.tsv"))
    for path, rows in ((pairs, train), (held_out, test)):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines("\t".join(row) + "\n" for row in [["label", "question1", "question2"], *rows])
    subprocess.run([film, "train", pairs, "--bits", "32", "-q", "-o", model], check=True)
    subprocess.run([film, "pack", model, "--bits", bits, "-q", "-o", packed], check=True)
    both = [probabilities(film, path, held_out) for path in (model, packed)]
    accuracy = [100 * numpy.mean((p >= 0.5) == labels) for p in both]
    loss = [-numpy.mean(numpy.log(numpy.where(labels == 1, p, 1 - p).clip(1e-12))) for p in both]
    changed = 100 * numpy.mean((both[0] >= 0.5) != (both[1] >= 0.5))
    odds = [numpy.log(p / (1 - p)) for p in (p.clip(1e-7, 1 - 1e-7) for p in both)]
    return [*accuracy, accuracy[1] - accuracy[0], *loss, changed, numpy.mean(abs(odds[0] - odds[1]))]


def main():
    bits = sys.argv[sys.argv.index("--bits") + 1] if "--bits" in sys.argv else "6"
    film, *paths = [word for word in sys.argv[1:] if word not in ("--bits", bits)]
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += [line.rstrip("\n").split("\t") for line in file][1:]
    questions = sorted({question for row in rows for question in row[1:3]})
    random.Random(7).shuffle(questions)
    fold = {question: i % FOLDS for i, question in enumerate(questions)}
    print(f"accuracy 32 bits, {bits} bits, difference; log loss 32, {bits}; verdicts changed %; mean change of the log-odds")
    lines = []
    for k in range(FOLDS):
        apart = [k in (fold[row[1]], fold[row[2]]) for row in rows]
        train, test = ([row for row, out in zip(rows, apart) if out == side] for side in (False, True))
        with tempfile.TemporaryDirectory() as folder:
            lines.append(compared(film, bits, train, test, folder))
        print(f"{len(test):5} pairs ", *(f"{value:.4f}" for value in lines[-1]), flush=True)
    print("mean        ", *(f"{value:.4f}" for value in numpy.mean(lines, axis=0)))


main()
