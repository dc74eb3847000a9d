#!/usr/bin/env bash
# Bad input: every case with its exit code and its exact message. Paths are relative, so messages are
# the same everywhere. "bad_input.sh --table" prints docs/bad-input.md; the last test here holds the
# committed file against it.
table=
[ "${1:-}" = --table ] && table=1
source "$(dirname "$0")/tap.sh"
exec 3>&1
[ -z "$table" ] || exec >/dev/null

rows=
heading() { rows+=$'\n'"## $1"$'\n\n| input | command | exit | message |\n|---|---|---|---|\n'; }
# bad WHAT CODE MESSAGE COMMAND...: "film" as first word stands for the program. NORMAL may be a sed script
# that takes out of the message what depends on a library's version or on the model's exact bytes.
bad() {
    local what=$1 code=$2 message=$3 shown; shift 3
    shown=$*
    run "$FILM" "${@:2}" </dev/null
    sed -i -E "${NORMAL:-}" err
    shown=$(LC_ALL=C sed 's/\xe9/\\xe9/' <<<"$shown")
    rows+="| $what | \`$shown\` | $status | $(paste -sd' ' err) |"$'\n'
    if [ "$status" -eq "$code" ] && [ "$(cat err)" = "$message" ] && [ ! -s out ]; then ok "$what"
    else
        not_ok "$what: $shown" "exit code $status, expected $code" \
            "$(diff -u --label expected --label got <(echo "$message") err)" "$(head -c 300 out)"
    fi
}

# ---- good files to spoil ----
sample 12 "$FAQ/train.tsv" >good.tsv
"$FILM" train good.tsv --method svd --rank 4 --max-features 60 --decision threshold -q -o good.film || echo "Bail out! cannot train"
lines() { printf '%s\n' "$@"; }
pairs() { printf 'label\tquestion1\tquestion2\n'; printf "$@"; }

heading "Files"
: >empty.tsv
bad "an empty file" 2 \
    'film: empty.tsv: empty file' \
    film train empty.tsv -o m.film
head -1 good.tsv >header.tsv
bad "a header and no rows" 2 \
    'film: header.tsv: no rows' \
    film train header.tsv -o m.film
lines '' '' '' >blank.tsv
bad "blank lines alone" 2 \
    'film: blank.tsv: empty file' \
    film train blank.tsv -o m.film
mkdir folder
bad "a directory" 3 \
    'film: folder is a directory, not a file' \
    film train folder -o m.film
bad "no such file" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film train missing.tsv -o m.film
bad "a path below a file" 3 \
    'film: cannot open good.tsv/x: Not a directory' \
    film train good.tsv/x -o m.film
bad "/dev/null" 2 \
    'film: /dev/null: empty file' \
    film train /dev/null -o m.film
bad "nothing on standard input" 2 \
    'film: standard input: empty file' \
    film train - -o m.film
bad "the second file is missing" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film train good.tsv missing.tsv -o m.film
bad "files of different kinds" 2 \
    'film: questions.tsv holds categories, the files before it labelled pairs; train on one kind at a time' \
    film train good.tsv "$(cp "$FAQ/questions.tsv" . && echo questions.tsv)" -o m.film
cut -f2 good.tsv | tail -n +2 >plain.txt
bad "a dev file without labels" 2 \
    'film: plain.txt: no labels; --dev needs a label, score, category or triplet columns' \
    film train good.tsv --dev plain.txt -o m.film
bad "the dev file is missing" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film train good.tsv --dev missing.tsv -o m.film
bad "the stop words are missing" 3 \
    'film: cannot open missing.txt: No such file or directory' \
    film train good.tsv --stop missing.txt -o m.film
printf 'caf\xe9\n' >latin.txt
bad "stop words that are not UTF-8" 2 \
    'film: latin.txt: stop words must be UTF-8, one per line' \
    film train good.tsv --stop latin.txt -o m.film

heading "Compressed files"
gzip -9nc good.tsv >good.tsv.gz
head -c 2000 good.tsv.gz >cut.tsv.gz
bad "gzip, cut off" 2 \
    'film: cut.tsv.gz: compressed data ends early (truncated?)' \
    film train cut.tsv.gz -o m.film
{ head -c 3000 good.tsv.gz; printf 'xxxx'; tail -c +3005 good.tsv.gz; } >damaged.tsv.gz
NORMAL='s/\(.*\)/(...)/' bad "gzip, damaged in the middle" 2 \
    'film: damaged.tsv.gz: compressed data is damaged (...)' \
    film train damaged.tsv.gz -o m.film
{ head -c 10 good.tsv.gz; printf '\377\377\377\377'; } >rubbish.tsv.gz
NORMAL='s/\(.*\)/(...)/' bad "gzip, rubbish behind its header" 2 \
    'film: rubbish.tsv.gz: compressed data is damaged (...)' \
    film train rubbish.tsv.gz -o m.film
printf 'BZh91AY&SYxxxx' >file.bz2
bad "bzip2" 2 \
    'film: file.bz2: compressed with bzip2; unpack it with bzip2 -d' \
    film train file.bz2 -o m.film
printf 'PK\003\004xxxx' >table.xlsx
bad "a spreadsheet" 2 \
    'film: table.xlsx: a zip archive (or a spreadsheet); unpack it, or export it as CSV' \
    film train table.xlsx -o m.film
if command -v zstd >/dev/null; then
    zstd -qc good.tsv >good.tsv.zst
    head -c 2000 good.tsv.zst >cut.tsv.zst
    bad "zstd, cut off" 2 \
    'film: cut.tsv.zst: compressed data ends early (truncated?)' \
    film train cut.tsv.zst -o m.film
else skip "zstd, cut off" "no zstd"; fi

heading "Bytes"
pairs '1\tone\0two\tthree\n' >nul.tsv
bad "a NUL byte" 2 \
    'film: nul.tsv:2: NUL byte in column 2 (byte 6 of the row); is the file UTF-16?; --skip-bad passes over such rows' \
    film train nul.tsv -o m.film
pairs '1\tfine\tfine\n0\tcaf\xe9\tcoffee\n' >latin.tsv
bad "Latin-1 instead of UTF-8" 2 \
    'film: latin.tsv:3: not UTF-8 in column 2 (byte 6 of the row); convert the file with iconv -t UTF-8; --skip-bad passes over such rows' \
    film train latin.tsv -o m.film
printf '\xff\xfel\0a\0b\0e\0l\0' >utf16.tsv
bad "UTF-16 with a byte order mark" 2 \
    'film: utf16.tsv: UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8' \
    film train utf16.tsv -o m.film
printf 'a\0\t\0b\0\n\0' >utf16-bare.tsv
bad "UTF-16 without one" 2 \
    'film: utf16-bare.tsv:1: NUL byte in column 1 (byte 2 of the row); is the file UTF-16?; --skip-bad passes over such rows' \
    film train utf16-bare.tsv -o m.film
pairs '1\t\xed\xa0\x80\tx\n' >surrogate.tsv
bad "a surrogate" 2 \
    'film: surrogate.tsv:2: not UTF-8 in column 2 (byte 3 of the row); convert the file with iconv -t UTF-8; --skip-bad passes over such rows' \
    film train surrogate.tsv -o m.film

heading "Rows"
pairs '1\ta b\tb c\n0\tonly one\n' >narrow.tsv
bad "a column too few" 2 \
    'film: narrow.tsv:3: 2 columns, expected 3 (label, question1, question2); --skip-bad passes over such rows' \
    film train narrow.tsv -o m.film
pairs '1\ta b\tb c\n0\tx\ty\tz\n' >wide.tsv
bad "a column too many" 2 \
    'film: wide.tsv:3: 4 columns, expected 3 (label, question1, question2); --skip-bad passes over such rows' \
    film train wide.tsv -o m.film
pairs '1\ta b\tb c\nyes\tx\ty\n' >yes.tsv
bad "a label that is a word" 2 \
    'film: yes.tsv:3: label "yes" is neither 0 nor 1; --skip-bad passes over such rows' \
    film train yes.tsv -o m.film
pairs '1\ta b\tb c\n\tx\ty\n' >nolabel.tsv
bad "an empty label" 2 \
    'film: nolabel.tsv:3: label "" is neither 0 nor 1; --skip-bad passes over such rows' \
    film train nolabel.tsv -o m.film
pairs '1\ta\tb\n2\tx\ty\n0\tc\td\n' >two.tsv
bad "a label 2 with --labels pairs" 2 \
    'film: two.tsv:3: label "2" is neither 0 nor 1 (--labels scores reads degrees of similarity); --skip-bad passes over such rows' \
    film train two.tsv --labels pairs -o m.film
printf 'score\tsentence1\tsentence2\n1.5\ta\tb\nabc\tx\ty\n' >abc.tsv
bad "a score that is no number" 2 \
    'film: abc.tsv:3: score "abc" is not a number; --skip-bad passes over such rows' \
    film train abc.tsv -o m.film
printf 'score\tsentence1\tsentence2\n1.5\ta\tb\nnan\tx\ty\n' >nan.tsv
bad "a score that is NaN" 2 \
    'film: nan.tsv:3: score "nan" is not a number; --skip-bad passes over such rows' \
    film train nan.tsv -o m.film
lines 'label,question1,question2' '1,a,b' '0,"never closed,d' '1,e,f' >quote.csv
bad "a quote that is never closed" 2 \
    'film: quote.csv:3: the quote opened here is never closed; a quote inside a quoted field is written twice ("")' \
    film train quote.csv -o m.film
lines 'label,question1,question2' '1,a,b' '0,"x"y,d' >behind.csv
bad "text behind a closing quote" 2 \
    'film: behind.csv:3: text behind the closing quote of column 2; a quote inside a quoted field is written twice (""); --skip-bad passes over such rows' \
    film train behind.csv -o m.film
lines '{"a": "x", "b": "y", "label": 1}' '{"a": "x", ' >broken.jsonl
bad "a broken JSON line" 2 \
    "film: broken.jsonl:2: not JSON (string or '}' expected near end of file); one object per line is wanted; --skip-bad passes over such rows" \
    film train broken.jsonl -o m.film
lines '[{"a": "x", "b": "y", "label": 1}]' >array.json
bad "a JSON array" 2 \
    "film: array.json:1: a JSON array, one object per line is wanted (jq -c '.[]' makes that); --skip-bad passes over such rows" \
    film train array.json -o m.film
lines '{"a": "x", "b": "y", "label": 1}' '{"a": "x", "label": 0}' >key.jsonl
bad "a JSON object without a key" 2 \
    'film: key.jsonl:2: no "b"; --skip-bad passes over such rows' \
    film train key.jsonl -o m.film
lines '{"a": "x", "b": "y", "label": 1}' '{"a": ["x"], "b": "y", "label": 0}' >list.jsonl
bad "a JSON list as text" 2 \
    'film: list.jsonl:2: "a" is an array, not text; --skip-bad passes over such rows' \
    film train list.jsonl -o m.film

heading "Columns"
cut -f2,3 good.tsv | tail -n +2 >two-columns.tsv
bad "two columns without a header" 2 \
    'film: two-columns.tsv: two columns without a header; say which they are with --columns a,b or --columns text,category' \
    film train two-columns.tsv -o m.film
printf 'x\ty\tz\tu\tv\n%.0s' 1 2 3 >five.tsv
bad "five columns without a header" 2 \
    'film: five.tsv: 5 columns without a header that is known; say which they are with --columns, for example --columns label,a,b,-' \
    film train five.tsv -o m.film
lines '{"x": "a", "y": "b"}' >keys.jsonl
bad "unknown keys" 2 \
    'film: keys.jsonl: none of the keys (x, y) is a name known for a text (question1 and question2, text, ...); say which they are with --columns, in this order' \
    film train keys.jsonl -o m.film
bad "an unknown name in --columns" 1 \
    'film: --columns: "question" is none of label, score, a, b, anchor, positive, negative, text, category, answer, url, id, - (a column to pass over)' \
    film train good.tsv --columns label,a,question -o m.film
bad "a name twice in --columns" 1 \
    'film: --columns: "b" is column 3, but column 2 already has that part; use - for one of them' \
    film train good.tsv --columns a,b,b -o m.film
bad "--columns without a text" 1 \
    'film: --columns names no text: one of them must be a, text or anchor' \
    film train good.tsv --columns label,-,- -o m.film
bad "--columns of another width" 2 \
    'film: good.tsv: 3 columns, but --columns names 2 (a,b)' \
    film train good.tsv --columns a,b -o m.film
bad "--labels that do not fit" 2 \
    "film: good.tsv: labels of the kind \"triplets\" need a dissimilar sentence (negative); the file's columns are label, question1, question2 (--columns names them)" \
    film train good.tsv --labels triplets -o m.film
bad "--labels categories without a category" 2 \
    "film: good.tsv: labels of the kind \"categories\" need a category; the file's columns are label, question1, question2 (--columns names them)" \
    film train good.tsv --labels categories -o m.film
bad "pairs for embed" 2 \
    'film: good.tsv has two sentences in a row, embed takes one; choose with --columns, for example --columns -,text,-' \
    film embed good.film good.tsv -o v.npy

bad "one sentence in a row for predict" 2 \
    'film: questions.tsv has one sentence in a row, predict takes two; name them with --columns, for example --columns a,b' \
    film predict good.film questions.tsv
bad "kaggle's format without ids" 2 \
    'film: good.tsv has no column of ids, which --format kaggle writes; name it with --columns, for example --columns id,a,b' \
    film predict good.film good.tsv --format kaggle
bad "eval of text without labels" 2 \
    'film: plain.txt: no labels to compare with; it needs a label, score or category column or triplets (name the columns if they have other names)' \
    film eval good.film plain.txt
bad "eval of a model" 2 \
    'film: good.film:1: NUL byte in column 1 (byte 3 of the row); is the file UTF-16?; --skip-bad passes over such rows' \
    film eval good.film good.film
bad "eval with a table as model" 2 \
    'film: good.tsv: not a safetensors file: its first 8 bytes announce a header of 8462555535967936876 bytes, more than 100 MB' \
    film eval good.tsv good.tsv
bad "eval with the wrong kind of labels" 2 \
    "film: questions.tsv: labels of the kind \"pairs\" need a second sentence (b) and a label; the file's columns are id, text, category (--columns names them)" \
    film eval good.film questions.tsv --labels pairs
bad "kNN decisions on categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets to decide on by knn' \
    film eval good.film questions.tsv --decision knn

bad "compared with a table instead of a model" 2 \
    'film: good.tsv: not a safetensors file: its first 8 bytes announce a header of 8462555535967936876 bytes, more than 100 MB' \
    film eval good.film good.tsv --against good.tsv
bad "compared with a model that is not there" 3 \
    'film: cannot open missing.film: No such file or directory' \
    film eval good.film good.tsv --against missing.film
bad "two models on text without labels" 2 \
    'film: plain.txt: no labels to compare with; it needs a label, score or category column or triplets (name the columns if they have other names)' \
    film eval good.film plain.txt --against good.film
bad "two models on categories" 1 \
    'film: questions.tsv holds categories; two models are compared on pairs, triplets or scores' \
    film eval good.film questions.tsv --against good.film
"$FILM" train good.tsv --method tfidf --decision threshold -q -o tfidf.film
bad "the second model has no vectors for kNN" 1 \
    'film: tfidf.film: a model of features alone has no vectors to search; train one with --method svd, film or rank' \
    film eval good.film good.tsv --against tfidf.film --decision knn
bad "an operating point on categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets to choose an operating point on' \
    film eval good.film questions.tsv --operating f1
bad "a threshold for categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets to decide on by a threshold' \
    film eval good.film questions.tsv --threshold 0.5
bad "the prior of categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets to take the prior from' \
    film eval good.film questions.tsv --prior auto
sed -n '1p; /^1/p' good.tsv >ones.tsv
bad "the prior of a file with one label" 2 \
    'film: ones.tsv: all pairs are labelled the same, which is no prior to decide with; give it as a number' \
    film eval good.film ones.tsv --prior auto
bad "an operating point without labels" 2 \
    'film: --operating f1: no pair is labelled the same to choose the threshold on; give a labelled --dev file, or leave it out' \
    film train plain.txt --operating f1 -o m.film

heading "Labels"
sed -n '1p; /^0/p' good.tsv >zeros.tsv
bad "film with no pair that is the same" 2 \
    'film: no triplets: the labels need both kinds, sentences that mean the same and sentences that do not' \
    film train zeros.tsv --method film -o m.film
bad "rank with no pair that is the same" 2 \
    'film: no positive pairs: the ranking objective needs sentences that mean the same' \
    film train zeros.tsv --method rank -o m.film
printf 'text\tcategory\nlost card\tcard\nphone broken\tphone\ncard is lost\tother\n' >alone.tsv
bad "every sentence alone in its category" 2 \
    'film: no positive pairs: the ranking objective needs sentences that mean the same' \
    film train alone.tsv --min-df 1 -o m.film

heading "Options"
bad "an unknown format" 1 \
    'film train: --format xls: expected tsv|csv|jsonl|lines; film train --help shows how' \
    film train good.tsv --format xls -o m.film
bad "unknown labels" 1 \
    'film train: --labels maybe: expected auto|none|pairs|scores|triplets|categories; film train --help shows how' \
    film train good.tsv --labels maybe -o m.film
bad "--rank 0" 1 \
    'film train: --rank 0: expected a whole number above 0; film train --help shows how' \
    film train good.tsv --rank 0 -o m.film
bad "--rank -1" 1 \
    'film train: --rank -1: expected a whole number; film train --help shows how' \
    film train good.tsv --rank -1 -o m.film
bad "--dim above --rank" 1 \
    'film: --dim 5 is more than --rank 4; a map cannot have more dimensions than the data it is made from' \
    film train good.tsv --method svd --rank 4 --dim 5 -o m.film
bad "--dim 0" 1 \
    'film train: --dim 0: expected a whole number above 0; film train --help shows how' \
    film train good.tsv --dim 0 -o m.film
bad "--dim 5000" 1 \
    'film: --dim 5000: choose a number from 1 to 4096' \
    film train good.tsv --dim 5000 -o m.film
bad "--threads 0" 1 \
    'film train: --threads 0: expected a number from 1 to 1024; film train --help shows how' \
    film train good.tsv --threads 0 -o m.film
bad "--seed x" 1 \
    'film train: --seed x: expected a whole number; film train --help shows how' \
    film train good.tsv --seed x -o m.film
bad "--features x" 1 \
    'film train: --features x: expected some of word,bigram,char; film train --help shows how' \
    film train good.tsv --features x -o m.film
bad "--features without any" 1 \
    'film train: --features : expected some of word,bigram,char; film train --help shows how' \
    film train good.tsv --features= -o m.film
NORMAL='s/there are:.*/there are: .../' bad "an unknown stemmer" 1 \
    'film: no stemmer for "klingon"; there are: ...' \
    film train good.tsv --stem klingon -o m.film
bad "--min-df that leaves nothing" 2 \
    'film: no word occurs in 100000 sentences or more; give more text or a smaller --min-df' \
    film train good.tsv --min-df 100000 -o m.film
bad "an unknown method" 1 \
    'film train: --method lsa: expected auto|tfidf|svd|film|mfilm|rank|deep; film train --help shows how' \
    film train good.tsv --method lsa -o m.film
bad "an unknown similarity" 1 \
    'film train: --sim manhattan: expected cosine|dot|euclidean; film train --help shows how' \
    film train good.tsv --sim manhattan -o m.film
bad "an unknown start" 1 \
    'film train: --init zero: expected random|eigen; film train --help shows how' \
    film train good.tsv --init zero -o m.film
bad "an unknown decision" 1 \
    'film train: --decision maybe: expected auto|full|threshold; film train --help shows how' \
    film train good.tsv --decision maybe -o m.film
bad "a full decision without labels" 2 \
    'film: --decision full learns from labels and the input has none; leave it out or add a label, score, category or triplet column' \
    film train plain.txt --decision full -o m.film
pairs '1\tlost card\tcard lost\n0\tphone broken\tphone black\n' >two-pairs.tsv
bad "a full decision from two pairs" 2 \
    'film: too few labelled pairs for a full decision: every fifth of the questions must leave some that are the same and some that are not; add rows or use --decision threshold' \
    film train two-pairs.tsv --min-df 1 --decision full -o m.film
bad "match by a decision the model does not have" 1 \
    'film: this model decides by its similarity alone; train one with labels and --decision full' \
    film match good.film "my card" "the card" --decision full
bad "predict by a decision the model does not have" 1 \
    'film: this model decides by its similarity alone; train one with labels and --decision full' \
    film predict good.film good.tsv --decision full
bad "eval by a decision the model does not have" 1 \
    'film: this model decides by its similarity alone; train one with labels and --decision full' \
    film eval good.film good.tsv --decision full
for method in film rank; do
    bad "--method $method without labels" 2 \
        "film: --method $method learns from labels and the input has none; use --method svd or add a label, score, category or triplet column" \
        film train plain.txt --method $method -o m.film
done
for option in margin first-step rate temperature; do
    for value in nan -1 0; do
        bad "--$option $value" 1 "film train: --$option $value: expected a number above 0; film train --help shows how" \
            film train good.tsv --$option $value -o m.film
    done
done
for option in power epsilon least-change rho gamma shrink; do
    bad "--$option nan" 1 "film train: --$option nan: expected a number; film train --help shows how" \
        film train good.tsv --$option nan -o m.film
done
# out_of_range OPTION VALUE RANGE
out_of_range() { bad "--$1 $2" 1 "film: --$1 $2: choose a number $3" film train good.tsv "--$1" "$2" -o m.film; }
out_of_range power 5 'from -4 to 4'
out_of_range power -5 'from -4 to 4'
out_of_range margin 1e+07 'above 0, up to 1e6'
out_of_range epsilon -1 '0 or more'
out_of_range least-change -1 '0 or more'
for value in -1 0 1; do
    out_of_range rho $value 'above 0 and below 1'
    out_of_range shrink $value 'above 0 and below 1'
done
out_of_range gamma -1 'from 0 to below 1'
out_of_range gamma 1 'from 0 to below 1'
out_of_range first-step 1e+30 'above 0, up to 1e20'
out_of_range temperature 41 'above 0, up to 40'
out_of_range rate 101 'above 0, up to 100'
out_of_range batch 1 'from 2 to 65536'
out_of_range batch 65537 'from 2 to 65536'
out_of_range positives 1001 'from 1 to 1000'
for option in labelled hard random; do out_of_range $option 1001 'up to 1000'; done
for option in positives iterations epochs batch; do
    bad "--$option 0" 1 "film train: --$option 0: expected a whole number above 0; film train --help shows how" \
        film train good.tsv --$option 0 -o m.film
done
for option in positives labelled hard random iterations epochs batch; do
    bad "--$option -1" 1 "film train: --$option -1: expected a whole number; film train --help shows how" \
        film train good.tsv --$option -1 -o m.film
done
bad "no negatives at all" 1 \
    'film: --labelled, --hard and --random are all 0: an anchor needs negatives' \
    film train good.tsv --method film --labelled 0 --hard 0 --random 0 -o m.film
bad "--k 9:3" 1 \
    'film eval: --k 9:3: expected FIRST:LAST, such as 1:55; film eval --help shows how' \
    film eval good.film good.tsv --k 9:3
bad "an unknown kNN rule" 1 \
    'film eval: --knn both: expected mutual|either; film eval --help shows how' \
    film eval good.film good.tsv --knn both
bad "an unknown decision" 1 \
    'film eval: --decision dice: expected full|threshold|knn; film eval --help shows how' \
    film eval good.film good.tsv --decision dice
bad "an output format that is none" 1 \
    'film predict: --format xml: expected tsv|jsonl|kaggle; film predict --help shows how' \
    film predict good.film good.tsv --format xml
bad "an input format that is none" 1 \
    'film predict: --input-format lines: expected tsv|csv|jsonl; film predict --help shows how' \
    film predict good.film good.tsv --input-format lines
bad "--prior 0" 1 \
    'film: the prior must lie between 0 and 1, not 0' \
    film match good.film --prior 0 x y
bad "--prior 1" 1 \
    'film: the prior must lie between 0 and 1, not 1' \
    film match good.film --prior 1 x y
bad "--prior half" 1 \
    'film match: --prior half: expected a number; film match --help shows how' \
    film match good.film --prior half x y
bad "--prior of a whole file where there is none" 1 \
    'film match: --prior auto: expected a number; film match --help shows how' \
    film match good.film --prior auto x y
bad "eval --prior -1" 1 \
    'film eval: --prior -1: expected a number, or auto; film eval --help shows how' \
    film eval good.film good.tsv --prior -1
bad "train --prior 1" 1 \
    'film: the prior must lie between 0 and 1, not 1' \
    film train good.tsv --prior 1 -o m.film
bad "--threshold 50" 1 \
    'film match: --threshold 50: expected a probability above 0 and below 1; film match --help shows how' \
    film match good.film --threshold 50 x y
bad "--threshold 0" 1 \
    'film predict: --threshold 0: expected a probability above 0 and below 1; film predict --help shows how' \
    film predict good.film good.tsv --threshold 0
bad "a threshold and kNN" 1 \
    'film: a threshold has no part in the knn decision; leave out one of them' \
    film eval good.film good.tsv --threshold 0.5 --decision knn
bad "--operating speed" 1 \
    'film train: --operating speed: expected accuracy, f1, precision=P or recall=R, P and R from 0 to 1; film train --help shows how' \
    film train good.tsv --operating speed -o m.film
bad "--operating precision" 1 \
    'film eval: --operating precision: expected accuracy, f1, precision=P or recall=R, P and R from 0 to 1; film eval --help shows how' \
    film eval good.film good.tsv --operating precision
bad "--operating f1=0.9" 1 \
    'film eval: --operating f1=0.9: expected accuracy, f1, precision=P or recall=R, P and R from 0 to 1; film eval --help shows how' \
    film eval good.film good.tsv --operating f1=0.9
bad "--operating precision=90" 1 \
    'film: --operating precision=90: choose a share above 0, up to 1 (0.9 is 90 %)' \
    film eval good.film good.tsv --operating precision=90
bad "--operating recall=0" 1 \
    'film: --operating recall=0: choose a share above 0, up to 1 (0.9 is 90 %)' \
    film train good.tsv --operating recall=0 -o m.film
bad "--ratio 4" 1 \
    'film split: --ratio 4: expected two numbers such as 4:1; film split --help shows how' \
    film split good.tsv -o part --ratio 4
bad "--ratio 0:1" 1 \
    'film split: --ratio 0:1: expected two numbers such as 4:1; film split --help shows how' \
    film split good.tsv -o part --ratio 0:1
bad "split of standard input" 1 \
    'film split: split reads its input twice: give a file, not -; film split --help shows how' \
    film split - -o part
pairs '1\ta\tb\n0\tb\tc\n1\tc\td\n' >connected.tsv
bad "split of rows that are all connected" 2 \
    'film: connected.tsv: all rows are connected through shared questions, so no two parts can be made that share none' \
    film split connected.tsv -o part
bad "a sentence that is not UTF-8" 2 \
    'film: text is not valid UTF-8 at byte 3' \
    film match good.film $'caf\xe9' coffee

heading "Explanations"
"$FILM" train good.tsv --method tfidf --max-features 60 --decision threshold -q -o features.film
bad "a dimension that is not there" 1 \
    'film: there is no dimension 4; this model has dimensions 0 to 3' \
    film explain good.film --dim 4
bad "a dimension of features alone" 1 \
    'film: a model of features alone has no dimensions; train one with --method svd, film or rank' \
    film explain features.film --dim 0
bad "a dimension that is no number" 1 \
    'film explain: --dim -1: expected a whole number; film explain --help shows how' \
    film explain good.film --dim=-1
bad "a word the model does not know" 1 \
    'film: the model does not know the word "zzyzx"; it was in too few training sentences' \
    film explain good.film --word zzyzx
bad "two words" 1 \
    'film: "my card" is read as 2 words; ask for one' \
    film explain good.film --word "my card"
bad "a word that is not UTF-8" 2 \
    'film: text is not valid UTF-8 at byte 3' \
    film explain good.film --word $'caf\xe9'
bad "a pair of one sentence" 1 \
    'film explain: --pair needs two sentences behind the model; film explain --help shows how' \
    film explain good.film --pair "my card"
bad "sentences without --pair" 1 \
    'film explain: sentences need --pair; film explain --help shows how' \
    film explain good.film "my card" "the card"
bad "a pair and a word" 1 \
    'film explain: --pair, --dim and --word do not go together; film explain --help shows how' \
    film explain good.film --word card --pair "my card" "the card"
bad "explain by a decision the model does not have" 1 \
    'film: this model decides by its similarity alone; train one with labels and --decision full' \
    film explain good.film --pair "my card" "the card" --decision full
bad "examples of what has no labels" 2 \
    'film: --keep-examples keeps labelled pairs and the input has none; leave it out or add a label, score, category or triplet column' \
    film train plain.txt --keep-examples 10 -o m.film
bad "too many examples" 1 \
    'film: --keep-examples 20000: choose a number up to 10000' \
    film train good.tsv --keep-examples 20000 -o m.film

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
    'film: good.tsv is not a pool; film pool create makes one' \
    film pool list good.tsv
bad "a model as a pool" 2 \
    'film: good.film is not a pool; film pool create makes one' \
    film pool add good.film questions.tsv
: >empty.pool
bad "an empty file as a pool" 2 \
    'film: empty.pool is not a pool; film pool create makes one' \
    film pool check empty.pool
changed other.pool 68 'XXXX'
bad "another program's database" 2 \
    'film: other.pool is not a pool; film pool create makes one' \
    film pool list other.pool
changed future.pool 60 '\0\0\0\07'
bad "a pool from the future" 2 \
    'film: future.pool is a pool of version 7, this program knows version 1; use a newer film' \
    film pool list future.pool
changed tables.pool "$(grep -abo 'CREATE TABLE label' good.pool | head -1 | cut -d: -f1)" 'CREATE TABLE lapel'
NORMAL='s/damaged \(.*\); restore/damaged (...); restore/' bad "a pool whose tables are others" 2 \
    'film: tables.pool is damaged (...); restore it from a copy (film pool check may tell more)' \
    film pool list tables.pool
head -c $(($(stat -c %s good.pool) / 2)) good.pool >cut.pool
NORMAL='s/damaged \(.*\); restore/damaged (...); restore/' bad "a pool, cut off" 2 \
    'film: cut.pool is damaged (...); restore it from a copy (film pool check may tell more)' \
    film pool list cut.pool
changed model.pool "$(grep -abo '__metadata__' good.pool | head -1 | cut -d: -f1)" 'xx'
bad "a pool whose model is damaged" 2 \
    'film: model.pool: the model in it is damaged (its checksum differs); restore the pool from a copy, or export it and add it to a new one' \
    film pool add model.pool questions.tsv
bad "create over a file that is there" 3 \
    'film: good.tsv is there already; remove it or choose another name' \
    film pool create good.tsv --model good.film
bad "create with a table as model" 2 \
    'film: good.tsv: not a safetensors file: its first 8 bytes announce a header of 8462555535967936876 bytes, more than 100 MB' \
    film pool create new.pool --model good.tsv
bad "create in a missing directory" 3 \
    'film: cannot read or write nowhere/new.pool: No such file or directory' \
    film pool create nowhere/new.pool --model good.film
"$FILM" pool create empty-one.pool --model good.film
bad "a search in an empty pool" 0 \
    'film: empty-one.pool holds no sentence yet; film pool add adds some' \
    film search empty-one.pool card
bad "a search in no pool" 3 \
    'film: cannot open missing.pool: No such file or directory' \
    film search missing.pool card
bad "a search for bytes that are no text" 2 \
    'film: query 1 is not valid UTF-8 at byte 1' \
    film search good.pool $'a\xe9'
bad "a search by a field no sentence has" 2 \
    'film: no sentence of good.pool has a field "colour"' \
    film search good.pool card --where colour=red
bad "a search by half a condition" 1 \
    'film search: --where category: expected FIELD=VALUE; film search --help shows how' \
    film search good.pool card --where category
bad "too many candidates" 1 \
    'film: at most 32768 candidates can be judged, not 40000' \
    film search good.pool card --candidates 40000
bad "pairs for a pool" 2 \
    'film: good.tsv has two sentences in a row, a pool takes one; choose with --columns, for example --columns id,text,-' \
    film pool add good.pool good.tsv
printf 'id\ttext\ncard-lost\tanother text\n' >conflict.tsv
bad "an id that has another text" 2 \
    'film: conflict.tsv:2: id "card-lost" is in the pool with another text ("I'"'"'ve lost my debit card, what should I d..."); --replace takes the new one' \
    film pool add good.pool conflict.tsv
printf 'id\ttext\nx\t\n' >notext.tsv
bad "a row without text" 2 \
    'film: notext.tsv:2: the text is empty; --skip-bad passes over such rows' \
    film pool add good.pool notext.tsv
bad "remove what is not there" 2 \
    'film: good.pool has no sentence with id "x"' \
    film pool remove good.pool x
bad "label with a sentence itself" 1 \
    'film: a sentence cannot be labelled with itself' \
    film pool label good.pool card-lost card-lost same
bad "a condition without a value" 1 \
    'film pool list: --where category: expected FIELD=VALUE; film pool list --help shows how' \
    film pool list good.pool --where category

heading "Duplicates and links"
"$FILM" pool create dup.pool --model good.film
"$FILM" pool add dup.pool questions.tsv -q
bad "a probability that is none" 1 \
    'film dedup: --threshold 1.5: expected a probability above 0 and below 1; film dedup --help shows how' \
    film dedup good.film questions.tsv --threshold 1.5
bad "a prior that is none" 1 \
    'film dedup: --prior must lie between 0 and 1; film dedup --help shows how' \
    film dedup good.film questions.tsv --prior 0
bad "a review of a file without a place for it" 1 \
    'film dedup: --review of a file needs -o OUT; answers are kept in a pool only; film dedup --help shows how' \
    film dedup good.film questions.tsv --review 3
bad "a review and pairs" 1 \
    'film dedup: --review goes with neither --pairs nor --all; film dedup --help shows how' \
    film dedup dup.pool --review 3 --pairs
bad "dedup without a pool" 3 \
    'film: cannot open missing.pool: No such file or directory' \
    film dedup missing.pool
bad "dedup of a model alone" 2 \
    'film: good.film is not a pool; film pool create makes one' \
    film dedup good.film
bad "dedup of a file without rows" 2 \
    'film: header.tsv: no rows' \
    film dedup good.film header.tsv
printf 'id\ttext\n1\tone\n2\t \n' >hollow.tsv
bad "a record without text" 2 \
    'film: hollow.tsv:3: the text is empty; --skip-bad passes over such rows' \
    film dedup good.film hollow.tsv
bad "dedup into a directory that is not there" 3 \
    'film: cannot write nowhere/x.tsv: No such file or directory' \
    film dedup good.film questions.tsv -o nowhere/x.tsv
bad "unique matches, and several" 1 \
    'film link: --unique gives one match to a record; leave out -k; film link --help shows how' \
    film link good.film questions.tsv questions.tsv --unique -k 2
bad "a link to a missing file" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film link good.film questions.tsv missing.tsv
bad "both files from standard input" 1 \
    'film: both files cannot be standard input' \
    film link good.film - -
bad "answers without their columns" 2 \
    'film: questions.tsv: no columns id_a, id_b and same; film dedup POOL --review N -o FILE writes such a table' \
    film pool label dup.pool --from questions.tsv
printf 'same\tid_a\tid_b\ttext_a\ttext_b\nperhaps\tcard-lost\tcard-stolen\ta\tb\n' >perhaps.tsv
bad "an answer that is none" 2 \
    'film: perhaps.tsv:2: the answer is none of yes, no, same, different, 1, 0; leave it empty to skip the pair' \
    film pool label dup.pool --from perhaps.tsv
printf 'same\tid_a\tid_b\ttext_a\ttext_b\nyes\tcard-lost\tnobody\ta\tb\n' >nobody.tsv
bad "an answer about no one" 2 \
    'film: dup.pool has no sentence with id "nobody"' \
    film pool label dup.pool --from nobody.tsv
bad "training from a pool without labels" 2 \
    'film: dup.pool has no labels to learn from; give some with film dedup --review or film pool label' \
    film train --pool dup.pool -o m.film
"$FILM" pool label dup.pool card-lost card-stolen same
bad "categories and a pool's pairs" 2 \
    'film: the labels of a pool are pairs, those of the files are not; train on one kind at a time' \
    film train questions.tsv --pool dup.pool -o m.film
bad "a stream and a pool" 1 \
    'film: --method mfilm streams files and takes no --pool; choose another method' \
    film train good.tsv --pool dup.pool --method mfilm -o m.film

heading "Output"
bad "-o in a missing directory" 3 \
    'film: cannot write nowhere/m.film: No such file or directory' \
    film train good.tsv -o nowhere/m.film
bad "-o a directory" 3 \
    'film: cannot write folder: it is a directory' \
    film train good.tsv -o folder
bad "-o below a file" 3 \
    'film: cannot write good.tsv/m.film: Not a directory' \
    film train good.tsv -o good.tsv/m.film
bad "embed to a full disk" 3 \
    'film: cannot write /dev/full: No space left on device' \
    film embed good.film plain.txt -o /dev/full
bad "split into a missing directory" 3 \
    'film: cannot write nowhere/part-train.tsv: No such file or directory' \
    film split good.tsv -o nowhere/part
mkdir small
name="a model to a full disk leaves nothing behind"
if unshare -rm bash -c 'mount -t tmpfs -o size=16k none small' 2>/dev/null; then
    run unshare -rm bash -c 'mount -t tmpfs -o size=16k none small && "$0" train good.tsv -o small/m.film
        code=$?; ls -A small; exit $code' "$FILM"
    if [ "$status" -eq 3 ] && [ ! -s out ] && [ "$(cat err)" = "film: cannot write small/m.film: No space left on device" ]
    then ok "$name"; else not_ok "$name" "exit code $status" "$(cat out err)"; fi
else skip "$name" "cannot mount a tmpfs here"; fi

heading "BERT folders"
export PYTHONDONTWRITEBYTECODE=1
make_bert() { rm -rf bert; "$PYTHON" "$ROOT/tests/golden/bert_folder.py" bert "$@"; }
# bad_bert WHAT CODE MESSAGE: of a folder spoilt before, which is then made anew.
bad_bert() { bad "$1" "$2" "film: $3" film embed bert good.tsv -o v.npy; make_bert; }
make_bert
bad "an empty folder" 3 \
    'film: cannot open folder/config.json: No such file or directory' \
    film embed folder good.tsv -o v.npy
bad "--round with a model" 1 \
    'film embed: --round is for a folder with a BERT encoder; film embed --help shows how' \
    film embed good.film good.tsv -o v.npy --round
bad "a black box without an encoder" 1 \
    'film: --method deep reads the tokens of a BERT encoder: give its folder with --bert DIR' \
    film train good.tsv --method deep -o m.film
bad "an encoder with too short vectors for it" 1 \
    'film: a deep network reads 32 to 512 tokens of 32 to 4096 numbers each and has 1 to 1024 maps a layer; this is 32 of 24 with 16,32,32,16' \
    film train good.tsv --method deep --bert bert -o m.film
sed -i 's/"bert"/"roberta"/' bert/config.json
bad_bert "another network" 2 'bert/config.json: "model_type" is "roberta"; only bert and distilbert can be read'
sed -i 's/"hidden_size": 24/"hidden_size": 1e15/' bert/config.json
bad_bert "a huge width" 2 'bert/config.json: "hidden_size" is 1000000000000000; 1 to 65536 can be read'
sed -i 's/"intermediate_size": 40/"intermediate_size": 65536/' bert/config.json
bad_bert "a shape that config.json does not give" 2 \
    'bert: tensor encoder.layer.0.intermediate.dense.weight should be 65536 x 24 by config.json, but is 40 x 24'
sed -i 's/"hidden_act": "gelu"/"hidden_act": "swish"/' bert/config.json
bad_bert "an unknown activation" 2 \
    'bert/config.json: "hidden_act" is "swish"; only gelu, gelu_new, gelu_fast, gelu_pytorch_tanh and relu can be read'
rm bert/vocab.txt
bad_bert "no vocabulary" 3 'bert has neither tokenizer.json nor vocab.txt'
sed -i 's/^how$/what/' bert/vocab.txt
bad_bert "a token twice" 2 'bert/vocab.txt:66: the token "what" stands in line 65 already'
truncate -s 20000 bert/model.safetensors
NORMAL='s/tensor [^ ]+ ends at byte [0-9]+ of the data, which has only [0-9]+/tensor ... ends at byte ... of the data, which has only .../' \
    bad_bert "weights that are cut off" 2 \
    'bert/model.safetensors: tensor ... ends at byte ... of the data, which has only ...; the file is cut off or damaged'
rm bert/model.safetensors
bad_bert "no weights" 3 'bert has neither model.safetensors nor model.safetensors.index.json'
bad "no such encoder" 3 \
    'film: cannot open nowhere: No such file or directory' \
    film train good.tsv --bert nowhere -o m.film
bad "a method that is not learned on top of an encoder" 1 \
    'film: --bert learns by --method film, svd or deep; choose one of them' \
    film train good.tsv --bert bert --method rank -o m.film
make_bert --nan encoder.layer.1.output.dense.bias
bad_bert "weights that are not numbers" 2 'bert: tensor encoder.layer.1.output.dense.bias holds a value that is not finite'

heading "Models"
bad "no such model" 3 \
    'film: cannot open missing.film: No such file or directory' \
    film info missing.film
bad "a directory as model" 3 \
    'film: folder is a directory, not a file' \
    film match folder a b
bad "/dev/null as model" 3 \
    'film: /dev/null is a device or pipe, not a file' \
    film info /dev/null
: >empty.film
bad "an empty model" 2 \
    'film: empty.film: only 0 bytes long; a safetensors file has at least 8' \
    film info empty.film
bad "a text file as model" 2 \
    'film: good.tsv: not a safetensors file: its first 8 bytes announce a header of 8462555535967936876 bytes, more than 100 MB' \
    film info good.tsv
head -c 1000 good.film >cut.film
NORMAL='s/ [0-9]+/ N/g' bad "a model cut off in its header" 2 \
    'film: cut.film: the header should be N bytes long, but only N follow; the file is cut off or not a safetensors file' \
    film info cut.film
head -c -1 good.film >cut1.film
NORMAL='s/ [0-9]+/ N/g' bad "a model without its last byte" 2 \
    'film: cut1.film: tensor word.bytes ends at byte N of the data, which has only N; the file is cut off or damaged' \
    film info cut1.film
{ cat good.film; printf x; } >longer.film
bad "a byte behind the model" 2 \
    'film: longer.film: 1 bytes behind the last tensor belong to no tensor' \
    film info longer.film
header='{"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}  '
{ printf '\x38\0\0\0\0\0\0\0%-56sx' "$header"; } >foreign.safetensors
bad "another program's safetensors file" 2 \
    'film: foreign.safetensors is a safetensors file but not a FILM model; train one with film train' \
    film info foreign.safetensors

if [ -n "$table" ]; then
    exec >&3
    echo "# Bad input"
    echo
    echo "What \`film\` says when something is wrong with its input. Made by \`tests/cli/bad_input.sh --table\`, which"
    echo "also tests every line. Exit codes: 1 usage, 2 bad input, 3 could not read or write."
    printf '%s' "$rows"
    exit 0
fi

# ---- long rows ----
name="a line of 100 MB is refused"
long_line() { head -c 100000000 /dev/zero | tr '\0' a; echo; echo "my card"; }
mkfifo pipe
long_line >pipe 2>/dev/null & # dies of SIGPIPE when film stops at the line's end; that is fine
peak_memory "$FILM" embed good.film - -o v.npy <pipe
if [ "$status" -eq 2 ] && [ "$(cat err)" = "film: standard input:1: row longer than 16 MiB; --skip-bad passes over such rows" ]
then ok "$name"; else not_ok "$name" "exit code $status" "$(cat err)"; fi
long_line >pipe 2>/dev/null &
peak_memory "$FILM" embed good.film - --skip-bad -o v.npy <pipe
check "with --skip-bad it is passed over" grep -qx '1 sentences, 4 numbers each; 1 bad rows passed over' err
name="in less than 200 MB"
if is_sanitized; then skip "$name" "a sanitizer needs memory of its own"
elif [ -z "$peak" ]; then skip "$name" "no /usr/bin/time"
else check "$name ($peak kB)" test "$peak" -lt 200000; fi

# ---- --skip-bad ----
{ cat good.tsv; printf 'yes\tx\ty\n1\tonly one\n0\tcaf\xe9\tz\n'; printf '1\tn\0\tz\n'; } >mixed.tsv
run "$FILM" train mixed.tsv --skip-bad --method svd --rank 4 --decision threshold -o mixed.film
check "--skip-bad counts bad rows" grep -qx '4 bad rows passed over' err
"$FILM" train good.tsv --method svd --rank 4 --decision threshold -q --json -o again.film >again.json
run "$FILM" train mixed.tsv --skip-bad --method svd --rank 4 --decision threshold -q --json -o mixed.film
check "--skip-bad counts in JSON" grep -q '"skipped_rows":4' out
check "--skip-bad leaves the others as they are" \
    diff <(grep -o '"sizes.*"features":{[^}]*}' out) <(grep -o '"sizes.*"features":{[^}]*}' again.json)
run "$FILM" split mixed.tsv --skip-bad --json -o mixed
check "split counts them" grep -q '"skipped": 4' out
check "nothing is left but what was asked for" bash -c '! ls | grep -E "tmp-|^m\.film|^v\.npy\."'

# ---- a flipped bit anywhere in a model ----
if have "flipped bits" "$PYTHON"; then
    cat >flip.py <<'PYTHON'
"""One bit of each of the first 600 bytes (every EVERYth), and one in each tensor's data: film must exit with 2."""
import json, struct, subprocess, sys
film, every, whole = sys.argv[1], int(sys.argv[2]), open("good.film", "rb").read()
(length,) = struct.unpack("<Q", whole[:8])
header = json.loads(whole[8:8 + length])
places = [(i, i % 8) for i in range(0, min(600, 8 + length), every)]
for name, about in header.items():
    if name != "__metadata__":
        begin, end = about["data_offsets"]
        places += [(8 + length + at, 0) for at in (begin, (begin + end) // 2, end - 1)]
bad = 0
for at, bit in places:
    flipped = bytearray(whole)
    flipped[at] ^= 1 << bit
    open("flipped.film", "wb").write(flipped)
    done = subprocess.run([film, "info", "--json", "flipped.film"], capture_output=True, text=True, errors="replace")
    if done.returncode != 2 or not done.stderr.startswith("film: flipped.film") or done.stdout:
        bad += 1
        print("byte %d bit %d: exit code %d: %s%s" % (at, bit, done.returncode, done.stderr, done.stdout[:200]))
sys.exit(bad > 0)
PYTHON
    check "a flipped bit in a model is always found" "$PYTHON" flip.py "$FILM" "$(is_sanitized && echo 7 || echo 1)"
fi

name="docs/bad-input.md is what this script makes (bad_input.sh --table)"
printf '%s' "$rows" >rows
have "$name" zstd && check "$name" diff <(grep '^[|#]' "$ROOT/docs/bad-input.md" | tail -n +2) <(grep '^[|#]' rows)
finish
