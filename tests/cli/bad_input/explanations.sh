# shellcheck shell=bash
# Explanations and reports. A part of bad_input.sh, which sources it.
heading "Explanations"
"$FILM" train good.tsv --method tfidf --max-features 60 --decision threshold -q -o features.film
bad "a dimension that is not there" 1 \
    'film: dimension 4 does not exist; this model has dimensions 0 to 3' \
    film explain good.film --dim 4
bad "a dimension of features alone" 1 \
    'film: this model has no dimensions (method tfidf); train one with method svd, film or rank' \
    film explain features.film --dim 0
bad "a dimension that is no number" 1 \
    'film explain: --dim -1: expected a whole number; see film explain --help' \
    film explain good.film --dim=-1
bad "a word the model does not know" 1 \
    'film: the model does not know the word "zzyzx"; it occurs in too few training sentences' \
    film explain good.film --word zzyzx
bad "two words" 1 \
    'film: "my card" is 2 words; give one word' \
    film explain good.film --word "my card"
bad "a word that is not valid UTF-8" 2 \
    'film: the text is not valid UTF-8 at byte 3' \
    film explain good.film --word $'caf\xe9'
bad "a pair of one sentence" 1 \
    'film explain: --pair needs two sentences after the model; see film explain --help' \
    film explain good.film --pair "my card"
bad "sentences without --pair" 1 \
    'film explain: sentences need --pair; see film explain --help' \
    film explain good.film "my card" "the card"
bad "a pair and a word" 1 \
    'film explain: --pair, --dim and --word exclude each other; see film explain --help' \
    film explain good.film --word card --pair "my card" "the card"
bad "explain by a decision the model does not have" 1 \
    'film: this model has only a threshold on the similarity; train one with labels and a full decision' \
    film explain good.film --pair "my card" "the card" --decision full
bad "examples of what has no labels" 2 \
    'film: examples need labels, but the input has none; keep no examples or add a label, score, category or triplet column' \
    film train plain.txt --keep-examples 10 -o m.film
bad "too many examples" 1 \
    'film: keep-examples 20000: choose a number up to 10000' \
    film train good.tsv --keep-examples 20000 -o m.film

heading "Reports"
bad "a report that searches a pool for nothing" 1 \
    'film report: --pool needs --eval FILE, whose duplicates are searched for; see film report --help' \
    film report good.film --pool good.tsv -o page.html
bad "a report measured on a model" 2 \
    'film: good.film: a model (safetensors), not a table' \
    film report good.film --eval good.film -o page.html
bad "a report of training files of different kinds" 2 \
    'film: questions.tsv has categories, the preceding files have labelled pairs; train on one kind at a time' \
    film report good.film --train good.tsv --train questions.tsv -o page.html
printf 'model,log_loss\nx,1\n' >nameless.csv
bad "a comparison without names" 2 \
    'film: nameless.csv:1: missing column "system", the name of each system' \
    film report good.film --compare nameless.csv -o page.html
printf 'system,speed\nx,1\n' >unknown.csv
bad "a comparison with a column that is not known" 2 \
    'film: unknown.csv:1: unknown column "speed"; known columns: system, model, accuracy_percent, log_loss, training_seconds, processor_seconds, memory_mb, model_mb, sentences_per_second, explained_percent, explained' \
    film report good.film --compare unknown.csv -o page.html
printf 'system,log_loss,Log_Loss\n' >twice.csv
bad "a comparison with a column twice" 2 \
    'film: twice.csv:1: duplicate column "Log_Loss"' \
    film report good.film --compare twice.csv -o page.html
printf 'system,memory_mb\nx,1\ny,many\n' >words.csv
bad "a comparison with words for figures" 2 \
    'film: words.csv:3: memory_mb "many" is not a number; leave it empty if unknown' \
    film report good.film --compare words.csv -o page.html
printf 'system,accuracy_percent\nx,101\n' >percent.csv
bad "a comparison with more than all right" 2 \
    'film: percent.csv:2: accuracy_percent 101 is above 100' \
    film report good.film --compare percent.csv -o page.html
printf 'system,log_loss\nx,-1\n' >negative.csv
bad "a comparison with a figure below zero" 2 \
    'film: negative.csv:2: log_loss -1 is below 0' \
    film report good.film --compare negative.csv -o page.html
printf 'system,log_loss\nx,1,2\n' >wide.csv
bad "a comparison with a row too long" 2 \
    'film: wide.csv:2: 3 columns, but the header has 2' \
    film report good.film --compare wide.csv -o page.html
printf 'system,log_loss\n ,1\n' >blank.csv
bad "a comparison with a system without a name" 2 \
    'film: blank.csv:2: missing system name' \
    film report good.film --compare blank.csv -o page.html
printf 'system,log_loss\n' >heading.csv
bad "a comparison of nothing" 2 \
    'film: heading.csv: the table has no systems' \
    film report good.film --compare heading.csv -o page.html
(echo system; seq 25) >crowd.csv
bad "a comparison of too many" 2 \
    'film: crowd.csv:26: too many systems; at most 24 are allowed' \
    film report good.film --compare crowd.csv -o page.html
bad "a comparison with a model" 2 \
    'film: good.film:1: NUL byte in column 1 (byte 3 of the row), perhaps UTF-16' \
    film report good.film --compare good.film -o page.html
