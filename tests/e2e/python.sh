#!/usr/bin/env bash
# The Python package in a built checkout, against the C compiler's layout of the structs, the program, NumPy and
# scikit-learn's own checks (python/tests/test_film.py). TAP.
source "$(dirname "$0")/../cli/tap.sh"
export FILM FAQ PYTHONPATH=$ROOT/python LD_LIBRARY_PATH=${FILM%/*} PYTHONDONTWRITEBYTECODE=1
exec "$PYTHON" "$ROOT/python/tests/test_film.py"
