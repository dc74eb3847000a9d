#!/usr/bin/env bash
# The ranking map, learned by several processes: each holds columns of it and some of the sentences.
source "$(dirname "$0")/tap.sh"
have "a map learned by several processes" mpirun || { finish; exit; }
[ -e "$(dirname "$FILM")/tests/mpi_die_at.so" ] || { skip "a map learned by several processes" "built without MPI"; finish; exit; }
sample 3 "$FAQ/train.tsv" >rows.tsv
TRAIN="train rows.tsv --dev $FAQ/heldout.tsv --decision threshold --features word --dim 24 --batch 64 --seed 3 -q"

# shellcheck disable=SC2086
learn() { # MODEL PROCESSES OPTIONS...
    local model=$1 processes=$2; shift 2
    job "$processes" "$FILM" $TRAIN -o "$model" "$@"
}
# shellcheck disable=SC2086
"$FILM" $TRAIN -o alone.film
learn one.film 1
check "a job of one process makes the bytes of none" cmp alone.film one.film
learn two.film 2
check "two processes make a model" [ "$status" -eq 0 ]
learn again.film 2
check "and the same bytes again" cmp two.film again.film
learn three.film 3

# close MODEL: its losses and its accuracy are those of one process, within what rounding makes of them (learn/rank.h).
close() {
    "$FILM" info --json alone.film >a.json && "$FILM" info --json "$1" >b.json && "$PYTHON" - <<'END'
import json
one, many = (json.load(open(name))["figures"] for name in ("a.json", "b.json"))
losses = [[entry[1] for entry in figures["ranking"]["history"]] for figures in (one, many)]
assert len(losses[0]) == len(losses[1]) > 10, losses
apart = [abs(a - b) / a for a, b in zip(*losses)]
assert max(apart[:3]) < 1e-4 and max(apart) < 1e-2, apart
for name in ("rows", "sentences", "entries", "threshold_pairs"):
    assert one[name] == many[name], name
assert abs(one["balanced_accuracy"] - many["balanced_accuracy"]) < 0.003, (one, many)
END
}
check "two processes: losses and accuracy of one" close two.film
check "three processes: losses and accuracy of one" close three.film

learn none.film 3 --dim 2
if [ "$status" -ne 0 ] && grep -q '3 processes are too many for 2 dimensions; choose at most one process per dimension' err && [ ! -e none.film ]
then ok "more processes than dimensions are refused"
else not_ok "more processes than dimensions are refused" "exit code $status" "$(cat err)"; fi
finish
