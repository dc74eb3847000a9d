#!/usr/bin/env bash
# film explain: of a pair the parts add up, of words, dimensions and models the lists are there, in text and JSON.
source "$(dirname "$0")/tap.sh"
sample 4 "$FAQ/train.tsv" >pairs.tsv
trained faq.film pairs.tsv --dim 16 --keep-examples 200
trained none.film pairs.tsv --dim 16
trained features.film pairs.tsv --method tfidf --decision threshold
a="I lost my card, what now?" b="My 2 cards are not here"

run "$FILM" explain faq.film --pair "$a" "$b"
cp out pair
check "a pair begins as film match shows it" diff <("$FILM" match faq.film "$a" "$b") <(head -n "$("$FILM" match faq.film "$a" "$b" | wc -l)" pair)
check "numbers are a fact" grep -qx '  -  only the second sentence has the number 2' pair
check "so is a negation" grep -qx '  -  only the second sentence is negated: not' pair
check "links follow" grep -qE '^similarity -?[0-9.]+, by pairs of words:$' pair
check "then the nearest stored pairs" test "$(sed -n '/^nearest stored pairs:$/,$p' pair | wc -l)" -eq 10
check "nothing on standard error" test ! -s err
run "$FILM" explain faq.film --pair "$a" "$b" --all
check "--all adds every reason" diff <(cat pair) <(sed '/^all reasons:$/,$d' out)
run "$FILM" match faq.film "$a" "$b" --json
reasons=$(grep -o '"kind"' out | wc -l)
run "$FILM" explain faq.film --pair "$a" "$b" --all
check "as many as film match --json has" test "$(sed '1,/^all reasons:$/d' out | wc -l)" -eq $((reasons + 1))
run "$FILM" explain none.film --pair "$a" "$b"
check "a model without examples shows none" bash -c '! grep -q nearest out'
check "examples change no answer" diff <("$FILM" match faq.film "$a" "$b") <("$FILM" match none.film "$a" "$b")
run "$FILM" explain features.film --pair "$a" "$b"
check "features alone are explained too" grep -q '^similarity' out

if have "JSON answers" "$PYTHON"; then
    cat >check.py <<'END'
import json, subprocess, sys
film, a, b = sys.argv[1:]
def ask(*arguments):
    done = subprocess.run([film, arguments[0], "--json", *arguments[1:]], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.decode("utf-8"))
for model in ("faq.film", "none.film", "features.film"):
    for more in ([], ["--prior", "0.1"], ["--decision", "threshold"]):
        for one, two in ((a, b), ("Straße 日本語 won't “ok”", "strasse 日本 will not 😀"), ("", "x"), ("card", "card")):
            why = ask("explain", model, *more, "--pair", "--", one, two)
            match = ask("match", model, *more, "--", one, two)
            assert why["a"] == one and why["b"] == two
            for key in ("probability", "same", "similarity", "log_odds", "bias"):
                assert why[key] == match[key], key
            total = why["bias"] + sum(w["weight"] for w in why["words"]) + sum(g["weight"] for g in why["groups"])
            assert abs(total - why["log_odds"]) < 1e-9, (one, two, total, why["log_odds"])
            for group in why["groups"]:
                assert group["title"] and abs(sum(r["weight"] for r in group["reasons"]) - group["weight"]) < 1e-9
            for word in why["words"]:
                begin, end = word["span"]
                assert why[word["side"]].encode()[begin:end].decode() == word["text"], word
            for link in why["links"]:
                for side in "ab":
                    begin, end = link[side]["span"]
                    assert why[side].encode()[begin:end].decode() == link[side]["text"], link
            assert len(why["examples"]) == (3 if model == "faq.film" else 0)
about = ask("explain", "faq.film", "--word", "Card", "--most", "4")
assert about["word"] == "card" and all(len(about[k]) == 4 for k in ("nearest", "dimensions", "pairs")), about
about = ask("explain", "faq.film", "--dim", "15")
assert about["dimension"] == 15 and about["dimensions"] == 16
assert len(about["positive"]) == len(about["negative"]) == len(about["highest"]) == 10
assert about["positive"][0]["weight"] > 0 > about["negative"][0]["weight"]
about = ask("explain", "faq.film", "--most", "3")
assert about["decision"] == "full" and about["examples"] == 200
assert all(len(about[k]) == 3 for k in ("insists_on", "welcomes", "ignores", "loudest", "quietest", "traits")), about
about = ask("explain", "features.film")
assert about["decision"] == "threshold" and "traits" not in about
END
    check "parts add up, spans and names are right, for every model and kind" "$PYTHON" check.py "$FILM" "$a" "$b"
fi

run "$FILM" explain faq.film --word card
check "a word in text" grep -qE '^"card", idf [0-9.]+$' out
check "with its neighbours" grep -qx 'nearest words:' out
run "$FILM" explain faq.film --dim 3 --all
check "--dim --all prints every weight as a table" awk -F'\t' 'NR == 1 { if ($0 != "id\tgroup\tfeature\tweight") exit 1; next }
    NF != 4 || $1 != NR - 2 || $2 !~ /^(word|bigram|char)$/ || $4 !~ /^-?[0-9.e-]+$/ { print; bad = 1 }
    END { exit bad || NR < 100 }' out
mv out table
run "$FILM" explain faq.film --dim 3 --json
check "in which the first of --dim has the highest weight" "$PYTHON" -c '
import json
best = json.load(open("out"))["positive"][0]
rows = [l.rstrip("\n").split("\t") for l in list(open("table"))[1:]]
words = [r for r in rows if r[1] == "word"]
top = max(words, key=lambda r: float(r[3]))
assert top[2] == best["text"] and abs(float(top[3]) - best["weight"]) < 1e-7, (top, best)'
run "$FILM" explain faq.film --json
check "traits of the model have the title of their group" "$PYTHON" -c '
import json
traits = json.load(open("out"))["traits"]
assert traits and all(t["title"][0].isupper() and t["group"] and t["id"] for t in traits)'
run "$FILM" explain faq.film --dim 0
check "a dimension in text" grep -qE '^dimension 0 of 16: about [0-9]+ of [0-9]+ words contribute; the ten strongest make up [0-9]+ %$' out
check "with the sentences at its ends" grep -qx 'stored sentences with the lowest values:' out
run "$FILM" explain faq.film
check "a model in text" grep -qE '^traits, by the range' out
FILM_SHARED="$PWD/again" trained again.film pairs.tsv --dim 16 --keep-examples 200
check "the same training keeps the same examples" cmp faq.film again.film
run "$FILM" info again.film
check "the model opens" test "$status" -eq 0
finish
