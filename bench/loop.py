#!/usr/bin/env python3
"""What is an answer worth? Simulated reviewers answer with the labels of the data; accuracy after 25, 50, ... answers.

    bench/loop.py [--sets faq,banking,abt-buy,quora] [--seeds N] [--answers N,N,...] [--start MODEL] [--decision D]
                  [--film PROGRAM] [--json FILE]

The pool has sentences (or records) and no labels at first. Arm "loop" asks for the pairs that film_pool_review chooses, a
quarter of them at random, as the page does; arm "random" asks only for random ones: a sentence and one of its three nearest
neighbours. After each number of answers a model is trained on the pool (film train --pool), put in service (film pool
update), and judges the held-out pairs, which share no sentence with the pool. Both arms begin with the same model. --start
adds an arm of each that begins from MODEL. Figures: mean over the seeds of the balanced accuracy at the model's own
threshold, with a 95 % interval (t); "loop - random" is paired by seed. AUC is the area under the ROC curve: where it
rises and accuracy does not, the model orders held-out pairs better, and its threshold does not fit them.

faq: questions of examples/faq and the look-alikes of train.tsv, its held-out pairs. banking: 2,000 sentences of
BANKING77, the same where the intent is; held out: 1,000 sentences with their two nearest neighbours. abt-buy, quora:
only pairs of the file are asked for; held out: valid.jsonl, and 2,000 pairs of dev.tsv. Processor seconds of each seed
are written to the standard error.
"""
import argparse
import collections
import csv
import ctypes
import io
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "../shared/data")
sys.path.insert(0, os.path.join(ROOT, "python/film"))
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def neighbours(texts, count):
    """The nearest sentences of each by TF-IDF of words."""
    words = [set(re.findall(r"\w+", text.lower())) for text in texts]
    number = {word: i for i, word in enumerate(sorted(set().union(*words)))}
    rows = np.zeros((len(texts), len(number)), np.float32)
    for i, own in enumerate(words):
        rows[i, [number[word] for word in own]] = 1
    rows *= np.log(len(texts) / rows.sum(0))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    near = rows @ rows.T
    np.fill_diagonal(near, -1)
    return np.argsort(-near, axis=1)[:, :count]


class Data:
    """Rows of the pool as objects with an id, what a reviewer says to a pair of ids, and a test file."""

    def __init__(self, rows, answer, test, fields=None):
        self.rows, self.answer, self.test, self.fields = rows, answer, test, fields


def faq(_seed):
    group = {row[3]: row[0] for row in table(f"{ROOT}/examples/faq/clusters.tsv") if row[1] == "train"}
    known = {frozenset(row[1:]): row[0] == "1" for row in table(f"{ROOT}/examples/faq/train.tsv")}
    texts = list(dict.fromkeys([*group, *(text for pair in known for text in sorted(pair))]))
    test = [dict(label=int(row[0]), a=row[1], b=row[2]) for row in table(f"{ROOT}/examples/faq/heldout.tsv")]

    def same(a, b):
        a, b = texts[a], texts[b]
        return group[a] == group[b] if a in group and b in group else known.get(frozenset((a, b)))

    return Data([dict(text=text) for text in texts], same, test)


def banking(seed):
    with open(f"{DATA}/banking77/train.csv", encoding="utf-8", newline="") as file:
        rows = [(" ".join(text.split()), intent) for text, intent in list(csv.reader(file))[1:]]
    random.Random(seed).shuffle(rows)
    pool, apart = rows[:2000], rows[2000:3000]
    test = [dict(label=int(apart[i][1] == apart[j][1]), a=apart[i][0], b=apart[j][0])
            for i, near in enumerate(neighbours([row[0] for row in apart], 2)) for j in near]
    return Data([dict(text=row[0]) for row in pool], lambda a, b: pool[a][1] == pool[b][1], test)


def of_pairs(pairs, test, fields=None):
    """A pool of the sentences of PAIRS; only these have an answer."""
    number, rows, known = {}, [], {}
    for label, *sides in pairs:
        ids = []
        for side in sides:
            key = json.dumps(side, sort_keys=True)
            if key not in number:
                number[key] = len(rows)
                rows.append(side)
            ids.append(number[key])
        known[min(ids), max(ids)] = label
    return Data(rows, lambda a, b: known.get((min(a, b), max(a, b))), test, fields)


def quora(seed):
    rows = table(f"{DATA}/qqp/dev.tsv")
    random.Random(seed).shuffle(rows)
    pool, seen = rows[:2000], set()
    for _, a, b in pool:
        seen |= {a, b}
    test = [dict(label=int(label), a=a, b=b) for label, a, b in rows[2000:] if a not in seen and b not in seen][:2000]
    return of_pairs([(int(label), dict(text=a), dict(text=b)) for label, a, b in pool], test)


def abt_buy(_seed):
    def read(name):
        text = subprocess.run(["zstd", "-dcq", f"{DATA}/em/Abt-Buy/{name}.jsonl.zst"], check=True, capture_output=True).stdout
        return [json.loads(line) for line in io.StringIO(text.decode())]

    side = lambda row, name: {key[len(name):]: value for key, value in row.items() if key.startswith(name)}
    pairs = [(int(row["label"]), side(row, "left_"), side(row, "right_")) for row in read("train")]
    return of_pairs(pairs, read("valid"), ",".join(pairs[0][1]))


SETS = {"faq": faq, "banking": banking, "abt-buy": abt_buy, "quora": quora}


class Library:
    def __init__(self, program):
        import _abi as abi
        self.abi = abi
        folder = os.path.dirname(os.path.realpath(program))
        self.pool = ctypes.CDLL(os.path.join(folder, "libfilm-pool.so"))

    def check(self, status, error):
        if status:
            raise RuntimeError(error.message.decode())

    def review(self, path, count, share, seed, answer):
        """[(origin, id, id)] of the pairs that film_pool_review chooses and ANSWER knows."""
        abi, error, pool, found = self.abi, self.abi.film_error(), ctypes.c_void_p(), []
        text = lambda value: ctypes.string_at(value.bytes, value.length).decode()

        def keep(_user, pair):
            origin = ctypes.create_string_buffer(64)
            self.pool.film_review_origin(pair, origin)
            found.append((origin.value.decode(), int(text(pair[0].first.id)), int(text(pair[0].second.id))))
            return 0

        options = abi.film_review_options()
        options.size, options.count, options.random, options.seed = ctypes.sizeof(options), count, share, seed
        options.answer.size = ctypes.sizeof(options.answer)
        options.call = abi.film_review_fn(keep)
        options.skip = type(options.skip)(lambda _user, a, b: answer(int(text(a)), int(text(b))) is None)
        self.check(self.pool.film_pool_open(path.encode(), ctypes.byref(pool), ctypes.byref(error)), error)
        self.check(self.pool.film_pool_review(pool, ctypes.byref(options), ctypes.byref(error)), error)
        self.pool.film_pool_close(pool)
        return found


class Trial:
    def __init__(self, given, data, start, folder):
        self.film, self.given, self.data, self.start, self.folder = given.film, given, data, start, folder
        with open(self.path("rows.jsonl"), "w", encoding="utf-8") as file:
            for i, row in enumerate(data.rows):
                file.write(json.dumps({"id": str(i), **row}) + "\n")
        with open(self.path("test.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in data.test)
        self.target = np.array([int(row["label"]) for row in data.test])

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments):
        done = subprocess.run([self.film, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"film {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def begins(self):
        return ["--start", self.start] if self.start else []

    def create(self, name):
        """The pool without labels; both arms begin with a copy of it."""
        fields = ["--fields", self.data.fields] if self.data.fields else []
        self.run("train", self.path("rows.jsonl"), "-o", self.path("0.film"), "-q", *fields, *self.begins())
        self.run("pool", "create", self.path(name), "--model", self.path("0.film"), "-q")
        self.run("pool", "add", self.path(name), self.path("rows.jsonl"), "-q")

    def learn(self, name):
        self.run("train", "--pool", self.path(name), "-o", self.path("now.film"), "-q", *self.begins(),
                 *(["--decision", self.given.decision] if self.given.decision else []))
        self.run("pool", "update", self.path(name), "--model", self.path("now.film"), "-q")

    def accuracy(self, model):
        rows = [line.split("\t") for line in
                self.run("predict", self.path(model), self.path("test.jsonl"), "-q").splitlines()]
        score = np.array([float(row[rows[0].index("probability")]) for row in rows[1:]])
        right = np.array([int(row[-1]) for row in rows[1:]]) == self.target
        below, same = np.sort(score[self.target == 0]), score[self.target == 1]
        auc = (np.searchsorted(below, same, "left") + np.searchsorted(below, same, "right")).mean() / 2 / len(below)
        return 0.5 * (right[self.target == 1].mean() + right[self.target == 0].mean()), auc

    def arm(self, name, share, seed, library):
        """Accuracy and AUC after each number of answers. The model learns only at these numbers."""
        shutil.copy(self.path("0.pool"), self.path(name))
        figures, answered = {0: self.accuracy("0.film")}, 0
        for count in self.given.answers:
            while answered < count:
                found = library.review(self.path(name), min(100, count - answered), share, 1000 * seed + answered + 1,
                                       self.data.answer)
                if not found:
                    return figures
                with open(self.path("labels.tsv"), "w", encoding="utf-8") as file:
                    file.write("same\tid_a\tid_b\torigin\n")
                    file.writelines(f"{int(self.data.answer(a, b))}\t{a}\t{b}\t{origin}\n" for origin, a, b in found)
                self.run("pool", "label", self.path(name), "--from", self.path("labels.tsv"), "-q")
                answered += len(found)
            self.learn(name)
            figures[count] = self.accuracy("now.film")
        return figures


def interval(values):
    mean = float(np.mean(values))
    half = T95.get(len(values) - 1, 2) * float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0
    return mean, half


def report(name, figures, answers):
    arms = [arm for arm in ("loop", "random", "loop+start", "random+start") if figures[arm]]
    print(f"\n| {name}: answers | " + " | ".join(arms) + " | loop - random | AUC loop | random |")
    print("|---|" + "---|" * (len(arms) + 3))
    for count in [0, *answers]:
        cells = [interval([100 * run[count][0] for run in figures[arm] if count in run]) for arm in arms
                 if all(count in run for run in figures[arm])]
        auc = [np.mean([run[count][1] for run in figures[arm] if count in run] or [np.nan]) for arm in arms[:2]]
        both = [100 * (a[count][0] - b[count][0]) for a, b in zip(figures["loop"], figures["random"])
                if count in a and count in b]
        gap = interval(both) if both else (float("nan"), 0)
        print(f"| {count} | " + " | ".join(f"{mean:.1f} ± {half:.1f}" for mean, half in cells) +
              f" | {gap[0]:+.1f} ± {gap[1]:.1f} | {auc[0]:.3f} | {auc[1]:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="faq,banking,abt-buy,quora")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--answers", default="25,50,100,200,500")
    parser.add_argument("--start")
    parser.add_argument("--decision")
    parser.add_argument("--film", default=os.path.join(ROOT, "build/release/film"))
    parser.add_argument("--json")
    given = parser.parse_args()
    given.answers = [int(count) for count in given.answers.split(",")]
    library, stored, before = Library(given.film), {}, 0.0
    for name in given.sets.split(","):
        figures = collections.defaultdict(list)
        for seed in range(1, given.seeds + 1):
            for start in [None, given.start] if given.start else [None]:
                with tempfile.TemporaryDirectory() as folder:
                    trial = Trial(given, SETS[name](seed), start, folder)
                    trial.create("0.pool")
                    for arm, share in (("loop", 0.25), ("random", 1.0)):
                        figures[arm + ("+start" if start else "")].append(trial.arm(arm + ".pool", share, seed, library))
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime + resource.getrusage(resource.RUSAGE_SELF).ru_utime
            print(f"{name}, seed {seed}: {used - before:.0f} processor seconds", file=sys.stderr, flush=True)
            before, stored[name] = used, figures
            if given.json:
                with open(given.json, "w", encoding="utf-8") as file:
                    json.dump(stored, file, indent=1)
        report(name, figures, given.answers)


if __name__ == "__main__":
    main()
