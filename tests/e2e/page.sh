#!/usr/bin/env bash
# The page in a real browser: every function, by keyboard too, on a phone, in the dark, with a server that stops and
# comes back, with hostile text. playwright-core comes from npm, the browser from Debian. page.mjs does the work.
[ -z "${SHOTS:-}" ] || SHOTS=$(realpath -- "$SHOTS")
source "$(dirname "$0")/../cli/tap.sh"
tests=$ROOT/tests/e2e
skip_all() { skip "the page in a browser" "$1"; finish; exit; }
chromium=$(command -v chromium) || skip_all "no chromium"
command -v node >/dev/null || skip_all "no node"
if [ ! -d "$tests/node_modules/playwright-core" ]; then
    command -v npm >/dev/null || skip_all "no npm"
    if ! (cd "$tests" && timeout 120 npm ci --no-audit --no-fund >"$WORK/npm.log" 2>&1); then
        # Only a missing network is a reason to skip; npm names those errors. A log without any: it hung.
        ! grep -q 'npm err' npm.log || grep -Eq 'ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH' npm.log || {
            not_ok "playwright-core from npm" "$(cat npm.log)"; finish; exit 1; }
        skip_all "npm cannot be reached"
    fi
fi
# A third of the rows will do for tests; pictures (SHOTS=docs/images) show the whole example.
if [ -n "${SHOTS:-}" ]; then cp "$FAQ/train.tsv" train.tsv; else sample 3 "$FAQ/train.tsv" >train.tsv; fi
"$FILM" train train.tsv --keep-examples 200 -q -o faq.film && "$FILM" pool create faq.pool --model faq.film &&
    "$FILM" pool add faq.pool -q --columns id,text,category,answer,url - < <(
        awk -F'\t' 'NR > 1 { name = $1; gsub("-", " ", name)
            print $1 "\t" $2 "\t" $3 "\tThe help page on " name " says what to do.\thttps://example.org/" $1 }' "$FAQ/questions.tsv") ||
    { not_ok "a model and a pool for the page"; finish; exit 1; }
[ -z "${SHOTS:-}" ] || "$FILM" report faq.film --eval "$FAQ/heldout.tsv" --train train.tsv -q -o report.html
# A model of records, on the tables of tests/cli/records.sh.
(mkdir records && cd records && "$PYTHON" "$ROOT/tests/cli/records.py" && mv train.jsonl single.csv ..) &&
    trained shop.film train.jsonl && "$FILM" pool create shop.pool --model shop.film -q &&
    "$FILM" pool add shop.pool single.csv -q || { not_ok "a model of records for the page"; finish; exit 1; }
# However this script ends, node ends with it, and with node its servers (page_lib.mjs).
CHROMIUM=$chromium FILM=$FILM WEB=$ROOT/web setpriv --pdeathsig TERM node "$tests/page.mjs"
