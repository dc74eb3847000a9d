#!/usr/bin/env python3
"""Why the letter of the paper does not converge, and what does: gradient norm and active hinges over steps.

    bench/convergence.py TRAIN DEV [PICTURE.svg]    rows of TRAIN as they are; use 10,000 pairs or so

Trains film train --method film --paper with several margins, with and without averaged hinges, and prints for each the
smallest gradient norm, the active hinges of the last two steps and the accuracy on DEV. The picture shows the gradient
norms.
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "examples")]
from lib import need_program, scratch, table, train  # noqa: E402
from plot import COLOURS, DASHES, Canvas  # noqa: E402

MARGINS, DRAWN, PAPER = (1, 0.01, 0.003, 0.001, 0.0003, 0.0001), 0.001, 5.62e-3


def measure(files, margin, averaged, folder):
    damping = "average" if averaged else "none"
    _, about = train([files[0]], os.path.join(folder, "model.film"), "--dev", files[1], "--method", "film", "--paper",
                     "--rank", 300, "--iterations", 150, "--set", f"margin_absolute={margin}", "--set", f"damping={damping}")
    kept = about["figures"]["film"]
    at = {name: i for i, name in enumerate(kept["history_columns"])}
    column = lambda name: [row[at[name]] for row in kept["history"]]  # noqa: E731
    return column("gradient"), column("active"), about["figures"]["triplets"]["anchors"], about["figures"]["balanced_accuracy"]


def draw(path, curves):
    canvas = Canvas(640, 400, "Gradient norm of FILM, 10,000 Quora pairs")
    left, right, top, bottom, most = 70, 620, 60, 340, max(len(y) for _, y in curves)
    x = lambda i: left + (right - left) * i / most  # noqa: E731
    y = lambda v: bottom - (bottom - top) * (math.log10(v) + 3) / 4  # noqa: E731
    for e in range(-3, 2):
        canvas.line(left, y(10.0 ** e), right, y(10.0 ** e), "#ddd")
        canvas.text(left - 8, y(10.0 ** e) + 4, f"{10.0 ** e:g}", "end")
    for i in range(0, most + 1, 25):
        canvas.text(x(i), bottom + 20, str(i), "middle")
    canvas.text((left + right) / 2, bottom + 44, "step", "middle")
    canvas.line(left, y(PAPER), right, y(PAPER), "#000", dash="4 4")
    canvas.text(right, y(PAPER) + 16, "the paper's best: 5.62e-3", "end")
    for i, (name, values) in enumerate(curves):
        canvas.path([(x(k + 1), y(max(v, 1e-3))) for k, v in enumerate(values)], COLOURS[i], DASHES[i] if i else "")
        canvas.line(left + 10 + 185 * i, 44, left + 34 + 185 * i, 44, COLOURS[i], 3, DASHES[i] if i else "")
        canvas.text(left + 40 + 185 * i, 48, name)
    canvas.save(path)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    need_program()
    rows, curves = [], {}
    with scratch() as folder:
        for margin in MARGINS:
            for averaged in (False, True):
                gradient, active, anchors, accuracy = measure(sys.argv[1:3], margin, averaged, folder)
                curves[margin, averaged] = gradient
                rows.append([margin, "averaged" if averaged else "as they are", len(gradient), f"{min(gradient):.4f}",
                             f"{min(gradient[-10:]):.3f} to {max(gradient[-10:]):.3f}",
                             " / ".join(f"{100 * a / anchors:.0f}" for a in active[-2:]), f"{100 * accuracy:.1f}"])
                print(*rows[-1], file=sys.stderr)
    table(["margin", "hinges", "steps", "smallest gradient", "last ten", "active, %", "accuracy, %"], rows)
    if len(sys.argv) == 4:
        draw(sys.argv[3], [("margin 1", curves[1, False]), (f"margin {DRAWN}", curves[DRAWN, False]),
                           (f"margin {DRAWN}, averaged", curves[DRAWN, True])])


main()
