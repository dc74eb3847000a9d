#!/usr/bin/env bash
# examples/paper/run on the FAQ example: one page with the paper's tables and figures, and figures that film confirms.
source "$(dirname "$0")/tap.sh"
if is_sanitized; then skip "the page of the paper" "fourteen trainings take minutes with a sanitizer"; finish; exit; fi
export FILM
cat >paper.py <<'END'
"""The data of a page of the paper: sections by title, and the cells of their tables as text."""
import json, os, re, subprocess, sys
raw = open(sys.argv[1], encoding="utf-8").read()
d = json.loads(re.search('id="page-data">\n(.*?)\n</script>', raw, re.S)[1])
sections = {one["title"]: one for one in d["sections"]}
plain = lambda cell: next(iter(cell.values())) if isinstance(cell, dict) else cell
tables = lambda title: [part["table"] for part in sections[title]["parts"] if "table" in part]
charts = lambda title: [part["chart"] for part in sections[title]["parts"] if "chart" in part]
rows = lambda title, table=0: {plain(row[0]): [plain(cell) for cell in row[1:]] for row in tables(title)[table]["rows"]}
film = lambda *words: subprocess.run([os.environ["FILM"], *words], capture_output=True, text=True, check=True).stdout
exec(sys.argv[2])
END
page() { "$PYTHON" paper.py "$@"; }
"$FILM" split "$FAQ/heldout.tsv" -o half --by rows --ratio 1:1 -q
small=(--rank 40 --dim 20 --iterations 6)
sample 12 "$FAQ/train.tsv" >train.tsv
run "$PYTHON" "$ROOT/examples/paper/run" train.tsv half-train.tsv half-dev.tsv "${small[@]}" -o page.html
check "it runs" test "$status" -eq 0
check "every table and figure, in the paper's order" page page.html '
found = [title for title in sections if re.fullmatch("(Table|Figure) [0-9]", title)]
assert found == ["Table 1", "Table 2", "Table 3"] + ["Figure %d" % i for i in range(1, 6)], found
assert all(any(series["points"] for series in chart["series"]) for title in found[3:] for chart in charts(title))
assert [one["title"] for one in charts("Figure 4")] == ["Rates", "Cross entropy"] and len(charts("Figure 2")) == 2'
check "it loads nothing, and no text ends its data" page page.html '
assert raw.count("</script") == 2 and not re.search("(src|href)=.?(https?:)?//|^import |^export |url\\(", raw, re.M)
assert "<" not in re.search("id=\"page-data\">(.*?)</script>", raw, re.S)[1]'
check "all baselines, quoted ones marked" page page.html '
for table, names in ("Table 1", ("Siamese CNN", "Multi-Perspective LSTM", "L.D.C.", "BiMPM full", "FILM-BERT")), ("Table 2", ("LexVec", "GloVe", "word2vec")):
    for name in names:
        row = next(row for row in tables(table)[0]["rows"] if row[0] == name)
        assert row[-1]["quoted"].startswith("quoted") and "quoted" in row[1], row
        assert ("measure: --bert FOLDER" in row[-1]["quoted"]) == (name == "FILM-BERT"), row
assert all("not measured" in row for row in rows("Table 2").values())'
check "two files for DEV and TEST: no warning" page page.html 'assert "are one file" not in json.dumps(d["lead"])'

# The figure of Table 1 once more, by other commands.
"$FILM" train train.tsv --dev half-train.tsv --method film --paper "${small[@]}" -o letter.film -q
check "the letter's accuracy is that of film predict --decision knn" page page.html '
paper, letter = rows("Table 1")["FILM"][:2]
value, k = re.fullmatch(r"([0-9.]+) \(k = (\d+)\)", letter).groups()
out = film("predict", "letter.film", "half-dev.tsv", "--decision", "knn", "--k", k, "-q").splitlines()[1:]
labels = [line.split("\t")[0] for line in open("half-dev.tsv", encoding="utf-8")][1:]
right = sum(line.endswith("\t" + label) for line, label in zip(out, labels))
assert paper == "86.83" and len(out) == len(labels) and abs(100 * right / len(labels) - float(value)) < 0.006, (right / len(labels), value)'
check "the participation ratio is that of film explain" page page.html '
shown = float(re.search("participation ratio is ([0-9,]+) words", sections["Figure 5"]["intro"]).group(1).replace(",", ""))
about = json.loads(film("explain", "letter.film", "--dim", "0", "--json"))
assert abs(shown - about["effective_words"]) <= 0.51, (shown, about["effective_words"])'
check "every spike has its word: those of film explain --dim 0 --all" page page.html '
spikes = charts("Figure 5")[0]["series"][1]["points"]
shown = {label.rsplit(": ", 1)[0]: value for _, value, label in spikes}
lines = [line.split("\t") for line in film("explain", "letter.film", "--dim", "0", "--all").splitlines()[1:]]
wanted = sorted(((abs(float(r[3])), r[2], float(r[3])) for r in lines), reverse=True)[:60]
assert len(shown) == 60 and all(abs(shown[w] - v) <= 1e-3 * abs(v) for _, w, v in wanted), shown'
check "the histogram has every pair of TEST" page page.html '
bars = charts("Figure 3")[0]["series"][0]["points"]
assert sum(count for _, count in bars) == len(open("half-dev.tsv", encoding="utf-8").readlines()) - 1'

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
check "Siamese CNN is the black box on the vectors, FILM-BERT has every column" page more.html '
box, bert = rows("Table 1")["Siamese CNN"], rows("Table 1")["FILM-BERT"]
found = json.loads(film("eval", "box.film", "test.tsv", "--json", "--bootstrap", "0"))
assert abs(float(box[1]) - 100 * found["accuracy"]) < 0.006, (box, found["accuracy"])
assert all(re.match("[0-9.]+", cell) for cell in bert[:4]) and "quoted" not in bert[4], bert
assert any(one["y"]["title"] == "loss of the black box" for one in charts("Figure 1")) and "here: black box on BERT" in tables("Table 3")[0]["heads"]'
check "every change is measured on the overlap file too" page more.html '
found = rows("The letter with one change")
assert len(found) == 13 and all(row[4] and row[5] for row in found.values()), found
assert all((row[0], row[2]) == (row[4], row[5]) for row in found.values()), found # here both are one file'

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
check "FILM and the vectors are measured, one file is warned about" page sts.html '
row = rows("Table 2")["GloVe"]
assert "FILM on top" in row[2] and "quoted" not in row[4]
assert tables("Table 2")[1]["heads"][1:] == ["Pearson", "Spearman", "Pearson of the log-odds"] and "Table 1" in sections
assert any("are one file" in part.get("warning", "") for part in d["lead"])'
run "$PYTHON" "$ROOT/examples/paper/run" one.tsv
check "a wrong call prints the usage" bash -c '[ "$0" -ne 0 ] && grep -q "examples/paper/run TRAIN DEV TEST" err' "$status"
finish
