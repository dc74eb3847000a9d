#!/usr/bin/env bash
# The page and the reports in a real browser: every function, by keyboard too, on a phone, in the dark, with a server that
# stops and comes back, with hostile text. playwright-core comes from npm, the browser from Debian. page.mjs does the work.
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
# A model of records, on the tables of tests/cli/records.sh.
(mkdir records && cd records && "$PYTHON" "$ROOT/tests/cli/records.py" && mv train.jsonl single.csv ..) &&
    trained shop.film train.jsonl && "$FILM" pool create shop.pool --model shop.film -q &&
    "$FILM" pool add shop.pool single.csv -q || { not_ok "a model of records for the page"; finish; exit 1; }
# Reports of every kind of model and labels, and a page of the paper with every kind of part.
cat >systems.csv <<'END'
system,model,accuracy_percent,log_loss,training_seconds,processor_seconds,memory_mb,model_mb,sentences_per_second,explained_percent,explained
FILM,faq.film,80,0.4,2.5,4,120,22.5,60000,100,"words, traits"
"=HYPERLINK(""x"") <b>&",other.film,70.5,0.5,0.004,0,1500,,,0,
END
printf 'label\tquestion1\tquestion2\n' >"<img src=x>.tsv"
for i in $(seq 15); do
    printf '%d\t<script>alert(%d)</script> </title></style></svg> card\t"><img src=x onerror=alert(1)> & &amp; card\n' $((i % 2)) "$i"
    printf '%d\tjavascript:alert(1) --> ]]> card\x01 %d\tlost card %d\n' $((i % 2)) "$i" "$i"
done >>"<img src=x>.tsv"
awk -F'\t' 'NR == 1 { print "sentence1\tsentence2\tscore"; next } { print $2 "\t" $3 "\t" $1 * 3.5 + NR % 3 * 0.5 }' "$FAQ/heldout.tsv" >scores.tsv
cut -f3,4 "$FAQ/clusters.tsv" >categories.tsv
cat >paper.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import page
print(page.document("The <paper>", [{"text": "Lead."}, page.warning("One file.")], [
    page.section("Table 1", "Intro.", page.table(["accuracy", "paper", "verdict"], [["FILM", page.quoted("<b>79.60"), page.verdict("reproduced")]])),
    page.section("Figure 1", "Intro.", page.lines("lines", [("a", [1, 2, 3, 4], [1, 2, None, 3])], "x", "y",
        marks=[(2, "here")], levels=[(1.5, "level")]), page.bars("bars", [0, 1, 2, 3], [1, 2, 3], "x", "n"),
        page.needles("needles", [0.1, -3, 0.2, 2, 0.0001, 0.1, 0.3, 0.1], {1: "low", 3: "high"}, "x", "y"), page.lines("nothing", [], "x", "y")),
    page.section("Steps", "Intro.", page.strip("steps", [("one", 65), ("two", 66.5), ("three", 66)]))]), end="")
END
compare=(--compare systems.csv)
[ -z "${SHOTS:-}" ] || compare=() # the picture is one of a usual report
reports() {
    "$FILM" report faq.film --eval "$FAQ/heldout.tsv" --train train.tsv --pool "$FAQ/questions.tsv" "${compare[@]}" -q -o report.html &&
        cp faq.film "h<b>&'\"m.film" &&
        "$FILM" report "h<b>&'\"m.film" --eval "<img src=x>.tsv" --train "<img src=x>.tsv" --compare systems.csv -q -o hostile.html &&
        "$FILM" report faq.film -q -o alone.html && "$FILM" report faq.film --eval scores.tsv -q -o scores.html &&
        "$FILM" report faq.film --eval categories.tsv -q -o categories.html &&
        "$FILM" report shop.film --eval train.jsonl -q -o records.html &&
        trained tfidf.film train.tsv --method tfidf --decision threshold && "$FILM" report tfidf.film --eval "$FAQ/heldout.tsv" -q -o tfidf.html &&
        PYTHONDONTWRITEBYTECODE=1 "$PYTHON" paper.py "$ROOT/examples/paper" >paper.html
}
reports || { not_ok "reports for the page"; finish; exit 1; }
# However this script ends, node ends with it, and with node its servers (page_lib.mjs).
CHROMIUM=$chromium FILM=$FILM WEB=$ROOT/web setpriv --pdeathsig TERM node "$tests/page.mjs"
