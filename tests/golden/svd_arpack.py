#!/usr/bin/python3
"""Compares our truncated SVD with ARPACK (scipy's svds) on the word matrix of all Quora training questions.

    svd_arpack.py [build folder, build/release]

Prints TAP. ARPACK takes two minutes; its result is cached under $TMPDIR/film-arpack. bench/svd.py
uses the functions too.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "..", "shared", "data", "qqp", "train-strict.tsv")


def quora_matrix():
    """TF-IDF of all distinct questions, float32 CSR."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    seen = {}
    with open(DATA, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            for question in line.rstrip("\n").split("\t")[1:3]:
                seen[question] = None
    words = TfidfVectorizer(min_df=2, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b", dtype=np.float32)
    x = words.fit_transform(list(seen))
    x.sort_indices()
    return x


def write_matrix(x, path):
    import numpy as np

    with open(path, "wb") as out:
        np.array([x.shape[0], x.shape[1], x.nnz], np.uint64).tofile(out)
        x.indptr.astype(np.uint64).tofile(out)
        x.indices.astype(np.uint32).tofile(out)
        x.data.astype(np.float32).tofile(out)


def ours(build, matrix_path, shape, rank, *more):
    """Runs the driver: its report, sigma, u (cols x rank), v (rows x rank)."""
    import numpy as np

    result = matrix_path + ".result"
    command = [os.path.join(build, "tests", "svd_dump"), matrix_path, result, str(rank)]
    done = subprocess.run(command + [str(m) for m in more], capture_output=True, text=True, check=True)
    with open(result, "rb") as file:
        found = int(np.fromfile(file, np.uint64, 1)[0])
        sigma = np.fromfile(file, np.float32, found).astype(float)
        u = np.fromfile(file, np.float32, shape[1] * found).reshape(shape[1], found)
        v = np.fromfile(file, np.float32, shape[0] * found).reshape(shape[0], found)
    os.remove(result)
    return json.loads(done.stdout), sigma, u, v


def arpack(x, rank):
    """sigma (falling) and the features' vectors (cols x rank), computed once in double."""
    import numpy as np
    from scipy.sparse.linalg import svds

    key = hashlib.sha256(x.data.tobytes() + x.indices.tobytes()).hexdigest()[:16]
    path = os.path.join(tempfile.gettempdir(), "film-arpack", "%s-%d.npz" % (key, rank))
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _, sigma, vt = svds(x.astype(np.float64), rank, which="LM", solver="arpack", tol=1e-9)
        order = np.argsort(-sigma)
        np.savez(path + ".part.npz", sigma=sigma[order], u=vt[order].T.astype(np.float32))
        os.replace(path + ".part.npz", path)
    kept = np.load(path)
    return kept["sigma"], kept["u"]


def angle(small, large):
    """The largest principal angle in degrees between the span of SMALL and that of LARGE: from the
    sine, whose small values float32 keeps."""
    import numpy as np

    small, large = small.astype(np.float64), large.astype(np.float64)
    small = np.linalg.qr(small)[0]
    large = np.linalg.qr(large)[0]
    outside = small - large @ (large.T @ small)
    return float(np.degrees(np.arcsin(min(1.0, np.sqrt(np.linalg.eigvalsh(outside.T @ outside)[-1])))))


def errors(sigma, u, true_sigma, true_u):
    """Largest relative error of sigma; angle of the whole subspace; of its first 90 % (the spectrum is
    flat: what comes last is separated from what was left out by almost nothing)."""
    most = len(true_sigma) * 9 // 10
    relative = abs(sigma - true_sigma) / true_sigma
    return float(relative.max()), angle(u, true_u), angle(u[:, :most], true_u)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "release")
    try:
        import numpy as np
        import sklearn  # noqa: F401
    except ImportError:
        print("ok 1 - SVD against ARPACK # SKIP numpy, scipy or scikit-learn is not installed")
        return 0
    if not os.path.exists(DATA):
        print("ok 1 - SVD against ARPACK # SKIP ../shared/data is not here")
        return 0
    print("1..6", flush=True)
    failed = number = 0
    x = quora_matrix()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.bin")
        write_matrix(x, path)
        for rank in (256, 500):
            report, sigma, u, v = ours(build, path, x.shape, rank)
            relative, whole, first = errors(sigma, u, *arpack(x, rank))
            off = max(abs(m.T @ m - np.eye(rank)).max() for m in (u, v))
            checks = [("singular values within 2e-3 of ARPACK's: %.1e" % relative, relative < 2e-3),
                      ("first 90 %% of the subspace within 1 degree: %.3f (all of it: %.1f)" % (first, whole),
                       first < 1.0),
                      ("vectors orthonormal to 1e-4: %.1e" % off, off < 1e-4)]
            for name, good in checks:
                number += 1
                failed += not good
                print("%sok %d - rank %d, %s" % ("" if good else "not ", number, rank, name), flush=True)
            print("# %s" % report)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
