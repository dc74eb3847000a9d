#!/usr/bin/env bash
# film train --method film --paper: what it sets, that --set changes one piece, and the history that is stored.
source "$(dirname "$0")/tap.sh"
small=(train "$FAQ/train.tsv" --method film --rank 60 --dim 20 --dev "$FAQ/heldout.tsv")
"$FILM" "${small[@]}" --paper -o letter.film -q
"$FILM" "${small[@]}" --min-df 1 --decision threshold --iterations 500 --set power=1 --set weights=hinge --set init=uniform \
    --set keep=last --set margin_absolute=1 --set epsilon=5.62e-3 --set least-change=0 -o pieces.film -q
check "--paper is the sum of its pieces, to the byte" cmp letter.film pieces.film
check "training stops at the gradient, every hinge active, on the last iterate" "$PYTHON" - "$FILM" <<'END'
import json, subprocess, sys
about = json.loads(subprocess.run([sys.argv[1], "info", "letter.film", "--json"], capture_output=True, text=True).stdout)
kept = about["figures"]["film"]
assert about["settings"]["min_df"] == 1 and about["settings"]["decision"] is None, about["settings"]
assert kept["stopped"] == "gradient" and kept["margin"] == 1 and kept["best_iteration"] == kept["iterations"], kept
assert kept["active_anchors"] == about["figures"]["triplets"]["anchors"]
at = {name: i for i, name in enumerate(kept["history_columns"])}
rows = kept["history"]
assert {"gradient", "hinge", "satisfied", "active"} <= set(at) and len(rows) == kept["iterations"]
assert all(0 < r[at["hinge"]] < 1 and r[at["satisfied"]] == 0 and r[at["accuracy"]] == 0 for r in rows)
assert rows[-1][at["hinge"]] < rows[0][at["hinge"]]
END
for piece in power=0.5 weights=smooth init=random init=eigen keep=best margin=0.5 margin_absolute=0.01 damping=average; do
    "$FILM" "${small[@]}" --paper --iterations 20 --set margin_absolute=0.005 -o base.film -q
    "$FILM" "${small[@]}" --paper --iterations 20 --set margin_absolute=0.005 --set $piece -o piece.film -q
    [ $piece = margin=0.5 ] && "$FILM" "${small[@]}" --paper --iterations 20 --set $piece -o piece.film -q
    check "--set $piece changes the letter" bash -c '! cmp -s base.film piece.film'
done
"$FILM" "${small[@]}" --paper --set margin=0.5 --set damping=average -o damped.film -q
"$FILM" "${small[@]}" --paper --set margin=0.5 --iterations 60 -o chase.film -q
check "averaged hinges reach the gradient; single ones do not" "$PYTHON" - "$FILM" <<'END'
import json, subprocess, sys
def kept(name):
    return json.loads(subprocess.run([sys.argv[1], "info", name, "--json"], capture_output=True, text=True).stdout)["figures"]["film"]
damped, chase = kept("damped.film"), kept("chase.film")
assert damped["stopped"] == "gradient", damped["stopped"]
gradient = chase["history_columns"].index("gradient")
assert chase["stopped"] == "iterations" and min(r[gradient] for r in chase["history"]) > 0.05
END
says() { # NAME TEXT COMMAND...
    local name=$1 text=$2
    shift 2
    run "$@"
    check "$name" bash -c '[ "$0" -eq 1 ] && grep -qF -- "$1" err' "$status" "$text"
}
says "the paper has one method" "needs method film or mfilm" "$FILM" train "$FAQ/train.tsv" --paper -o x.film
says "an unknown weight" "smooth|hinge" "$FILM" "${small[@]}" --set weights=other -o x.film
finish
