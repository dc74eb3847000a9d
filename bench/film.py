"""FILM: its objective against a plain numpy version of the same problem, then its time.

    bench/film.py TRAIN.tsv [build folder, build/release] [iterations, 12]

1. On the same V, triplets, margin and start, numpy (dense and sparse products as SciPy has them, steepest
   descent with Armijo steps on the manifold, Lambda brought up to date before every step) goes as many
   iterations; our objective must not be higher.
2. SVD + FILM at r = 500, d = 100 against 118 s, which the public FLRML code took under Octave on these
   sentences (stated, not measured here).
3. Time per iteration against n, r and d: log-log slopes, beside the terms O(nrd) + O(nr^2) + O(rd^2 + d^3).
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp

train = sys.argv[1]
build = sys.argv[2] if len(sys.argv) > 2 else "build/release"
ITERATIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
POWER = 0.5


def run(rows, rank, dim, iterations, folder="-"):
    out = subprocess.run([f"{build}/film_driver", train, *map(str, (rows, rank, dim, iterations, POWER)), folder],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def mu(x):
    return np.logaddexp(0, x)


def reference(folder, iterations):
    """The best objective numpy reaches, and its seconds."""
    n, r, d, count = np.fromfile(f"{folder}/shape.u64", np.uint64).astype(int)
    sigma = np.fromfile(f"{folder}/sigma.f32", np.float32).astype(float)
    V = np.fromfile(f"{folder}/v.f32", np.float32).reshape(n, r) * (sigma ** (1 - POWER)).astype(np.float32)
    ijk = np.fromfile(f"{folder}/triplets.u32", np.uint32).reshape(count, 3).astype(np.int64)
    m = np.fromfile(f"{folder}/margin.f64")[0]
    begin = time.perf_counter()
    t = np.bincount(ijk[:, 0], minlength=n)
    C = sp.csr_matrix((np.repeat(np.float32([1, -1]), count), (np.tile(ijk[:, 0], 2), ijk[:, 1:].T.ravel())),
                      shape=(n, n))
    anchors = np.flatnonzero(t)
    W = (sp.diags(1 / (t[anchors] + 1.0)) @ (C[anchors] @ V)).astype(np.float32)  # row per anchor
    VA = V[anchors]
    P = np.eye(r, d)
    lam = np.ones(len(anchors), bool)

    def hessian():
        K = (W[lam].T @ VA[lam]).astype(float)
        return (K + K.T) / 2

    def value(P, H):
        k = np.einsum("rc,rs,sc->c", P, H, P, optimize=True)
        return -0.5 * np.sum(k * mu(k)) + m * lam.sum(), k

    H = hessian()
    best, tau = np.inf, 1e-3
    for _ in range(iterations):
        s = mu(value(P, H)[1])
        Q = (P * np.sqrt(s)).astype(np.float32)
        lam = m - np.einsum("nc,nc->n", VA @ Q, W @ Q) > 0
        H = hessian()
        f, k = value(P, H)
        best = min(best, f)
        G = -H @ P * (mu(k) + k / (1 + np.exp(-k)))
        F = G - P @ G.T @ P
        slope = np.sum(F * F)
        tau *= 4
        while True:
            trial, R = np.linalg.qr(P - tau * F)
            trial *= np.sign(np.diag(R))
            if value(trial, H)[0] <= f - 1e-4 * tau * slope or tau < 1e-20:
                break
            tau *= 0.3
        P = trial
        best = min(best, value(P, H)[0])
    return best, time.perf_counter() - begin


def slope(name, values, seconds):
    fit = np.polyfit(np.log(values), np.log(seconds), 1)[0]
    print(f"{name}: " + ", ".join(f"{v}: {s * 1000:.0f} ms" for v, s in zip(values, seconds)) + f"   exponent {fit:.2f}")


with tempfile.TemporaryDirectory() as folder:
    ours = run(0, 500, 100, ITERATIONS, folder)
    theirs, seconds = reference(folder, ITERATIONS)
print(json.dumps(ours))
print(f"objective after {ITERATIONS} iterations: film {ours['best_objective']:.4f}, numpy {theirs:.4f}")
if ours["best_objective"] > theirs:
    sys.exit("our objective is higher than numpy's")
total = ours["svd_s"] + ours["triplets_s"] + ours["film_s"]
print(f"film {ours['film_s']:.2f} s, numpy {seconds:.2f} s for the iterations: ratio {seconds / ours['film_s']:.1f}")
print(f"SVD {ours['svd_s']:.2f} s + triplets {ours['triplets_s']:.2f} s + FILM {ours['film_s']:.2f} s = {total:.2f} s; "
      f"118 s / that = {118 / total:.1f}")


def per_iteration(rows, rank, dim):
    """Two lengths of run, so that what is done once does not count."""
    few, many = run(rows, rank, dim, 3), run(rows, rank, dim, 9)
    return max(1e-4, (many["film_s"] - few["film_s"]) / max(1, many["iterations"] - few["iterations"])), many["anchors"]


if os.environ.get("FILM_BENCH_SCALING", "1") != "0":
    at = [(rows, *per_iteration(rows, 300, 60)) for rows in (13000, 26000, 52000, 105000)]
    slope("n (anchors; r 300, d 60)", [a for _, _, a in at], [s for _, s, _ in at])
    slope("r (d 60, 52,000 rows)", [125, 250, 500], [per_iteration(52000, r, 60)[0] for r in (125, 250, 500)])
    slope("d (r 500, 52,000 rows)", [25, 50, 100, 200], [per_iteration(52000, 500, d)[0] for d in (25, 50, 100, 200)])
