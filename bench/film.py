"""Compares FILM's objective with a plain numpy version of the same problem, then measures its time.

    bench/film.py TRAIN.tsv [build folder, build/release] [iterations, 12]

1. On the same V, triplets, margin and start, numpy (dense and sparse products as SciPy has them, steepest
   descent with Armijo steps on the manifold, Lambda updated before every step) makes the same number of
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
INNER = 6  # our steps per refresh of Lambda; numpy refreshes before every step


def run(rows, rank, dim, iterations, inner=1, folder="-"):
    out = subprocess.run([f"{build}/film_driver", train, *map(str, (rows, rank, dim, iterations, inner, POWER)), folder],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def mu(x):
    return np.logaddexp(0, x)


class Problem:
    """Section 4 in numpy: W, hinges, H = -(K + K') / 2, f and its gradient."""

    def __init__(self, folder):
        n, r, d, count = np.fromfile(f"{folder}/shape.u64", np.uint64).astype(int)
        sigma = np.fromfile(f"{folder}/sigma.f32", np.float32).astype(float)
        V = np.fromfile(f"{folder}/v.f32", np.float32).reshape(n, r) * (sigma ** (1 - POWER)).astype(np.float32)
        ijk = np.fromfile(f"{folder}/triplets.u32", np.uint32).reshape(count, 3).astype(np.int64)
        self.m = np.fromfile(f"{folder}/margin.f64")[0]
        self.ours = np.fromfile(f"{folder}/p.f64").reshape(r, d)
        t = np.bincount(ijk[:, 0], minlength=n)
        C = sp.csr_matrix((np.repeat(np.float32([1, -1]), count), (np.tile(ijk[:, 0], 2), ijk[:, 1:].T.ravel())),
                          shape=(n, n))
        anchors = np.flatnonzero(t)
        self.W = (sp.diags(1 / (t[anchors] + 1.0)) @ (C[anchors] @ V)).astype(np.float32)  # a row per anchor
        self.V = V[anchors]
        self.start = np.eye(r, d)
        self.begin()

    def begin(self):
        self.lam = np.ones(len(self.V), bool)
        self.update()

    def update(self):
        K = (self.W[self.lam].T @ self.V[self.lam]).astype(float)
        self.H = (K + K.T) / 2

    def value(self, P):
        k = np.sum(P * (self.H @ P), axis=0)
        return -0.5 * np.sum(k * mu(k)) + self.m * self.lam.sum(), k

    def refresh(self, P, s):
        Q = (P * np.sqrt(s)).astype(np.float32)
        self.lam = self.m - np.einsum("nc,nc->n", self.V @ Q, self.W @ Q) > 0
        self.update()

    def gradient(self, P, k):
        G = -self.H @ P * (mu(k) + k / (1 + np.exp(-k)))
        return G - P @ G.T @ P

    def settled(self, P):
        """The objective at P once s and Lambda agree. They chase each other (more active hinges, larger s,
        fewer active hinges), so that a value on the way says little; half steps of s settle it."""
        self.begin()
        s = mu(self.value(P)[1])
        for _ in range(15):
            self.refresh(P, s)
            s = (s + mu(self.value(P)[1])) / 2
        return self.value(P)[0]


def reference(problem, iterations):
    """P after steepest descent with Armijo steps, and the seconds it took."""
    begin = time.perf_counter()
    problem.begin()
    P, tau = problem.start, 1e-3
    for _ in range(iterations):
        problem.refresh(P, mu(problem.value(P)[1]))
        f, k = problem.value(P)
        F = problem.gradient(P, k)
        slope, tau = np.sum(F * F), tau * 4
        while True:
            trial, R = np.linalg.qr(P - tau * F)
            trial *= np.sign(np.diag(R))
            if problem.value(trial)[0] <= f - 1e-4 * tau * slope or tau < 1e-20:
                break
            tau *= 0.3
        P = trial
    return P, time.perf_counter() - begin


def slope(name, values, seconds):
    fit = np.polyfit(np.log(values), np.log(seconds), 1)[0]
    print(f"{name}: " + ", ".join(f"{v}: {s * 1000:.0f} ms" for v, s in zip(values, seconds)) + f"   exponent {fit:.2f}")


with tempfile.TemporaryDirectory() as folder:
    ours = run(0, 500, 100, INNER * ITERATIONS, INNER, folder)
    problem = Problem(folder)
P, seconds = reference(problem, ITERATIONS)
print(json.dumps(ours))
start, film, plain = (problem.settled(p) for p in (problem.start, problem.ours, P))
print(f"objective, Lambda settled: start {start:.2f}; after {ITERATIONS} refreshes of Lambda film {film:.2f}, numpy {plain:.2f}")
if film > plain:
    print("our objective is higher than numpy's: no times")
    sys.exit(1)
total = ours["svd_s"] + ours["triplets_s"] + ours["film_s"]
print(f"film {ours['film_s']:.2f} s, numpy {seconds:.2f} s for the iterations: ratio {seconds / ours['film_s']:.1f}")
print(f"SVD {ours['svd_s']:.2f} s + triplets {ours['triplets_s']:.2f} s + FILM {ours['film_s']:.2f} s = {total:.2f} s; "
      f"118 s / that = {118 / total:.1f}")


def per_iteration(rows, rank, dim):
    """Seconds of an iteration (W and the first H, made once, are shared out over twelve), anchors."""
    best = min((run(rows, rank, dim, 12) for _ in range(2)), key=lambda r: r["film_s"])
    return best["film_s"] / best["iterations"], best["anchors"]


if os.environ.get("FILM_BENCH_SCALING", "1") != "0":
    at = [(rows, *per_iteration(rows, 300, 60)) for rows in (13000, 26000, 52000, 105000)]
    slope("n (anchors; r 300, d 60)", [a for _, _, a in at], [s for _, s, _ in at])
    slope("r (d 60, 52,000 rows)", [125, 250, 500], [per_iteration(52000, r, 60)[0] for r in (125, 250, 500)])
    slope("d (r 500, 52,000 rows)", [25, 50, 100, 200], [per_iteration(52000, 500, d)[0] for d in (25, 50, 100, 200)])
