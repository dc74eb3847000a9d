#!/usr/bin/env python3
"""Do few labels make a model worse? Trains with 0, 10, 25, 50, 100 and 200 labels and compares with 0.

    bench/few_labels.py [--seeds N] [--labels N,N,...] [--sets faq,quora] [--from file,pool,alone] [--film PROGRAM]

Sentences: the 1,400 questions of examples/faq; 2,000 sentences of Quora's dev file (another sample for each seed).
Every model, also the one with 0 labels, is trained on these and on all sentences of the pair file, so that only the
labels differ. Labels from a file are rows of the pair file, drawn at random: film train sentences.tsv labels.tsv. Labels
alone are the same rows without other sentences: film train labels.tsv. Labels from a pool are pairs near the threshold,
as film dedup --review asks for them, answered by the truth where it is known: film train --pool.
Measures: accuracy on pairs whose sentences are in neither, and precision and recall of film dedup over all pairs of
sentences inside a cluster. The truth is the cluster of a question, or what the positive pairs connect. Differences
are paired by seed; one that is below 0 by more than two standard errors is marked with "!" and makes the exit 1.
"""
import argparse
import collections
import csv
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEV = os.path.join(ROOT, "../shared/data/qqp/dev.tsv")
MEASURES = ("accuracy", "precision", "recall")


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def write(path, rows, header=None):
    with open(path, "w", encoding="utf-8", newline="") as file:
        for row in ([header] if header else []) + rows:
            file.write("\t".join(row) + "\n")


def faq(_seed):
    """Sentences, the group of each, labelled pairs, test pairs, and whether other groups always differ."""
    clusters = read(os.path.join(ROOT, "examples/faq/clusters.tsv"))[1:]
    group = {row[3]: row[0] for row in clusters}
    pairs = [read(os.path.join(ROOT, f"examples/faq/{name}.tsv"))[1:] for name in ("train", "heldout")]
    return list(group), group, *pairs, True


def quora(seed):
    rows = read(DEV)[1:]
    random.Random(seed).shuffle(rows)
    sentences, parent, pairs = {}, {}, []

    def root(text):
        while parent.setdefault(text, text) != text:
            text = parent[text]
        return text

    while len(sentences) < 2000:
        label, a, b = rows.pop()
        sentences.update({a: 1, b: 1})
        pairs.append([label, a, b])
        if label == "1":
            parent[root(a)] = root(b)
    test = [row for row in rows if row[1] not in sentences and row[2] not in sentences][:2000]
    return list(sentences), {text: root(text) for text in sentences}, pairs, test, False


class Trial:
    def __init__(self, film, folder, data):
        self.film, self.folder = film, folder
        self.sentences, self.group, self.pairs, self.test, self.complete = data
        self.different = {(a, b) for label, a, b in self.pairs if label == "0"}
        write(self.path("all.tsv"), [[str(i + 1), text] for i, text in enumerate(self.sentences)], ["id", "text"])
        texts = dict.fromkeys(self.sentences + [text for row in self.pairs for text in row[1:]])
        write(self.path("train.tsv"), [[str(i + 1), text] for i, text in enumerate(texts)], ["id", "text"])
        write(self.path("test.tsv"), self.test, ["label", "question1", "question2"])
        sizes = collections.Counter(self.group.values())
        self.duplicates = sum(n * (n - 1) // 2 for n in sizes.values())

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        done = subprocess.run([self.film, *arguments, "-q"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"film {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def measure(self, model):
        answers = [line.split("\t")[-1] for line in self.run("predict", model, self.path("test.tsv")).splitlines()[1:]]
        accuracy = np.mean([answer == row[0] for answer, row in zip(answers, self.test)])
        clusters = collections.defaultdict(list)
        self.run("dedup", model, self.path("all.tsv"), "-o", self.path("clusters.tsv"))
        for row in read(self.path("clusters.tsv"))[1:]:
            clusters[row[0]].append(self.group[self.sentences[int(row[1]) - 1]])
        together = sum(len(c) * (len(c) - 1) // 2 for c in clusters.values())
        right = sum(n * (n - 1) // 2 for c in clusters.values() for n in collections.Counter(c).values())
        return accuracy, right / max(together, 1), right / self.duplicates

    def without(self, seed):
        model = self.path("0.film")
        self.run("train", self.path("train.tsv"), "--labels", "none", "--seed", str(seed), "-o", model)
        return model

    def from_file(self, count, seed, sentences=True):
        rows = random.Random(1000 * seed + count).sample(self.pairs, count)
        write(self.path("labels.tsv"), rows, ["label", "question1", "question2"])
        model = self.path("file.film")
        files = [self.path("train.tsv")] * sentences + [self.path("labels.tsv")]
        self.run("train", *files, "--seed", str(seed), "-o", model)
        return model

    def alone(self, count, seed):
        return self.from_file(count, seed, sentences=False)

    def answer(self, a, b):
        """What the data says of two sentences, or None: two questions of Quora that nobody compared may well be duplicates."""
        if self.group[a] == self.group[b]:
            return "yes"
        return "no" if self.complete or (a, b) in self.different or (b, a) in self.different else None

    def from_pool(self, count, seed):
        pool, review, model = (self.path(name) for name in ("some.pool", "review.tsv", "pool.film"))
        if os.path.exists(pool):
            os.unlink(pool)
        self.run("pool", "create", pool, "--model", self.path("0.film"))
        self.run("pool", "add", pool, self.path("all.tsv"))
        self.run("dedup", pool, "--review", str(20 * count), "-o", review)
        header, *rows = read(review)
        at = [header.index(name) for name in ("id_a", "id_b", "same")]
        known = [(row, self.answer(*(self.sentences[int(row[i]) - 1] for i in at[:2]))) for row in rows]
        known = [(row, answer) for row, answer in known if answer][:2 * count]
        for row, answer in random.Random(1000 * seed + count).sample(known, min(count, len(known))):
            row[at[2]] = answer
        write(review, rows, header)
        self.run("pool", "label", pool, "--from", review)
        self.run("train", self.path("train.tsv"), "--pool", pool, "--seed", str(seed), "-o", model)
        return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--labels", default="10,25,50,100,200")
    parser.add_argument("--sets", default="faq,quora")
    parser.add_argument("--from", dest="origins", default="file,pool")
    parser.add_argument("--film", default=os.path.join(ROOT, "build/release/film"))
    options = parser.parse_args()
    worse = 0
    for name in options.sets.split(","):
        if name == "quora" and not os.path.exists(DEV):
            print("quora: skipped, ../shared/data is missing")
            continue
        figures = collections.defaultdict(list)
        for seed in range(1, options.seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                trial = Trial(options.film, folder, {"faq": faq, "quora": quora}[name](seed))
                figures["none", 0].append(trial.measure(trial.without(seed)))
                for origin in options.origins.split(","):
                    for count in map(int, options.labels.split(",")):
                        train = {"file": trial.from_file, "pool": trial.from_pool, "alone": trial.alone}[origin]
                        figures[origin, count].append(trial.measure(train(count, seed)))
        base = np.array(figures["none", 0])
        print(f"{name}, {options.seeds} seeds\n  from  labels " + "".join(f"{m:>10s}  minus 0 (s.e.) " for m in MEASURES))
        for (origin, count), values in figures.items():
            difference = np.array(values) - base
            mean = difference.mean(0)
            error = difference.std(0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(3)
            below = mean < -2 * error - 1e-12
            worse += below.sum()
            print(f"  {origin:5s} {count:5d} " + "".join(
                f"{v:10.3f} {m:+.4f} ({e:.4f}){'!' if b else ' '}"
                for v, m, e, b in zip(np.mean(values, 0), mean, error, below)), flush=True)
    print(f"below 0 labels by more than two standard errors: {worse}")
    sys.exit(int(worse > 0))


if __name__ == "__main__":
    main()
