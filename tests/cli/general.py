"""Checks examples/general: its groups of sentences, its README and the pairs that make writes; prints TAP lines."""
import collections
import csv
import itertools
import os
import re
import subprocess
import sys

ROOT = sys.argv[1]
HERE = os.path.join(ROOT, "examples", "general")
COLUMNS = ["group", "topic", "part", "kind", "text", "near"]
KINDS = ["paraphrase", "opposite", "negation", "number", "unit", "date", "roles", "entity", "scope", "question", "tense", "topic"]
LEARN, HELD_OUT = ["travel", "computers", "health", "money", "household", "work"], ["school", "food"]
tests = failures = 0


def check(name, problems):
    """A TAP line: ok when there is no problem."""
    global tests, failures
    problems = list(problems)
    tests += 1
    failures += bool(problems)
    print(f"{'not ok' if problems else 'ok'} {tests} - {name}")
    for problem in problems[:40]:
        print(f"# {problem}")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def words(text):
    return re.findall(r"\w+", text.lower().replace("'", ""))


def overlap(a, b):
    """The Jaccard index of the words of two sentences."""
    a, b = set(words(a)), set(words(b))
    return len(a & b) / len(a | b)


rows = read("examples", "general", "groups.tsv")
groups = collections.defaultdict(list)
for row in rows:
    groups[row["group"]].append(row)
paraphrases = {name: [r["text"] for r in group if r["kind"] == "paraphrase"] for name, group in groups.items()}
near_misses = {name: [r for r in group if r["kind"] != "paraphrase"] for name, group in groups.items()}

# ---- groups ----
check("the columns are " + ", ".join(COLUMNS), [] if list(rows[0]) == COLUMNS else [list(rows[0])])
check("every value is filled in, without spaces around it",
      (r for r in rows if not all(isinstance(r[c], str) and r[c] == r[c].strip() and (r[c] or c == "near") for c in COLUMNS)))
check("the rows of a group are together", (name for name, count in collections.Counter(
    name for name, _ in itertools.groupby(rows, lambda r: r["group"])).items() if count > 1))
topics = collections.Counter(group[0]["topic"] for group in groups.values())
check("each of the 8 topics has 50 groups", [] if topics == dict.fromkeys(LEARN + HELD_OUT, 50) else [topics])
check("a group has one topic, and a topic one part", (r for r in rows if r["topic"] != groups[r["group"]][0]["topic"]
                                                      or r["part"] != ("held-out" if r["topic"] in HELD_OUT else "learn")))
check("kinds are known", (r for r in rows if r["kind"] not in KINDS))
check("a group has 3 or 4 paraphrases and 2 or 3 near misses",
      (name for name in groups if len(paraphrases[name]) not in (3, 4) or len(near_misses[name]) not in (2, 3)))
check("paraphrases come before the near misses of their group",
      (name for name in groups if [r["text"] for r in groups[name][:len(paraphrases[name])]] != paraphrases[name]))
indexes = {name: [str(i + 1) for i in range(len(texts))] for name, texts in paraphrases.items()}
check("near is empty for a paraphrase, and the index of a paraphrase for a near miss",
      (r for r in rows if r["near"] not in ([""] if r["kind"] == "paraphrase" else indexes[r["group"]])))
check("no paraphrase of the group shares more words with a near miss than the one that near names",
      (r for group in near_misses.values() for r in group
       if overlap(r["text"], paraphrases[r["group"]][int(r["near"]) - 1]) < max(overlap(r["text"], t) for t in paraphrases[r["group"]])))

# ---- sentences ----
count = collections.Counter(" ".join(words(r["text"])) for r in rows)
check("no sentence occurs twice", (text for text, times in count.items() if times > 1))
frames = collections.defaultdict(set)
for row in rows:
    sentence = words(row["text"])
    for i in range(len(sentence) - 3):
        frames[" ".join(sentence[i:i + 4])].add(row["group"])
check("no four consecutive words occur in two groups",
      (f"{frame}: {', '.join(sorted(names))}" for frame, names in frames.items() if len(names) > 1))
faq = {" ".join(words(r[c])) for name, columns in (("clusters", ["text"]), ("lookalikes", ["question1", "question2"]))
       for r in read("examples", "faq", name + ".tsv") for c in columns}
check("no sentence occurs in examples/faq", faq.intersection(count))

# ---- pairs ----
place = os.getcwd()
for name, *part in (["pairs"], ["again"], ["learn", "learn"], ["held-out", "held-out"]):
    subprocess.run([sys.executable, os.path.join(HERE, "make"), os.path.join(place, name + ".tsv"), *part], check=True)
with open("pairs.tsv", "rb") as one, open("again.tsv", "rb") as other:
    check("make writes the same bytes again", [] if one.read() == other.read() else ["pairs.tsv and again.tsv differ"])
pairs = read(place, "pairs.tsv")
for part in ("learn", "held-out"):
    check(f"make FILE {part} writes the pairs of that part",
          [] if read(place, part + ".tsv") == [p for p in pairs if p["part"] == part] else [part])
    expected = {"paraphrase": 0, "near miss": 0, "random": 0}
    for name, group in groups.items():
        if group[0]["part"] == part:
            expected["paraphrase"] += len(list(itertools.combinations(paraphrases[name], 2)))
            expected["near miss"] += len(near_misses[name])
    expected["random"] = expected["near miss"]
    found = collections.Counter(p["kind"] if p["kind"] in expected else "near miss" for p in pairs if p["part"] == part)
    check(f"{part}: {', '.join(f'{n} {kind}' for kind, n in expected.items())} pairs", [] if found == expected else [found])
home = {r["text"]: r for r in rows}
check("label 1 is for paraphrases of one group", (p for p in pairs if (p["label"] == "1") != (p["kind"] == "paraphrase")))
check("random pairs are of two groups of one topic, other pairs of one group", (
    p for p in pairs for a, b in [(home[p["text1"]], home[p["text2"]])]
    if p["part"] != a["part"] or a["topic"] != b["topic"] or (a["group"] == b["group"]) == (p["kind"] == "random")))
check("no pair occurs twice", (pair for pair, times in collections.Counter(
    frozenset((p["text1"], p["text2"])) for p in pairs).items() if times > 1))

# ---- README ----
kind_of = {"paraphrases": lambda kind: kind == "paraphrase", "near misses": lambda kind: kind not in ("paraphrase", "random"),
           "random pairs": lambda kind: kind == "random"}
table = []
for title, chosen in kind_of.items():
    values = [overlap(p["text1"], p["text2"]) for p in pairs if chosen(p["kind"])]
    shares = [sum(low <= v < high for v in values) / len(values) for low, high in ((0, 0.15), (0.15, 0.3), (0.3, 0.5), (0.5, 2))]
    table.append(f"| {title} | {len(values):,} | {sum(values) / len(values):.2f} | " + " | ".join(f"{s:.1%}".replace("%", " %") for s in shares) + " |")
    if title == "paraphrases":
        check("at least 30 % of the paraphrase pairs share less than 0.15 of their words", [] if shares[0] >= 0.3 else [shares])
number = collections.Counter(r["kind"] for r in rows)
table += [f"| `{kind}` | {number[kind]:,} | " for kind in KINDS]
with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
    readme = file.read()
check("the numbers of the README are right", (f"missing: {line}" for line in table if line not in readme))
print(f"1..{tests}")
sys.exit(failures > 0)
