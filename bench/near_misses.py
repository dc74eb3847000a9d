#!/usr/bin/env python3
"""Near misses: accuracy per kind of small difference.

    bench/near_misses.py MODEL SENTENCES.tsv [TRAPS.tsv]

Makes pairs from the sentences of a labelled file that the model was not trained on, with word lists
and templates written for this (training has its own), and asks film predict. TRAPS.tsv has the
columns label, sentence1, sentence2, kind.
"""
import csv
import random
import re
import subprocess
import sys
from collections import defaultdict

OPPOSITES = [("increase", "decrease"), ("buy", "sell"), ("start", "stop"), ("win", "lose"), ("open", "close"),
             ("before", "after"), ("best", "worst"), ("gain", "lose"), ("love", "hate"), ("legal", "illegal"),
             ("possible", "impossible"), ("good", "bad"), ("old", "young"), ("big", "small"), ("high", "low"),
             ("easy", "difficult"), ("rich", "poor"), ("male", "female"), ("enable", "disable")]
SAME = [("best way to", "easiest way to"), ("how do i", "how can i"), ("movie", "film"), ("begin", "start"),
        ("purchase", "buy"), ("difficult", "hard"), ("job", "occupation"), ("quickly", "fast")]
NUMBER = {"2": "two", "3": "three", "5": "five", "10": "ten", "12": "twelve", "20": "twenty", "100": "one hundred"}
QUALIFIERS = ["in Italy", "for children", "on a Mac", "without a car", "at night", "for people over sixty", "in winter",
              "with a broken arm", "during pregnancy", "for a small company", "from abroad", "under German law"]
MODIFIERS = ["neighbour's", "daughter's", "company's", "electric", "second-hand", "unmarried", "military", "wooden"]
QUANTITIES = [("all", "some"), ("every", "one"), ("most", "few"), ("only", "also"), ("always", "sometimes"),
              ("at least", "at most"), ("more than", "less than"), ("both", "neither"), ("everyone", "someone"), ("everything", "something"), ("many", "few"), ("until", "after")]
SUBJECTS = ["the train", "a letter", "my brother", "the bank", "money", "the parcel"]
PLACES = ["London", "Madrid", "Chicago", "Delhi", "Oslo", "Lima"]


def swap(text, pairs):
    for a, b in pairs:
        for old, new in ((a, b), (b, a)):
            changed = re.sub(r"\b%s\b" % old, new, text, count=1, flags=re.I)
            if changed != text:
                return changed
    return None


def number(text):
    changed = re.sub(r"\b(\d+)\b", lambda m: str(int(m.group(1)) + 3), text, count=1)
    return changed if changed != text else None


def negation(text):
    changed = re.sub(r"\b(should|can|do|does|did|would|could) (I|you|we|people|they)\b", r"\1 \2 not", text, count=1)
    return changed if changed != text and " not " not in text else None


def written(text):
    changed = re.sub(r"\b(\d+)\b", lambda m: NUMBER.get(m.group(1), m.group(1)), text, count=1)
    return changed if changed != text else None


def end(text, draw):
    changed = re.sub(r"\s*\?\s*$", " " + draw.choice(QUALIFIERS) + " ?", text)
    return changed if changed != text and text.count("?") == 1 and " or " not in text else None


def modifier(text, draw):
    changed = re.sub(r"\b(my|your|the|his|her) (?=[a-z]{4})", lambda m: m.group(0) + draw.choice(MODIFIERS) + " ", text,
                     count=1)
    return changed if changed != text else None


EDITS = [("opposite", 0, lambda t: swap(t, OPPOSITES)), ("number", 0, number), ("negation", 0, negation),
         ("synonym", 1, lambda t: swap(t, SAME)), ("written number", 1, written),
         ("politeness", 1, lambda t: "Hello, " + t + " Thanks!"),
         ("qualifier", 0, lambda t: end(t, random.Random(t))), ("modifier", 0, lambda t: modifier(t, random.Random(t))),
         ("quantifier", 0, lambda t: None if re.search(r"(the|are|is) (most|some)", t) else swap(t, QUANTITIES))]


def make(sentences, most=300):
    rows, draw = [], random.Random(7)
    for kind, label, edit in EDITS:
        made = [(label, s, e, kind) for s in sentences for e in [edit(s)] if e]
        rows += draw.sample(made, min(most, len(made)))
    for _ in range(most):
        a, b = draw.sample(PLACES, 2)
        who = draw.choice(SUBJECTS)
        rows.append((0, f"How does {who} get from {a} to {b}?", f"How does {who} get from {b} to {a}?", "exchanged"))
    return rows


def verdicts(film, model, rows):
    text = "".join("%s\t%s\n" % (r[1], r[2]) for r in rows)
    out = subprocess.run([film, "predict", model, "-", "--columns", "a,b", "--input-format", "tsv", "--no-memory", "-q"],
                         input=text, capture_output=True, text=True, check=True).stdout
    return [line.split("\t")[-1] for line in out.splitlines()][1:]


def main():
    film, model, sentences = "build/release/film", sys.argv[1], set()
    with open(sys.argv[2], newline="", encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            sentences.update(f for f in row if len(f.split()) in range(4, 15))
    sets = [("made from dev sentences", make(sorted(sentences)))]
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
        sets.append(("traps", [(int(r[0]), r[1], r[2], r[3]) for r in rows]))
    for title, rows in sets:
        right, count = defaultdict(int), defaultdict(int)
        for row, verdict in zip(rows, verdicts(film, model, rows)):
            for key in (row[3], "different" if row[0] == 0 else "same", "all"):
                count[key] += 1
                right[key] += int(verdict) == row[0]
        print(f"{title}: " + ", ".join(f"{k} {100 * right[k] / count[k]:.1f} % of {count[k]}" for k in count))


if __name__ == "__main__":
    main()
