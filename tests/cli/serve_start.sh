#!/usr/bin/env bash
# film serve --new and film pool create --from: a pool from a table alone, over HTTP and on the command line.
source "$(dirname "$0")/tap.sh"
"$PYTHON" - "$FAQ/train.tsv" <<'EOF'
import csv, sys
ways, used = {}, set()
for same, a, b in list(csv.reader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
    if same == "1" and b not in used and (a in ways or a not in used):
        ways.setdefault(a, []).append(b)
        used |= {a, b}
texts = sum(([a, *b[:2]] for a, b in ways.items() if len(b) > 1), [])[:24]
with open("questions.csv", "w", newline="") as out:
    csv.writer(out).writerows([["number", "question", "category"]] + [[i, text, "faq"] for i, text in enumerate(texts)])
EOF
PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/cli/serve_start.py" "$FILM" "$ROOT"
