"""Compares TF-IDF fit + transform with scikit-learn's TfidfVectorizer: same sentences, same run.

    bench/tfidf.py SENTENCES [build folder, build/release] [threads, 2]

First it checks that the two matrices agree to 1e-6 (same tokens). Then it measures time: scikit-learn as a
user calls it (its own tokenizer, single-threaded), ours from raw text with N threads.
"""
import subprocess
import sys
import time

from sklearn.feature_extraction.text import TfidfVectorizer

path = sys.argv[1]
build = sys.argv[2] if len(sys.argv) > 2 else "build/release"
threads = sys.argv[3] if len(sys.argv) > 3 else "2"
dump = f"{build}/tests/tfidf_dump"


def ours(groups, threads):
    runs = subprocess.run([dump, path, str(groups), "2", threads, "7", "-"], check=True,
                          capture_output=True, text=True).stdout.split()
    return min(map(float, runs)), sorted(map(float, runs))[len(runs) // 2]


def theirs(sentences, **options):
    runs = []
    for _ in range(3):
        start = time.perf_counter()
        TfidfVectorizer(sublinear_tf=True, min_df=2, **options).fit_transform(sentences)
        runs.append(time.perf_counter() - start)
    return min(runs), sorted(runs)[len(runs) // 2]


check = subprocess.run(["/usr/bin/python3", "tests/golden/tfidf_sklearn.py", dump, path],
                       capture_output=True, text=True)
print(check.stdout)
if check.returncode != 0 and "--unchecked" not in sys.argv:
    sys.exit("the matrices differ: no times")
sentences = [line.rstrip("\n") for line in open(path, encoding="utf-8")]
print(f"{len(sentences)} sentences, best (median) of several runs in seconds")
for name, groups, options in [
        ("words", 1, dict(token_pattern=r"(?u)\b\w+\b")),
        ("character 3-4-grams", 4, dict(analyzer="char_wb", ngram_range=(3, 4)))]:
    sk, sk_median = theirs(sentences, **options)
    for count in dict.fromkeys(["1", threads]):
        best, median = ours(groups, count)
        print(f"{name:20s} scikit-learn {sk:.3f} ({sk_median:.3f})   film, {count} threads "
              f"{best:.3f} ({median:.3f})   ratio {sk / best:.1f}")
