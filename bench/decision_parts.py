"""Measures what each part of the decision adds, and what limiting trees to depth 2 costs.

    bench/decision_parts.py TRAIN.tsv DEV.tsv [IMAGES]    runs build/release/decision_driver first (or, with
                                                          MATRICES=FOLDER set, reads what it wrote there)

XGBoost is trained on the driver's matrices as in src/learn/learn_decision.c for many pairs (choose_boosting: hist, depth
2, at most 1,000 trees; here with learning rate 0.2; fold 0 selects their number by early stopping, then all folds train). The base margin is the linear
model of the plain traits plus word evidence; calibration and threshold come from fold 0. So the last row of "adding" is
the program's own model without memory, and its accuracy must agree with film eval within the noise of threads. Differences
have the 95 % interval of the paired difference on dev.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import xgboost as xgb
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FACTS = ("numbers", "negation", "names", "forms")  # families too small to be removed one by one
GROUPS = ["length", "overlap", "order", "question", "facts", "spelling", "similarity", "meaning"]
ROUNDS, PATIENCE = 1000, 50


class Data:
    def __init__(self, folder):
        load = lambda name: np.load(os.path.join(folder, name + ".npy"))  # noqa: E731
        self.x, self.y, self.base, self.similarity = (
            {part: load(f"{part}-{name}") for part in ("train", "dev")} for name in ("x", "y", "base", "similarity"))
        self.weight, self.apart = load("train-weight"), load("train-fold") == 0
        with open(os.path.join(folder, "traits.tsv"), encoding="utf-8") as file:
            families = [line.split("\t")[0] for line in file]
        self.group = np.array(["facts" if family in FACTS else family for family in families])
        assert set(self.group) == set(GROUPS), set(self.group) ^ set(GROUPS)


class Result:
    """Margins on fold 0 (for line and threshold) and on dev."""

    def __init__(self, data, apart, dev, trees=0):
        y, w = data.y["train"][data.apart], data.weight[data.apart]
        line = LogisticRegression(C=1e6).fit(apart[:, None], y, w)
        p = np.clip(line.predict_proba(dev[:, None])[:, 1], 1e-15, 1 - 1e-15)
        truth = data.y["dev"] > 0.5
        order = np.argsort(-apart)
        gain = np.cumsum(np.where(y > 0.5, w, -w)[order])
        cut = apart[order[np.argmax(gain)]]
        self.right = (dev >= cut) == truth
        self.accuracy, self.trees = 100 * self.right.mean(), trees
        self.loss = -np.mean(np.log(np.where(truth, p, 1 - p)))
        self.auc = roc_auc_score(truth, dev)

    def minus(self, other):
        """Difference in points and half its 95 % interval."""
        d = self.right.astype(float) - other.right
        return 100 * d.mean(), 196 * d.std() / np.sqrt(len(d))


def boost(data, groups, depth=2, base=True, most=ROUNDS):
    columns = np.isin(data.group, list(groups))
    parameters = dict(tree_method="hist", objective="binary:logistic", base_score=0.5, eta=0.2, reg_lambda=5,
                      min_child_weight=20, max_depth=depth, nthread=2, seed=1)

    def matrix(part, rows=slice(None)):
        return xgb.DMatrix(np.ascontiguousarray(data.x[part][rows][:, columns]), label=data.y[part][rows],
                           weight=data.weight[rows] if part == "train" else None,
                           base_margin=data.base[part][rows] if base else None)

    learn, apart = matrix("train", ~data.apart), matrix("train", data.apart)
    model = xgb.train(dict(parameters, eval_metric="logloss"), learn, most, evals=[(apart, "apart")],
                      early_stopping_rounds=PATIENCE, verbose_eval=False)
    rounds = model.best_iteration + 1
    inside = model.predict(apart, output_margin=True, iteration_range=(0, rounds))
    model = xgb.train(parameters, matrix("train"), rounds)
    return Result(data, inside, model.predict(matrix("dev"), output_margin=True), rounds)


def say(name, result, against=None):
    change = "" if against is None else "{:+.2f} ± {:.2f}".format(*result.minus(against))
    print(f"{name:40} {result.accuracy:8.2f} {result.loss:9.4f} {result.auc:7.4f} {result.trees:6} {change:>15}", flush=True)


def head(title):
    print(f"\n{title:40} accuracy  log loss     AUC  trees      difference")


def adding(data):
    """From a threshold to everything, one group after the other; then everything less one."""
    alone = Result(data, data.similarity["train"][data.apart], data.similarity["dev"])
    words = Result(data, data.base["train"][data.apart], data.base["dev"])
    head("adding (difference to the row above)")
    say("threshold on the similarity", alone)
    say("line and word evidence", words, alone)
    rows, before = [("threshold on the similarity", alone.accuracy), ("line and word evidence", words.accuracy)], words
    for i, group in enumerate(GROUPS):
        result = boost(data, GROUPS[:i + 1])
        say(f"+ {group}", result, before)
        rows.append((f"+ {group}", result.accuracy))
        before = result
    return rows, before


def leaving(data, full):
    head("all but one (difference to all)")
    rows = []
    for group in GROUPS:
        result = boost(data, [g for g in GROUPS if g != group])
        say(f"without {group}", result, full)
        rows.append((f"without {group}", result.minus(full)[0]))
    result = boost(data, GROUPS, base=False)
    say("without line and word evidence", result, full)
    rows.append(("without line and word evidence", result.minus(full)[0]))
    result = boost(data, ["similarity"])
    say("word evidence + similarity", result, full)
    return rows


def depths(data, full):
    head("depth (difference to depth 2 with evidence)")
    rows = []
    for base in (True, False):
        for depth in (1, 2, 3, 4, 6):
            result = full if base and depth == 2 else boost(data, GROUPS, depth, base)
            say(f"depth {depth}{'' if base else ', no line or word evidence'}", result, full)
            rows.append((depth, base, result.accuracy))
    # Deeper trees have more leaves: separates the effect of depth from that of their number.
    say(f"depth 2, up to {5 * ROUNDS} trees", boost(data, GROUPS, most=5 * ROUNDS), full)
    return rows


def main():
    train, dev, *images = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="film-") as folder:
        matrices = os.environ.get("MATRICES", folder)
        if matrices == folder:
            subprocess.run([os.path.join(ROOT, "build", "release", "decision_driver"), train, dev, folder], check=True)
        data = Data(matrices)
    print(f"{data.x['train'].shape[0]} training pairs, {data.x['dev'].shape[0]} dev pairs, {len(data.group)} traits")
    rows, full = adding(data)
    without = leaving(data, full)
    deep = depths(data, full)
    if images:
        plot.bars(os.path.join(images[0], "decision-parts.svg"), "What each part of the decision adds", "dev accuracy, %",
                  rows, 74, 86, 2)
        plot.bars(os.path.join(images[0], "decision-without.svg"), "The decision without one part",
                  "change of dev accuracy, points", without, -2.5, 0.5, 0.5)
        plot.lines(os.path.join(images[0], "decision-depth.svg"), "Depth of the trees", "depth", "dev accuracy, %",
                   [1, 2, 3, 4, 6], [(name, [a for d, b, a in deep if b == base]) for name, base in
                                     (("with line and word evidence", True), ("without", False))], 78, 88, 2, log=False)


main()
