"""Compares McNemar's test with scipy: mcnemar_scipy.py DUMP [--values]

DUMP is the program built from mcnemar_dump.c. Small and large counts, one-sided and even ones, both sides of the
limit of the exact test. Prints TAP; with --values the lines of tests/unit/test_mcnemar.c.
"""
import math
import subprocess
import sys

from scipy import stats

MOST = 1000
VALUES = [(0, 0), (1, 0), (5, 0), (0, 6), (3, 9), (10, 10), (12, 30), (94, 360), (400, 600), (499, 501),
          (500, 501), (480, 560), (1000, 1200), (5000, 5000), (700, 400)]


def peer(b, c):
    """exact, statistic, p"""
    if b + c <= MOST:
        return 1, math.nan, stats.binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    statistic = max(0, abs(b - c) - 1) ** 2 / (b + c)
    return 0, statistic, stats.chi2.sf(statistic, 1)


def cases():
    for total in list(range(13)) + [25, 26, 100, 101, 999, 1000, 1001, 1002, 5000, 100000]:
        for b in sorted({0, 1, total // 4, total // 3, total // 2 - 3, total // 2 - 1, total // 2,
                         total // 2 + 1, total // 2 + 20, total}):
            if 0 <= b <= total:
                yield b, total - b
    yield from VALUES


def main():
    everything = list(cases())
    if sys.argv[2:] == ["--values"]:
        for b, c in VALUES:
            exact, statistic, p = peer(b, c)
            print(f"        {{{b}, {c}, {exact}, {'NAN' if math.isnan(statistic) else repr(statistic)}, {p!r}}},")
        return 0
    text = "".join(f"{b} {c}\n" for b, c in everything)
    out = subprocess.run([sys.argv[1]], input=text, check=True, capture_output=True, text=True).stdout
    lines = out.splitlines()
    assert len(lines) == len(everything), f"{len(lines)} answers for {len(everything)} cases"
    wrong = [[], []]
    count, worst = [0, 0], [0.0, 0.0]
    for (b, c), line in zip(everything, lines):
        exact, statistic, p = peer(b, c)
        ours = line.split()
        count[exact] += 1
        # A relative tolerance, because p goes down to 1e-300.
        apart = abs(float(ours[2]) - p) / max(p, 1e-290)
        worst[exact] = max(worst[exact], apart)
        if int(ours[0]) != exact or not apart < 1e-9 or (
                not exact and abs(float(ours[1]) - statistic) > 1e-9 * max(1, statistic)):
            wrong[exact].append(f"b = {b}, c = {c}: ours {line}, theirs {statistic} {p}")
    for number, (exact, name) in enumerate([(1, "scipy's binomtest"), (0, "scipy's chi2")], 1):
        print(f"{'not ok' if wrong[exact] or count[exact] < 10 else 'ok'} {number} - McNemar's p equals {name} in "
              f"{count[exact]} cases (largest relative difference {worst[exact]:.1e})")
        for line in wrong[exact][:5]:
            print(f"# {line}")
    print("1..2")
    return any(wrong)


sys.exit(main())
