#!/usr/bin/env bash
# Writes COUNT sentences, one per line: the real ones of files of pairs, then copies of them with one word replaced by a word of
# another sentence, and numbered. The same arguments give the same lines.
#   bench/many_sentences.sh COUNT PAIRS.tsv ...
set -eu
count=$1
shift
tail -qn +2 "$@" | cut -f 2,3 | tr '\t' '\n' | awk '!seen[$0]++' |
    awk -v wanted="$count" 'NR > wanted { next } { print; line[NR] = $0 }
        END { srand(1); rows = NR < wanted ? NR : wanted
            for (n = rows; n < wanted; n++) {
                words = split(line[n % rows + 1], word, " "); others = split(line[int(rand() * rows) + 1], other, " ")
                word[int(rand() * words) + 1] = other[int(rand() * others) + 1]
                text = word[1]; for (i = 2; i <= words; i++) text = text " " word[i]
                print text, n } }'
