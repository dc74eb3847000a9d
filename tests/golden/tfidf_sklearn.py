"""Compares TF-IDF rows with scikit-learn's TfidfVectorizer on the same tokens: tfidf_sklearn.py DUMP FILE...

DUMP is the program built from tfidf_dump.c. For each file and set of feature groups the two matrices
are aligned by feature name; the largest difference must stay below 1e-6. Prints TAP.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

NAMES = ["word", "bigram", "char"]


def peer(tokens, group, min_df):
    options = dict(sublinear_tf=True, min_df=min_df, lowercase=False, dtype=np.float64)
    if group == "char":
        return TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), **options)
    n = 1 if group == "word" else 2
    return TfidfVectorizer(analyzer="word", tokenizer=str.split, token_pattern=None,
                           ngram_range=(n, n), **options)


def compare(dump, path, groups, min_df, folder):
    prefix = os.path.join(folder, "x")
    mask = sum(1 << NAMES.index(g) for g in groups)
    subprocess.run([dump, path, str(mask), str(min_df), "2", "1", prefix], check=True,
                   stdout=subprocess.DEVNULL)
    tokens = open(prefix + ".tokens", encoding="utf-8", newline="\n").read().split("\n")[:-1]
    vocab = [tuple(line.split("\t", 1)) for line in
             open(prefix + ".vocab", encoding="utf-8", newline="\n").read().split("\n")[:-1]]
    start = np.fromfile(prefix + ".start", dtype=np.uint64).astype(np.int64)
    ours = sp.csr_matrix((np.fromfile(prefix + ".val", dtype=np.float32).astype(np.float64),
                          np.fromfile(prefix + ".col", dtype=np.uint32).astype(np.int64), start),
                         shape=(len(tokens), len(vocab)))
    blocks, names = [], []
    for group in groups:
        vectorizer = peer(tokens, group, min_df)
        blocks.append(vectorizer.fit_transform(tokens))
        names += [(group, name) for name in vectorizer.get_feature_names_out()]
    theirs = normalize(sp.hstack(blocks).tocsr())
    if sorted(names) != sorted(vocab):
        missing = set(names) ^ set(vocab)
        return None, f"{len(missing)} features differ, such as {sorted(missing)[:5]}"
    column = {name: i for i, name in enumerate(names)}
    order = np.array([column[name] for name in vocab])
    difference = abs(ours - theirs[:, order])
    return (difference.max() if difference.nnz else 0.0), f"{ours.shape}, {ours.nnz} entries"


def main():
    dump, paths = sys.argv[1], sys.argv[2:]
    number = 0
    failed = False
    for path in paths:
        for groups, min_df in [(["word"], 1), (["word"], 2), (["bigram"], 2), (["char"], 2), (NAMES, 2)]:
            with tempfile.TemporaryDirectory() as folder:
                worst, about = compare(dump, path, groups, min_df, folder)
            good = worst is not None and worst < 1e-6
            failed |= not good
            number += 1
            print(f"{'ok' if good else 'not ok'} {number} - {os.path.basename(path)} {'+'.join(groups)} "
                  f"min_df {min_df} equals scikit-learn: {about}, largest difference {worst}")
    print(f"1..{number}")
    return failed


sys.exit(main())
