"""Compares the decision with methods a user might choose: trained on the same pairs, measured on the same dev
file by the same code, in one run.

    bench/decision.py TRAIN.tsv DEV.tsv [--tune] [--only NAME,...]

Prints accuracy (p >= 0.5), log loss, AUC, calibration error (15 bins), seconds to train and pairs per second to
predict, file to file, and the peers' ratios to film. Both files have the columns label, question1, question2.

Baselines, each with balanced classes like film (dev is half duplicates, train is not), with the best of
the settings that --tune tries on dev (which favours them: film's defaults were not chosen anew here):
  logistic   scikit-learn, TF-IDF of word 1-2-grams and character 3-4-grams (sublinear, min_df 2), features
             |x_a - x_b| and x_a * x_b, LogisticRegression. C of 1, 3, 10 (77.9, 78.2, 77.2 %).
  boosting   scikit-learn, HistGradientBoosting on 24 usual features (cosines of words, word pairs, characters and
             an LSA of 100 dimensions; overlaps, lengths, difflib). Rate 0.05 and 0.1, 15, 31 and 63
             leaves, 200 to 400 trees (all within 76.3 .. 76.4 %).
  fasttext   supervised on joined pairs, both orders; word bigrams. The two questions plain or with their words
             marked by side; rate 0.02 to 0.1, 1 to 5 epochs, with and without character 3-4-grams (65.7 .. 70.5 %).
First of all film predict's probabilities and verdicts must give the accuracy that film eval says.
"""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import normalize

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILM = os.environ.get("FILM", os.path.join(ROOT, "build", "release", "film"))
THREADS = "2"


def read(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [r[1] for r in rows], [r[2] for r in rows], np.array([int(r[0]) for r in rows])


def measures(p, y):
    """Accuracy, log loss, AUC, ECE: one definition for all."""
    clipped = np.clip(p, 1e-15, 1 - 1e-15)
    bins = np.minimum((p * 15).astype(int), 14)
    ece = sum(abs(p[bins == b].sum() - y[bins == b].sum()) for b in range(15)) / len(y)
    return {"accuracy": np.mean((p >= 0.5) == y), "loss": -np.mean(np.log(np.where(y, clipped, 1 - clipped))),
            "auc": roc_auc_score(y, p), "ece": ece}


def balance(y):
    return np.where(y, 0.5 / np.mean(y), 0.5 / np.mean(1 - y))


def run(*command, **more):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, **more).stdout


# ---- film ----

class Film:
    def __init__(self, folder, options=()):
        self.model, self.options = os.path.join(folder, "model.film"), options

    def fit(self, path):
        run(FILM, "train", path, "-o", self.model, "--quiet", *self.options)

    def predict(self, path):
        rows = [line.split("\t") for line in run(FILM, "predict", self.model, path, "--quiet").splitlines()]
        start = 0 if rows[0][-1] in "01" else 1  # a head line
        self.verdict = np.array([int(r[-1]) for r in rows[start:]])
        return np.array([float(r[-2]) for r in rows[start:]])

    def check(self, path, p, y):
        said = json.loads(run(FILM, "eval", self.model, path, "--json", "--quiet", "-k", "0", "--bootstrap", "0"))
        own = np.mean(self.verdict == y)
        assert abs(own - said["accuracy"]) < 1e-9, (own, said["accuracy"])
        ours = measures(p, y)
        assert abs(ours["loss"] - said["log_loss"]) < 1e-4 and abs(ours["auc"] - said["auc"]) < 1e-4, (ours, said)
        assert abs(ours["ece"] - said["ece"]) < 1e-3, (ours, said)
        print(f"film predict agrees with film eval: accuracy {100 * own:.2f} at the model's own threshold, "
              f"log loss {said['log_loss']:.4f}, AUC {said['auc']:.4f}, ECE {said['ece']:.4f}")


# ---- TF-IDF of pairs, logistic regression ----

class Logistic:
    SETTINGS = [dict(C=c) for c in (1, 3, 10)]

    def __init__(self, C=3):
        self.C = C

    def rows(self, a, b):
        x = [sp.hstack([v.transform(s) for v in self.vectorizers], format="csr") for s in (a, b)]
        return sp.hstack([abs(x[0] - x[1]), x[0].multiply(x[1])], format="csr")

    def count(self, sentences):
        both = list(dict.fromkeys(sentences))
        self.vectorizers = [
            TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, token_pattern=r"(?u)\b\w+\b", dtype=np.float32),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True, min_df=2, dtype=np.float32)]
        for v in self.vectorizers:
            v.fit(both)

    def fit(self, path):
        a, b, y = read(path)
        self.count(a + b)
        self.learn(self.rows(a, b), y)

    def learn(self, x, y):
        self.model = LogisticRegression(C=self.C, class_weight="balanced", max_iter=300).fit(x, y)

    def predict(self, path):
        a, b, _ = read(path)
        return self.model.predict_proba(self.rows(a, b))[:, 1]


# ---- usual features, boosted trees ----

class Boosting:
    SETTINGS = [dict(learning_rate=r, max_leaf_nodes=n, max_iter=t)
                for r, n, t in ((0.1, 31, 200), (0.05, 31, 400), (0.1, 15, 400), (0.05, 63, 300))]

    def __init__(self, learning_rate=0.05, max_leaf_nodes=31, max_iter=400):
        self.settings = dict(learning_rate=learning_rate, max_leaf_nodes=max_leaf_nodes, max_iter=max_iter)

    def rows(self, a, b):
        columns = []
        for v in self.vectorizers:
            xa, xb = v.transform(a), v.transform(b)
            columns.append(np.asarray(xa.multiply(xb).sum(1)).ravel())
            if v is self.vectorizers[0]:
                la, lb = normalize(self.lsa.transform(xa)), normalize(self.lsa.transform(xb))
                columns += [np.einsum("ij,ij->i", la, lb), np.asarray(abs(xa - xb).sum(1)).ravel()]
        return np.column_stack(columns + [np.array([self.plain(*pair) for pair in zip(a, b)])])

    def plain(self, a, b):
        """Both orders give the same: the smaller and the larger where the two differ."""
        wa, wb = re.findall(r"\w+", a.lower()), re.findall(r"\w+", b.lower())
        sa, sb = set(wa), set(wb)
        shared, alone = sa & sb, (sa - sb, sb - sa)
        idf = lambda words: sum(self.idf.get(w, self.most) for w in words)  # noqa: E731
        both, rest = idf(shared), sorted(map(idf, alone))
        two = [set(zip(w, w[1:])) for w in (wa, wb)]
        count, letters = sorted((len(wa), len(wb))), sorted((len(a), len(b)))
        rarest = sorted(max((self.idf.get(w, self.most) for w in side), default=0) for side in alone)
        numbers = [{w for w in side if any(c.isdigit() for c in w)} for side in (sa, sb)]
        return [len(shared), len(shared) / max(len(sa | sb), 1), len(shared) / max(min(len(sa), len(sb)), 1),
                both, both / max(both + sum(rest), 1e-9), *rest, *rarest, *count, count[0] / max(count[1], 1),
                letters[1] - letters[0], len(two[0] & two[1]) / max(len(two[0] | two[1]), 1),
                difflib.SequenceMatcher(None, *sorted((wa, wb)), autojunk=False).ratio(), wa[:1] == wb[:1], wa[-1:] == wb[-1:],
                len(numbers[0] ^ numbers[1]), ("not" in sa) != ("not" in sb)]

    def count(self, sentences):
        both = list(dict.fromkeys(sentences))
        word = dict(sublinear_tf=True, min_df=2, token_pattern=r"(?u)\b\w+\b", dtype=np.float32)
        self.vectorizers = [TfidfVectorizer(**word), TfidfVectorizer(ngram_range=(2, 2), **word),
                            TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True, min_df=2,
                                            dtype=np.float32)]
        for v in self.vectorizers:
            v.fit(both)
        words = self.vectorizers[0]
        self.idf = dict(zip(words.get_feature_names_out(), words.idf_))
        self.most = words.idf_.max()
        self.lsa = TruncatedSVD(100, random_state=1).fit(words.transform(both))

    def fit(self, path):
        a, b, y = read(path)
        self.count(a + b)
        self.learn(self.rows(a, b), y)

    def learn(self, x, y):
        self.model = HistGradientBoostingClassifier(early_stopping=False, random_state=1, **self.settings)
        self.model.fit(x, y, sample_weight=balance(y))

    def predict(self, path):
        a, b, _ = read(path)
        return self.model.predict_proba(self.rows(a, b))[:, 1]


# ---- fastText ----

class FastText:
    SETTINGS = [dict(marked=m, rate=r, epochs=e, char=c) for m, r, e, c in
                ((0, 0.05, 2, 0), (1, 0.05, 2, 0), (1, 0.05, 1, 0), (1, 0.02, 5, 0), (1, 0.1, 5, 0), (1, 0.05, 2, 3), (0, 0.1, 5, 0))]

    def __init__(self, marked=1, rate=0.05, epochs=2, char=0):
        self.marked, self.rate, self.epochs, self.char = marked, rate, epochs, char
        self.folder = tempfile.TemporaryDirectory()
        self.at = lambda name: os.path.join(self.folder.name, name)

    def join(self, a, b):
        a, b = (re.findall(r"\w+", s.lower()) for s in (a, b))
        return " ".join(a + ["|||"] + ([w + "__2" for w in b] if self.marked else b))

    def fit(self, path):
        a, b, y = read(path)
        copies = {1: 1, 0: round(np.mean(y) / np.mean(1 - y))}
        lines = [f"__label__{l} {t}" for p, q, l in zip(a, b, y) for t in (self.join(p, q), self.join(q, p)) for _ in range(copies[l])]
        np.random.default_rng(1).shuffle(lines)
        with open(self.at("train"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        run("fasttext", "supervised", "-input", self.at("train"), "-output", self.at("model"), "-wordNgrams", 2, "-lr", self.rate,
            "-epoch", self.epochs, "-dim", 50, "-minCount", 2, "-thread", THREADS, "-seed", 1, "-bucket", 500000,
            *(["-minn", self.char, "-maxn", self.char + 1] if self.char else []), stderr=subprocess.DEVNULL)

    def predict(self, path):
        a, b, _ = read(path)
        with open(self.at("dev"), "w", encoding="utf-8") as file:
            file.writelines(self.join(p, q) + "\n" + self.join(q, p) + "\n" for p, q in zip(a, b))
        p = []
        for line in run("fasttext", "predict-prob", self.at("model.bin"), self.at("dev"), 1).splitlines():
            label, value = line.split()
            p.append(float(value) if label == "__label__1" else 1 - float(value))
        return np.clip(np.array(p).reshape(-1, 2).mean(1), 0, 1)  # both orders


PEERS = {"logistic": ("TF-IDF pair features + LogisticRegression", Logistic),
         "boosting": ("24 features + HistGradientBoosting", Boosting),
         "fasttext": ("fastText supervised, joined pairs", FastText)}


def timed(call, *arguments):
    start = time.perf_counter()
    result = call(*arguments)
    return result, time.perf_counter() - start


def tune(name, train, dev):
    """Every setting; features are made once."""
    kind, y, first = PEERS[name][1], read(dev)[2], None
    for settings in kind.SETTINGS:
        peer = kind(**settings)
        if name == "fasttext":
            peer.fit(train)
            p = peer.predict(dev)
        else:
            if first is None:
                a, b, target = read(train)
                peer.count(a + b)
                first = peer.rows(a, b), target, peer.rows(*read(dev)[:2])
            peer.learn(*first[:2])
            p = peer.model.predict_proba(first[2])[:, 1]
        m = measures(p, y)
        print(f"{name} {settings}: accuracy {100 * m['accuracy']:.2f}, log loss {m['loss']:.4f}, AUC {m['auc']:.4f}, "
              f"ECE {m['ece']:.4f}", flush=True)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    only = next((a[7:].split(",") for a in sys.argv if a.startswith("--only=")), list(PEERS))
    train, dev = arguments
    if "--tune" in sys.argv:
        for name in only:
            tune(name, train, dev)
        return
    y, rows = read(dev)[2], []
    with tempfile.TemporaryDirectory(prefix="film-") as folder:
        candidates = [("film train (default)", Film(folder))] + [(PEERS[n][0], PEERS[n][1]()) for n in only]
        for name, candidate in candidates:
            _, training = timed(candidate.fit, train)
            p, predicting = timed(candidate.predict, dev)
            if isinstance(candidate, Film):
                candidate.check(dev, p, y)
            rows.append((name, measures(p, y), training, len(y) / predicting))
            print(f"{name}: done", file=sys.stderr)
    _, ours, our_training, our_speed = rows[0]
    print(f"\ntrained on {train}\nmeasured on {dev}: {len(y)} pairs\n")
    print(f"{'':44} accuracy  log loss    AUC     ECE  train s  pairs/s   errors  time x  speed x")
    for name, m, training, speed in rows:
        print(f"{name:44} {100 * m['accuracy']:8.2f} {m['loss']:9.4f} {m['auc']:6.4f} {m['ece']:7.4f} {training:8.1f} "
              f"{speed:8.0f} {(1 - m['accuracy']) / (1 - ours['accuracy']):7.2f}x {training / our_training:6.2f}x "
              f"{our_speed / speed:6.1f}x")
    print("\nerrors, time x: the peer's over film's; speed x: film's over the peer's. All from file to file; scikit-learn's"
          "\nclock starts after its imports.")


if __name__ == "__main__":
    main()
