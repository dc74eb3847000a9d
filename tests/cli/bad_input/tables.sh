# shellcheck shell=bash
# Tables: files, bytes, rows, columns, labels. A part of bad_input.sh, which sources it.
heading "Files"
: >empty.tsv
bad "an empty file" 2 \
    'film: empty.tsv: empty file; pass a file with at least one row' \
    film train empty.tsv -o m.film
head -1 good.tsv >header.tsv
bad "a header and no rows" 2 \
    'film: header.tsv: no rows' \
    film train header.tsv -o m.film
lines '' '' '' >blank.tsv
bad "blank lines alone" 2 \
    'film: blank.tsv: empty file; pass a file with at least one row' \
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
    'film: /dev/null: empty file; pass a file with at least one row' \
    film train /dev/null -o m.film
bad "nothing on standard input" 2 \
    'film: standard input: empty file; pass a file with at least one row' \
    film train - -o m.film
bad "the second file is missing" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film train good.tsv missing.tsv -o m.film
bad "files of different kinds" 2 \
    'film: questions.tsv has categories, the preceding files have labelled pairs; train on one kind at a time' \
    film train good.tsv "$(cp "$FAQ/questions.tsv" . && echo questions.tsv)" -o m.film
cut -f2 good.tsv | tail -n +2 >plain.txt
bad "a dev file without labels" 2 \
    'film: plain.txt: no labels; add a label, score, category or triplet column to the dev file' \
    film train good.tsv --dev plain.txt -o m.film
bad "the dev file is missing" 3 \
    'film: cannot open missing.tsv: No such file or directory' \
    film train good.tsv --dev missing.tsv -o m.film
bad "the stop words are missing" 3 \
    'film: cannot open missing.txt: No such file or directory' \
    film train good.tsv --stop missing.txt -o m.film
printf 'caf\xe9\n' >latin.txt
bad "stop words that are not UTF-8" 2 \
    'film: latin.txt: invalid UTF-8; stop words are UTF-8, one per line' \
    film train good.tsv --stop latin.txt -o m.film

heading "Compressed files"
gzip -9nc good.tsv >good.tsv.gz
head -c 2000 good.tsv.gz >cut.tsv.gz
bad "gzip, cut off" 2 \
    'film: cut.tsv.gz: compressed data ends early; the file is truncated' \
    film train cut.tsv.gz -o m.film
{ head -c 3000 good.tsv.gz; printf 'xxxx'; tail -c +3005 good.tsv.gz; } >damaged.tsv.gz
NORMAL='s/\(.*\)/(...)/' bad "gzip, damaged in the middle" 2 \
    'film: damaged.tsv.gz: compressed data is damaged (...)' \
    film train damaged.tsv.gz -o m.film
{ head -c 10 good.tsv.gz; printf '\377\377\377\377'; } >rubbish.tsv.gz
NORMAL='s/\(.*\)/(...)/' bad "gzip, garbage after its header" 2 \
    'film: rubbish.tsv.gz: compressed data is damaged (...)' \
    film train rubbish.tsv.gz -o m.film
printf 'BZh91AY&SYxxxx' >file.bz2
bad "bzip2" 2 \
    'film: file.bz2: compressed with bzip2; unpack it with bzip2 -d' \
    film train file.bz2 -o m.film
printf 'PK\003\004xxxx' >table.xlsx
bad "a spreadsheet" 2 \
    'film: table.xlsx: a damaged zip archive or Excel workbook; save it again' \
    film train table.xlsx -o m.film
if command -v zstd >/dev/null; then
    zstd -qc good.tsv >good.tsv.zst
    head -c 2000 good.tsv.zst >cut.tsv.zst
    bad "zstd, cut off" 2 \
    'film: cut.tsv.zst: compressed data ends early; the file is truncated' \
    film train cut.tsv.zst -o m.film
else skip "zstd, cut off" "no zstd"; fi

heading "Bytes"
pairs '1\tone\0two\tthree\n' >nul.tsv
bad "a NUL byte" 2 \
    'film: nul.tsv:2: NUL byte in column 2 (byte 6 of the row), perhaps UTF-16; fix the row or skip bad rows' \
    film train nul.tsv -o m.film
pairs '1\tfine\tfine\n0\tcaf\xe9\tcoffee\n' >latin.tsv
bad "Latin-1 instead of UTF-8" 2 \
    'film: latin.tsv:3: invalid UTF-8 in column 2 (byte 6 of the row); fix the row or skip bad rows, or, if the file is not UTF-8, pass --encoding windows-1252' \
    film train latin.tsv -o m.film
printf '\xff\xfel\0a\0b\0e\0l\0' >utf16.tsv
bad "UTF-16 with a byte order mark" 2 \
    'film: utf16.tsv: UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8' \
    film train utf16.tsv -o m.film
printf 'a\0\t\0b\0\n\0' >utf16-bare.tsv
bad "UTF-16 without one" 2 \
    'film: utf16-bare.tsv:1: NUL byte in column 1 (byte 2 of the row), perhaps UTF-16; fix the row or skip bad rows' \
    film train utf16-bare.tsv -o m.film
pairs '1\t\xed\xa0\x80\tx\n' >surrogate.tsv
bad "a surrogate" 2 \
    'film: surrogate.tsv:2: invalid UTF-8 in column 2 (byte 3 of the row); fix the row or skip bad rows, or, if the file is not UTF-8, pass --encoding windows-1252' \
    film train surrogate.tsv -o m.film

heading "Files that are no tables"
printf '<!DOCTYPE html><html><body>Sign in</body></html>' >page.csv
bad "a web page" 2 \
    'film: page.csv: a web page (HTML), not a table; download the file itself, or save the table as CSV' \
    film train page.csv -o m.film
printf '\x89PNG\r\n\x1a\nxxxx' >picture.tsv
bad "a picture" 2 \
    'film: picture.tsv: a picture (PNG), not a table' \
    film train picture.tsv -o m.film
tar -cf files.tar good.tsv
bad "a tar archive" 2 \
    'film: files.tar: a tar archive; unpack it with tar -xf' \
    film train files.tar -o m.film
"$FILM" pool create data.pool --model good.film -q
bad "a pool" 2 \
    'film: data.pool: a pool, not a table; export its sentences or labels first' \
    film train data.pool -o m.film
bad "a model" 2 \
    'film: good.film: a model (safetensors), not a table' \
    film train good.film -o m.film
printf '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' >old.xls
bad "an old Excel file" 2 \
    'film: old.xls: an old or encrypted Office document; save it as .xlsx without a password, or as CSV' \
    film train old.xls -o m.film

heading "Rows"
pairs '1\ta b\tb c\n0\tonly one\n' >narrow.tsv
bad "a column too few" 2 \
    'film: narrow.tsv:3: 2 columns, expected 3 (label, question1, question2); fix the row or skip bad rows' \
    film train narrow.tsv -o m.film
pairs '1\ta b\tb c\n0\tx\ty\tz\n' >wide.tsv
bad "a column too many" 2 \
    'film: wide.tsv:3: 4 columns, expected 3 (label, question1, question2); fix the row or skip bad rows' \
    film train wide.tsv -o m.film
pairs '1\ta b\tb c\nmaybe\tx\ty\n' >yes.tsv
bad "a label that is another word" 2 \
    'film: yes.tsv:3: label "maybe" is not 0 or 1; fix the row or skip bad rows' \
    film train yes.tsv -o m.film
pairs '1\ta b\tb c\n\tx\ty\n' >nolabel.tsv
bad "an empty label" 2 \
    'film: nolabel.tsv:3: label "" is not 0 or 1; fix the row or skip bad rows' \
    film train nolabel.tsv -o m.film
pairs '1\ta\tb\n2\tx\ty\n0\tc\td\n' >two.tsv
bad "a label 2 with --labels pairs" 2 \
    'film: two.tsv:3: label "2" is not 0 or 1 (for degrees of similarity choose labels of the kind scores); fix the row or skip bad rows' \
    film train two.tsv --labels pairs -o m.film
printf 'score\tsentence1\tsentence2\n1.5\ta\tb\nabc\tx\ty\n' >abc.tsv
bad "a score that is no number" 2 \
    'film: abc.tsv:3: score "abc" is not a number; fix the row or skip bad rows' \
    film train abc.tsv -o m.film
printf 'score\tsentence1\tsentence2\n1.5\ta\tb\nnan\tx\ty\n' >nan.tsv
bad "a score that is NaN" 2 \
    'film: nan.tsv:3: score "nan" is not a number; fix the row or skip bad rows' \
    film train nan.tsv -o m.film
lines 'label,question1,question2' '1,a,b' '0,"never closed,d' '1,e,f' >quote.csv
bad "a quote that is never closed" 2 \
    'film: quote.csv:3: the quote opened here is never closed; write a quote inside a quoted field twice ("")' \
    film train quote.csv -o m.film
lines 'label,question1,question2' '1,a,b' '0,"x"y,d' >behind.csv
bad "text behind a closing quote" 2 \
    'film: behind.csv:3: text after the closing quote of column 2; write a quote inside a quoted field twice (""); fix the row or skip bad rows' \
    film train behind.csv -o m.film
lines '{"a": "x", "b": "y", "label": 1}' '{"a": "x", ' >broken.jsonl
bad "a broken JSON line" 2 \
    "film: broken.jsonl:2: invalid JSON (string or '}' expected near end of file); expected one object per line; fix the row or skip bad rows" \
    film train broken.jsonl -o m.film
lines '[{"a": "x", "b": "y", "label": 1}]' >array.json
bad "a JSON array" 2 \
    "film: array.json:1: a JSON array; expected one object per line (convert it with jq -c '.[]'); fix the row or skip bad rows" \
    film train array.json -o m.film
lines '{"a": "x", "b": "y", "label": 1}' '{"a": "x", "label": 0}' >key.jsonl
bad "a JSON object without a key" 2 \
    'film: key.jsonl:2: no "b"; fix the row or skip bad rows' \
    film train key.jsonl -o m.film
lines '{"a": "x", "b": "y", "label": 1}' '{"a": ["x"], "b": "y", "label": 0}' >list.jsonl
bad "a JSON list as text" 2 \
    'film: list.jsonl:2: "a" is an array, not text; fix the row or skip bad rows' \
    film train list.jsonl -o m.film

heading "Columns"
cut -f2,3 good.tsv | tail -n +2 >two-columns.tsv
bad "two columns without a header" 2 \
    "film: two-columns.tsv: 2 columns, and the first row (I've lost my debit card, what should I d..., lost my bank card, need it blocked asap) is no header, since a name is one to three words; name the columns, for example --columns a,b or text,category" \
    film train two-columns.tsv -o m.film
lines 'Frage,Thema' 'Karte weg,Karte' 'Konto zu,Konto' >few-rows.csv
bad "an unknown header and two short rows" 2 \
    'film: few-rows.csv: the first row (Frage, Thema) has no known names, and the rows below do not show that it is a header; name the columns, for example --columns text=Frage,category=Thema if it is a header, in file order (a,b or text,category) if it is data' \
    film train few-rows.csv -o m.film
lines 'Frage,Thema' >no-rows.csv
bad "an unknown header without a row" 2 \
    'film: no-rows.csv: the first row (Frage, Thema) has no known names, and no row follows; name the columns, for example --columns text=Frage,category=Thema if it is a header, in file order (a,b or text,category) if it is data' \
    film train no-rows.csv -o m.film
printf 'x\ty\tz\tu\tv\n%.0s' 1 2 3 >five.tsv
lines 'Frage;Thema' 'Wo ist meine Karte?;Karte' 'Wie sperre ich sie?;Karte' 'Wer hilft mir?;PIN' >frage.csv
bad "a header with unknown names" 2 \
    'film: frage.csv: the header has no known names (Frage, Thema); name the columns, for example --columns text=Frage,category=Thema' \
    film train frage.csv -o m.film
bad "a name that is not in the header" 2 \
    'film: frage.csv: no column "Frag"; the columns are Frage, Thema' \
    film train frage.csv --columns text=Frag -o m.film
bad "an unknown encoding" 1 \
    'film: unknown encoding "ebcdic"; choose utf-8, windows-1252 or latin-1' \
    film train frage.csv --encoding ebcdic -o m.film
bad "five columns without a header" 2 \
    'film: five.tsv: 5 columns, and the first row (x, y, z, u, v) is no header, since a row below has one of its values; name the columns, for example --columns label,a,b,-' \
    film train five.tsv -o m.film
lines '{"x": "a", "y": "b"}' >keys.jsonl
bad "unknown keys" 2 \
    'film: keys.jsonl: no known text key among x, y (known: question1 and question2, text, ...); name the columns, for example --columns text=x' \
    film train keys.jsonl -o m.film
bad "an unknown name in --columns" 1 \
    'film: columns: unknown name "question"; known names: label, score, a, b, anchor, positive, negative, text, category, answer, url, id, - (ignore the column)' \
    film train good.tsv --columns label,a,question -o m.film
bad "a name twice in --columns" 1 \
    'film: columns: "b" is column 3, but column 2 has that role already; use - for one of them' \
    film train good.tsv --columns a,b,b -o m.film
bad "--columns without a text" 1 \
    'film: columns: no text column; name one of them a, text or anchor' \
    film train good.tsv --columns label,-,- -o m.film
bad "--columns of another width" 2 \
    'film: good.tsv: 3 columns, but 2 are named (a,b); name every column' \
    film train good.tsv --columns a,b -o m.film
bad "--labels that do not fit" 2 \
    "film: good.tsv: labels of the kind \"triplets\" need a dissimilar sentence (negative), but the columns are label, question1, question2; name the columns or choose another kind of labels" \
    film train good.tsv --labels triplets -o m.film
bad "--labels categories without a category" 2 \
    "film: good.tsv: labels of the kind \"categories\" need a category, but the columns are label, question1, question2; name the columns or choose another kind of labels" \
    film train good.tsv --labels categories -o m.film
bad "pairs for embed" 2 \
    'film: good.tsv has two sentences per row, but embed needs one; choose it with --columns, for example --columns -,text,-' \
    film embed good.film good.tsv -o v.npy

bad "one sentence in a row for predict" 2 \
    'film: questions.tsv has one sentence per row, but predict needs two; name them with --columns, for example --columns a,b' \
    film predict good.film questions.tsv
bad "kaggle's format without ids" 2 \
    'film: good.tsv has no id column, but --format kaggle needs one; name it with --columns, for example --columns id,a,b' \
    film predict good.film good.tsv --format kaggle
bad "eval of text without labels" 2 \
    'film: plain.txt: no labels; add a label, score or category column or triplets, or name the columns' \
    film eval good.film plain.txt
bad "eval of a model" 2 \
    'film: good.film: a model (safetensors), not a table' \
    film eval good.film good.film
bad "eval with a table as model" 2 \
    'film: good.tsv: a table or another text, not a model; train a model from it' \
    film eval good.tsv good.tsv
bad "eval with the wrong kind of labels" 2 \
    "film: questions.tsv: labels of the kind \"pairs\" need a second sentence (b) and a label, but the columns are id, text, category; name the columns or choose another kind of labels" \
    film eval good.film questions.tsv --labels pairs
bad "kNN decisions on categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets for the knn decision' \
    film eval good.film questions.tsv --decision knn

bad "compared with a table instead of a model" 2 \
    'film: good.tsv: a table or another text, not a model; train a model from it' \
    film eval good.film good.tsv --against good.tsv
bad "compared with a model that is not there" 3 \
    'film: cannot open missing.film: No such file or directory' \
    film eval good.film good.tsv --against missing.film
bad "two models on text without labels" 2 \
    'film: plain.txt: no labels; add a label, score or category column or triplets, or name the columns' \
    film eval good.film plain.txt --against good.film
bad "two models on categories" 1 \
    'film: questions.tsv has categories; two models can be compared on pairs, triplets or scores only' \
    film eval good.film questions.tsv --against good.film
"$FILM" train good.tsv --method tfidf --decision threshold -q -o tfidf.film
bad "the second model has no vectors for kNN" 1 \
    'film: tfidf.film: this model has no vectors to search (method tfidf); train one with method svd, film or rank' \
    film eval good.film good.tsv --against tfidf.film --decision knn
bad "an operating point on categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets for an operating point' \
    film eval good.film questions.tsv --operating f1
bad "a threshold for categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets for a threshold' \
    film eval good.film questions.tsv --threshold 0.5
bad "the prior of categories" 1 \
    'film: questions.tsv has neither labelled pairs nor triplets for the prior' \
    film eval good.film questions.tsv --prior auto
sed -n '1p; /^1/p' good.tsv >ones.tsv
bad "the prior of a file with one label" 2 \
    'film: ones.tsv: all pairs are labelled the same, so they give no prior; set the prior to a number' \
    film eval good.film ones.tsv --prior auto
bad "train: the prior of a file with one label" 2 \
    'film: all pairs are labelled the same, so they give no prior; set the prior to a number' \
    film train ones.tsv --prior auto -o m.film
bad "a precision without negatives" 2 \
    'film: operating point precision: no pair is labelled different, so nothing is known about false matches; label some pairs different, give a dev file that has both, or choose recall' \
    film train ones.tsv --operating precision=0.9 -o m.film
bad "an operating point without labels" 2 \
    'film: operating point f1: no pair is labelled the same; give a labelled dev file or leave the operating point out' \
    film train plain.txt --operating f1 -o m.film

heading "Labels"
sed -n '1p; /^0/p' good.tsv >zeros.tsv
bad "film with no pair that is the same" 2 \
    'film: no triplets; add labels of both kinds, same and different' \
    film train zeros.tsv --method film -o m.film
bad "rank with no pair that is the same" 2 \
    'film: no positive pairs; add pairs labelled the same, or use method svd' \
    film train zeros.tsv --method rank -o m.film
printf 'text\tcategory\nlost card\tcard\nphone broken\tphone\ncard is lost\tother\n' >alone.tsv
bad "every sentence alone in its category" 2 \
    'film: no category has two sentences; add sentences, or train without categories (labels none)' \
    film train alone.tsv --min-df 1 -o m.film
