"""Compares the measures of film eval with scikit-learn and scipy: measures_sklearn.py DUMP

DUMP is the program built from measures_dump.c. Random cases: many rows and few, scores with and without
ties, one class alone, constant scores, certain and wrong probabilities, graded labels. Prints TAP.
"""
import math
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from scipy import stats
from sklearn import metrics

warnings.simplefilter("ignore")
NAMES = ["accuracy", "best_accuracy", "log_loss", "f1", "precision", "recall", "auc", "average_precision", "ece",
         "brier", "pearson", "spearman"]
RATES = ["precision at a prior", "recall at a prior", "called the same at a prior"]
THRESHOLD, PRIOR = 0.4, 0.11  # measures_dump.c has the same
CLIP = 1e-15


def cases():
    rng = np.random.default_rng(12)
    for n in [1, 2, 3, 5, 10, 40, 200, 3000]:
        for round_ in range(6):
            label = (rng.random(n) < 0.4).astype(float)
            if round_ == 4:
                label[:] = 1
            if round_ == 5:
                label[:] = 0
            score = np.clip(0.35 * label + 0.65 * rng.random(n), 0, 1)
            yield f"{n} rows, kind {round_}", score, label
            yield f"{n} rows, kind {round_}, ties", np.round(score * 6) / 6, label
    label = (rng.random(50) < 0.5).astype(float)
    yield "constant scores", np.full(50, 0.3), label
    yield "certain, half of it wrong", (rng.random(50) < 0.5).astype(float), label
    yield "on the edges of the bins", rng.integers(0, 16, 50) / 15, label
    for n in [2, 3, 30, 2000]:
        graded = np.round(5 * rng.random(n), 1)
        yield f"{n} scores", 0.1 * graded + rng.random(n), graded
        yield f"{n} scores, ties", np.round(0.1 * graded + rng.random(n), 1), graded
    yield "constant labels", rng.random(20), np.full(20, 2.5)


def correlation(function, score, label):
    if len(score) < 2 or len(set(score)) < 2 or len(set(label)) < 2:
        return math.nan
    return function(score, label)[0]


def calibration(score, label):
    bins = np.minimum((score * 15).astype(int), 14)
    total = sum(abs(score[bins == b].mean() - label[bins == b].mean()) * (bins == b).sum()
                for b in range(15) if (bins == b).any())
    return total / len(score)


def peer(score, label):
    value = dict.fromkeys(NAMES, math.nan)
    label = label.astype(np.float32).astype(np.float64)
    value["pearson"] = correlation(stats.pearsonr, score, label)
    value["spearman"] = correlation(stats.spearmanr, score, label)
    if set(label) - {0, 1}:
        return value
    same = score >= 0.5
    value["accuracy"] = metrics.accuracy_score(label, same)
    thresholds = np.append(np.unique(score), 2.0)
    value["best_accuracy"] = max(np.mean((score >= t) == label) for t in thresholds)
    value["f1"] = metrics.f1_score(label, same, zero_division=0)
    if same.any():
        value["precision"] = metrics.precision_score(label, same)
    if label.any():
        value["recall"] = metrics.recall_score(label, same)
    clipped = np.clip(score, CLIP, 1 - CLIP)
    value["log_loss"] = metrics.log_loss(label, clipped, labels=[0, 1], eps=CLIP)
    value["ece"] = calibration(score, label)
    value["brier"] = metrics.brier_score_loss(label, score, pos_label=1)
    if 0 < label.sum() < len(label):
        value["auc"] = metrics.roc_auc_score(label, score)
    if label.sum() > 0:
        value["average_precision"] = metrics.average_precision_score(label, score)
    return value


def rates(score, label):
    """Rows weighted so that PRIOR of the weight is labelled the same."""
    if set(label) != {0, 1}:
        return [math.nan] * 3
    weight = np.where(label == 1, PRIOR / label.sum(), (1 - PRIOR) / (1 - label).sum())
    same = score >= THRESHOLD
    return [metrics.precision_score(label, same, sample_weight=weight) if same.any() else math.nan,
            metrics.recall_score(label, same, sample_weight=weight), np.average(same, weights=weight)]


def main():
    everything = list(cases())
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for _, score, label in everything:
            file.write(f"CASE {len(score)}\n")
            for s, y in zip(score, label):
                file.write(f"{s!r} {y!r}\n".replace("np.float64(", "").replace(")", ""))
        file.flush()
        out = subprocess.run([sys.argv[1], file.name], check=True, capture_output=True, text=True).stdout
    lines = out.splitlines()
    assert len(lines) == len(everything), f"{len(lines)} answers for {len(everything)} cases"
    worst = dict.fromkeys(NAMES + RATES + ["best_threshold"], 0.0)
    wrong = {name: [] for name in worst}
    defined = dict.fromkeys(worst, 0)
    for (about, score, label), line in zip(everything, lines):
        ours = [float(x) for x in line.split()]
        theirs = peer(score, label)
        theirs.update(zip(RATES, rates(score, label)))
        for name, value in zip(NAMES + RATES, ours):
            if math.isnan(value) or math.isnan(theirs[name]):
                if math.isnan(value) != math.isnan(theirs[name]):
                    wrong[name].append(f"{about}: ours {value}, theirs {theirs[name]}")
                continue
            defined[name] += 1
            difference = abs(value - theirs[name])
            worst[name] = max(worst[name], difference)
            if not difference < 1e-9:
                wrong[name].append(f"{about}: ours {value}, theirs {theirs[name]}")
        if not math.isnan(theirs["best_accuracy"]):
            reached = metrics.accuracy_score(label, score >= ours[-1])
            defined["best_threshold"] += 1
            if abs(reached - theirs["best_accuracy"]) > 1e-12:
                wrong["best_threshold"].append(f"{about}: {reached} at {ours[-1]}")
    for number, name in enumerate(worst, 1):
        good = not wrong[name] and defined[name] > 20
        print(f"{'ok' if good else 'not ok'} {number} - {name} equals scikit-learn and scipy in "
              f"{len(everything)} cases ({defined[name]} defined, largest difference {worst[name]:.1e})")
        for text in wrong[name][:5]:
            print(f"# {text}")
    print(f"1..{len(worst)}")
    return any(wrong.values())


sys.exit(main())
