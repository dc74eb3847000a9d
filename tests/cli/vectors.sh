#!/usr/bin/env bash
# film train --vectors: word vectors in text files; the mean of a sentence against numpy, FILM on top, bad files.
source "$(dirname "$0")/tap.sh"
if have_numpy "word vectors"; then
cat >make.py <<'END'
import gzip, random
import numpy as np
rng, draw = np.random.default_rng(3), random.Random(3)
words = [a + b for a in ("ka", "lo", "mi", "ru", "se", "to", "vu", "ne") for b in ("ba", "di", "fo", "gu", "la", "pe")]
meaning = {w: rng.normal(size=12) for w in words}
groups = [draw.sample(words, 5) for _ in range(60)]
rows = []
for g in groups:
    say = lambda: " ".join(draw.sample(g, 4) + draw.sample(words, 2))
    rows += [(1, say(), say()), (1, say(), say()), (0, say(), " ".join(draw.sample(words, 6)))]
open("pairs.tsv", "w").write("label\tsentence1\tsentence2\n" + "".join("%d\t%s\t%s\n" % r for r in rows))
lines = ["%s %s" % (w.capitalize() if i % 7 == 0 else w, " ".join("%.6f" % x for x in meaning[w]))
         for i, w in enumerate(words) if i % 11]  # every eleventh word has no vector
open("glove.txt", "w").write("\n".join(lines) + "\n")
gzip.open("word2vec.gz", "wt").write("%d 12\n" % len(lines) + "\n".join(lines) + " \n")
END
"$PYTHON" make.py
cat >oracle.py <<'END'
import math, sys
from collections import Counter
import numpy as np
rows = [line.rstrip("\n").split("\t")[1:] for line in open("pairs.tsv")][1:]
texts = list(dict.fromkeys(t for r in rows for t in r))
df = Counter(w for t in texts for w in set(t.split()))
vector = {}
for line in open("glove.txt"):
    word, *numbers = line.split()
    vector[word.lower()] = np.array(numbers, float)
def mean(text):
    count = Counter(text.split())
    return sum(((1 + math.log(c)) * (math.log((1 + len(texts)) / (1 + df[w])) + 1) * vector.get(w, np.zeros(12))
                for w, c in count.items()), np.zeros(12))
E = np.array([mean(t) for t in texts])
Y = np.load(sys.argv[1]).astype(float)
unit = lambda a: a / np.linalg.norm(a, axis=1, keepdims=True)
if sys.argv[2] == "mean":
    assert np.abs(unit(E) @ unit(E).T - unit(Y) @ unit(Y).T).max() < 0.02  # rows are rounded to 8 bits
else:  # a map on top: y = M e, up to the length of a sentence's row
    scale = np.linalg.norm(np.array([[(1 + math.log(c)) * (math.log((1 + len(texts)) / (1 + df[w])) + 1)
        for w, c in Counter(t.split()).items()] + [0] * (9 - len(set(t.split()))) for t in texts]), axis=1)
    E /= scale[:, None]
    M, *_ = np.linalg.lstsq(E, Y, rcond=None)
    assert np.abs(E @ M - Y).max() < 0.02 * np.abs(Y).max() and np.linalg.matrix_rank(M, tol=1e-4) == Y.shape[1]
open("texts.txt", "w").write("".join(t + "\n" for t in texts))
END
"$PYTHON" -c '
rows = [line.rstrip("\n").split("\t")[1:] for line in open("pairs.tsv")][1:]
open("texts.txt", "w").write("".join(t + "\n" for t in dict.fromkeys(t for r in rows for t in r)))'
run "$FILM" train pairs.tsv --vectors glove.txt --method tfidf --decision threshold --dev pairs.tsv -o mean.film
check "how many words have a vector is printed" grep -q "vectors for 43 of 48 words" err
"$FILM" embed mean.film texts.txt --format lines -o mean.npy -q
check "without a map: the idf-weighted mean, as numpy has it" "$PYTHON" oracle.py mean.npy mean
"$FILM" train pairs.tsv --vectors word2vec.gz --method tfidf --decision threshold --dev pairs.tsv -o again.film -q
check "heading, gzip: the same model" cmp mean.film again.film
"$FILM" train pairs.tsv --vectors glove.txt --dim 4 --decision threshold --dev pairs.tsv -o film.film -q
"$FILM" embed film.film texts.txt --format lines -o film.npy -q
check "FILM on top is a linear map of the mean" "$PYTHON" oracle.py film.npy map
check "FILM is the default method with labels" bash -c '"$0" info film.film --json | grep -q "\"method\": *\"film\""' "$FILM"
check "without labels it is svd" bash -c '"$0" train texts.txt --vectors glove.txt -o svd.film -q && "$0" info svd.film --json | grep -q "\"method\": *\"svd\""' "$FILM"
check "a verdict is explained by words" bash -c '"$0" match film.film "kaba lodi mifo" "kaba lodi rugu" | grep -q kaba' "$FILM"
check "the full decision works on top" bash -c '"$0" train pairs.tsv --vectors glove.txt --dim 4 -o full.film -q && "$0" match full.film "kaba lodi" "kaba lodi" --json | grep -q "\"same\": *true"' "$FILM"

# The black box on word vectors: convolutions in numpy, on the vectors of the file and the weights of the model.
"$PYTHON" -c '
import numpy as np
rng = np.random.default_rng(4)
lines = ["%s %s" % (line.split()[0], " ".join("%.5f" % x for x in rng.normal(size=33))) for line in open("glove.txt")]
open("wide.txt", "w").write("\n".join(lines) + "\n")'
deep() { "$FILM" train pairs.tsv --vectors wide.txt --method deep --set maps=2,3,4,5 --batch 16 --dev pairs.tsv -q -t 1 "$@"; }
deep -o deep.film
echo "nothing is known here" >>texts.txt # a matrix of zeros
"$FILM" embed deep.film texts.txt --format lines -o deep.npy -q
check "the black box reads the vectors in the order of the words, as numpy has it" "$PYTHON" - <<'END'
import json, struct
import numpy as np
with open("deep.film", "rb") as file:
    size, = struct.unpack("<Q", file.read(8))
    head, start = json.loads(file.read(size)), 8 + size
    def tensor(name):
        begin, end = head[name]["data_offsets"]
        file.seek(start + begin)
        return np.frombuffer(file.read(end - begin), "<f4").reshape(head[name]["shape"]).astype(float)
    weights = [(tensor("deep.%d.weight" % l), tensor("deep.%d.bias" % l)) for l in range(4)]
vector = {line.split()[0].lower(): np.array(line.split()[1:], float) for line in open("wide.txt")}
def embed(text):
    plane = np.zeros((32, 33, 1))
    known = [vector[w] for w in text.split() if w in vector]
    if known: plane[:len(known), :, 0] = known
    for l, (weight, bias) in enumerate(weights):
        seen = np.lib.stride_tricks.sliding_window_view(plane, weight.shape[:2], axis=(0, 1))
        plane = np.einsum("rcmij,ijmo->rco", seen, weight) + bias
        if l < 3:
            r, c = plane.shape[0] // 2, plane.shape[1] // 2
            plane = np.maximum(plane[:2 * r, :2 * c].reshape(r, 2, c, 2, -1).max(axis=(1, 3)), 0)
    return plane.ravel()
texts = [line.rstrip("\n") for line in open("texts.txt")]
wanted, got = np.array([embed(t) for t in texts]), np.load("deep.npy")
assert wanted.shape == got.shape and np.abs(wanted - got).max() < 1e-4 * np.abs(wanted).max(), np.abs(wanted - got).max()
assert np.abs(wanted[0] - wanted[1]).max() > 1e-3
END
deep -o again.film
check "the same bytes again" cmp deep.film again.film
check "its answer is that of a network" bash -c '"$0" match deep.film "kaba lodi" "lodi kaba" | grep -q "A network that cannot be explained"' "$FILM"
check "a report draws its loss" bash -c '"$0" report deep.film -q -o deep.html && grep -q "Training loss of the network" deep.html' "$FILM"
fi

# Vectors of Debian's fastText, trained on the sentences: every word has one; a row of Table 2 is one command.
if command -v fasttext >/dev/null; then
    cut -f2,3 "$FAQ/train.tsv" | tail -n +2 | tr '\t' '\n' | sort -u | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\n' ' ' >sentences.txt
    fasttext skipgram -input sentences.txt -output ours -dim 32 -epoch 2 -minCount 1 -thread 1 -bucket 1000 -verbose 0
    gzip -k ours.vec
    for method in tfidf film deep; do
        run "$FILM" train "$FAQ/train.tsv" --vectors ours.vec.gz --method $method --decision threshold --dev "$FAQ/heldout.tsv" \
            -o fast.film
        check "fastText, method $method" bash -c '[ "$0" -eq 0 ] && grep -Eq "vectors for 1,?[0-9]{3} of 1,?[0-9]{3} words" err' "$status"
    done
else
    skip "vectors of fastText" "fasttext is not installed"
fi

says() { # NAME CODE TEXT COMMAND...
    local name=$1 code=$2 text=$3
    shift 3
    run "$@" -o x.film
    check "$name" bash -c '[ "$0" -eq "$1" ] && grep -qF -- "$2" err' "$status" "$code" "$text"
}
train=("$FILM" train "$FAQ/train.tsv")
printf 'card 1 2 3\nlost 1 2\n' >short.txt
says "a short line" 2 "short.txt:2: too few numbers" "${train[@]}" --vectors short.txt
printf 'card 1 2 3\nlost 1 x 3\n' >word.txt
says "a word instead of a number" 2 "word.txt:2: a field is not a number" "${train[@]}" --vectors word.txt
printf 'card\n' >alone.txt
says "no numbers" 2 "alone.txt:1: no numbers" "${train[@]}" --vectors alone.txt
printf 'zzzz 1 2\n' >foreign.txt
says "another language" 2 "has none of the" "${train[@]}" --vectors foreign.txt
says "a file that is not there" 3 "nothing.vec" "${train[@]}" --vectors nothing.vec
says "another method" 1 "word vectors need method" "${train[@]}" --vectors short.txt --method rank
printf 'card 1 2 3\n' >narrow.txt
says "vectors too short for the black box" 1 "not 32 tokens of 3 numbers" "${train[@]}" --vectors narrow.txt --method deep
says "characters" 1 "need the feature group word" "${train[@]}" --vectors short.txt --features char
finish
