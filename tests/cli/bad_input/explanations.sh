# shellcheck shell=bash
# Explanations. A part of bad_input.sh, which sources it.
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
