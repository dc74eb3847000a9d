#!/usr/bin/env bash
# film train and film eval with four threads, built with the thread sanitizer (build/races, build/tsan). Its reports are shown,
# and change the exit code.
source "$(dirname "$0")/../cli/tap.sh"
if ! grep -qa __tsan_init "$FILM"; then skip "data races of film train" "not built with the thread sanitizer (build/races, build/tsan)"; finish; exit; fi
if ! "$FILM" --version >/dev/null 2>&1; then skip "data races of film train" "the thread sanitizer does not start on this kernel"; finish; exit; fi
sample 16 "$FAQ/train.tsv" >few.tsv
sample 5 "$FAQ/clusters.tsv" >clusters.tsv
# trains NAME TABLE OPTION...: no data race in a training with these options.
trains() { check "$1: no data race" "$FILM" train "${@:2}" --threads 4 -q -o m.film; }
trains "ranking" "$FAQ/train.tsv" --dim 32 --decision threshold
trains "SVD" "$FAQ/train.tsv" --method svd --rank 32 --decision threshold
trains "FILM" "$FAQ/train.tsv" --method film --rank 64 --decision threshold
trains "M-FILM" "$FAQ/train.tsv" --method mfilm --rank 32 --decision threshold
trains "categories" clusters.tsv --dim 16
trains "ranking and the full decision" few.tsv --dim 16
check "evaluation: no data race" "$FILM" eval m.film few.tsv --threads 4
finish
