#!/usr/bin/env bash
# film classify and film eval of categories: answers, none, tables in and out, references; figures against numpy.
source "$(dirname "$0")/tap.sh"
py() { "$PYTHON" -c "import json; d = json.load(open('out')); $1"; }

# The 12 topics of the FAQ: every fifth sentence is for testing; one topic is unknown to the model.
awk -F'\t' -v OFS='\t' 'NR == 1 { print "text", "category", "cluster" > "train.tsv"; print "text", "category", "cluster" > "test.tsv"; next }
    NR % 5 == 0 { print $4, $3, $1 > "test.tsv"; next }
    $3 != "travel" { print $4, $3, $1 > "train.tsv" }' "$FAQ/clusters.tsv"
"$FILM" train train.tsv --columns text,category,- --decision threshold --dim 32 --seed 1 -t 2 -q -o m.film || { echo "Bail out! no model"; exit 1; }

# ---- a sentence ----
run "$FILM" classify m.film "someone stole my card" -k 3 --json
check "a sentence has its category, and the shares add up to at most 1" py '
assert d["category"] == "bank-card" and not d["none"] and len(d["categories"]) == 3, d
p = [c["probability"] for c in d["categories"]]
assert p == sorted(p, reverse=True) and sum(p) + d["none_probability"] <= 1 + 1e-9 and p[0] == d["probability"]
assert len(d["examples"]) == 3 and d["examples"][0]["similarity"] >= d["examples"][1]["similarity"]'
check "words that speak for it are named, with their place" py '
text = "someone stole my card"
for r in d["reasons"]: assert text[r["start"]:r["end"]] == r["word"], r
assert "card" in [r["word"] for r in d["reasons"] if r["weight"] > 0]'
run "$FILM" classify m.film "someone stole my card"
check "the text form names category and words" grep -qzP "^[01]\.[0-9]{3}  bank-card\nbecause of: .*card \+.*\nnearest examples:\n" out
run "$FILM" classify m.film "99999 77777" --json
check "a sentence of unknown words is none" py 'assert d["category"] is None and d["none"] and d["probability"] == d["none_probability"] > 0.3'
run "$FILM" classify m.film "what is the tallest mountain of the moon"
check "the text form gives the verdict first, with its threshold" grep -qzP '^none of these \(probability 0\.[0-9]{3}, and none from 0\.[0-9]{3} on\); the nearest:\n[01]\.[0-9]{3}  ' out
run "$FILM" classify m.film "what is the tallest mountain of the moon" --json
check "the probability of none reaches the threshold" py 'assert d["none"] and d["none_probability"] >= d["threshold"] > 0'
run "$FILM" classify m.film "what is the tallest mountain of the moon" --threshold 0.999999 --json
check "--threshold sets when it says none" py 'assert not d["none"] and d["category"] and d["threshold"] == 0.999999'
for text in "what is the tallest mountain of the moon" ""; do
    run "$FILM" classify m.film "$text" --json
    cp out asked
    run "$FILM" classify m.film "$text" --json --always
    check "--always: the best category with the same probabilities, also for \"$text\"" py '
a = json.load(open("asked"))
assert a["none"] and not d["none"] and d["category"] == d["categories"][0]["category"]
assert d["probability"] == d["categories"][0]["probability"]
assert all(d[name] == a[name] for name in ("categories", "none_probability", "threshold", "examples"))'
done
run "$FILM" classify m.film "what is the tallest mountain of the moon" --always
check "the text form has no verdict of none" grep -qE '^[01]\.[0-9]{3}  ' <(head -1 out)
expect_output "--always and --threshold exclude each other" 1 "film classify: --always and --threshold exclude each other; see film classify --help" \
    "$FILM" classify m.film "x" --always --threshold 0.5
run "$FILM" classify m.film "" --json
check "an empty sentence is none" py 'assert d["none"] and d["reasons"] == []'

# ---- tables ----
run "$FILM" classify m.film - <train.tsv
head -1 out >header
check "a table keeps its columns" grep -qx 'text	category	cluster	predicted_category	predicted_probability' header
check "and its rows" cmp train.tsv <(cut -f1-3 out)
printf 'id,text,note\n7,"my card, stolen","a ""b"""\n' >t.csv
"$FILM" classify m.film --input t.csv -o o.csv
check "CSV stays CSV" grep -qE '^7,"my card, stolen","a ""b""",bank-card,[01]\.[0-9]{6}$' o.csv
printf 'text;note\n"my card; stolen";"a, b"\n' >semi.csv
run "$FILM" classify m.film --input semi.csv
check "a table with semicolons stays one" grep -qzP '^text;note;predicted_category;predicted_probability\n"my card; stolen";a, b;bank-card;[01]\.[0-9]{6}\n$' out
printf '{"text": "my card was stolen", "more": {"a": 1}}\n' >t.jsonl
run "$FILM" classify m.film --input t.jsonl
check "JSON lines keep their members" py 'assert d["more"] == {"a": 1} and d["predicted_category"] == "bank-card" and 0 < d["predicted_probability"] < 1'
printf 'my card was stolen\n' | "$FILM" classify m.film >out
check "plain lines become a table" grep -qE '^my card was stolen	bank-card	0\.[0-9]{6}$' out
"$FILM" classify m.film --input test.tsv --always >always.tsv
check "--always: every row of a table has a category" awk -F'\t' 'NR > 1 && $4 == "" { bad = 1 } END { exit bad || NR < 200 }' always.tsv
"$FILM" classify m.film --input test.tsv --json -t 1 >one
"$FILM" classify m.film --input test.tsv --json -t 3 >three
check "any number of threads gives the same" cmp one three

# ---- figures, computed again ----
"$FILM" eval m.film test.tsv --columns text,category,- --json -q >out
cp out first.json
if have_numpy "figures of film eval"; then
    check "accuracy, macro-F1, classes, confusions and none_auroc are those of numpy" "$PYTHON" - <<'P'
import json
import numpy as np
d = json.load(open("out"))
rows = [line.rstrip("\n").split("\t") for line in open("test.tsv")][1:]
answers = [json.loads(line) for line in open("one")]
truth = np.array([row[1] for row in rows])
best = np.array([a["categories"][0]["category"] for a in answers])
none = np.array([a["none_probability"] for a in answers])
known = truth != "travel"
assert 20 <= (~known).sum() < known.sum()
assert abs(d["accuracy"] - (truth == best)[known].mean()) < 1e-9 and d["accuracy"] > 0.6
f1 = []
for c in d["classes"]:
    hit = ((truth == c["category"]) & (best == c["category"])).sum()
    rows_of, answered = (truth == c["category"]).sum(), (best[known] == c["category"]).sum()
    assert c["rows"] == rows_of and abs(c["precision"] - hit / answered) < 1e-9 and abs(c["recall"] - hit / rows_of) < 1e-9
    f1.append(2 * hit / (rows_of + answered))
    assert abs(c["f1"] - f1[-1]) < 1e-9
assert abs(d["macro_f1"] - np.mean(f1)) < 1e-9
wins = (none[~known][:, None] > none[known][None]).mean() + 0.5 * (none[~known][:, None] == none[known][None]).mean()
assert abs(d["none_auroc"] - wins) < 1e-9 and wins > 0.55, wins
assert abs(d["answered"] - np.mean([not a["none"] for a, k in zip(answers, known) if k])) < 1e-9
wrong = {}
for t, b, k in zip(truth, best, known):
    if k and t != b: wrong[t, b] = wrong.get((t, b), 0) + 1
assert [c["rows"] for c in d["confusions"]] == sorted(wrong.values(), reverse=True)[:20]
for c in d["confusions"]: assert wrong[c["category"], c["answered"]] == c["rows"]
P
fi
"$FILM" eval m.film test.tsv --columns text,category,- -q >table
check "the table shows them too" grep -qzE 'macro F1 .*\n.*precision  recall .*most frequent confusions' table

# ---- a reference instead of the model's own sentences ----
awk -F'\t' -v OFS='\t' '{ if (NR > 1) $2 = "x-" $2; print $1, $2 }' train.tsv >other.tsv
awk -F'\t' -v OFS='\t' '{ if (NR > 1) $2 = "x-" $2; if ($2 != "x-travel") print $1, $2 }' test.tsv >othertest.tsv
"$FILM" eval m.film test.tsv --columns text,category,- --reference train.tsv --json -q >first.json
"$FILM" eval m.film othertest.tsv --reference other.tsv --json -q >out
check "--reference replaces the categories" "$PYTHON" -c '
import json
a, b = json.load(open("out")), json.load(open("first.json"))
assert a["accuracy"] == b["accuracy"] > 0.6 and a["none_auroc"] is None and b["none_auroc"] > 0.5'
run "$FILM" classify m.film "someone stole my card" --reference other.tsv --json
check "also in classify" py 'assert d["category"] == "x-bank-card"'
faq_model pairs.film
run "$FILM" classify pairs.film "someone stole my card"
check "a model of pairs has no categories" grep -q '^film: the model has no categories; train one from a file with a category column$' err
check "which is a usage error" test "$status" -eq 1
run "$FILM" classify pairs.film "someone stole my card" --reference other.tsv --json
check "but takes a reference" py 'assert d["category"] == "x-bank-card"'

# ---- pools ----
"$FILM" pool create p.pool --model m.film
run "$FILM" classify p.pool "someone stole my card" --json
check "a pool answers by its model" py 'assert d["category"] == "bank-card"'
expect_status "a pool takes no reference" 1 "$FILM" classify p.pool "x" --reference other.tsv

# ---- a server ----
check "/v1/classify answers what film classify --json prints" env PYTHONDONTWRITEBYTECODE=1 "$PYTHON" - "$FILM" "$ROOT" <<'P'
import json, subprocess, sys
film, root = sys.argv[1:3]
sys.path.insert(0, root + "/tests/lib")
from serving import Server
texts = ["someone stole my card", "where is my parcel", ""]
printed = [json.loads(subprocess.run([film, "classify", "m.film", text, "-k", "2", "--json"], check=True,
                                     capture_output=True, text=True).stdout) for text in texts]
with Server(film, "m.film") as server:
    status, one, _ = server.ask("POST", "/v1/classify", {"text": texts[0], "top": 2})
    assert status == 200 and one == printed[0], one
    status, many, _ = server.ask("POST", "/v1/classify", {"texts": texts, "top": 2})
    assert status == 200 and many == {"results": printed}, many
    status, always, _ = server.ask("POST", "/v1/classify", {"texts": texts, "top": 2, "always": True})
    assert status == 200 and printed[2]["none"] and not any(result["none"] for result in always["results"]), always
    status, wrong, _ = server.ask("POST", "/v1/classify", {"text": "x", "always": True, "threshold": 0.5})
    assert status == 400 and "threshold" in wrong["error"]["message"], wrong
P

if have "the page of a category model" chromium; then
    check "the page shows the category, its words and examples, or none" env PYTHONDONTWRITEBYTECODE=1 "$PYTHON" - "$FILM" "$ROOT" <<'P'
import re, subprocess, sys, urllib.parse
film, root = sys.argv[1:3]
sys.path.insert(0, root + "/tests/lib")
from serving import Server
def page(server, view):
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom",
                           f"http://127.0.0.1:{server.port}/#{view}"], capture_output=True, text=True, timeout=300)
    return done.stdout
def part(html, name):
    return re.sub("<[^>]*>", " ", re.search(rf'id="{name}".*?</(p|ol|ul)>', html, re.S)[0])
with Server(film, "m.film") as server:
    html = page(server, "classify?" + urllib.parse.urlencode({"text": "someone stole my card"}))
    assert "bank-card (" in part(html, "classify-status"), part(html, "classify-status")
    assert "bank-card" in part(html, "category-list") and " card" in part(html, "category-words")
    assert part(html, "category-examples").count("similarity") == 5
    html = page(server, "classify?" + urllib.parse.urlencode({"text": "99999 77777"}))
    assert "None of these" in part(html, "classify-status"), part(html, "classify-status")
P
fi

# ---- training again gives the same bytes ----
"$FILM" train train.tsv --columns text,category,- --decision threshold --dim 32 --seed 1 -t 1 -q -o again.film
check "one thread trains the same model" cmp m.film again.film

# ---- real data ----
DATA=$ROOT/../shared/data/banking77/train.csv
if [ ! -r "$DATA" ]; then skip "BANKING77" "no ../shared/data/banking77"
elif is_sanitized; then skip "BANKING77" "slow with sanitizers"
else
    awk 'NR == 1 || NR % 5 == 2 || NR % 5 == 3' "$DATA" >b.csv # sorted by intent: two fifths, a fifth to test
    awk 'NR == 1 || NR % 5 == 4' "$DATA" >btest.csv
    "$FILM" train b.csv --skip-bad --decision threshold -q -o b.film
    "$FILM" eval b.film btest.csv --skip-bad --json -q >out
    check "BANKING77: two fifths of the rows teach 77 intents" py 'assert d["accuracy"] > 0.85, d["accuracy"]'
    run "$FILM" classify b.film "set a 1 minute timer" --json
    check "BANKING77: a timer is none of them" py 'assert d["none"], d'
fi
finish
