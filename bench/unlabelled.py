#!/usr/bin/env python3
"""How many duplicates can words find without labels? Recall at a given precision of pairs in a set of sentences.

    bench/unlabelled.py [--precision P]

Sentences: the 1,400 questions of examples/faq, 2,000 of Quora's dev file, 2,000 of BANKING77 (its categories are the truth).
Candidates are the 20 nearest of each sentence. Ranked by:
  line         the mean of TF-IDF cosines of words and letters and the share of rarity that similar spelling explains
  transferred  a logistic regression trained on the truth of the other sets
  oracle       a logistic regression trained on the truth of other clusters of the same set (5 folds)
over features of the pair; also of word vectors learned from the set (SVD); also of the neighbourhood: the rank of each
sentence among the neighbours of the other, and the mean similarity of each one's 3, 10 and 50 neighbours.
"""
import argparse
import csv
import os
import random
import re

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import svds
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import few_labels

BANKING = os.path.join(few_labels.ROOT, "../shared/data/banking77/train.csv")


def banking():
    with open(BANKING, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    random.Random(1).shuffle(rows)
    return dict(rows[:2000])


def cosines(sentences, **options):
    rows = TfidfVectorizer(**options).fit_transform(sentences)
    return (rows @ rows.T).toarray()


def spelling(words):
    """The similarity of two words: Dice coefficient of their 2- to 4-grams, from 0.45 on."""
    grams = TfidfVectorizer(analyzer=lambda w: {f"^{w}$"[i:i + n] for n in (2, 3, 4) for i in range(len(w) + 3 - n)},
                            use_idf=False, norm=None).fit_transform(words)
    size = np.asarray(grams.sum(1)).ravel()
    dice = 2 * (grams @ grams.T).toarray() / (size[:, None] + size)
    return np.sqrt(np.clip((dice - 0.45) / 0.55, 0, 1))


def explained(bags, rarity, alike):
    """Rarity that words of the other sentence explain: mean, unexplained on both sides, share."""
    best = np.array([alike[bag].max(0) for bag in bags], dtype=np.float32)
    rows = np.zeros(best.shape, np.float32)
    for row, bag in zip(rows, bags):
        row[bag] = rarity[bag]
    known = rows @ best.T
    rest = rows.sum(1)[:, None] - known
    mean = (known + known.T) / 2
    low, high = np.minimum(rest, rest.T), np.maximum(rest, rest.T)
    return [mean, low, high, mean / (mean + (low + high) / 2 + 1e-9)]


class Set:
    def __init__(self, group):
        sentences = [text for text in group if re.search(r"\w", text)]
        self.cluster = np.unique([group[text] for text in sentences], return_inverse=True)[1]
        sizes = np.bincount(self.cluster)
        self.duplicates = (sizes * (sizes - 1) // 2).sum()
        tokens = [sorted(set(re.findall(r"\w+", text.lower().replace("'", "")))) for text in sentences]
        words = sorted({word for bag in tokens for word in bag})
        number = {word: i for i, word in enumerate(words)}
        bags = [[number[word] for word in bag] for bag in tokens]
        frequency = np.bincount(np.concatenate(bags))
        rarity = np.log((len(bags) + 1) / (frequency + 0.5))
        alike = spelling(words)
        pair = [cosines(sentences, token_pattern=r"\w+", sublinear_tf=True),
                cosines(sentences, analyzer="char_wb", ngram_range=(2, 4))] + explained(bags, rarity, alike)
        line = (pair[0] + pair[1] + pair[5]) / 3
        np.fill_diagonal(line, 0)
        rank = (-line).argsort(1).argsort(1)
        self.a, self.b = np.nonzero(np.triu(np.minimum(rank, rank.T) < 20, 1))
        self.line = line[self.a, self.b]
        self.same = self.cluster[self.a] == self.cluster[self.b]
        self.features = {"pair": pair, "+ words": self.usage(bags, rarity, alike), "+ neighbours": self.near(line, rank)}

    @staticmethod
    def usage(bags, rarity, alike):
        at = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
        rows = sparse.csr_matrix((np.ones(len(at)), (at, np.concatenate(bags))), (len(bags), len(rarity)))
        rows = (rows @ sparse.csr_matrix(np.where(alike > 0.5, alike, 0))) @ sparse.diags(rarity)
        _, value, vectors = svds(rows, k=60, random_state=1)
        vectors = (vectors * value[:, None]).T
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
        return explained(bags, rarity, np.maximum(alike, 0.7 * np.clip(vectors @ vectors.T, 0, 1)))

    @staticmethod
    def near(line, rank):
        ordered = -np.sort(-line, 1)
        sides = [np.log1p(rank)] + [np.tile(ordered[:, :k].mean(1)[:, None], len(line)) for k in (3, 10, 50)]
        return [both(side, side.T) for side in sides for both in (np.minimum, np.maximum)]

    def columns(self, names):
        return np.array([matrix[self.a, self.b] for name in names for matrix in self.features[name]]).T

    def recall(self, score, precision):
        right = np.cumsum(self.same[np.argsort(-score, kind="stable")])
        enough = right >= precision * np.arange(1, len(right) + 1)
        return right[enough].max(initial=0) / self.duplicates

    def oracle(self, names):
        x, score = self.columns(names), np.zeros(len(self.a))
        fold = np.random.default_rng(0).integers(0, 5, self.cluster.max() + 1)[self.cluster]
        for k in range(5):
            unseen = (fold[self.a] != k) & (fold[self.b] != k)
            score[fold[self.a] == k] = fit(x[unseen], self.same[unseen]).decision_function(x[fold[self.a] == k])
        return score


def fit(x, y):
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(x, y)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--precision", type=float, default=0.9)
    precision = parser.parse_args().precision
    groups = {"faq": few_labels.faq(1)[1]}
    if os.path.exists(few_labels.DEV):
        groups |= {"quora": few_labels.quora(1)[1], "banking77": banking()}
    sets = {name: Set(group) for name, group in groups.items()}
    for name, data in sets.items():
        print(f"{name}: recall at precision {precision}: line {data.recall(data.line, precision):.3f}", flush=True)
        names = []
        for more in data.features:
            names.append(more)
            others = [other for key, other in sets.items() if key != name]
            text = f"  {more:13s} oracle {data.recall(data.oracle(names), precision):.3f}"
            if others:
                model = fit(np.vstack([o.columns(names) for o in others]), np.concatenate([o.same for o in others]))
                text += f", transferred {data.recall(model.decision_function(data.columns(names)), precision):.3f}"
            print(text, flush=True)


if __name__ == "__main__":
    main()
