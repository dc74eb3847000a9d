"""Counts instructions of film for adversarial inputs; called by test_complexity.sh in a folder with faq.film."""
import functools
import os
import re
import subprocess
import sys

FILM, ROOT = sys.argv[1:3]
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from serving import check, finish  # noqa: E402

MARKS = ["\u0301", "\u0323", "\u0334", "\u0327"]  # of four classes, so that they have to be sorted


@functools.lru_cache(maxsize=None)  # inputs without content are those of several cases
def instructions(command, text):
    """Counts the instructions of one run with TEXT in the file "input"."""
    with open("input", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", FILM, *command],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(command) + ": " + done.stderr[-600:])
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def marks(n):
    return "a" + "".join(MARKS[i % 4] for i in range(n // 2)) + "\n"


def words(n, word):
    """About n bytes of different words."""
    text, i = [], 0
    while n > 0:
        text.append(word(i))
        n -= len(text[-1].encode()) + 1
        i += 1
    return " ".join(text)


def pairs(text):
    return "a\tb\n" + text + "\t" + " ".join(reversed(text.split(" "))) + "\n"


EMBED = ("embed", "faq.film", "input", "--format", "lines", "-o", "out.npy", "-t", "1")
PREDICT = ("predict", "faq.film", "input", "-o", "out.tsv", "-t", "1")
DEDUP = ("dedup", "faq.film", "input", "--columns", "text", "-o", "out.tsv", "-t", "1")
CASES = [  # name, command, input without content, input of n bytes, n
    ("fold: a run of combining marks", EMBED, "a\n", marks, 16000),  # well above what equal runs differ by
    ("fold: conjoining Hangul", EMBED, "a\n", lambda n: "\u1100" + "\u1161" * (n // 3) + "\n", 6000),
    ("tokens: one long word", EMBED, "a\n", lambda n: "x" * n + "\n", 8000),
    ("tokens: contractions", EMBED, "a\n", lambda n: "ca" + " " * (n // 2) + "n't " + "ca n't " * (n // 14) + "\n", 8000),
    ("tokens: a script without spaces", EMBED, "a\n", lambda n: "".join(chr(0x4e00 + i % 5000) for i in range(n // 3)) + "\n", 6000),
    ("alignment: different words", PREDICT, pairs("x"), lambda n: pairs(words(n // 2, lambda i: f"w{i:04x}")), 4000),
    ("alignment: one word again and again", PREDICT, pairs("x"), lambda n: pairs("same " * (n // 10) + "end"), 4000),
    ("alignment: words that differ in a letter", PREDICT, pairs("x"), lambda n: pairs(words(n // 2, lambda i: "lorem" + chr(97 + i % 26) + chr(97 + i // 26 % 26) + "ipsum")), 4000),
    ("dedup: equal sentences", DEDUP, "text\na\n", lambda n: "text\n" + "I lost my card\n" * (n // 15), 3000),
    ("dedup: sentences with one word in common", DEDUP, "text\na\n", lambda n: "text\n" + "".join(f"card w{i}\n" for i in range(n // 9)), 1800),
    ("JSON: deep objects", EMBED[:3] + ("--format", "jsonl") + EMBED[5:], '{"text": "a"}\n',
     lambda n: "".join('{"text": "a", "more": ' + "[" * 200 + "]" * 200 + "}\n" for _ in range(n // 430)), 8600),
    ("JSON: many keys", EMBED[:3] + ("--format", "jsonl") + EMBED[5:], '{"text": "a"}\n',
     lambda n: '{"text": "a"' + "".join(f', "k{i}": {i}' for i in range(n // 14)) + "}\n", 7000),
    ("tables: quotes", EMBED[:3] + ("--format", "csv", "--columns", "text") + EMBED[5:], "a\n", lambda n: '"' + '""' * (n // 2) + 'a"\n', 8000),
    ("tables: many columns", EMBED[:3] + ("--format", "csv") + EMBED[5:], "text\na\n",
     lambda n: "text" + "".join(f",c{i}" for i in range(n // 10)) + "\na" + ",x" * (n // 10) + "\n", 8000),
    ("tables: a row over many lines", EMBED[:3] + ("--format", "csv", "--columns", "text") + EMBED[5:], "a\n", lambda n: '"' + "a\n" * (n // 2) + '"\n', 8000),
]

# Below some thousand records, neighbours are found by comparing all vectors, which is exact and quadratic, but cheap.
LIMITS = {"dedup: sentences with one word in common": 6}
# Ordinary runs try the worst case of each kind; valgrind takes a second for each of three inputs.
WORST = ("a run of combining marks", "differ in a letter", "one word in common", "many keys")
for name, command, empty, make, n in CASES:
    if sys.argv[3:] and sys.argv[3] not in name:
        continue
    if not sys.argv[3:] and not os.environ.get("FILM_TEST_LONG") and not name.endswith(WORST):
        continue
    base = instructions(command, empty)
    small, large = (instructions(command, make(size)) - base for size in (n, 4 * n))
    check(f"{name}: {n} and {4 * n} bytes", large <= LIMITS.get(name, 5) * max(small, 1000000),
          f"{base} {small} {large}: {large / max(small, 1):.1f}-fold")
finish()
