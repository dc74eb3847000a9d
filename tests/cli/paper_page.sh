#!/usr/bin/env bash
# examples/paper/run on the FAQ example: one page with the paper's tables and figures, and figures that film confirms.
source "$(dirname "$0")/tap.sh"
if is_sanitized; then skip "the page of the paper" "fourteen trainings take minutes with a sanitizer"; finish; exit; fi
export FILM
"$FILM" split "$FAQ/heldout.tsv" -o half --by rows --ratio 1:1 -q
small=(--rank 40 --dim 20 --iterations 6)
sample 12 "$FAQ/train.tsv" >train.tsv
run "$PYTHON" "$ROOT/examples/paper/run" train.tsv half-train.tsv half-dev.tsv "${small[@]}" -o page.html
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
    assert ">quoted" in row, name
    assert ("measure: --bert FOLDER" in row) == (name == "FILM-BERT"), row
assert "not measured" in page.split("Table 2", 1)[1].split("Table 3", 1)[0]'
check "two files for DEV and TEST: no warning" bash -c '! grep -q "are one file" page.html'

# The figure of Table 1 once more, by other commands.
"$FILM" train train.tsv --dev half-train.tsv --method film --paper --bits 32 "${small[@]}" -o letter.film -q
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

check "every spike has its word on hover: those of film explain --dim 0 --all" "$PYTHON" -c '
import html, os, re, subprocess
page = open("page.html", encoding="utf-8").read().split("<h2>Figure 5</h2>", 1)[1]
shown = {html.unescape(w): float(v) for w, v in re.findall("<title>([^<]*): ([^<]*)</title>", page.split("</svg>", 1)[0])}
rows = [line.split("\t") for line in subprocess.run([os.environ["FILM"], "explain", "letter.film", "--dim", "0", "--all"],
        capture_output=True, text=True, check=True).stdout.splitlines()[1:]]
wanted = sorted(((abs(float(r[3])), r[2], float(r[3])) for r in rows), reverse=True)[:60]
assert len(shown) == 60 and all(abs(shown[w] - v) <= 1e-3 * abs(v) for _, w, v in wanted), shown'

# ---- word vectors and a BERT encoder: no row of ours is quoted any more ----
export PYTHONDONTWRITEBYTECODE=1
"$PYTHON" "$ROOT/tests/golden/bert_folder.py" tiny --wide || echo "Bail out! cannot make a folder"
awk 'BEGIN { srand(2); n = split("card lost my bank money order app bill tax flight", w, " ")
    for (i = 1; i <= n; i++) { printf "%s", w[i]; for (k = 0; k < 32; k++) printf " %f", rand() - 0.5; print "" } }' >words.vec
head -301 "$FAQ/train.tsv" >few.tsv
head -101 half-dev.tsv >test.tsv
run env XDG_CACHE_HOME="$PWD/cache" "$PYTHON" "$ROOT/examples/paper/run" few.tsv half-train.tsv test.tsv --rank 40 --dim 10 \
    --iterations 5 --vectors GloVe=words.vec --bert tiny --overlap few.tsv -o more.html
check "with vectors and an encoder" test "$status" -eq 0
"$FILM" train few.tsv --dev half-train.tsv --vectors words.vec --method deep -o box.film -q
check "Siamese CNN is the black box on the vectors, FILM-BERT has every column" "$PYTHON" -c '
import json, os, re, subprocess
page = open("more.html", encoding="utf-8").read()
row = lambda name: re.findall("<td>(.*?)</td>", page.split("<td>%s</td>" % name, 1)[1].split("</tr>", 1)[0])
box, bert = row("Siamese CNN"), row("FILM-BERT")
found = json.loads(subprocess.run([os.environ["FILM"], "eval", "box.film", "test.tsv", "--json", "--bootstrap", "0"],
                                  capture_output=True, text=True, check=True).stdout)
assert abs(float(box[1]) - 100 * found["accuracy"]) < 0.006, (box, found["accuracy"])
assert all(re.match("[0-9.]+", cell) for cell in bert[:4]) and "quoted" not in bert[4], bert
assert "loss of the black box" in page and "here: black box on BERT" in page'
check "every change is measured on the overlap file too" "$PYTHON" -c '
import re
page = open("more.html", encoding="utf-8").read().split("<h2>The letter with one change</h2>", 1)[1]
rows = [re.findall("<td>(.*?)</td>", r) for r in page.split("</table>", 1)[0].split("<tr>")[2:]]
assert len(rows) == 13 and all(r[5] and r[6] for r in rows), rows
assert all((r[1], r[3]) == (r[5], r[6]) for r in rows), rows # here both are one file'

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
