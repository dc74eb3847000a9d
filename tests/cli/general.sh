#!/usr/bin/env bash
# The sentences of examples/general and the pairs that examples/general/make writes. general.py prints TAP; it runs no film.
source "$(dirname "$0")/tap.sh"
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/general.py" "$ROOT"
