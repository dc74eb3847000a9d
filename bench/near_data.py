"""Vectors for bench/near.sh: normalised rows of a film embed array, some held out as queries, and optionally
more rows made by adding noise to real ones.
  near_data.py VECTORS.npy FOLDER NAME QUERIES LAST [ROWS]
Queries are drawn from the last LAST rows (dev questions); ROWS: size of the base, noisy copies included."""
import sys
import numpy as np

vectors, folder, name, queries, last = np.load(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
rng = np.random.default_rng(7)
vectors = vectors[np.linalg.norm(vectors, axis=1) > 0]
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
held = len(vectors) - last + rng.permutation(last)[:queries]
keep = np.ones(len(vectors), bool)
keep[held] = False
base = vectors[keep]
with open(f"{folder}/{name}.base", "wb") as out:
    base.astype("<f4").tofile(out)
    left = (int(sys.argv[6]) if len(sys.argv) > 6 else 0) - len(base)
    while left > 0:
        rows = base[rng.permutation(len(base))[:min(left, len(base))]]
        # noise as long as half the vector: the copy's cosine with its origin is about 0.9
        noise = rng.standard_normal(rows.shape).astype("f4")
        rows = rows + 0.5 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        rows.astype("<f4").tofile(out)
        left -= len(rows)
vectors[held].astype("<f4").tofile(f"{folder}/{name}.queries")
