# shellcheck shell=bash
# Options that make no sense. A part of bad_input.sh, which sources it.
heading "Options"
bad "an unknown format" 1 \
    'film train: --format xls: expected tsv|csv|jsonl|lines; see film train --help' \
    film train good.tsv --format xls -o m.film
bad "unknown labels" 1 \
    'film train: --labels maybe: expected auto|none|pairs|scores|triplets|categories; see film train --help' \
    film train good.tsv --labels maybe -o m.film
bad "--rank 0" 1 \
    'film train: --rank 0: expected a whole number above 0; see film train --help' \
    film train good.tsv --rank 0 -o m.film
bad "--rank -1" 1 \
    'film train: --rank -1: expected a whole number; see film train --help' \
    film train good.tsv --rank -1 -o m.film
bad "--dim above --rank" 1 \
    'film: dim 5 is more than rank 4; choose a smaller dim or a larger rank' \
    film train good.tsv --method svd --rank 4 --dim 5 -o m.film
bad "--dim 0" 1 \
    'film train: --dim 0: expected a whole number above 0; see film train --help' \
    film train good.tsv --dim 0 -o m.film
bad "--dim 5000" 1 \
    'film: dim 5000: choose a number from 1 to 4096' \
    film train good.tsv --dim 5000 -o m.film
bad "--threads 0" 1 \
    'film train: --threads 0: expected a number from 1 to 1024; see film train --help' \
    film train good.tsv --threads 0 -o m.film
bad "--seed x" 1 \
    'film train: --seed x: expected a whole number; see film train --help' \
    film train good.tsv --seed x -o m.film
bad "--features x" 1 \
    'film train: --features x: expected a list from word,bigram,char; see film train --help' \
    film train good.tsv --features x -o m.film
bad "--features without any" 1 \
    'film train: --features : expected a list from word,bigram,char; see film train --help' \
    film train good.tsv --features= -o m.film
NORMAL='s/available:.*/available: .../' bad "an unknown stemmer" 1 \
    'film: unknown stemmer "klingon"; available: ...' \
    film train good.tsv --stem klingon -o m.film
bad "--min-df that leaves nothing" 2 \
    'film: no word occurs in at least 100000 sentences; give more text or choose a smaller min-df' \
    film train good.tsv --min-df 100000 -o m.film
bad "an unknown method" 1 \
    'film train: --method lsa: expected auto|tfidf|svd|film|mfilm|rank|deep; see film train --help' \
    film train good.tsv --method lsa -o m.film
bad "an unknown similarity" 1 \
    'film train: --sim manhattan: expected cosine|dot|euclidean; see film train --help' \
    film train good.tsv --sim manhattan -o m.film
bad "an unknown start" 1 \
    'film train: --set init=zero: expected eigen|uniform|random; see film train --help' \
    film train good.tsv --set init=zero -o m.film
bad "an unknown setting" 1 \
    'film train: --set powr=1: unknown setting "powr"; did you mean: power; see film train --help' \
    film train good.tsv --set powr=1 -o m.film
bad "a setting like none" 1 \
    'film train: --set xyzzy=1: unknown setting "xyzzy"; settings: power, init, margin, margin_absolute, weights, keep, damping, positives, labelled, hard, random, inner, epsilon, least-change, rho, gamma, shrink, first-step, sample, mfilm-basis, rate, temperature, maps, tokens, loss, deep-margin, dropout; see film train --help' \
    film train good.tsv --set xyzzy=1 -o m.film
bad "a setting without its value" 1 \
    'film train: --set power: expected KEY=VALUE; see film train --help' \
    film train good.tsv --set power -o m.film
bad "a setting as an option" 1 \
    'film train: --power is a setting: --set power=1; see film train --help' \
    film train good.tsv --power 1 -o m.film
bad "the same with an equals sign" 1 \
    'film train: --least-change is a setting: --set least-change=0; see film train --help' \
    film train good.tsv --least-change=0 -o m.film
bad "the same without a value" 1 \
    'film train: --maps is a setting: --set maps=N,N,N,N; see film train --help' \
    film train good.tsv -o m.film --maps
bad "an unknown decision" 1 \
    'film train: --decision maybe: expected auto|full|threshold; see film train --help' \
    film train good.tsv --decision maybe -o m.film
bad "a full decision without labels" 2 \
    'film: a full decision needs labels, but the input has none; leave it out or add a label, score, category or triplet column' \
    film train plain.txt --decision full -o m.film
pairs '1\tlost card\tcard lost\n0\tphone broken\tphone black\n' >two-pairs.tsv
bad "a full decision from two pairs" 2 \
    'film: too few labelled pairs for a full decision; each of the five folds needs pairs labelled same and different; add rows or use decision threshold' \
    film train two-pairs.tsv --min-df 1 --decision full -o m.film
bad "match by a decision the model does not have" 1 \
    'film: this model has only a threshold on the similarity; train one with labels and a full decision' \
    film match good.film "my card" "the card" --decision full
bad "predict by a decision the model does not have" 1 \
    'film: this model has only a threshold on the similarity; train one with labels and a full decision' \
    film predict good.film good.tsv --decision full
bad "eval by a decision the model does not have" 1 \
    'film: this model has only a threshold on the similarity; train one with labels and a full decision' \
    film eval good.film good.tsv --decision full
for method in film rank; do
    bad "--method $method without labels" 2 \
        "film: method $method needs labels, but the input has none; use method svd or add a label, score, category or triplet column" \
        film train plain.txt --method $method -o m.film
done
for option in margin first-step rate temperature; do
    for value in nan -1 0; do
        bad "$option=$value" 1 "film train: --set $option=$value: expected a number above 0; see film train --help" \
            film train good.tsv --set $option=$value -o m.film
    done
done
for option in power epsilon least-change rho gamma shrink; do
    bad "$option=nan" 1 "film train: --set $option=nan: expected a number; see film train --help" \
        film train good.tsv --set $option=nan -o m.film
done
# out_of_range OPTION VALUE RANGE
out_of_range() { bad "--$1 $2" 1 "film: $1 $2: choose a number $3" film train good.tsv "--$1" "$2" -o m.film; }
setting_out_of_range() { bad "$1=$2" 1 "film: $1 $2: choose a number $3" film train good.tsv --set "$1=$2" -o m.film; }
setting_out_of_range power 5 'from -4 to 4'
setting_out_of_range power -5 'from -4 to 4'
setting_out_of_range margin 1e+07 'above 0, up to 1e6'
setting_out_of_range epsilon -1 '0 or more'
setting_out_of_range least-change -1 '0 or more'
for value in -1 0 1; do
    setting_out_of_range rho $value 'above 0 and below 1'
    setting_out_of_range shrink $value 'above 0 and below 1'
done
setting_out_of_range gamma -1 'from 0 to below 1'
setting_out_of_range gamma 1 'from 0 to below 1'
setting_out_of_range first-step 1e+30 'above 0, up to 1e20'
setting_out_of_range temperature 41 'above 0, up to 40'
setting_out_of_range rate 101 'above 0, up to 100'
out_of_range batch 1 'from 2 to 65536'
out_of_range batch 65537 'from 2 to 65536'
setting_out_of_range positives 1001 'from 1 to 1000'
for option in labelled hard random; do setting_out_of_range $option 1001 'up to 1000'; done
bad "positives=0" 1 'film train: --set positives=0: expected a whole number above 0; see film train --help' \
    film train good.tsv --set positives=0 -o m.film
for option in iterations epochs batch; do
    bad "--$option 0" 1 "film train: --$option 0: expected a whole number above 0; see film train --help" \
        film train good.tsv --$option 0 -o m.film
done
for option in positives labelled hard random; do
    bad "$option=-1" 1 "film train: --set $option=-1: expected a whole number; see film train --help" \
        film train good.tsv --set $option=-1 -o m.film
done
for option in iterations epochs batch; do
    bad "--$option -1" 1 "film train: --$option -1: expected a whole number; see film train --help" \
        film train good.tsv --$option -1 -o m.film
done
bad "no negatives at all" 1 \
    'film: labelled, hard and random negatives are all 0; set at least one of them above 0' \
    film train good.tsv --method film --set labelled=0 --set hard=0 --set random=0 -o m.film
bad "--k 9:3" 1 \
    'film eval: --k 9:3: expected FIRST:LAST, such as 1:55; see film eval --help' \
    film eval good.film good.tsv --k 9:3
bad "an unknown kNN rule" 1 \
    'film eval: --knn both: expected mutual|either; see film eval --help' \
    film eval good.film good.tsv --knn both
bad "an unknown decision" 1 \
    'film eval: --decision dice: expected full|threshold|knn; see film eval --help' \
    film eval good.film good.tsv --decision dice
bad "an unknown output format" 1 \
    'film predict: --format xml: expected tsv|jsonl|kaggle; see film predict --help' \
    film predict good.film good.tsv --format xml
bad "an unknown input format" 1 \
    'film predict: --input-format lines: expected tsv|csv|jsonl; see film predict --help' \
    film predict good.film good.tsv --input-format lines
bad "--prior 0" 1 \
    'film match: --prior 0: expected a probability above 0 and below 1, or auto; see film match --help' \
    film match good.film --prior 0 x y
bad "--prior 1" 1 \
    'film match: --prior 1: expected a probability above 0 and below 1, or auto; see film match --help' \
    film match good.film --prior 1 x y
bad "--prior half" 1 \
    'film match: --prior half: expected a probability above 0 and below 1, or auto; see film match --help' \
    film match good.film --prior half x y
trained plain.film plain.txt
bad "--prior auto without pairs of both labels" 1 \
    'film: this model does not know the share of duplicates: it was trained without pairs of both labels; set the prior to a number' \
    film match plain.film --prior auto x y
bad "eval --prior -1" 1 \
    'film eval: --prior -1: expected a probability above 0 and below 1, or auto; see film eval --help' \
    film eval good.film good.tsv --prior -1
bad "train --prior 1" 1 \
    'film train: --prior 1: expected a probability above 0 and below 1, or auto; see film train --help' \
    film train good.tsv --prior 1 -o m.film
bad "--threshold 50" 1 \
    'film match: --threshold 50: expected a probability above 0 and below 1; see film match --help' \
    film match good.film --threshold 50 x y
bad "--threshold 0" 1 \
    'film predict: --threshold 0: expected a probability above 0 and below 1; see film predict --help' \
    film predict good.film good.tsv --threshold 0
bad "a threshold and kNN" 1 \
    'film: a threshold does not apply to the knn decision; choose one of them' \
    film eval good.film good.tsv --threshold 0.5 --decision knn
bad "--operating speed" 1 \
    'film train: --operating speed: expected accuracy, f1, precision=P or recall=R, P and R from 0 to 1; see film train --help' \
    film train good.tsv --operating speed -o m.film
bad "--operating precision" 1 \
    'film eval: --operating precision: expected accuracy, f1, precision=P or recall=R, P and R from 0 to 1; see film eval --help' \
    film eval good.film good.tsv --operating precision
bad "--operating f1=0.9" 1 \
    'film eval: --operating f1=0.9: expected accuracy, f1, precision=P or recall=R, P and R from 0 to 1; see film eval --help' \
    film eval good.film good.tsv --operating f1=0.9
bad "--operating precision=90" 1 \
    'film: operating point precision=90: choose a share above 0, up to 1 (0.9 is 90 %)' \
    film eval good.film good.tsv --operating precision=90
bad "--operating recall=0" 1 \
    'film: operating point recall=0: choose a share above 0, up to 1 (0.9 is 90 %)' \
    film train good.tsv --operating recall=0 -o m.film
bad "--ratio 4" 1 \
    'film split: --ratio 4: expected two numbers such as 4:1; see film split --help' \
    film split good.tsv -o part --ratio 4
bad "--ratio 0:1" 1 \
    'film split: --ratio 0:1: expected two numbers such as 4:1; see film split --help' \
    film split good.tsv -o part --ratio 0:1
bad "split of standard input" 1 \
    'film split: split reads its input twice and cannot read standard input; pass a file; see film split --help' \
    film split - -o part
pairs '1\ta\tb\n0\tb\tc\n1\tc\td\n' >connected.tsv
bad "split of rows that are all connected" 2 \
    'film: connected.tsv: all rows are connected through shared questions, so the file cannot be split' \
    film split connected.tsv -o part
bad "a sentence that is not valid UTF-8" 2 \
    'film: the text is not valid UTF-8 at byte 3' \
    film match good.film $'caf\xe9' coffee

heading "The paper and word vectors"
bad "the paper with another method" 1 "film: the letter of the paper needs method film or mfilm; choose one of them" \
    film train good.tsv --paper -o m.film
bad "a negative margin" 1 "film train: --set margin_absolute=-1: expected a number above 0; see film train --help" \
    film train good.tsv --method film --set margin_absolute=-1 -o m.film
lines "card 1 2 3" "lost 1 2" >short.vec
bad "a short vector" 2 "film: short.vec:2: too few numbers; expected a word and its numbers, separated by spaces" \
    film train good.tsv --vectors short.vec -o m.film
lines "zzzz 1 2" >foreign.vec
NORMAL='s/[0-9]+ words/N words/' bad "vectors of other words" 2 \
    "film: foreign.vec has none of the N words of the training sentences; choose vectors of the same language" \
    film train good.tsv --vectors foreign.vec -o m.film
bad "vectors with another method" 1 "film: word vectors need method film, svd, tfidf or deep; choose one of them" \
    film train good.tsv --vectors short.vec --method rank -o m.film
bad "neighbours without their decision" 1 "film predict: --k, --knn and --pool need --decision knn; see film predict --help" \
    film predict good.film good.tsv --k 5
bad "neighbours with a threshold" 1 "film predict: --decision knn has no probabilities; leave out --threshold, --prior, \
--no-memory and --format kaggle; see film predict --help" film predict good.film good.tsv --decision knn --threshold 0.5
