#!/usr/bin/env python3
"""Quora question pairs from Python, as cells of a notebook: a frame in, a trained model, a report out.

    PYTHONPATH=python examples/quora/notebook.py [TRAIN.tsv DEV.tsv [REPORT.html]]

Without files it uses ../shared/data/qqp. It needs pandas. The last line has the seconds of every step.
"""
# %% The data, as any frame: columns are recognised by name (question1, question2, is_duplicate; label, a, b; ...)
import os
import sys
import time

import pandas

import film

data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data", "qqp")
files = sys.argv[1:3] if len(sys.argv) > 2 else [os.path.join(data, "train-strict.tsv"), os.path.join(data, "dev.tsv")]
page = sys.argv[3] if len(sys.argv) > 3 else "quora.html"
steps = [("start", time.perf_counter(), time.process_time())]


def step(name):
    steps.append((name, time.perf_counter(), time.process_time()))


train, dev = (pandas.read_csv(path, sep="\t", quoting=3, keep_default_na=False) for path in files)
print(train.head(3).to_string())
step("read")

# %% A model
model = film.train(train)
step("train")

# %% How good is it, on pairs that it has not seen?
result = film.evaluate(model, dev, no_knn=True)  # the report has the neighbours
print(f"accuracy {100 * result['accuracy']:.1f} %, log loss {result['log_loss']:.3f} on {result['rows']:,} pairs")
step("evaluate")

# %% A verdict; a notebook shows it with coloured words
a, b = dev.loc[0, ["question1", "question2"]]
print(model.match(a, b).explain())
step("match")

# %% The report: figures, mistakes, an audit of the labels
film.report(model, page, eval=dev, name="Quora")
step("report")

# %% What it took
print(", ".join(f"{name} {now - before:.1f} s ({spent - earlier:.1f} CPU)" for (_, before, earlier), (name, now, spent)
                in zip(steps, steps[1:])))
print(f"in all {steps[-1][1] - steps[0][1]:.0f} s, {steps[-1][2] - steps[0][2]:.0f} CPU s; report: {page}")
