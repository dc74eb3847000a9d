#!/usr/bin/env bash
# One allocation or system call of film serve fails, alone (serve.py).
source "$(dirname "$0")/../cli/tap.sh"
PYTHONDONTWRITEBYTECODE=1 FILM=$FILM "$PYTHON" "$ROOT/tests/fault/serve.py" "$@"
