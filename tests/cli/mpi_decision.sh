#!/usr/bin/env bash
# The pair decision, learned by several processes: each reads and surveys its share of the pairs.
source "$(dirname "$0")/tap.sh"
have "a decision learned by several processes" mpirun || { finish; exit; }
[ -e "$(dirname "$FILM")/tests/mpi_die_at.so" ] || { skip "a decision learned by several processes" "built without MPI"; finish; exit; }
sample 3 "$FAQ/train.tsv" >rows.tsv
TRAIN="train rows.tsv --features word --keep-examples 20 --seed 3 -q"

# learn NAME PROCESSES OPTIONS...: NAME.film and what it makes of unseen questions, NAME.json
# shellcheck disable=SC2086
learn() {
    local name=$1 processes=$2; shift 2
    job "$processes" "$FILM" $TRAIN -o "$name.film" "$@"
    [ "$status" -eq 0 ] || { cat err; return 1; }
    "$FILM" info --json "$name.film" >"$name.info" &&
        "$FILM" eval "$name.film" "$FAQ/heldout.tsv" --json --bootstrap 0 -q >"$name.json"
}
# close ONE MANY: the same pairs, folds and features, so nearly the same decision; only the order in which word
# evidence meets its pairs is another.
close() {
    "$PYTHON" - "$@" <<'END'
import json, sys
one, many = sys.argv[1:]
figures = [json.load(open(name + ".info"))["figures"] for name in (one, many)]
for name in ("rows", "sentences", "entries", "threshold_pairs"):
    assert figures[0][name] == figures[1][name], name
for name in ("questions", "different_clusters"):
    assert figures[0]["memory"][name] == figures[1]["memory"][name], name
items = [f["evidence_items"] for f in figures]
assert abs(items[0] - items[1]) < 0.01 * items[0], items
loss, accuracy = ([json.load(open(m + ".json"))[k] for m in (one, many)] for k in ("log_loss", "accuracy"))
print(loss, accuracy)
assert abs(loss[0] - loss[1]) < 0.02 and abs(accuracy[0] - accuracy[1]) < 0.02, (loss, accuracy)
END
}
# shellcheck disable=SC2086
"$FILM" $TRAIN -o alone.film --method tfidf
learn one 1 --method tfidf
check "a job of one process makes the bytes of none" cmp alone.film one.film
check "two processes make a model" learn two 2 --method tfidf
learn again 2 --method tfidf
check "and the same bytes again" cmp two.film again.film
check "three processes make a model" learn three 3 --method tfidf
check "two processes: nearly the decision of one" close one two
check "three processes: nearly the decision of one" close one three

# The calibration and the threshold on a dev file, which all read and score a share of.
learn one 1 --method tfidf --dev "$FAQ/lookalikes.tsv"
check "two processes with a dev file make a model" learn two 2 --method tfidf --dev "$FAQ/lookalikes.tsv"
check "two processes with a dev file: nearly the decision of one" close one two

# A map is learned again without each fold, by all processes.
if is_sanitized; then skip "a map and a decision" "long with sanitizers"; finish; exit; fi
learn one 1 --method rank --dim 24
check "two processes make a map and a decision" learn two 2 --method rank --dim 24
check "two processes: nearly the map and the decision of one" close one two
# ---- Records ----
"$PYTHON" "$ROOT/tests/cli/records.py" || exit 1
for processes in 1 2; do
    job "$processes" "$FILM" train one.jsonl -q -o "records$processes.film"
    check "$processes processes learn from records and store their known matches" \
        test "$status $(grep -ac matches.keys "records$processes.film")" = "0 1"
    "$FILM" predict "records$processes.film" held.jsonl -q -o "records$processes.tsv"
done
check "with the same verdicts but for 5 of 200" awk -F '\t' \
    'NR == FNR { same[FNR] = $NF; next } { other += same[FNR] != $NF } END { exit !(NR == 402 && other <= 5) }' records1.tsv records2.tsv
finish
