#!/usr/bin/env bash
# film match: the answers for people and programs, and that they add up.
source "$(dirname "$0")/tap.sh"
trained faq.film "$FAQ/train.tsv" --dev "$FAQ/heldout.tsv" --dim 32 --features word,bigram
trained plain.film "$FAQ/train.tsv" --dim 16 --features word --decision threshold

run "$FILM" match faq.film "I lost my card" "my card is gone"
check "the first line is the verdict" grep -qE '^(same|different)  probability [01]\.[0-9]{3}, similarity -?[01]\.[0-9]{3}$' out
help=$("$FILM" match --help | sed -n 's/^  film match faq.film "\(I lost.*\)"$/\1/p')
run "$FILM" match faq.film "${help%%\"*}" "${help##*\"}"
check "the pair in the help is the same" grep -q '^same  probability 0\.[6-9]' out
run "$FILM" match faq.film "I lost my card" "my card is gone"
check "the sentences follow" diff <(sed -n 2,3p out) <(printf '  a  I lost my card\n  b  my card is gone\n')
check "then the words that differ" grep -qxE '  differ: .*"I lost".*' out
check "and the smallest edits that reverse the verdict" grep -qE '^  would be (different|the same) \([01]\.[0-9]{2}\) with(out)? "' out
check "then what can be seen, the log-odds and where every pair starts" awk 'NR > 3 && !/^  (-  [a-z]|differ: |would be |or )/ { exit }
    { n++ } END { exit !(n >= 3) }' out
grep -vE '^  (-  |differ: |would be |or |no reversal)' out >sum
check "the sum follows" diff <(sed -nE '4s/[+-][0-9.]+/N/; 5s/[+-][0-9.]+ +#* */N /; 4,5p' sum) \
    <(printf 'log-odds N =\n    N               Bias (the same for every pair)\n' | sed 's/N  *Bias/N Bias/') -b
check "then ten words and groups, those for the verdict first, strongest first, and the rest" awk '
    NR == 1 { same = $1 == "same" }
    NR > 5 { n++; w = $1 < 0 ? -$1 : $1; against = ($1 > 0) != same
    if (!/^ +[+-][0-9]+\.[0-9][0-9]  #* +([A-Z][a-z ]+( \([^()]+\))?|Bias \(the same for every pair\)|"[A-Za-z]+"( in [ab])?|[0-9]+ more)$/) { print; bad = 1 }
    if (n > 1 && n < 11 && (against < was || (against == was && w > before + 0.001))) { print; bad = 1 }
    before = w; was = against } END { exit bad || n != 11 }' sum
check "nothing on standard error" test ! -s err
check "the printed sum adds up to its rounding" awk '/^log-odds/ { total = $2 } NR > 4 { s += $1; n++ }
    END { d = s - total; exit !(n > 2 && d < 0.006 * n && d > -0.006 * n) }' sum
run "$FILM" match --decision threshold faq.film "I lost my card" "my card is gone"
grep -vE '^  (-  |differ: |would be |or |no reversal)' out >sum
check "by similarity alone, words are the only reasons" awk 'NR > 5 && !/ "[A-Za-z]+"( in [ab])?$/ && !/ more$/ { print; bad = 1 }
    END { exit bad }' sum
run "$FILM" match plain.film "I lost my card" "my card is gone"
mv out plain
run "$FILM" match --decision auto plain.film "I lost my card" "my card is gone"
check "auto is what the model has" diff plain out
expect_output "full is refused where the model has none" 1 \
    'film: this model has only a threshold on the similarity; train one with labels and a full decision' \
    "$FILM" match --decision full plain.film "I lost my card" "my card is gone"
run "$FILM" match faq.film "x" "x" --quiet
check "--quiet still answers" grep -q probability out

# ---- JSON ----
if have "JSON answers" "$PYTHON"; then
    cat >check.py <<'END'
import json, math, subprocess, sys
film, rows = sys.argv[1], [line.rstrip("\n").split("\t") for line in open(sys.argv[2], encoding="utf-8")][1:]
def match(*arguments):
    done = subprocess.run([film, "match", "--json", "faq.film", *arguments], capture_output=True)
    assert done.returncode == 0, (arguments, done)
    return json.loads(done.stdout.decode("utf-8"))
worst, kinds = 0, set()
for _, a, b in rows[::len(rows) // 20]:
    answer, swapped = match("--", a, b), match("--", b, a)
    assert answer["a"] == a and answer["b"] == b
    total = answer["bias"] + sum(reason["weight"] for reason in answer["reasons"])
    worst = max(worst, abs(total - answer["log_odds"]))
    assert abs(total - answer["log_odds"]) < 1e-9, (a, b, total, answer["log_odds"])
    assert abs(answer["probability"] - 1 / (1 + math.exp(-answer["log_odds"]))) < 1e-12
    assert abs(answer["probability"] - swapped["probability"]) < 1e-12, (a, b)
    assert answer["same"] == swapped["same"]
    order = [((reason["weight"] > 0) != answer["same"], -abs(reason["weight"])) for reason in answer["reasons"]]
    assert order == sorted(order)  # for the verdict first, each half with the strongest first
    for reason in answer["reasons"]:
        if reason["kind"] in ("trait", "memory"):
            assert reason["side"] is None and reason["span"] is None and "other" not in reason, reason
            continue
        for part in (reason, reason.get("other")):
            if not part:
                assert reason["kind"] != "opposed", reason
                continue
            begin, end = part["span"]
            text = answer[part["side"]].encode()
            # "can't" is read as "can" and "not": only there the words are not what stands in the sentence
            contracted = any(mark in text[begin:end + 3].decode(errors="ignore") for mark in "'\u2019")
            words = "".join(c if c.isalnum() else " " for c in text[begin:end].decode().lower()).split()
            assert " ".join(words) == part["text"] or contracted, (words, reason)
        kinds.add(reason["kind"])
    likely = match("--prior", "0.9", "--", a, b)
    assert abs(likely["log_odds"] - answer["log_odds"] - math.log(9)) < 1e-9
    assert abs(likely["bias"] - answer["bias"] - math.log(9)) < 1e-9
assert {"word", "opposed"} <= kinds, kinds
print("largest difference", worst)
END
    check "weights and bias add up to the log-odds, for 20 pairs, both ways round, with a prior" \
        "$PYTHON" check.py "$FILM" "$FAQ/heldout.tsv"
fi

# ---- unusual sentences ----
for pair in '|' 'my card|' '|my card' 'zzzqqq xxxyyy|my card' '...|!!!' ' |	' '😀 👍|café ÀÉ' '日本語|русский' 'a"b\c|<&>' $'two\nlines|one'; do
    a=${pair%%|*} b=${pair#*|}
    expect_status "\"${pair//[$'\n\t']/?}\" gets an answer" 0 "$FILM" match faq.film -- "$a" "$b"
    run "$FILM" match --json faq.film -- "$a" "$b"
    check "and one in JSON" grep -q '"log_odds": ' out
done
run "$FILM" match plain.film "zzzqqq xxxyyy" "my card"
check "that words are not known is said" grep -qx '  -  words unknown to the model: zzzqqq, xxxyyy' out
expect_output "a sentence that begins with a dash needs --" 1 \
    'film match: unknown option -5 degrees; see film match --help' "$FILM" match faq.film "-5 degrees" "cold"
expect_status "with -- it is a sentence" 0 "$FILM" match faq.film -- "-5 degrees" "cold"
long=$(head -c 100000 "$FAQ/train.tsv" | tr '\n\t' '  ' | iconv -cf UTF-8 -t UTF-8)
expect_status "100 kB of text get an answer" 0 "$FILM" match faq.film "$long" "my card"
check "the long sentence is printed whole" test "$(sed -n 2p out)" = "  a  $long"
expect_status "a word of 80 kB" 0 "$FILM" match faq.film "$(tr -d " " <<<"$long")" "my card"
expect_output "not UTF-8" 2 "film: the text is not valid UTF-8 at byte 2" "$FILM" match faq.film $'ab\xff' "my card"
expect_output "not UTF-8 in the second" 2 "film: the text is not valid UTF-8 at byte 0" "$FILM" match faq.film "my card" $'\xc3'
for bad in 0 1 -0.1 1.5; do
    expect_output "--prior $bad" 1 "film match: --prior $bad: expected a probability above 0 and below 1, or auto; see film match --help" "$FILM" match faq.film --prior="$bad" a b
done
expect_status "--prior nan" 1 "$FILM" match faq.film --prior nan a b
expect_output "a full disk" 3 "film: cannot write standard output: No space left on device" \
    bash -c '"$0" match faq.film a b >/dev/full' "$FILM"
expect_output "a full disk, JSON" 3 "film: cannot write standard output: No space left on device" \
    bash -c '"$0" match --json faq.film a b >/dev/full' "$FILM"
finish
