#!/usr/bin/env bash
# What training promises: figures of positives alone, the prior of an operating point, a precision or recall that holds.
source "$(dirname "$0")/tap.sh"
HELDOUT=$FAQ/heldout.tsv
py() { "$PYTHON" -c "import json; d = json.load(open('out.json')); f = d['figures']; $1"; }
# Fast models: the promise does not depend on the method.
fast=(--method svd --rank 16)

# ---- only positives ----
awk -F'\t' 'NR == 1 || $1 == 1' "$FAQ/train.tsv" >positives.tsv
for decision in full threshold; do
    run "$FILM" train positives.tsv "${fast[@]}" --decision $decision -o positives.film
    check "only positives ($decision): says that negatives are random, and what is unknown" bash -c '
        grep -qE "^no pair is labelled \"different\": [0-9,]+ random pairs took their place$" err &&
        grep -qE "^[0-9.]+ % of the labelled pairs are found, [0-9.]+ % of random pairs are called the same$" err &&
        grep -q "^how often look-alikes are called the same is unknown; label some pairs" err && ! grep -q accuracy err'
    "$FILM" info positives.film --json >out.json
    check "only positives ($decision): figures that need negatives are not stored" py '
assert "balanced_accuracy" not in f and f["random_negatives"] > 400
assert 0.05 < f["recall"] <= 1 and 0 <= f["random_called_same"] < 0.5
assert f["operating"]["accuracy"] is None and f["operating"]["precision"] is None and "share" not in d["settings"]'
done
head -60 positives.tsv >few.tsv
run "$FILM" train few.tsv -o few.film
check "few positives: no accuracy is printed, and the threshold does not move by random pairs" bash -c '
    grep -q "^no pair is labelled \"different\": 59 random pairs took their place$" err && ! grep -q accuracy err &&
    grep -q "these labels do not support a change" err'
if [ -f "$ROOT/../shared/data/qqp/dev.tsv" ]; then
    # Real pairs look alike: what was learned from duplicates and random pairs must not be worse on them than no labels.
    accuracy() { "$FILM" predict "$1" dev.tsv -q | tail -n +2 | cut -f2 | paste <(tail -n +2 dev.tsv | cut -f1) - | awk '{ n += $1 == $2 } END { print n }'; }
    head -1501 "$ROOT/../shared/data/qqp/dev.tsv" >dev.tsv
    awk -F'\t' 'NR == 1 || $1 == 1' "$ROOT/../shared/data/qqp/train-strict.tsv" | head -401 >many.tsv
    head -51 many.tsv >fifty.tsv
    tail -n +2 many.tsv | cut -f2,3 | tr '\t' '\n' | sort -u >many.txt
    for file in many.tsv fifty.tsv many.txt; do "$FILM" train $file -q -o $file.film 2>/dev/null; done
    right=$(accuracy many.txt.film)
    check "400 positives: as accurate as no labels (two standard errors)" [ "$(accuracy many.tsv.film)" -ge $((right - 35)) ]
    check "50 positives: not everything is called different (then 775 of 1,500 would be right)" [ "$(accuracy fifty.tsv.film)" -ge 850 ]
else
    skip "400 positives: as accurate as no labels" "../shared/data is missing"
fi
message='film: operating point precision: no pair is labelled different, so nothing is known about false matches; label some pairs different, give a dev file that has both, or choose recall'
expect_output "only positives: no precision is promised" 2 "$message" "$FILM" train positives.tsv --operating precision=0.9 -o no.film -q
check "only positives: a recall is" "$FILM" train positives.tsv "${fast[@]}" --operating recall=0.5 -o recall.film -q
"$FILM" train positives.tsv --dev "$HELDOUT" "${fast[@]}" --operating precision=0.6 -o dev.film --json -q >out.json 2>/dev/null
check "only positives with a dev file: its negatives count" py 'assert f["operating"]["precision"] and f["balanced_accuracy"] and "recall" not in f'

# ---- the prior ----
# A file with one positive in ten: the share of the file, not 50 %.
awk -F'\t' 'NR == 1 || $1 == 0 || ++n % 9 == 0' "$FAQ/train.tsv" >rare.tsv
share=$(awk -F'\t' 'NR > 1 { n++; s += $1 } END { printf "%.6f", s / n }' rare.tsv)
"$FILM" train rare.tsv "${fast[@]}" --operating recall=0.5 -o rare.film --json -q >out.json
check "an operating point has the file's own share of duplicates" py "
assert abs(f['operating']['prior'] - $share) < 1e-5 and abs(d['settings']['share'] - $share) < 1e-6, (f['operating'], $share)"
"$FILM" train rare.tsv "${fast[@]}" -o plain.film --json -q >out.json
check "accuracy keeps 50 %" py 'assert f["operating"]["prior"] == 0.5'
"$FILM" train rare.tsv "${fast[@]}" --prior auto -o auto.film --json -q >out.json
check "train --prior auto" py "assert abs(f['operating']['prior'] - $share) < 1e-5"
for command in "match plain.film lost_card card_lost --json" "predict plain.film $HELDOUT -q" "explain plain.film lost_card card_lost --json" \
    "dedup plain.film $FAQ/questions.tsv --pairs -q" "link plain.film $FAQ/questions.tsv $FAQ/questions.tsv -q"; do
    # shellcheck disable=SC2086
    check "--prior auto: ${command%% *}" bash -c 'cmp <("$0" "${@:2}" --prior auto) <("$0" "${@:2}" --prior "$1")' "$FILM" \
        "$("$PYTHON" -c 'import json; print(repr(json.load(open("out.json"))["settings"]["share"]))')" $command
done
expect_output "--prior auto without a known share" 1 'film: this model does not know the share of duplicates: it was trained without pairs of both labels; set the prior to a number' \
    "$FILM" match positives.film --prior auto a b
expect_output "train --prior auto with one label" 2 'film: all pairs are labelled the same, so they give no prior; set the prior to a number' \
    "$FILM" train positives.tsv --prior auto -o no.film -q

# ---- a prior that the threshold contains ----
warned() { [ "$(grep -c '^film: warning: .*the threshold was chosen for' err)" -eq "$1" ]; }
run "$FILM" predict rare.film "$HELDOUT" --prior 0.1
check "predict warns once of a prior that the threshold contains" warned 1
run "$FILM" predict rare.film "$HELDOUT"
check "not without a prior" warned 0
run "$FILM" predict rare.film "$HELDOUT" --prior 0.1 --threshold 0.5
check "not with a threshold" warned 0
run "$FILM" predict plain.film "$HELDOUT" --prior 0.1
check "not where the threshold is the usual one" warned 0

# ---- confidence ----
# Labels by chance: the best of all thresholds seems to reach 60 %, none is sure to.
"$PYTHON" - "$FAQ/train.tsv" >chance.tsv <<'END'
import random, sys
random.seed(1)
rows = open(sys.argv[1], encoding="utf-8").read().splitlines()
print(rows[0])
for row in random.sample(rows[1:], 800): print(random.randint(0, 1), *row.split("\t")[1:], sep="\t")
END
run "$FILM" train chance.tsv "${fast[@]}" --operating precision=0.6 -o chance.film
check "labels by chance: no precision is promised" grep -qF 'film: warning: no threshold is sure to reach precision 0.6 (95 % confidence), so the strictest one is used' err
check "value, interval and number of pairs are printed" grep -qE '^chosen for precision: precision [0-9.]+ %, [0-9]+ to [0-9]+ on [0-9,]+ pairs, recall [0-9.]+ %, F1 [0-9.]+ %, at [0-9.]+ % duplicates$' err
"$FILM" info chance.film --json >out.json
check "reached: false is stored" py 'o = f["operating"]; assert o["reached"] is False and o["interval"][0] < 0.6 and f["threshold_from"] == "folds"'
"$FILM" train "$FAQ/train.tsv" "${fast[@]}" --operating precision=0.75 -o promise.film --json -q >out.json
check "a promise is made on all pairs, each scored by a model that has not seen it" py 'o = f["operating"]; assert o["reached"] and o["interval"][0] >= 0.75 and f["threshold_pairs"] == f["rows"]'
"$FILM" predict promise.film "$HELDOUT" -q | tail -n +2 | cut -f2 | paste <(tail -n +2 "$HELDOUT" | cut -f1) - >rows
check "and holds on new pairs" awk '$2 { n++; hits += $1 } END { exit !(n > 50 && hits / n >= 0.75) }' rows
# ---- near misses ----
"$FILM" info promise.film --json >out.json
check "near misses: counts of made-up ones, their kinds and exact bounds" py '
import math
n = f["operating"]["near_misses"]
assert n["pairs"] == sum(k[0] for k in n["kinds"].values()) > 500 and n["called_same"] == sum(k[1] for k in n["kinds"].values())
assert {"negation", "number", "question"} <= set(n["kinds"]) and abs(n["share"] - n["called_same"] / n["pairs"]) < 1e-6
def at_most(k, m, p): return sum(math.exp(math.lgamma(m + 1) - math.lgamma(i + 1) - math.lgamma(m - i + 1) + i * math.log(p) + (m - i) * math.log1p(-p)) for i in range(k + 1))
assert abs(at_most(n["called_same"], n["pairs"], n["interval"][1]) - 0.05) < 1e-4
assert n["labelled"]["called_same"] < n["labelled"]["pairs"] < f["rows"]'
line=$("$PYTHON" -c 'import json; n = json.load(open("out.json"))["figures"]["operating"]["near_misses"]; print("%d of %s made-up ones were called the same (%.1f %%, %.1f to %.1f)" % (n["called_same"], n["pairs"], 100 * n["share"], *(100 * b for b in n["interval"])))')
"$FILM" report promise.film -o promise.html -q
check "the report has them" grep -qF "Near misses: $line" promise.html
# Pairs of a dev file that differ in one word or in many, each sentence once, are counted again by their verdicts.
"$PYTHON" - "$FAQ/heldout.tsv" >dev.tsv <<'END'
import re, sys
print("label\ta\tb")
texts = dict.fromkeys(text for row in open(sys.argv[1], encoding="utf-8").read().splitlines()[1:] for text in row.split("\t")[1:])
texts = [text for text in texts if len(re.findall(r"[a-z]+", text.lower())) > 6 and not re.search(r"[^A-Za-z ?]", text)]
for i, text in enumerate(texts):
    words = text.rstrip("?").split()
    del words[i % len(words)]
    print(int(i % 3 > 0), text, " ".join(words) if i % 4 else texts[(i + 40) % len(texts)][::-1], sep="\t")
END
run "$FILM" train "$FAQ/train.tsv" "${fast[@]}" --dev dev.tsv --operating precision=0.5 -o near.film
check "near misses are printed" bash -c '
    grep -qE "^near misses: [0-9,]+ of [0-9,]+ made-up ones called the same \([0-9.]+ %, [0-9.]+ to [0-9.]+\)" err &&
    grep -qE "^near misses: [0-9]+ of [0-9]+ labelled ones called the same, precision [0-9.]+ %, [0-9]+ to [0-9]+$" err'
"$FILM" info near.film --json >out.json
"$FILM" predict near.film dev.tsv -q | tail -n +2 | cut -f2 | paste <(tail -n +2 dev.tsv) - >rows
"$FILM" eval near.film dev.tsv --operating precision=0.5 --json -q >eval.json
counted_again() {
    "$PYTHON" - <<'END'
import json
def words(text): return text.lower().rstrip("?").split()
rows = [line.rstrip("\n").split("\t") for line in open("rows", encoding="utf-8")]
near = [row for row in rows if set(words(row[2])) <= set(words(row[1]))]
called = [int(row[0]) for row in near if row[3] == "1"]
for file, path in (("out.json", ["figures", "operating"]), ("eval.json", ["operating"])):
    found = json.load(open(file))
    for key in path: found = found[key]
    found = found["near_misses"]["labelled"]
    assert found["pairs"] == len(near) > 20, (found, len(near))
    if file == "out.json":
        assert found["called_same"] == len(called) and abs(found["precision"] - sum(called) / len(called)) < 1e-6, (found, called)
END
}
check "labelled ones are those that differ in a word, with the precision of their verdicts" counted_again
cp promise.film first.film
"$FILM" train "$FAQ/train.tsv" "${fast[@]}" --operating precision=0.75 -o promise.film -q
check "the same training gives the same bytes" cmp promise.film first.film
finish
