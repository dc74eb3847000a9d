#!/usr/bin/env bash
# Compares TF-IDF with scikit-learn, on the FAQ example and, if present, the real Quora text.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${FILM_BUILD:-build/release}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cut -f 4 examples/faq/clusters.tsv | tail -n +2 > "$folder/faq.txt"
files=("$folder/faq.txt")
real=../shared/data/qqp/train-strict.tsv rows=3000
[ -z "${FILM_TEST_LONG:-}" ] || rows=20000
if [ -e "$real" ]; then
    # Each sentence once, because the fit is over distinct sentences. Lines in scripts without spaces are skipped: there
    # our tokens are characters and character bigrams, which scikit-learn does not have.
    tail -n +2 "$real" | head -n "$rows" | cut -f 2,3 | tr '\t' '\n' | awk '!seen[$0]++' |
        LC_ALL=C.UTF-8 grep -vP '[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]' > "$folder/quora.txt"
    files+=("$folder/quora.txt")
else
    echo "ok 100 - TF-IDF of the real Quora text # SKIP ../shared/data is not here"
fi
/usr/bin/python3 tests/golden/tfidf_sklearn.py "$build/tests/tfidf_dump" "${files[@]}"
