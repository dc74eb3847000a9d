#!/usr/bin/env bash
# film serve under a mixed load with reloads, built with the thread sanitizer (races.py). Long runs only: that build costs
# more than a minute of a processor.
source "$(dirname "$0")/../cli/tap.sh"
if ! grep -qa __tsan_init "$FILM"; then skip "data races of film serve" "not built with the thread sanitizer (scripts/test --long)"; finish; exit; fi
sample 8 "$FAQ/train.tsv" >train.tsv
# One thread: the sanitizer does not see the barriers of an OpenMP library that is loaded as a module.
"$FILM" train train.tsv --method svd --rank 8 --decision threshold --seed 1 --threads 1 -q -o faq.film || exit 1
"$FILM" pool create faq.pool --model faq.film || exit 1
"$FILM" pool add faq.pool "$FAQ/questions.tsv" -q || exit 1
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/fault/races.py" "$FILM" "$ROOT"
