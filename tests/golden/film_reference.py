#!/usr/bin/env python3
"""The reference for FILM's objective: section 4 of the specification in plain numpy, all in double.

Nothing is shared with src/: K is built from the triplet matrix C, the search is steepest descent on
the manifold with QR as retraction and a monotone Armijo rule, Lambda is updated before
every step. Slow and simple. Reads the problem that `test_film --dump DIR` writes and prints the
lines of tests/golden/film_reference.h:

    build/release/tests/test_film --dump /tmp/film && tests/golden/film_reference.py /tmp/film
"""
import sys
import numpy as np


def mu(x):
    return np.logaddexp(0, x)


def sigma(x):
    return 1 / (1 + np.exp(-x))


class Problem:
    def __init__(self, folder):
        n, r, d, count = np.fromfile(folder + "/shape.u64", np.uint64).astype(int)
        self.V = np.fromfile(folder + "/v.f32", np.float32).reshape(n, r).astype(float)  # n x r
        self.P = np.fromfile(folder + "/p.f64").reshape(r, d)
        self.m = np.fromfile(folder + "/margin.f64")[0]
        ijk = np.fromfile(folder + "/triplets.u32", np.uint32).reshape(count, 3).astype(int)
        C = np.zeros((n, n))
        np.add.at(C, (ijk[:, 1], ijk[:, 0]), 1)
        np.add.at(C, (ijk[:, 2], ijk[:, 0]), -1)
        t = np.bincount(ijk[:, 0], minlength=n)
        self.has = t > 0
        self.CT = C / (t + 1)
        self.W = self.V.T @ self.CT  # r x n
        self.lam = self.has.astype(float)
        self.update_k()

    def update_k(self):
        self.K = -(self.W * self.lam) @ self.V

    def k(self, P):
        return -np.einsum("rc,rs,sc->c", P, self.K, P)

    def f(self, P):
        k = self.k(P)
        return -0.5 * np.sum(k * mu(k)) + self.m * self.lam.sum()

    def gradient(self, P):
        k = self.k(P)
        q = -0.5 * (mu(k) + k * sigma(k))
        return -(self.K + self.K.T) @ P * q

    def refresh(self, P):
        """s = mu(k), then Lambda from (P, s), then K."""
        Y = np.sqrt(mu(self.k(P)))[:, None] * (P.T @ self.V.T)  # d x n
        z = self.m - np.sum(Y * (Y @ self.CT), axis=0)
        lam = ((z > 0) & self.has).astype(float)
        changed = int(np.sum(lam != self.lam))
        self.lam = lam
        self.update_k()
        return changed


def retract(P):
    Q, R = np.linalg.qr(P)
    return Q * np.sign(np.diag(R))


def descend(problem, iterations, fixed):
    P, tau = problem.P, 1.0
    best, best_p = np.inf, P
    problem.refresh(P)
    for _ in range(iterations):
        if not fixed:
            problem.refresh(P)
            if problem.f(P) < best:  # an update of Lambda may undo a step: keep the best point
                best, best_p = problem.f(P), P
        G = problem.gradient(P)
        F = G - P @ G.T @ P
        f, slope = problem.f(P), np.sum(F * F)
        if slope < 1e-16:
            break
        tau *= 4
        while tau > 1e-12 and problem.f(retract(P - tau * F)) > f - 1e-4 * tau * slope:
            tau /= 2
        P = retract(P - tau * F)
    if not fixed:  # the objective of P itself, not of the last Lambda
        P = best_p
        for _ in range(10):
            problem.refresh(P)
    return problem.f(P), int(problem.lam.sum())


def main():
    folder = sys.argv[1]
    for name, fixed in (("FIXED", True), ("MOVING", False)):
        f, active = descend(Problem(folder), 4000, fixed)
        print(f"#define FILM_REFERENCE_{name} {f:.10f} /* {active} anchors active */")


main()
