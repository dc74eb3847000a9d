#!/usr/bin/env bash
# film serve under a mixed load with reloads, built with the thread sanitizer (races.py). Ordinary runs build only the server
# (build/races, gcc); long runs use build/tsan and send twenty times as many requests.
source "$(dirname "$0")/../cli/tap.sh"
if ! grep -qa __tsan_init "$FILM"; then skip "data races of film serve" "not built with the thread sanitizer (build/races, build/tsan)"; finish; exit; fi
if ! "$FILM" --version >/dev/null 2>&1; then skip "data races of film serve" "the thread sanitizer does not start on this kernel"; finish; exit; fi
export FILM_TRAINER=${FILM_TRAINER:-$ROOT/build/release/film} # build/races has no trainer
[ -x "$FILM_TRAINER" ] || { skip "data races of film serve" "no model: build/release is missing (scripts/build)"; finish; exit; }
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8 --decision threshold --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/fault/races.py" "$FILM" "$ROOT"
