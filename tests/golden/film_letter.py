#!/usr/bin/env python3
"""Compares every formula of the paper (Tang & Aw 2020) with a version of it in plain numpy.

The numpy version uses the paper's matrices: C, T, Lambda as n x n arrays, Y, K, the r x r Cayley step. Nothing is
shared with src/. Where the paper derives a formula (gradient, best S), the derivation is checked too: by finite
differences and by trying other S.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

failed = number = 0


def ok(name, good, note=""):
    global failed, number
    number += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} - {name}" + (f" # {note}" if note and not good else ""))


def close(name, ours, theirs, tolerance):
    difference = float(np.max(np.abs(np.asarray(ours) - theirs)))
    ok(name, difference <= tolerance, f"differs by {difference:.3g}")


rng = np.random.default_rng(11)
n, r, d, groups = 300, 24, 6, 60
group = np.arange(n) % groups
rows = rng.normal(size=(groups, r))[group] * (np.arange(r) < 10) + 0.6 * rng.normal(size=(n, r))
V = np.linalg.qr(rows)[0].astype(np.float32)  # n x r
anchor, start, similar, dissimilar = [], [0], [], []
for i in range(20, n):
    for _ in range(rng.integers(1, 6)):
        similar.append(rng.choice(np.flatnonzero((group == group[i]) & (np.arange(n) != i))))
        dissimilar.append(rng.choice(np.flatnonzero(group != group[i])))
    anchor.append(i)
    start.append(len(similar))
P = np.linalg.qr(rng.normal(size=(r, d)))[0]
S = rng.uniform(size=d)
m = np.array([0.003, 10.0, 0.004])

with tempfile.TemporaryDirectory() as folder:
    def give(name, array, kind):
        np.asarray(array).astype(kind).tofile(os.path.join(folder, name))
    give("shape", [n, r, d, len(anchor), len(similar)], np.uint64)
    give("p", P, float), give("s", S, float), give("m", m, float), give("v", V, np.float32)
    give("anchor", anchor, np.uint32), give("start", start, np.uint64)
    give("similar", similar, np.uint32), give("dissimilar", dissimilar, np.uint32)
    subprocess.run([sys.argv[1], folder], check=True)
    out = {name[4:]: np.fromfile(os.path.join(folder, name)) for name in os.listdir(folder) if name[:4] == "out_"}

# ---- the letter ----
V = V.astype(float)
t = np.diff(start)
triple = np.array([(a, j, k) for x, a in enumerate(anchor)
                   for j, k in zip(similar[start[x]:start[x + 1]], dissimilar[start[x]:start[x + 1]])])
C = np.zeros((n, n))
for i, j, k in triple:
    C[j, i] += 1
    C[k, i] -= 1
T = np.eye(n)
T[anchor, anchor] = 1 / (t + 1)
Y = np.diag(np.sqrt(S)) @ P.T @ V.T  # d x n
z = m[0] - np.diag(Y.T @ Y @ C @ T)
has = np.zeros(n)
has[anchor] = 1
Lambda = np.diag((z > 0) * has)
close("Lambda: the active hinges (36)", out["lambda"], np.diag(Lambda)[anchor], 0)
ok("some hinges are active and some are not", 20 < Lambda.sum() < len(anchor) - 20)
K = -V.T @ C @ T @ Lambda @ V
close("K = -V'CT Lambda V, its symmetric part (38)", out["h"].reshape(r, r), -(K + K.T) / 2, 5e-7)
k = -np.diag(P.T @ K @ P)
close("k_i = -p_i'K p_i", out["k"], k, 1e-7)


def mu(x):
    return np.logaddexp(0, x)


def f2(p, smooth=mu):
    x = -np.diag(p.T @ K @ p)
    return -0.5 * np.sum(x * smooth(x)) + m[0] * Lambda.sum()


q = -0.5 * (mu(k) + k / (1 + np.exp(-k)))
gradient = -(K + K.T) @ P @ np.diag(q)
close("f2(P), smoothed (310)", out["f"], f2(P), 1e-6)
close("gradient (314)", out["gradient"].reshape(r, d), gradient, 1e-7)
step = 1e-6
numeric = np.zeros((r, d))
for i in range(r):
    for c in range(d):
        E = np.zeros((r, d))
        E[i, c] = step
        numeric[i, c] = (f2(P + E) - f2(P - E)) / (2 * step)
close("gradient by finite differences", out["gradient"].reshape(r, d), numeric, 1e-6)
A = gradient @ P.T - P @ gradient.T
cayley = np.linalg.solve(np.eye(r) + 0.15 * A, (np.eye(r) - 0.15 * A) @ P)
close("Cayley step (313)", out["cayley"].reshape(r, d), cayley, 1e-7)
D = np.einsum("dn,dn->n", Y[:, triple[:, 0]], Y[:, triple[:, 2]] - Y[:, triple[:, 1]]) + m[0]
close("hinge loss over triplets (32)", out["loss"][0], np.maximum(0, D).mean(), 1e-7)
close("share of satisfied triplets", out["loss"][1], (D <= 0).mean(), 2 / len(triple))

# ---- hinge weights: s* = max(0, k) minimises -tr(Y'Y C T Lambda) + |s|^2 / 2 over s >= 0 ----
close("s* = max(0, k) (39)", out["s"], np.maximum(0, k), 1e-7)
ok("s* has zeros and positive numbers" if (k < 0).any() else "s* has positive numbers", out["s"].max() > 0)


def penalised(s):
    y = np.diag(np.sqrt(s)) @ P.T @ V.T
    return -np.trace(y.T @ y @ C @ T @ Lambda) + 0.5 * np.sum(s * s)


base, worst = penalised(out["s"]), np.inf
for c in range(d):
    for change in (1e-3, -1e-3, 0.05, -0.05):
        other = out["s"].copy()
        other[c] = max(0, other[c] + change)
        worst = min(worst, penalised(other) - base)
ok("no other weights are better", worst >= -1e-9, f"{worst:.3g}")
slope = [(penalised(out["s"] + 1e-5 * np.eye(d)[c]) - penalised(out["s"] - 1e-5 * np.eye(d)[c])) / 2e-5
         for c in range(d) if out["s"][c] > 1e-4]
close("finite differences at s*: the slope is 0", slope, np.zeros(len(slope)), 1e-5)
hinge = -0.5 * np.sum(np.maximum(0, k) ** 2) + m[0] * Lambda.sum()
close("at s* the objective is -1/2 sum max(0, k)^2", penalised(out["s"]) + m[0] * Lambda.sum(), hinge, 1e-6)

# ---- a margin that no triplet reaches: Lambda = I, and the optimum are eigenvectors ----
K = -V.T @ C @ T @ np.diag(has) @ V
values, vectors = np.linalg.eigh(-(K + K.T) / 2)
top = vectors[:, -d:]
learned = out["letter_p"].reshape(r, d)
close("margin 10: P spans the top eigenvectors", learned @ learned.T, top @ top.T, 1e-4)
close("margin 10: s are the top eigenvalues", np.sort(out["letter_s"]), np.maximum(0, values[-d:]), 1e-4)

# ---- convergence: hinges are the best responses of a saddle point; their average converges ----
W = V.T @ C @ T  # r x n


def primal(M):
    return np.maximum(0, m[2] - np.einsum("nr,rs,sn->n", V, M, W)[anchor]).sum() + 0.5 * np.sum(M * M)


def best_response(weights):
    X = (W[:, anchor] * weights) @ V[anchor]
    e, u = np.linalg.eigh((X + X.T) / 2)
    return (u * np.maximum(0, e)) @ u.T


weights = np.ones(len(anchor))
for step in range(4000):
    M = best_response(weights)
    active = m[2] - np.einsum("nr,rs,sn->n", V, M, W)[anchor] > 0
    weights += 2 / (step + 2) * (active - weights)
M = best_response(weights)
bound = m[2] * weights.sum() - 0.5 * np.sum(M * M)
found = {}
for name in ("damped", "undamped"):
    p = out[name + "_p"].reshape(r, r)
    found[name] = primal(p @ np.diag(out[name + "_s"]) @ p.T)
ok("the dual bound is below every value", bound <= min(found.values()) + 1e-9)
ok("damped training reaches the bound within 1 %", found["damped"] < bound * 1.01, f"{found} {bound}")
ok("undamped training does not", found["undamped"] > bound * 1.05, f"{found} {bound}")
print(f"1..{number}")
sys.exit(failed > 0)
