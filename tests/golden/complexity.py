"""Counts instructions of film for adversarial inputs; called by test_complexity.sh in a folder with faq.film."""
import json
import os
import re
import subprocess
import sys

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import check, finish  # noqa: E402

MARKS = ["\u0301", "\u0323", "\u0334", "\u0327"]  # of four classes, so that they have to be sorted


def instructions(command, text):
    """Instructions of one run with TEXT in the file "input"."""
    with open("input", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", FILM, *command],
                          capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise RuntimeError(" ".join(command) + ": " + done.stderr[-600:])
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def marks(n):
    return "a" + "".join(MARKS[i % 4] for i in range(n // 2)) + "\n"


EMBED = ("embed", "faq.film", "input", "--format", "lines", "-o", "out.npy", "--threads", "1")
CASES = [  # name, command, input without content, input of n bytes, n
    ("a run of combining marks", EMBED, "a\n", marks, 4000),
]

for name, command, empty, make, n in CASES:
    base = instructions(command, empty)
    small, large = (instructions(command, make(size)) - base for size in (n, 4 * n))
    check(f"{name}: {n} and {4 * n} bytes", large <= 5 * max(small, 1000000), f"{base} {small} {large}: {large / max(small, 1):.1f}-fold")
finish()
