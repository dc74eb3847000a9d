#!/usr/bin/python3
"""Compares the time of our truncated SVD with scikit-learn's TruncatedSVD (randomised, n_iter=5), and the errors of
both against ARPACK, on the word matrix of all Quora training questions.

    bench/svd.py [rank, 500] [threads, all] [build folder, build/release]
"""
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RANK = int(sys.argv[1]) if len(sys.argv) > 1 else 500
THREADS = int(sys.argv[2]) if len(sys.argv) > 2 else len(os.sched_getaffinity(0))
BUILD = sys.argv[3] if len(sys.argv) > 3 else os.path.join(ROOT, "build", "release")
os.environ["OMP_NUM_THREADS"] = str(THREADS)  # before numpy loads its BLAS

sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import svd_arpack as golden  # noqa: E402


def main():
    from sklearn.decomposition import TruncatedSVD

    x = golden.quora_matrix()
    true = golden.arpack(x, RANK)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.bin")
        golden.write_matrix(x, path)
        report, sigma, u, _ = golden.ours(BUILD, path, x.shape, RANK, THREADS, 0, 0, 3)
    mine = golden.errors(sigma, u, *true)
    if len(sigma) != RANK or mine[0] > 2e-3:
        print("wrong result: relative error of the singular values %.1e" % mine[0])
        return 1
    begin = time.perf_counter()
    peer = TruncatedSVD(RANK, algorithm="randomized", n_iter=5, random_state=0).fit(x)
    seconds = time.perf_counter() - begin
    theirs = golden.errors(peer.singular_values_.astype(float), peer.components_.T, *true)
    print("matrix %d x %d, %d entries; rank %d, %d threads" % (*x.shape, x.nnz, RANK, THREADS))
    line = "%-8s %7.2f s   sigma off by %.1e   subspace %6.2f deg   its first 90 %% %6.2f deg"
    print(line % ("film", report["seconds"], *mine), "  peak %.0f MB" % report["peak_mb"])
    print(line % ("sklearn", seconds, *theirs))
    print("ratio %.2f" % (seconds / report["seconds"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
