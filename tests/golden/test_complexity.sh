#!/usr/bin/env bash
# Adversarial inputs of n and 4n bytes: the program's instructions, counted by callgrind and less those of an empty input,
# grow at most 5-fold. A quadratic step would make it 16-fold.
# shellcheck source=tests/cli/tap.sh
source "$(dirname "$0")/../cli/tap.sh"
have "instructions grow as the input does" valgrind || { finish; exit; }
faq_model faq.film
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/golden/complexity.py" "$FILM" "$ROOT" "$@"
