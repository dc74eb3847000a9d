# shellcheck shell=bash
# Pools, duplicates and links. A part of bad_input.sh, which sources it.
heading "Pools"
"$FILM" pool create good.pool --model good.film
"$FILM" pool add good.pool questions.tsv -q
# changed NAME OFFSET BYTES: a copy of the good pool with other bytes in one place
changed() { cp good.pool "$1"; printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
bad "no such pool" 3 \
    'film: cannot open missing.pool: No such file or directory' \
    film pool list missing.pool
bad "a directory as a pool" 3 \
    'film: folder is a directory, not a file' \
    film pool list folder
bad "a table as a pool" 2 \
    'film: good.tsv is not a pool; create one with film pool create POOL --model MODEL' \
    film pool list good.tsv
bad "a model as a pool" 2 \
    'film: good.film is not a pool; create one with film pool create POOL --model MODEL' \
    film pool add good.film questions.tsv
: >empty.pool
bad "an empty file as a pool" 2 \
    'film: empty.pool is not a pool; create one with film pool create POOL --model MODEL' \
    film pool check empty.pool
changed other.pool 68 'XXXX'
bad "another program's database" 2 \
    'film: other.pool is not a pool; create one with film pool create POOL --model MODEL' \
    film pool list other.pool
# The log a crash left, of another pool that had the name.
cp good.pool stray.pool
"$PYTHON" -c 'import os, sqlite3
pool = sqlite3.connect("stray.pool")
pool.execute("UPDATE setting SET value = 1999 WHERE length(value) = 20")
pool.commit()
os._exit(0)'
rm stray.pool && "$FILM" pool create stray.pool --model good.film
bad "a pool beside another's log" 3 \
    'film: stray.pool-wal has changes of a different pool of this name; if stray.pool is the right one, remove stray.pool-wal and stray.pool-shm while no program uses them' \
    film pool list stray.pool
changed future.pool 60 '\0\0\0\07'
bad "a pool from the future" 2 \
    'film: future.pool is a pool of version 7; this program reads version 2; export its sentences and labels with the program that wrote it, and create a new pool' \
    film pool list future.pool
changed tables.pool "$(grep -abo 'CREATE TABLE label' good.pool | head -1 | cut -d: -f1)" 'CREATE TABLE lapel'
NORMAL='s/damaged \(.*\); check/damaged (...); check/' bad "a pool with different tables" 2 \
    'film: tables.pool is damaged (...); check the pool for details, or restore it from a backup' \
    film pool list tables.pool
head -c $(($(stat -c %s good.pool) / 2)) good.pool >cut.pool
NORMAL='s/damaged \(.*\); check/damaged (...); check/' bad "a pool, cut off" 2 \
    'film: cut.pool is damaged (...); check the pool for details, or restore it from a backup' \
    film pool list cut.pool
changed model.pool "$(grep -abo '__metadata__' good.pool | head -1 | cut -d: -f1)" 'xx'
bad "a pool whose model is damaged" 2 \
    'film: model.pool: the stored model is damaged (checksum mismatch); restore the pool from a backup, or export it and add it to a new pool' \
    film pool add model.pool questions.tsv
bad "create over a file that is there" 3 \
    'film: good.tsv exists already; remove it or choose another name' \
    film pool create good.tsv --model good.film
bad "create with a table as model" 2 \
    'film: good.tsv: a table or another text, not a model; train a model from it' \
    film pool create new.pool --model good.tsv
bad "create in a missing directory" 3 \
    'film: cannot write nowhere/new.pool: No such file or directory' \
    film pool create nowhere/new.pool --model good.film
"$FILM" pool create empty-one.pool --model good.film
bad "a search in an empty pool" 0 \
    'film: empty-one.pool is empty; add sentences with film pool add' \
    film search empty-one.pool card
bad "a password in a database's URI" 1 \
    "film: a password in a URI can be seen by others on this machine; put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600), a service file or PGPASSWORD, and leave it out of the URI" \
    film pool list postgresql://me:secret@db/faq
bad "an invalid URI" 1 \
    "film: not the URI of a database; write postgresql://USER@HOST:PORT/DATABASE, with other characters as %XX" \
    film search postgresql://me@[db/faq card
bad "a database that is not there" 3 \
    "film: cannot reach the database of postgresql://me@127.0.0.1:1/faq: connection to server at \"127.0.0.1\", port 1 failed: Connection refused; Is the server running on that host and accepting TCP/IP connections?" \
    film dedup postgresql://me@127.0.0.1:1/faq
bad "a search in no pool" 3 \
    'film: cannot open missing.pool: No such file or directory' \
    film search missing.pool card
bad "a search for bytes that are no text" 2 \
    'film: query 1 is not valid UTF-8 at byte 1' \
    film search good.pool $'a\xe9'
bad "a search by a field no sentence has" 2 \
    'film: no sentence of good.pool has a field "colour"; check the name of the field' \
    film search good.pool card --where colour=red
bad "a search by half a condition" 1 \
    'film search: --where category: expected FIELD=VALUE; see film search --help' \
    film search good.pool card --where category
bad "too many candidates" 1 \
    'film: candidates: 40000 is too many; choose at most 32768' \
    film search good.pool card --candidates 40000
bad "pairs for a pool" 2 \
    'film: good.tsv has two sentences per row, but a pool takes one; name the columns, for example --columns id,text,-' \
    film pool add good.pool good.tsv
printf 'id\ttext\ncard-lost\tanother text\n' >conflict.tsv
bad "an id that has another text" 2 \
    'film: conflict.tsv:2: id "card-lost" is in the pool with a different text ("I'"'"'ve lost my debit card, what should I d..."); replace existing sentences or choose another id' \
    film pool add good.pool conflict.tsv
printf 'id\ttext\nx\t\n' >notext.tsv
bad "a row without text" 2 \
    'film: notext.tsv:2: the text is empty; fix the row or skip bad rows' \
    film pool add good.pool notext.tsv
bad "remove what is not there" 2 \
    'film: good.pool has no sentence with id "x"' \
    film pool remove good.pool x
bad "label with a sentence itself" 1 \
    'film: a sentence cannot be labelled with itself' \
    film pool label good.pool card-lost card-lost same
bad "an unknown label" 1 \
    'film pool label: label "maybe" is not same, different or none; see film pool label --help' \
    film pool label good.pool card-lost card-stolen maybe
bad "a threshold that is no probability" 1 \
    'film pool threshold: threshold "1.5" is not a number from 0 to below 1; see film pool threshold --help' \
    film pool threshold good.pool 1.5
bad "a threshold and a budget" 1 \
    'film pool threshold: --budget cannot be combined with a threshold; see film pool threshold --help' \
    film pool threshold good.pool 0.5 --budget 0.1
bad "an unknown edit of clusters" 1 \
    'film pool clusters: "up" is not same, split or represent; see film pool clusters --help' \
    film pool clusters good.pool up
bad "an edit of one sentence" 1 \
    'film: exactly one id is needed' \
    film pool clusters good.pool represent card-lost card-stolen
bad "a condition without a value" 1 \
    'film pool list: --where category: expected FIELD=VALUE; see film pool list --help' \
    film pool list good.pool --where category

heading "Duplicates and links"
"$FILM" pool create dup.pool --model good.film
"$FILM" pool add dup.pool questions.tsv -q
bad "an invalid probability" 1 \
    'film dedup: --threshold 1.5: expected a probability above 0 and below 1; see film dedup --help' \
    film dedup good.film questions.tsv --threshold 1.5
bad "an invalid prior" 1 \
    'film dedup: --prior 0: expected a probability above 0 and below 1, or auto; see film dedup --help' \
    film dedup good.film questions.tsv --prior 0
bad "a review of a file without a place for it" 1 \
    'film dedup: --review of a file needs -o OUT; only a pool can store answers; see film dedup --help' \
    film dedup good.film questions.tsv --review 3
bad "a review and pairs" 1 \
    'film dedup: --review cannot be combined with --pairs or --all; see film dedup --help' \
    film dedup dup.pool --review 3 --pairs
bad "dedup without a pool" 3 \
    'film: cannot open missing.pool: No such file or directory' \
    film dedup missing.pool
bad "dedup of a model alone" 2 \
    'film: good.film is not a pool; create one with film pool create POOL --model MODEL' \
    film dedup good.film
bad "dedup of a file without rows" 2 \
    'film: header.tsv: no rows' \
    film dedup good.film header.tsv
printf 'id\ttext\n1\tone\n2\t \n' >hollow.tsv
bad "a record without text" 2 \
    'film: hollow.tsv:3: the text is empty; fix the row or skip bad rows' \
    film dedup good.film hollow.tsv
bad "dedup into a directory that is not there" 3 \
    'film: cannot write nowhere/x.tsv: No such file or directory' \
    film dedup good.film questions.tsv -o nowhere/x.tsv
bad "unique matches, and several" 1 \
    'film link: --unique allows one match per record; omit -k; see film link --help' \
    film link good.film questions.tsv questions.tsv --unique -k 2
bad "a link to a missing file" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film link good.film questions.tsv missing.tsv
bad "both files from standard input" 1 \
    'film: standard input cannot be both files; name a file for one of them' \
    film link good.film - -
bad "answers without their columns" 2 \
    'film: questions.tsv: columns id_a, id_b and same are missing; create such a table with film dedup POOL --review N -o FILE' \
    film pool label dup.pool --from questions.tsv
printf 'same\tid_a\tid_b\ttext_a\ttext_b\nperhaps\tcard-lost\tcard-stolen\ta\tb\n' >perhaps.tsv
bad "an invalid answer" 2 \
    'film: perhaps.tsv:2: answer is not yes, no, same, different, 1 or 0; fix it, or leave it empty to skip the pair' \
    film pool label dup.pool --from perhaps.tsv
printf 'same\tid_a\tid_b\ttext_a\ttext_b\nyes\tcard-lost\tnobody\ta\tb\n' >nobody.tsv
bad "an answer about no one" 2 \
    'film: dup.pool has no sentence with id "nobody"' \
    film pool label dup.pool --from nobody.tsv
"$FILM" pool create bare.pool --model good.film
bad "training from a pool without sentences" 2 \
    'film: bare.pool has no sentences to train on; add some with film pool add' \
    film train --pool bare.pool -o m.film
"$FILM" pool label dup.pool card-lost card-stolen same
bad "categories and a pool's pairs" 2 \
    'film: the pairs have labels same or different, but the files have labels of another kind; train on one kind at a time' \
    film train questions.tsv --pool dup.pool -o m.film
bad "a stream and a pool" 1 \
    'film: --pool cannot be used with --method mfilm, which streams files; choose another method' \
    film train good.tsv --pool dup.pool --method mfilm -o m.film
