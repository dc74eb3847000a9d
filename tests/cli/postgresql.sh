#!/usr/bin/env bash
# Pools in PostgreSQL: the same verbs and answers as in a file, roles, what is refused, and what a database may throw at us.
source "$(dirname "$0")/tap.sh"
source "$ROOT/tests/lib/postgres.sh"
postgres_start || { finish; exit; }
sample 12 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --method svd --rank 8
uri=$(database pool)
name=$uri

# ---- the same commands on both kinds, the same words and bytes ----
# both NAME CODE COMMAND...: runs film with POOL replaced; exit code and all it says must be equal, but for the pool's own name.
both() {
    local test=$1 wanted=$2 kind; shift 2
    for kind in "$uri" f.pool; do
        run "$FILM" "${@//POOL/$kind}"
        [ "$status" -eq "$wanted" ] || { not_ok "$test" "exit code $status, expected $wanted" "$(cat err)"; return; }
        { cat out err; [ ! -f made ] || cat made; } |
            sed -E "s#$kind#POOL#g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/TIME/g; s/\"identity\": \"[0-9a-f]+\"/IDENTITY/g" >"said-${kind##*[/]}"
        rm -f made
    done
    if cmp -s said-pool said-f.pool; then ok "$test: as in a file"
    else not_ok "$test: as in a file" "$(diff said-f.pool said-pool)"; fi
}
cat >hostile.jsonl <<'JSON'
{"id": "'; DROP TABLE film.sentence; --", "text": "$1 $$ \\ ' \" \\N \\. %s ${x} \u0001 \u202e", "category": "a'b", "answer": "\\x00\\000", "url": "x\ty\r\nz", "k'\"": "v"}
{"id": "😀 \\", "text": "\ud83d\ude00 naïve 東京 \n COPY film.model FROM PROGRAM 'id'", "more": {"x": [1, null, "\\u0000"]}}
JSON
printf 'id\ttext\tcategory\ncard-lost\tI lost it\tnew\nfresh\tA new one\t\n' >replace.tsv
printf 'same\tid_a\tid_b\tprobability\ttext_a\ttext_b\n1\tcard-lost\tfresh\t0.5\ta\tb\n0\tcard-stolen\tcard-lost\t0.5\ta\tb\n' >labels.tsv
both "create --json" 0 pool create POOL --model faq.film --json
both "an empty pool is listed" 0 pool list POOL
both "add" 0 pool add POOL "$FAQ/questions.tsv" --batch 100 --progress-lines --json
both "the same again" 0 pool add POOL "$FAQ/questions.tsv"
both "hostile text in every field" 0 pool add POOL hostile.jsonl --json
both "list --json" 0 pool list POOL --json
both "list --where" 0 pool list POOL --where category="a'b" --json
both "another text under an id" 2 pool add POOL replace.tsv
both "--replace" 0 pool add POOL replace.tsv --replace --json
both "remove" 0 pool remove POOL card-stuck-atm "'; DROP TABLE film.sentence; --"
both "remove what is not there" 2 pool remove POOL card-stuck-atm
both "remove --ignore-missing" 0 pool remove POOL nothing --ignore-missing
both "label" 0 pool label POOL card-lost card-stolen same
both "label --from" 0 pool label POOL --from labels.tsv
both "label of a missing sentence" 2 pool label POOL card-lost nothing same
both "search" 0 search POOL "how do I block my card?" -k 5 --json
both "search by field" 0 search POOL "card" --where category=bank-card --explain
both "dedup" 0 dedup POOL
both "dedup --pairs" 0 dedup POOL --pairs --threshold 0.5
both "export as jsonl" 0 pool export POOL -o made --format jsonl
both "export as csv" 0 pool export POOL -o made --format csv
both "check --full" 0 pool check POOL --full --recall
both "train --pool" 0 train --pool POOL train.tsv --method svd --rank 4 -q --decision threshold --threads 1 -o model.film
of_file() { "$PYTHON" -c 'import sqlite3, sys; print("|".join(map(str, sqlite3.connect("f.pool").execute(sys.argv[1]).fetchone())))' "$1"; }
check "changes have the numbers they have in a file" test "$(sql pool 'SELECT change FROM film.counter')" = \
    "$(of_file "SELECT value FROM setting WHERE name = 'changes'")"
check "and sentences" test "$(sql pool 'SELECT sum(number * change), count(*) FROM film.sentence')" = \
    "$(of_file 'SELECT sum(number * change), count(*) FROM sentence')"
check "nothing was executed that came as text" test "$(sql pool 'SELECT count(*) FROM film.sentence')" -gt 200

# ---- copies ----
copy=$(ls cache/film/*.pool)
check "the copy is its user's alone" test "$(stat -c %a cache/film "$copy" | paste -sd,)" = 700,600
"$FILM" pool list "$uri" --json >here
export XDG_CACHE_HOME="$PWD/other"
check "another machine has the same sentences" bash -c '"$0" pool list "$1" --json | cmp - here' "$FILM" "$uri"
last=$(sql pool 'SELECT number FROM film.sentence ORDER BY number DESC LIMIT 1')
"$FILM" pool remove "$uri" fresh -q
rm -r other # a copy that never saw the sentence must not give its number away again
"$FILM" pool add "$uri" <(printf 'id\ttext\nlater\tcame later\n') -q
check "a number is not given twice, also by a copy that never saw it" test "$(sql pool "SELECT number > $last FROM film.sentence WHERE id = 'later'")" = t
export XDG_CACHE_HOME="$PWD/cache"
expect_output "what another machine wrote is there" 0 "id	text	category
later	came later	" "$FILM" pool list "$uri" --where id=later
check "the first copy has no more than it should" bash -c '"$0" pool check "$1" --full -q' "$FILM" "$uri"
head -c 30000 /dev/zero | tr '\0' x >"$copy"
expect_output "a copy that is damaged" 2 "film: $PWD/$copy (a local copy of $name; you may delete it) is not a pool; create one with film pool create POOL --model MODEL" "$FILM" pool list "$uri"
rm "$copy"
check "is made anew when it is removed" bash -c '"$0" pool list "$1" | wc -l | grep -q "^[0-9][0-9][0-9]"' "$FILM" "$uri"
expect_output "without a place for the copy" 3 "film: no folder for the local copy of $name; set XDG_CACHE_HOME to a folder" \
    env -u HOME XDG_CACHE_HOME=nowhere "$FILM" pool list "$uri"

# ---- killed while the copy is written, which comes after the database's commit ----
other=$(database killed)
"$FILM" pool create "$other" --model faq.film
signal_at KILL pwrite64 60 .pool-wal "$FILM" pool add "$other" "$FAQ/questions.tsv" --batch 5 --progress-lines -q
acknowledged=$(tail -n 1 out | cut -d' ' -f2)
there=$(sql killed 'SELECT count(*) FROM film.sentence')
check "killed: what was acknowledged is in the database ($there of 280), in whole batches" \
    test "$status" -eq 137 -a "$acknowledged" -ge 5 -a "$there" -ge "$acknowledged" -a "$((there % 5))" -eq 0 -a "$there" -lt 280
expect_output "and adding goes on" 0 "$((280 - there)) added, $there already present" \
    "$FILM" pool add "$other" "$FAQ/questions.tsv"
check "nothing is doubled or missing" bash -c '"$0" pool check "$1" --full -q' "$FILM" "$other"

# ---- locked ----
one() { printf 'id\ttext\none\tone more\n'; }
"$PGTEST_BIN/psql" -X -q -h "$PGTEST_DIR" -p "$PGTEST_PORT" -U postgres -d killed -c 'BEGIN; SELECT change FROM film.counter FOR UPDATE; SELECT pg_sleep(600)' >/dev/null 2>&1 &
waiting() { [ "$(sql killed "SELECT count(*) FROM pg_stat_activity WHERE datname = 'killed' AND $1")" -gt 0 ]; }
until waiting "wait_event = 'PgSleep'"; do sleep 0.05; done
expect_output "a writer waits for another, up to its timeout" 3 "film: $other: timeout, locked by another writer; nothing was written, try again" \
    "$FILM" pool add "$other" <(one) --wait 0.2
expect_status "readers do not" 0 "$FILM" pool list "$other" --limit 1
"$FILM" pool add "$other" <(one) --wait 500 >out 2>err & writer=$!
until waiting "wait_event_type = 'Lock'"; do sleep 0.05; done
kill -INT $writer
wait $writer
check "Ctrl-C is heard while waiting" test $? -eq 4
sql killed "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'" >/dev/null
wait
expect_output "then it can be written" 0 "1 added" "$FILM" pool add "$other" <(one)
"$FILM" pool remove "$other" one -q

# ---- roles: the rights docs/how-to/share-a-pool.md gives, word for word ----
sed -n '/^CREATE ROLE film_reader/,/^```/p' "$ROOT/docs/how-to/share-a-pool.md" | grep -v '```' >grants.sql
for user in rita robot nobody; do role $user; done
sql pool "$(cat grants.sql)"
sql pool 'GRANT film_reader TO rita; GRANT film_writer TO robot'
rita=$(uri_of rita pool) robot=$(uri_of robot pool) nobody=$(uri_of nobody pool)
export XDG_CACHE_HOME="$PWD/rita"
expect_status "a reader reads" 0 "$FILM" search "$rita" "I lost my card" -k 1
refused="film: no permission to write to $rita: permission denied for table counter; ask its owner for the writer's rights"
expect_output "and may not add" 3 "$refused" "$FILM" pool add "$rita" hostile.jsonl
expect_output "nor remove" 3 "$refused" "$FILM" pool remove "$rita" card-lost
expect_output "nor label" 3 "$refused" "$FILM" pool label "$rita" card-lost card-stolen different
expect_status "a writer adds" 0 "$FILM" pool add "$robot" <(printf 'id\ttext\nby-robot\tof a robot\ncard-lost\tsaid by a robot\n') --replace -q
expect_status "labels" 0 "$FILM" pool label "$robot" by-robot card-lost same
expect_status "and removes, with labels" 0 "$FILM" pool remove "$robot" by-robot
check "who wrote is noted" test "$(sql pool "SELECT count(*) FROM film.written WHERE writer = 'robot'")" -eq 3
expect_output "others may not even read" 3 "film: no permission to read $nobody: permission denied for schema film; ask its owner for the reader's rights" \
    "$FILM" pool list "$nobody"
expect_output "nor make a pool" 3 "film: no permission to write to $(uri_of nobody postgres): permission denied for database postgres; ask its owner for the writer's rights" \
    "$FILM" pool create "$(uri_of nobody postgres)" --model faq.film
export XDG_CACHE_HOME="$PWD/cache"

# ---- refused ----
secret=hunter2-of-the-test
for bad in "postgresql://owner:$secret@127.0.0.1:$PGTEST_PORT/pool" "postgres://127.0.0.1/pool?user=owner&password=$secret" "postgresql://u:$secret@[::1/x"; do
    for verb in "pool list" "pool create --model faq.film" serve "search x" dedup; do
        set -- $verb
        if [ "$1" = pool ]; then run "$FILM" "$1" "$2" "$bad" "${@:3}"; else run "$FILM" "$1" "$bad" "${@:2}"; fi
        echo "$status"; cat out err
    done
done >all
check "a password in a URI is refused by every verb" test "$(grep -c '^1$' all)" -eq 15
check "with a word about where it belongs" test "$(grep -c 'pgpass' all)" -eq 10
check "and is never shown" bash -c '! grep "$0" all' "$secret"
closed=1 # nobody listens there; a free port might be taken by another test just now
expect_output "no server" 3 "film: cannot reach the database of postgresql://owner@127.0.0.1:$closed/pool: connection to server at \"127.0.0.1\", port $closed failed: Connection refused; Is the server running on that host and accepting TCP/IP connections?" \
    "$FILM" pool list "postgresql://owner@127.0.0.1:$closed/pool"
run "$FILM" pool list "$(uri_of owner nosuch)"
check "no such database" grep -q 'cannot reach the database of .*database "nosuch" does not exist' err
expect_output "no pool in it" 2 "film: $(database none) has no pool; create one with film pool create POOL --model MODEL" "$FILM" pool list "$(uri_of owner none)"
expect_output "a pool is not made twice" 3 "film: $name has a pool already; drop its schema or choose another database" \
    "$FILM" pool create "$uri" --model faq.film
PGPASSFILE=/dev/null run "$FILM" pool list "$uri"
check "no password" grep -q 'cannot reach the database of .*no password supplied' err
sql postgres "CREATE DATABASE latin OWNER owner ENCODING LATIN1 LOCALE 'C' TEMPLATE template0"
expect_output "another encoding" 3 "film: $(uri_of owner latin) has encoding LATIN1; create the database with encoding UTF8" \
    "$FILM" pool create "$(uri_of owner latin)" --model faq.film
sql pool "INSERT INTO film.version VALUES (99)"
expect_output "tables of a later version" 2 "film: $name is a pool of version 99; this program reads version 1; export its sentences and labels with the program that wrote it, and create a new pool" "$FILM" pool list "$uri"
sql pool "DELETE FROM film.version WHERE version = 99"
expect_output "create from a damaged model leaves nothing" 2 "" bash -c 'head -c 5000 faq.film >bad.film; "$0" pool create "$1" --model bad.film 2>/dev/null; code=$?; echo; exit $code' \
    "$FILM" "$(uri_of owner none)"
check "no table" test "$(sql none "SELECT count(*) FROM pg_namespace WHERE nspname = 'film'")" -eq 0

# ---- two pools in one database ----
second="$uri?options=-cfilm.schema%3DOdd%22name"
expect_status "another schema, whatever its name" 0 "$FILM" pool create "$second" --model faq.film
"$FILM" pool add "$second" replace.tsv -q
check "holds a pool of its own" test "$("$FILM" pool list "$second" | wc -l)" -eq 3
check "in its schema" test "$(sql pool 'SELECT count(*) FROM "Odd""name".sentence')" -eq 2

# ---- a database that is not what it should be ----
sql pool "UPDATE film.sentence SET text = 'changed past film' WHERE id = 'card-stolen'"
sql pool "UPDATE film.sentence SET vector = '\\x00' WHERE id = 'later'"
run "$FILM" pool check "$uri" --full
check "check finds what was changed past film" bash -c 'grep -q "card-stolen.*was changed in the database by another program" out && grep -q "later.*no vector or an invalid vector in the database" out && grep -q "^2 problems, 0 repaired" out' || cat out
run "$FILM" pool check "$uri" --full --repair
check "check --repair writes back what the copy has" grep -q '^2 problems, 2 repaired' out
check "in the database" test "$(sql pool "SELECT text FROM film.sentence WHERE id = 'card-stolen'")" = "My card was stolen, how do I block it?"
check "and all is well" "$FILM" pool check "$uri" --full -q
sql pool "INSERT INTO film.sentence (number, id, text, change, checksum) VALUES (100000, E'line\nend', 'x', 99999, 1);
    UPDATE film.counter SET change = 100000; INSERT INTO film.written SELECT change, token FROM film.counter"
expect_output "a row that no program of ours wrote" 2 "film: $name: damaged row: the id \"line?end\" is longer than 1000 bytes or contains a control character" \
    "$FILM" pool list "$uri"
sql pool "DELETE FROM film.sentence WHERE number = 100000"
sql killed "DELETE FROM film.written WHERE change = (SELECT max(change) FROM film.written);
    UPDATE film.counter SET (change, token) = (SELECT change, token FROM film.written ORDER BY change DESC LIMIT 1)"
copy=$PWD/cache/film/$(sql killed "SELECT value FROM film.setting WHERE name = 'identity'").pool
expect_output "a database that was put back" 2 "film: $other does not continue the local copy (restored from a backup?); stop the programs that use the copy, remove $copy and start again" \
    "$FILM" pool list "$other"
rm "$copy"*
expect_status "and then it is read anew" 0 "$FILM" pool list "$other"
sql killed "UPDATE film.setting SET value = '../../../../etc/passwd' WHERE name = 'identity'"
expect_output "an identity that is a path" 2 "film: $other is damaged: its settings are not the settings of a pool" "$FILM" pool list "$other"
sql killed "DROP TABLE film.setting CASCADE"
run "$FILM" pool list "$other"
check "a table that is missing" bash -c '[ "$0" -eq 3 ] && grep -q "relation \"setting\" does not exist" err' "$status"

# ---- pgvector: Debian 12 has none, so a type of its name takes the bytes as they are sent ----
with=$(database vectors)
sql vectors "CREATE TYPE public.vector;
    CREATE FUNCTION v_in(cstring, oid, integer) RETURNS public.vector LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
    CREATE FUNCTION v_out(public.vector) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
    CREATE FUNCTION v_recv(internal, oid, integer) RETURNS public.vector LANGUAGE internal IMMUTABLE STRICT AS 'bytearecv';
    CREATE FUNCTION v_send(public.vector) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
    CREATE FUNCTION v_typmod(cstring[]) RETURNS integer LANGUAGE internal IMMUTABLE STRICT AS 'bpchartypmodin';
    CREATE TYPE public.vector (INPUT = v_in, OUTPUT = v_out, RECEIVE = v_recv, SEND = v_send, TYPMOD_IN = v_typmod);
    SET allow_system_table_mods = on;
    INSERT INTO pg_extension SELECT 70000, 'vector', 10, 'public'::regnamespace, true, '0.5', NULL, NULL" 2>/dev/null
expect_status "a pool where pgvector is" 0 "$FILM" pool create "$with" --model faq.film
"$FILM" pool add "$with" "$FAQ/questions.tsv" -q
"$FILM" pool add "$with" replace.tsv --replace -q
check "vectors have its type" test "$(sql vectors "SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'film.sentence'::regclass AND attname = 'vector'")" = vector
sql vectors "SELECT encode(v_send(vector), 'hex') FROM film.sentence WHERE id = 'card-lost'" >sent
XDG_CACHE_HOME="$PWD/rita" "$FILM" pool list "$with" >/dev/null
check "in its format, and come back as they were" "$PYTHON" - rita/film/"$(sql vectors "SELECT value FROM film.setting WHERE name = 'identity'")".pool <<'PY'
import sqlite3, struct, sys
sent = bytes.fromhex(open("sent").read())
(kept,) = sqlite3.connect(sys.argv[1]).execute("SELECT bytes FROM vector WHERE number = (SELECT number FROM sentence WHERE id = 'card-lost')").fetchone()
assert sent[:4] == struct.pack(">HH", 8, 0) and struct.unpack(">8f", sent[4:]) == struct.unpack("<8f", kept) and any(struct.unpack("<8f", kept))
PY
finish
