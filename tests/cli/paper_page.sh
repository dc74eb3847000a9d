#!/usr/bin/env bash
# examples/paper/run on the FAQ example: one page with the paper's tables and figures, and figures that film confirms.
source "$(dirname "$0")/tap.sh"
if is_sanitized; then skip "the page of the paper" "fourteen trainings take minutes with a sanitizer"; finish; exit; fi
export FILM
"$FILM" split "$FAQ/heldout.tsv" -o half --by rows --ratio 1:1 -q
small=(--rank 80 --dim 30 --iterations 25)
run "$PYTHON" "$ROOT/examples/paper/run" "$FAQ/train.tsv" half-train.tsv half-dev.tsv "${small[@]}" -o page.html
check "it runs" test "$status" -eq 0
check "every table and figure, in the paper's order" "$PYTHON" -c '
import re
page = open("page.html", encoding="utf-8").read()
found = re.findall("<h2>((?:Table|Figure) [0-9])</h2>", page)
assert found == ["Table 1", "Table 2", "Table 3"] + ["Figure %d" % i for i in range(1, 6)], found'
check "well-formed, self-contained, no script" "$PYTHON" -c '
import xml.dom.minidom, re
page = open("page.html", encoding="utf-8").read().replace("<!doctype html>", "").replace("<meta charset=\x27utf-8\x27>", "")
page = re.sub("<meta name=[^>]*>", "", page)
xml.dom.minidom.parseString(page)
assert not re.search("(src|href)=|<script|url\\(", page)'
check "all baselines, quoted ones marked" "$PYTHON" -c '
page = open("page.html", encoding="utf-8").read()
for name in ("Siamese CNN", "Multi-Perspective LSTM", "L.D.C.", "BiMPM full", "FILM-BERT", "LexVec", "GloVe", "word2vec"):
    row = page.split("<td>%s</td>" % name, 1)[1].split("</tr>", 1)[0]
    assert ">quoted<" in row, name
assert "not measured" in page.split("Table 2", 1)[1].split("Table 3", 1)[0]'
check "two files for DEV and TEST: no warning" bash -c '! grep -q "are one file" page.html'

# The figure of Table 1 once more, by other commands.
"$FILM" train "$FAQ/train.tsv" --dev half-train.tsv --method film --paper "${small[@]}" -o letter.film -q
check "the letter's accuracy is that of film predict --decision knn" "$PYTHON" -c '
import os, re, subprocess
page = open("page.html", encoding="utf-8").read()
value, k = re.search(r"<td>FILM</td><td>86.83</td><td>([0-9.]+) \(k = (\d+)\)</td>", page).groups()
out = subprocess.run([os.environ["FILM"], "predict", "letter.film", "half-dev.tsv", "--decision", "knn", "--k", k, "-q"],
                     capture_output=True, text=True, check=True).stdout.splitlines()[1:]
labels = [line.split("\t")[0] for line in open("half-dev.tsv", encoding="utf-8")][1:]
right = sum(line.endswith("\t" + label) for line, label in zip(out, labels))
assert abs(100 * right / len(labels) - float(value)) < 0.006, (right / len(labels), value)
assert len(out) == len(labels)'
check "the participation ratio is that of film explain" "$PYTHON" -c '
import json, os, re, subprocess
page = open("page.html", encoding="utf-8").read()
shown = float(re.search("participation ratio is ([0-9,]+) words", page).group(1).replace(",", ""))
about = json.loads(subprocess.run([os.environ["FILM"], "explain", "letter.film", "--dim", "0", "--json"],
                                  capture_output=True, text=True).stdout)
assert abs(shown - about["effective_words"]) <= 0.51, (shown, about["effective_words"])'

# ---- scores ----
"$PYTHON" - <<'END'
import random
draw = random.Random(1)
rows = [line.rstrip("\n").split("\t") for line in open("half-train.tsv", encoding="utf-8")][1:]
for name, part in (("s-train", rows[:400]), ("s-dev", rows[400:])):
    with open(name + ".tsv", "w", encoding="utf-8") as file:
        file.write("score\tsentence1\tsentence2\n")
        for label, a, b in part:
            file.write("%.1f\t%s\t%s\n" % (4 * float(label) + draw.random(), a, b))
END
awk 'BEGIN { srand(2); n = split("card lost my bank money order app bill tax flight", w, " ")
    for (i = 1; i <= n; i++) printf "%s %f %f %f\n", w[i], rand(), rand(), rand() }' >words.vec
run "$PYTHON" "$ROOT/examples/sts/run" s-train.tsv s-dev.tsv --rank 40 --dim 3 --vectors GloVe=words.vec -o sts.html
check "scores alone" test "$status" -eq 0
check "FILM and the vectors are measured, one file is warned about" "$PYTHON" -c '
page = open("sts.html", encoding="utf-8").read()
row = page.split("<td>GloVe</td>", 1)[1].split("</tr>", 1)[0]
assert "FILM on top" in row and "quoted" not in row
assert "Spearman" in page and "log-odds" in page and "are one file" in page and "<h2>Table 1</h2>" in page'
run "$PYTHON" "$ROOT/examples/paper/run" one.tsv
check "a wrong call prints the usage" bash -c '[ "$0" -ne 0 ] && grep -q "examples/paper/run TRAIN DEV TEST" err' "$status"
finish
