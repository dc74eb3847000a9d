#!/usr/bin/env bash
# film predict --decision knn: the paper's rule, against brute force in numpy.
source "$(dirname "$0")/tap.sh"
"$FILM" train "$FAQ/train.tsv" --method film --decision threshold --dim 20 -o m.film -q || { echo "Bail out! no model"; exit 1; }
head -301 "$FAQ/heldout.tsv" >pairs.tsv
printf '0\tWhere is my card?\tWhere is my card?\n' >>pairs.tsv

cat >oracle.py <<'END'
import subprocess, sys
import numpy as np
film, k, rule, pool = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
def rows(path):
    return [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")][1:]
pairs = [r[1:] for r in rows("pairs.tsv")]
texts = list(dict.fromkeys(t for r in pairs for t in r))
for path in pool:
    texts = list(dict.fromkeys(texts + [t for r in rows(path) for t in r[1:]]))
open("texts.txt", "w", encoding="utf-8").write("".join(t + "\n" for t in texts))
subprocess.run([film, "embed", "m.film", "texts.txt", "--format", "lines", "-o", "v.npy", "-q"], check=True)
v = np.load("v.npy").astype(float)
v /= np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-30)
cosine, at, bad = v @ v.T, {t: i for i, t in enumerate(texts)}, 0
np.fill_diagonal(cosine, -np.inf)
got = [line.rstrip("\n").split("\t") for line in open("out.tsv")]
assert got[0] == ["depth", "same"] and len(got) == len(pairs) + 1
same = 0
for (a, b), (depth, verdict) in zip(pairs, got[1:]):
    i, j = at[a], at[b]
    # places without and with what is equally near within rounding
    low = [1 + int((cosine[x] > cosine[x, y] + 1e-5).sum()) for x, y in ((i, j), (j, i))]
    high = [int((cosine[x] >= cosine[x, y] - 1e-5).sum()) for x, y in ((i, j), (j, i))]
    choose = max if rule == "mutual" else min
    low, high = (0, 0) if i == j else (choose(low), choose(high))
    same += verdict == "1"
    if verdict == "1":
        bad += not (low <= int(depth) <= min(high, k))
    else:
        bad += depth != "" or high <= k
sys.exit(bad > 0 or not 10 < same < len(pairs) - 10)
END
if have_numpy "verdicts are those of brute force"; then
    for rule in mutual either; do
        "$FILM" predict m.film pairs.tsv --decision knn --k 7 --knn $rule -o out.tsv -q
        check "$rule, 7 neighbours: those of brute force" "$PYTHON" oracle.py "$FILM" 7 $rule
    done
    "$FILM" predict m.film pairs.tsv --decision knn --pool "$FAQ/train.tsv" -o out.tsv -q
    check "with a pool, 36 neighbours: those of brute force" "$PYTHON" oracle.py "$FILM" 36 mutual "$FAQ/train.tsv"
fi
"$FILM" eval m.film pairs.tsv --decision knn --k 7:7 --json --bootstrap 0 >eval.json
"$FILM" predict m.film pairs.tsv --decision knn --k 7 --format jsonl -o out.jsonl -q
check "as many as film eval counts" "$PYTHON" -c '
import json
point = json.load(open("eval.json"))["knn"][0]
rows = [json.loads(line) for line in open("out.jsonl")]
labels = [line[0] == "1" for line in open("pairs.tsv")][1:]
assert sum(r["same"] and l for r, l in zip(rows, labels)) == point["tp"], (point, sum(r["same"] for r in rows))
assert all((r["depth"] is None) == (not r["same"]) for r in rows)'
says() { # NAME CODE TEXT COMMAND...
    local name=$1 code=$2 text=$3
    shift 3
    run "$@"
    check "$name" bash -c '[ "$0" -eq "$1" ] && grep -qF -- "$2" err' "$status" "$code" "$text"
}
says "no probabilities" 1 "leave out --threshold" "$FILM" predict m.film pairs.tsv --decision knn --threshold 0.5
says "no submission" 1 "no probabilities" "$FILM" predict m.film pairs.tsv --decision knn --format kaggle
says "not from a pipe" 1 "pass a file" "$FILM" predict m.film --decision knn
says "neighbours are an option of knn" 1 "need --decision knn" "$FILM" predict m.film pairs.tsv --k 3
trained t.film "$FAQ/train.tsv" --method tfidf --decision threshold
says "a model without vectors" 1 "has none" "$FILM" predict t.film pairs.tsv --decision knn
printf 'a\nb\n' >lines.txt
says "a file of single sentences" 2 "one sentence per row" "$FILM" predict m.film lines.txt --decision knn
finish
