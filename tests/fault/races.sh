#!/usr/bin/env bash
# film serve under a mixed load with reloads, built with the thread sanitizer (races.py). Ordinary runs build only the program
# (build/races); long runs use build/tsan and send twenty times as many requests.
source "$(dirname "$0")/../cli/tap.sh"
if ! grep -qa __tsan_init "$FILM"; then skip "data races of film serve" "not built with the thread sanitizer (build/races, build/tsan)"; finish; exit; fi
if ! "$FILM" --version >/dev/null 2>&1; then skip "data races of film serve" "the thread sanitizer does not start on this kernel"; finish; exit; fi
sample 8 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8 --decision threshold --seed 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/fault/races.py" "$FILM" "$ROOT"
