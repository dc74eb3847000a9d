#!/usr/bin/env bash
# Compares the encoder bert-mini of ../shared with the token ids and vectors of transformers and PyTorch.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${FILM_BUILD:-build/release}
folder=../shared/golden/bert-mini
if [ ! -e "$folder/expected.json" ]; then
    echo "ok 1 - bert-mini # SKIP ../shared/golden is not here"
    echo 1..1
    exit 0
fi
exec "$build/tests/bert_compare" "$folder" "$folder/expected.json"
