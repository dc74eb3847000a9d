#!/usr/bin/env bash
# The Python package when it is misused: odd arguments, closed, copied and half-built objects,
# threads that close what others use, forks (python/tests/test_misuse.py). TAP.
source "$(dirname "$0")/../cli/tap.sh"
export FILM FAQ PYTHONPATH=$ROOT/python LD_LIBRARY_PATH=${FILM%/*} PYTHONDONTWRITEBYTECODE=1
exec "$PYTHON" "$ROOT/python/tests/test_misuse.py"
