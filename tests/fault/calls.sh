#!/usr/bin/env bash
# One system call of a command fails, alone. Exit code 0 only with the right output, files old or new, pools whole (calls.py).
source "$(dirname "$0")/../cli/tap.sh"
PYTHONDONTWRITEBYTECODE=1 FILM=$FILM "$PYTHON" "$ROOT/tests/fault/calls.py" "$@"
