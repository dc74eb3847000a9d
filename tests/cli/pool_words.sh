#!/usr/bin/env bash
# film pool words: relations that a pool stores take effect in match, search and dedup, and go with its file.
source "$(dirname "$0")/tap.sh"
faq_model faq.film
"$FILM" pool create faq.pool --model faq.film
a="How can I change the address of the frob in the app?" b="How can I change the address of the blarg in the app?"
printf 'id\ttext\n1\t%s\n2\t%s\n' "$a" "$b" > two.tsv
"$FILM" pool add faq.pool two.tsv -q
# The prior makes all but guaranteed differences the same.
verdict() { "$FILM" match faq.pool "$a" "$b" --prior 0.9999999 -q | head -n 1 | cut -d ' ' -f 1; }
found() { "$FILM" search faq.pool "$a" -k 2 --json -q; }
pairs() { "$FILM" dedup faq.pool --threshold 0.000001 -q; }
equal() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got $2, expected $3"; fi; }
equal "without words, the pair is the same" "$(verdict)" same
found > search.before
pairs > dedup.before
printf '# own words\nfrob ! blarg\n' > words.txt
expect_output "pool words stores a file" 0 '{"words": 2}' "$FILM" pool words faq.pool words.txt --json
equal "match uses the words of the pool" "$(verdict)" different
found > search.after
check "search uses them" fails_with 1 cmp -s search.before search.after
pairs > dedup.after
check "dedup uses them" fails_with 1 cmp -s dedup.before dedup.after
equal "pool words prints them" "$("$FILM" pool words faq.pool)" "$(cat words.txt)"
cp faq.pool copy.pool
equal "a copy of the file has them" "$("$FILM" pool words copy.pool)" "$(cat words.txt)"
printf 'frob blarg\n' > bad.txt
expect_status "a line without a sign is refused" 2 "$FILM" pool words faq.pool bad.txt
check "the message names the line" grep -q 'bad.txt:1: expected' err
: > none.txt
"$FILM" pool words faq.pool none.txt -q
equal "an empty file removes them" "$(verdict)" same
finish
