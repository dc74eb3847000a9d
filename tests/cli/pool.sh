#!/usr/bin/env bash
# film pool: create, add, remove, list, export, check, label; round trips; locked, read-only and full disks.
source "$(dirname "$0")/tap.sh"
sample 12 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8

# ---- create and add ----
expect_output "create says nothing" 0 "" bash -c '"$0" pool create p.pool --model faq.film; code=$?; echo; exit $code' "$FILM"
check "the model is inside" test "$(stat -c %s p.pool)" -gt "$(stat -c %s faq.film)"
check "nothing lies beside it" test "$(ls p.pool*)" = p.pool
run "$FILM" pool create other.pool -m faq.film --json
check "create --json describes it" grep -qE '^\{"film": .*"sentences": 0, "labels": 0, "clusters": 0, "changes": 0, "dim": 8, .*"model": \{"checksum": "[0-9a-f]{16}", "bytes": [0-9]+\}\}$' out
expect_output "add" 0 "280 added" "$FILM" pool add p.pool "$FAQ/questions.tsv"
expect_output "the same again" 0 "0 added, 280 already present" "$FILM" pool add p.pool "$FAQ/questions.tsv"
expect_output "add --json" 0 '{"added": 0, "replaced": 0, "present": 280, "differ": 0, "blank": 0, "skipped": 0}' \
    "$FILM" pool add p.pool "$FAQ/questions.tsv" --json
expect_output "add --progress-lines" 0 "committed 100
committed 200
committed 280" "$FILM" pool add other.pool "$FAQ/questions.tsv" -q --batch 100 --progress-lines
check "a pool needs no file beside it" test "$(ls p.pool*)" = p.pool
rm faq.film
check "nor its model's" "$FILM" pool check p.pool --full -q
trained faq.film train.tsv --method svd --rank 8

# ---- list ----
expect_output "list --limit" 0 "id	text	category
card-lost	I've lost my debit card, what should I do now?	bank-card
card-stolen	My card was stolen, how do I block it?	bank-card" "$FILM" pool list p.pool --limit 2
expect_output "list --where --json" 0 '{"id": "badge-lost", "text": "I lost my access badge.", "category": "workplace-it"}' \
    "$FILM" pool list p.pool --where category=workplace-it --where id=badge-lost --json
expect_output "list of nothing" 0 "id	text	category" "$FILM" pool list p.pool --where category=none
expect_output "--where without =" 1 'film pool list: --where card: expected FIELD=VALUE; see film pool list --help' \
    "$FILM" pool list p.pool --where card
check "a reader that leaves ends it by SIGPIPE, without a message" bash -c 'yes x | head -20000 | awk "{ print \$0 NR }" >many; "$0" pool add other.pool many -q
        "$0" pool list other.pool 2>broken | head -1 >/dev/null; [ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s broken ]' "$FILM"

# ---- kinds of input ----
cat >odd.jsonl <<'JSON'
{"qid": 7, "question": "how do I\npay?", "price": 3.8, "tags": ["a", "b"], "answer": "With, \"money\"", "url": "http://x"}
{"qid": 8, "question": "plain", "topic": "pay", "category": "c"}
{"qid": 9, "question": "naïve 東京", "big": 0.12345678901234568, "flag": true, "id": "own"}
JSON
for copies in $(seq 70); do echo "{\"qid\": \"f$copies\", \"question\": \"filler $copies\"}"; done >>odd.jsonl
echo '{"qid": "late", "question": "a late key", "seen": "late"}' >>odd.jsonl
"$FILM" pool create odd.pool --model faq.film
"$FILM" pool add odd.pool odd.jsonl -q
expect_output "other keys are kept with their types, id's second column too" 0 \
    '{"id": "9", "text": "naïve 東京", "more": {"big": 0.123456789012346, "flag": true, "id_2": "own"}}' \
    "$FILM" pool list odd.pool --where flag=true --json
expect_output "a key that comes late is kept" 0 "id	text	category
late	a late key	" "$FILM" pool list odd.pool --where seen=late
expect_output "list shows line ends as spaces" 0 "id	text	category
7	how do I pay?	" "$FILM" pool list odd.pool --where price=3.8
for format in csv jsonl; do
    "$FILM" pool export odd.pool -q -o "a.$format"
    rm -f copy.pool; "$FILM" pool create copy.pool --model faq.film
    "$FILM" pool add copy.pool "a.$format" -q
    "$FILM" pool export copy.pool -q -o "b.$format"
    check "$format goes out and in unchanged" cmp "a.$format" "b.$format"
    "$FILM" pool add odd.pool "a.$format" -q --json >counts
    check "adding the export of a pool to itself adds nothing ($format)" grep -q '"added": 0, "replaced": 0, "present": 74' counts
done
check "jsonl keeps every field" bash -c '"$0" pool list odd.pool --json >a; "$0" pool list copy.pool --json >b; cmp a b' "$FILM"
expect_output "TSV cannot hold a line end" 2 'film: sentence "7" contains a tab or line end, which TSV cannot store; use format csv or jsonl' \
    "$FILM" pool export odd.pool -o a.tsv
check "and leaves no file" test ! -e a.tsv
"$FILM" pool export p.pool -q -o a.tsv
rm -f copy.pool; "$FILM" pool create copy.pool --model faq.film; "$FILM" pool add copy.pool a.tsv -q
check "tsv goes out and in unchanged" cmp a.tsv <("$FILM" pool export copy.pool -q)
check "and is the file it came from" cmp <(cut -f1-3 a.tsv) "$FAQ/questions.tsv"
expect_output "export --json with -o" 0 '{"rows": 280}' "$FILM" pool export p.pool -o x.csv --json
check "the name's ending gives the format" bash -c 'head -1 x.csv | grep -qx id,text,category,answer,url'

printf 'one line\n\ntwo line\none line\n' >lines.txt
rm -f copy.pool; "$FILM" pool create copy.pool --model faq.film
expect_output "plain lines: the same text once, blank lines counted" 0 "2 added, 1 already present, 1 blank line skipped" \
    "$FILM" pool add copy.pool lines.txt
expect_output "again from standard input" 0 "0 added, 3 already present, 1 blank line skipped" \
    bash -c '"$0" pool add copy.pool - <lines.txt' "$FILM"
gzip -c a.tsv >a.tsv.gz
expect_output "a gzip file and another one" 0 "280 added, 3 already present, 1 blank line skipped" \
    "$FILM" pool add copy.pool a.tsv.gz lines.txt
printf '5\tmy card\tcall us\thttp://y\n6\tmy parcel\t\t\n' >bare.tsv
expect_status "--columns names answer and url" 0 "$FILM" pool add copy.pool bare.tsv --columns id,text,answer,url
expect_output "and they are kept" 0 '{"id": "5", "text": "my card", "answer": "call us", "url": "http://y"}' \
    "$FILM" pool list copy.pool --where id=5 --json

# ---- conflicts ----
printf 'id\ttext\n1\tone\n2\ttwo\n1\tuno\n3\tthree\n' >conflict.tsv
rm -f c.pool; "$FILM" pool create c.pool --model faq.film
expect_output "an id with another text names the line" 2 \
    'film: conflict.tsv:4: id "1" is in the pool with a different text ("one"); replace existing sentences or choose another id' \
    "$FILM" pool add c.pool conflict.tsv
expect_output "the batch is not there" 0 "id	text	category" "$FILM" pool list c.pool
expect_output "earlier batches are" 2 \
    'film: conflict.tsv:4: id "1" is in the pool with a different text ("one"); replace existing sentences or choose another id
2 sentences added; run the same command again to continue' "$FILM" pool add c.pool conflict.tsv --batch 2
expect_output "--replace" 0 "1 added, 1 replaced, 2 already present" \
    "$FILM" pool add c.pool conflict.tsv --replace
expect_output "the last one counts" 0 "id	text	category
1	uno	
2	two	
3	three	" "$FILM" pool list c.pool
printf 'id\ttext\tcategory\n2\ttwo\tnumber\n' >fields.tsv
expect_output "other fields are reported" 0 "0 added, 1 already present
1 sentence present with different fields; update with --replace" "$FILM" pool add c.pool fields.tsv
expect_output "and taken with --replace" 0 "0 added, 1 replaced" \
    "$FILM" pool add c.pool fields.tsv --replace
printf 'id\ttext\n4\t \n5\tfive\n' >empty.tsv
expect_output "a row without text" 2 'film: empty.tsv:2: the text is empty; fix the row or skip bad rows' "$FILM" pool add c.pool empty.tsv
expect_output "skipped" 0 "1 added, 1 bad row skipped" "$FILM" pool add c.pool empty.tsv --skip-bad

# ---- remove, label ----
expect_output "remove" 0 "2 removed" "$FILM" pool remove c.pool 2 5
expect_output "remove from standard input" 0 '{"removed": 1, "missing": 1}' bash -c 'printf "3\n\nx\n" | "$0" pool remove c.pool - --ignore-missing --json' "$FILM"
expect_output "remove what is not there" 2 'film: c.pool has no sentence with id "nope"' "$FILM" pool remove c.pool 1 nope
expect_output "and nothing went" 0 "id	text	category
1	uno	" "$FILM" pool list c.pool
expect_status "label" 0 "$FILM" pool label p.pool card-lost card-stolen same
expect_output "label --json" 0 '{"same": false}' "$FILM" pool label p.pool card-lost badge-lost different --json
expect_output "label with a wrong word" 1 'film pool label: label "maybe" is not same, different or none; see film pool label --help' \
    "$FILM" pool label p.pool card-lost card-stolen maybe
expect_output "label of a missing sentence" 2 'film: p.pool has no sentence with id "x"' "$FILM" pool label p.pool card-lost x same

# ---- check ----
expect_output "check" 0 "280 sentences, 280 vectors (280 recomputed), 2 labels
0 problems, 0 repaired" "$FILM" pool check p.pool
expect_output "check --json" 0 '{"ok": true, "sentences": 280, "vectors": 280, "labels": 2, "compared": 280, "contradictions": 0, "problems": 0, "repaired": 0, "lines": []}' \
    "$FILM" pool check p.pool --full --json
# sql POOL STATEMENT: as another program would
sql() { "$PYTHON" -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit(); c.close()' "$@"; }
if "$PYTHON" -c 'import sqlite3' 2>/dev/null; then
    cp p.pool bad.pool
    sql bad.pool "DELETE FROM vector WHERE number = 2; UPDATE vector SET bytes = zeroblob(32) WHERE number = 1;
        UPDATE sentence SET text = 'My card was found' WHERE number = 3"
    expect_output "check finds what is wrong" 2 'problem: sentence "card-stolen" has no vector
problem: sentence "card-unfreeze": checksum mismatch; add it again and replace it
problem: sentence "card-lost": the vector does not match the text
280 sentences, 279 vectors (278 recomputed), 2 labels
3 problems, 0 repaired' "$FILM" pool check bad.pool
    expect_output "--repair computes again what can be" 2 'problem: sentence "card-stolen" has no vector
problem: sentence "card-unfreeze": checksum mismatch; add it again and replace it
problem: sentence "card-lost": the vector does not match the text
280 sentences, 279 vectors (278 recomputed), 2 labels
3 problems, 2 repaired' "$FILM" pool check bad.pool --repair
    expect_status "adding it again" 0 "$FILM" pool add bad.pool "$FAQ/questions.tsv" --replace
    expect_status "makes it whole" 0 "$FILM" pool check bad.pool --full

    # ---- a writer that does not let go ----
    "$PYTHON" -c 'import sqlite3, time
c = sqlite3.connect("p.pool", isolation_level=None); c.execute("BEGIN IMMEDIATE"); open("held", "w").close(); time.sleep(600)' &
    holder=$!
    while [ ! -e held ] && kill -0 $holder 2>/dev/null; do sleep 0.05; done
    run "$FILM" pool add p.pool lines.txt --wait 0.2
    sed -i -E 's/process [0-9]+ \([a-z0-9.]+\)|another process/process N (NAME)/' err # where the system tells
    check "a locked pool: exit code 3" test "$status" -eq 3
    check "who holds it is named" test "$(cat err)" = "film: p.pool is locked by process N (NAME); waited 0 s, try again later"
    expect_status "reading goes on" 0 "$FILM" pool list p.pool
    kill $holder; wait $holder 2>/dev/null
    expect_status "and then it works" 0 "$FILM" pool add p.pool lines.txt
else skip "damage and locks" "no sqlite3 module"; fi

# ---- read-only and full disks ----
name="a pool where nothing can be written is read"
if unshare -rm bash -c 'mkdir -p ro && mount --bind ro ro' 2>/dev/null; then
    mkdir -p ro && cp c.pool ro/
    run unshare -rm bash -c 'mount --bind ro ro && mount -o remount,ro,bind ro && "$0" pool list ro/c.pool && "$0" pool check ro/c.pool -q &&
        "$0" pool add ro/c.pool lines.txt' "$FILM"
    if [ "$status" -eq 3 ] && grep -q '^1	uno' out && [ "$(cat err)" = "film: cannot write ro/c.pool: it or its folder is read-only" ]
    then ok "$name, and writing refused"; else not_ok "$name, and writing refused" "exit code $status" "$(cat out err)"; fi
else skip "$name" "cannot mount here"; fi
name="a full disk: what was committed stays, the rest comes when there is room"
mkdir small
if unshare -rm bash -c 'mount -t tmpfs -o size=16k none small' 2>/dev/null; then
    run unshare -rm bash -c 'mount -t tmpfs -o size=2M none small && "$0" pool create small/s.pool --model faq.film && ls -A small &&
        "$0" pool add small/s.pool many --batch 500 --progress-lines -q >acks; code=$?
        "$0" pool check small/s.pool -q || exit 98
        count=$(($("$0" pool list small/s.pool | wc -l) - 1)); acked=$(tail -n 1 acks | cut -d" " -f2)
        [ "$count" -eq "$acked" ] || { echo "$count rows, $acked acknowledged"; exit 97; }
        mount -o remount,size=64M small; "$0" pool add small/s.pool many -q || exit 96
        [ "$("$0" pool list small/s.pool | wc -l)" -eq 20001 ] || exit 95
        exit $code' "$FILM"
    if [ "$status" -eq 3 ] && [ "$(cat err)" = "film: cannot write small/s.pool: No space left on device" ]
    then ok "$name"; else not_ok "$name" "exit code $status" "$(cat out err)"; fi
    run unshare -rm bash -c 'mount -t tmpfs -o size=16k none small && "$0" pool create small/s.pool --model faq.film; code=$?; ls -A small; exit $code' "$FILM"
    if [ "$status" -eq 3 ] && [ ! -s out ] && [ "$(cat err)" = "film: cannot write small/s.pool: No space left on device" ]
    then ok "create on a full disk leaves nothing"; else not_ok "create on a full disk leaves nothing" "exit code $status" "$(cat out err)"; fi
else skip "$name" "cannot mount a tmpfs here"; fi

# ---- Ctrl-C ----
rm -f acks; mkfifo pipe
{ awk 'BEGIN { for (i = 0;; i++) print "sentence " i }' >pipe 2>/dev/null; } &
feeder=$!
"$FILM" pool create int.pool --model faq.film
set -m
"$FILM" pool add int.pool pipe --batch 50 --progress-lines >acks 2>err &
child=$!
set +m
while [ ! -s acks ] && kill -0 $child 2>/dev/null; do sleep 0.05; done
kill -INT $child; wait $child; status=$?
kill $feeder 2>/dev/null; wait $feeder 2>/dev/null
check "Ctrl-C: exit code 4" test $status -eq 4
check "says what is there" bash -c 'grep -qx "film: stopped during adding" err && grep -qE "^[0-9,]+ sentences? added; run the same command again to continue$" err'
check "and that is true" test "$(("$("$FILM" pool list int.pool | wc -l)" - 1))" -eq "$(grep -oE '^[0-9,]+ sentences' err | cut -d' ' -f1 | tr -d ,)"
check "nothing lies beside it" test "$(ls int.pool*)" = int.pool

# ---- usage ----
for action in create add remove list export check label; do
    run "$FILM" pool $action --help
    check "pool $action --help" bash -c 'head -1 out | grep -q "^usage: film pool $1 POOL"' - $action
    check "pool $action --help: no line is too long" bash -c '! grep -E "^.{111}" out'
    expect_output "pool $action without arguments" 1 "film pool $action: $(head -1 out); see film pool $action --help" "$FILM" pool $action
    # film pool --help, which the manual and the completions are held against, has them all
    grep -oE '^  (    |-[a-z], )--[a-z-]+' out | sort >own
    check "pool --help has the options of $action" bash -c '! "$0" pool --help | grep -oE "^  (    |-[a-z], )--[a-z-]+" | sort -u | comm -13 - own | grep .' "$FILM"
done
expect_output "create without --model" 1 'film pool create: exactly one of --model MODEL and --from FILE is needed; see film pool create --help' "$FILM" pool create x.pool
expect_output "an unknown action" 1 'film pool: unknown action "zap"; see film pool --help' "$FILM" pool zap p.pool

# ---- libpq is loaded for a pool in PostgreSQL alone ----
mkdir nolib
: >nolib/libpq.so.5 # found first, and no library
"$FILM" pool create plain.pool --model faq.film
expect_status "a pool in a file needs no libpq" 0 env LD_LIBRARY_PATH="$PWD/nolib" "$FILM" pool list plain.pool
expect_output "a pool in PostgreSQL does, and says what to install" 3 \
    "film: a pool in PostgreSQL needs libpq.so.5: it cannot be loaded ($PWD/nolib/libpq.so.5: file too short); install libpq5" \
    env LD_LIBRARY_PATH="$PWD/nolib" "$FILM" pool list postgresql://me@127.0.0.1:1/faq
check "the program is not linked to it" bash -c '! ldd "$0" | grep -q libpq' "$FILM"
finish
