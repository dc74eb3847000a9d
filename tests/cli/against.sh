#!/usr/bin/env bash
# Two models on the same rows, operating points, thresholds and priors: film eval, train, match and predict. Two programs.
source "$(dirname "$0")/tap.sh"
py() { "$PYTHON" -c "import json; d = json.load(open('out.json')); $1"; }
HELDOUT=$FAQ/heldout.tsv

trained svd.film "$FAQ/train.tsv" --method svd --rank 32 --decision threshold
trained tfidf.film "$FAQ/train.tsv" --method tfidf --decision threshold
trained rank.film "$FAQ/train.tsv" --epochs 1 --dim 32 --decision threshold
tail -n +2 "$HELDOUT" | cut -f1 >labels
# decisions MODEL OPTIONS...: 0 or 1 per row.
decisions() { "$FILM" predict "$1" "$HELDOUT" -q "${@:2}" | tail -n +2 | cut -f2; }

# ---- two models ----
"$FILM" eval rank.film "$HELDOUT" --against svd.film --k 0 --json -q >out.json
paste labels <(decisions rank.film) <(decisions svd.film) >rows
check "McNemar counts what film predict says" py '
from math import comb
rows = [tuple(map(int, line.split())) for line in open("rows")]
b = sum(x == y and z != y for y, x, z in rows)
c = sum(x != y and z == y for y, x, z in rows)
t = d["against"]["mcnemar"]
assert (t["b"], t["c"]) == (b, c) and b + c <= 1000 and t["test"] == "exact binomial" and t["statistic"] is None
p = min(1, 2 * sum(comb(b + c, i) for i in range(min(b, c) + 1)) / 2 ** (b + c))
assert abs(t["p"] - p) < 1e-9 * p, (t["p"], p)
assert abs(d["against"]["accuracy"]["difference"] - (b - c) / len(rows)) < 1e-9'
check "the first side is what stands outside" py '
for name in ["accuracy", "f1", "auc", "log_loss", "brier"]:
    f = d["against"][name]
    assert f["first"] == d[name] and abs(f["first"] - f["second"] - f["difference"]) < 1e-9, name
    assert f["ci"][0] <= f["difference"] <= f["ci"][1], name'
check "the learned model is better, and the sentence says so" py '
a = d["against"]
assert a["better"] == "first" and a["accuracy"]["ci"][0] > 0 and a["mcnemar"]["p"] < 0.05
assert a["sentence"].startswith("rank.film is better by ") and "points of accuracy (95 %: " in a["sentence"]
assert "McNemar p" in a["sentence"], a["sentence"]'
cp out.json there.json
"$FILM" eval svd.film "$HELDOUT" --against rank.film --k 0 --json -q >out.json
check "swapped, the signs turn and the winner stays" py '
t, a = json.load(open("there.json"))["against"], d["against"]
assert a["better"] == "second" and a["sentence"] == t["sentence"]
for name in ["accuracy", "f1", "auc", "log_loss", "brier"]:
    assert a[name]["difference"] == -t[name]["difference"]
    assert max(abs(a[name]["ci"][i] + t[name]["ci"][1 - i]) for i in (0, 1)) < 1e-9
assert a["mcnemar"]["b"] == t["mcnemar"]["c"] and a["mcnemar"]["p"] == t["mcnemar"]["p"]'
"$FILM" eval rank.film "$HELDOUT" --against svd.film --k 0 --json -q -t 1 >out.json
check "one thread gives the same bytes" cmp out.json there.json
"$FILM" eval svd.film "$HELDOUT" --json -q >out.json
check "without --against there is no such object" py 'assert d["against"] is None and d["operating"] is None and d["threshold"] is None'
"$FILM" eval rank.film "$HELDOUT" --against tfidf.film --k 0 --bootstrap 0 --prior 0.3 --threshold 0.4 --json -q >out.json
paste labels <(decisions rank.film --prior 0.3 --threshold 0.4) <(decisions tfidf.film --prior 0.3 --threshold 0.4) >rows
check "prior and threshold hold for both" py '
rows = [tuple(map(int, line.split())) for line in open("rows")]
a = d["against"]["accuracy"]
assert abs(a["first"] - sum(x == y for y, x, z in rows) / len(rows)) < 1e-9
assert abs(a["second"] - sum(z == y for y, x, z in rows) / len(rows)) < 1e-9 and a["ci"] is None
assert d["threshold"] == 0.4 and d["prior"] == 0.3'
"$FILM" eval rank.film "$HELDOUT" --against svd.film --decision knn --k 3:9 --bootstrap 100 --json -q >out.json
"$FILM" eval svd.film "$HELDOUT" --decision knn --k 3:9 --bootstrap 0 --json -q >other.json
check "each decides by its own kNN" py '
o = json.load(open("other.json"))
assert d["against"]["accuracy"]["second"] == o["accuracy"] and d["against"]["log_loss"]["second"] == o["log_loss"]'
awk -F'\t' 'NR == 1 { print "sentence1\tsentence2\tscore"; next } { print $2 "\t" $3 "\t" $1 * 3.5 + NR % 3 * 0.5 }' "$HELDOUT" >scores.tsv
"$FILM" eval rank.film scores.tsv --against svd.film --bootstrap 200 --json -q >out.json
check "scores: correlations are compared" py '
a = d["against"]
assert a["mcnemar"] is None and a["pearson"]["first"] == d["pearson"] and a["better"] == "first"
assert "of Pearson (95 %: " in a["sentence"] and "accuracy" not in a'

# The whole table; numbers differ a little from machine to machine and become N.
"$FILM" eval svd.film "$HELDOUT" --against svd.film --operating recall=0.8 --k 0 --bootstrap 20 -q |
    sed -E 's/ +/ /g; s/[0-9]+\.[0-9]+/N/g; s/[0-9]+ to [0-9]+ on/N to N on/; s/^(called .*) [0-9]+ [0-9]+$/\1 N N/' |
    awk '!/^ ?N (N|-) ?%?/ || !rows++' >table # one row of the thresholds
check "the table" diff table - <<'END'
1,174 rows (pairs), 396 distinct sentences; [95 % confidence intervals]
accuracy N % [N, N]
best accuracy N % [N, N] at threshold N
precision N % [N, N]
recall N % [N, N]
F1 N % [N, N]
area under the ROC curve N [N, N]
average precision N [N, N]
log loss N [N, N]
calibration error (ECE) N [N, N]
Brier score N [N, N]

decisions labelled same labelled different
called the same N N
called different N N

by threshold, if 50 % of the pairs are duplicates (in this file: N %)
threshold precision recall called the same
 N N % N % N %

operating point for recall N, at N % duplicates
threshold N: recall N %, N to N on 560 pairs, precision N %, F1 N %, accuracy N %

svd.film against svd.film
 first second difference
accuracy, per cent N N +N [+N, +N]
F1, per cent N N +N [+N, +N]
area under the ROC curve N N +N [+N, +N]
log loss N N +N [+N, +N]
Brier score N N +N [+N, +N]
only the first is right: 0, only the second: 0; McNemar (exact binomial) p = 1
no significant difference: +N points of accuracy (95 %: N to N; McNemar p = 1)
END

# ---- operating points ----
"$FILM" eval rank.film "$HELDOUT" --k 0 --bootstrap 0 --prior auto --operating precision=0.35 --json -q >out.json
"$FILM" predict rank.film "$HELDOUT" --prior "$(py 'print(repr(d["prior"]))')" -q | tail -n +2 | cut -f1 | paste labels - >rows
check "--prior auto: figures of the point are plain counts" py '
rows = [(int(y), float(p)) for y, p in (line.split() for line in open("rows"))]
o = d["operating"]
assert abs(d["prior"] - sum(y for y, p in rows) / len(rows)) < 1e-9
tp = sum(y for y, p in rows if p >= o["threshold"]); passed = sum(p >= o["threshold"] for y, p in rows)
assert abs(o["precision"] - tp / passed) < 1e-9 and o["interval"][0] >= 0.35 and o["reached"] and o["pairs"] == passed
assert abs(o["recall"] - tp / sum(y for y, p in rows)) < 1e-9 and o["criterion"] == "precision" and o["target"] == 0.35
assert abs(o["prior"] - d["prior"]) < 1e-9'
# The bound by brute force: the design effect over all pairs of rows with a common sentence, the beta distribution by integration.
tail -n +2 "$HELDOUT" | cut -f2,3 >texts
check "the interval is that of the effective number of pairs" py '
import numpy as np
rows = [(int(y), float(p)) for y, p in (line.split() for line in open("rows"))]
texts = [line.rstrip("\n").split("\t") for line in open("texts")]
o = d["operating"]
e = [(y - 0.35, a, b) for (y, p), (a, b) in zip(rows, texts) if p >= o["threshold"]]
design = 0
for i, (x, a, b) in enumerate(e):
    for j, (z, c, f) in enumerate(e):
        design += x * z * (1 if i == j else (a == c) + (a == f) + (b == c) + (b == f))
design = max(1, design / sum(x * x for x, _, _ in e))
hits, count = sum(x > 0 for x, _, _ in e) / design, len(e) / design
x = np.linspace(0, 1, 2000001)[1:-1]
def tail(low, a, b):
    density = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x); density = np.exp(density - density.max())
    return density[x < low].sum() / density.sum()
assert abs(tail(o["interval"][0], hits, count - hits + 1) - 0.05) < 1e-4, (design, o)
assert abs(tail(o["interval"][1], hits + 1, count - hits) - 0.95) < 1e-4, o'
"$FILM" eval svd.film "$HELDOUT" --k 0 --bootstrap 0 --operating precision=0.999 -q >table
check "a precision that is not sure is reported, with the strictest threshold" grep -qE '^no threshold is sure to reach it on this file \(95 % confidence\); the strictest is$' table
# By the full decision, which has a threshold of its own, and by the similarity.
for point in f1 precision=0.8 recall=0.9; do
    decision=threshold
    [ $point != f1 ] || decision=full
    "$FILM" train "$FAQ/train.tsv" --dev "$HELDOUT" --method tfidf --decision $decision --no-memory --operating $point --prior 0.3 --json -q -o point.film >about.json
    "$FILM" eval point.film "$HELDOUT" --k 0 --bootstrap 0 --prior 0.3 --operating $point --json -q >out.json
    check "train --operating $point chooses what eval would choose" py '
o, a = d["operating"], json.load(open("about.json"))["figures"]["operating"]
for name in ["accuracy", "precision", "recall", "f1"]: assert abs(o[name] - a[name]) < 1e-5, (name, o, a)
assert a["prior"] == 0.3 and a["reached"] == o["reached"]'
    "$FILM" eval point.film "$HELDOUT" --k 0 --bootstrap 0 --json -q >out.json
    decisions point.film | paste labels - >rows
    check "and the model decides by it ($point)" py '
a = json.load(open("about.json"))["figures"]["operating"]
rows = [tuple(map(int, line.split())) for line in open("rows")]
assert abs(sum(y and x for y, x in rows) / sum(y for y, x in rows) - a["recall"]) < 1e-5'
done
run "$FILM" train "$FAQ/train.tsv" --method tfidf --operating precision=1 --decision threshold -o point.film
check "training warns of a precision that is not sure" grep -qxF 'film: warning: no threshold is sure to reach precision 1 (95 % confidence), so the strictest one is used; add labelled pairs or choose a lower precision' err

# ---- a threshold of one's own ----
"$FILM" predict svd.film "$HELDOUT" --threshold 0.55 -q >predicted
check "predict --threshold" awk 'NR > 1 && ($1 >= 0.55) != $2 { exit 1 }' predicted
"$FILM" match svd.film "I lost my card" "my card is lost" --threshold 0.999999 >out
check "match --threshold: different" grep -q '^different' out
"$FILM" match svd.film "I lost my card" "my card is lost" --threshold 0.000001 --json >out.json
check "match --threshold: same" py 'assert d["same"] is True'

# ---- two programs: bench/against.sh ----
if have "bench/against.sh" /usr/bin/time; then
    against() { run env FILM="$FILM" "$ROOT/bench/against.sh" "$@"; }
    against --small "$FILM"
    check "a program against itself: the same figures" bash -c '[ "$1" = 0 ] &&
        [ "$(grep -c "no difference beyond the error$" out)" = 2 ] && grep -qE "^accuracy, % +([0-9.]+ ± [0-9.]+) +\\1 +\+0\.00 ± 0\.00 " out' _ "$status"
    check "and a row of seconds and peak memory for each work" "$PYTHON" -c '
rows = [line.split("  ") for line in open("out")]
rows = {r[0]: [x for x in map(str.strip, r[1:]) if x] for r in rows}
for name in ("train", "predict", "search", "dedup", "serve", "serve, reasons"):
    old, new, ratio, old_peak, new_peak, peaks = rows[name]
    assert float(old) >= 0 and float(new) >= 0 and float(old_peak) > 2 and float(new_peak) > 2, rows
    assert abs(float(old_peak) / float(new_peak) - float(peaks)) < 0.02, rows'
    check "and the same results" bash -c '[ "$(grep -cE "^(search|dedup): ([0-9,]+) found before, \\2 now, \\2 of them the same$" out)" = 2 ]'
    # An earlier program that is usually wrong, and cannot search.
    cat >worse <<'END'
#!/bin/bash
[ "$1" != search ] || { echo "film: no search" >&2; exit 3; }
"$FILM" "$@" || exit
[[ "$1 ${*: -1}" != "predict "*dev.tsv ]] || awk -F'\t' -v OFS='\t' 'NR > 1 { $1 = 1 - $1; $2 = 1 - $2 } { print }' "${*: -1}" >flipped &&
    { [ ! -e flipped ] || mv flipped "${*: -1}"; }
END
    chmod +x worse
    against --small --rounds 2 "$PWD/worse" search predict
    check "a difference beyond the error is reported" bash -c '[ "$(grep -c "now better, beyond the error$" out)" = 2 ]'
    check "work that a program cannot do is reported, the rest is done" bash -c \
        '[ "$1" = 1 ] && grep -q "^search failed: the earlier program: film search .*: film: no search$" out && grep -q "^predict  " out' _ "$status"
    check "only what was chosen is in the table" bash -c '! grep -qE "^(train|dedup|serve)" out'
    against --small nothing
    check "what is no commit and no program" bash -c '[ "$1" = 1 ] && grep -qx "bench/against.sh: nothing is neither a commit nor a program" err' _ "$status"
    against --rounds 0 "$FILM"
    check "rounds are counted from 1" bash -c '[ "$1" = 1 ] && grep -q "^usage: bench/against.sh " err' _ "$status"
    if [ -n "${FILM_TEST_LONG:-}" ] && git -C "$ROOT" rev-parse -q --verify HEAD >/dev/null 2>&1; then
        run "$ROOT/bench/against.sh" --small HEAD train
        check_timed "a commit is built" bash -c '[ "$1" = 0 ] && grep -q "^old: commit [0-9a-f]*; new: build/against/now/film; " out && grep -q "^train " out' _ "$status"
    fi
fi
finish
