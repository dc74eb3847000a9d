#!/usr/bin/env bash
# Measures time and peak memory of film train (features + SVD) on synthetic text that doubles twice.
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%12s %10s %10s %12s %12s\n' sentences features entries seconds "peak MiB"
for count in 100000 200000 400000; do
    /usr/bin/python3 bench/synthetic.py $count > "$folder/text.txt"
    /usr/bin/time -f '%e %M' -o "$folder/time" "$film" train "$folder/text.txt" --format lines --labels none --method svd \
        --rank "${RANK_WANTED:-100}" -o "$folder/model.film" --json -q > "$folder/about.json"
    read -r seconds memory < "$folder/time"
    /usr/bin/python3 - "$folder/about.json" "$seconds" "$memory" <<'PY'
import json, sys
about = json.load(open(sys.argv[1]))
figures = about["figures"]
print(f'{figures["sentences"]:12d} {sum(about["sizes"]["features"].values()):10d} {figures["entries"]:10d} '
      f'{float(sys.argv[2]):12.2f} {int(sys.argv[3]) / 1024:12.0f}')
PY
done
