#!/usr/bin/env bash
# Compares film embed with fastText's print-sentence-vectors: same sentences, same dimension (100), one run.
# fastText's vectors are trained on the same text first, for one epoch, because only speed matters here.
#   bench/embed.sh SENTENCES [repeat, 5]
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
text=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$film" train "$text" --format lines --labels none --rank 100 -q -o "$folder/m.film" --method svd
for _ in $(seq "${2:-5}"); do cat "$text"; done > "$folder/many.txt"
count=$(wc -l < "$folder/many.txt")
# Checks the result first: one vector per line, the first equal to that of a single run.
"$film" embed "$folder/m.film" "$folder/many.txt" --format lines -q -o "$folder/v.npy"
head -n 1 "$folder/many.txt" | "$film" embed "$folder/m.film" - --format lines -q > "$folder/one.npy"
/usr/bin/python3 - "$folder" "$count" <<'PY'
import sys, numpy as np
many, one = np.load(sys.argv[1] + "/v.npy", mmap_mode="r"), np.load(sys.argv[1] + "/one.npy")
assert many.shape == (int(sys.argv[2]), 100), many.shape
assert (many[0] == one[0]).all()
PY
run() { /usr/bin/time -f %e -o "$folder/time" "$@"; cat "$folder/time"; }
best=999999
for _ in 1 2 3 4 5; do
    t=$(run "$film" embed "$folder/m.film" "$folder/many.txt" --format lines -q -o "$folder/v.npy")
    best=$(echo "$t $best" | awk '{print $1 < $2 ? $1 : $2}')
done
echo "$count $best" | awk '{printf "film embed: %d sentences in %.2f s = %.0f sentences/s (all cores, file to file)\n", $1, $2, $1 / $2}'
fasttext skipgram -input "$text" -output "$folder/ft" -dim 100 -epoch 1 -bucket 50000 -thread 2 > /dev/null 2>&1
cp "$text" "$folder/once.txt"
t=$(run sh -c "fasttext print-sentence-vectors $folder/ft.bin < $folder/once.txt > $folder/ft.vec")
once=$(wc -l < "$folder/once.txt")
echo "$once $t $count $best" | awk '{f = $1 / $2; o = $3 / $4;
    printf "fastText print-sentence-vectors: %d in %.2f s = %.0f sentences/s (one thread, text output)\nratio %.1f\n", $1, $2, f, o / f}'
