#!/usr/bin/env bash
# film match: the words a reason names stand in its sentence, contractions ("can't" is read "can not") too.
source "$(dirname "$0")/tap.sh"
sample 3 "$FAQ/train.tsv" >train.tsv
trained faq.film train.tsv --dim 16
if have "reasons stand in their sentence" "$PYTHON"; then
    cat >check.py <<'END'
import json, subprocess, sys
def look(sentence, part):
    begin, end = part["span"]
    written = sentence.encode()[begin:end].decode()
    assert 0 <= begin < end <= len(sentence.encode()), part
    # As the model reads it: "won't" and "wo n't" are "will not".
    read = written.lower().replace("won't", "will not").replace("wo n't", "will not")
    read = read.replace("can't", "can not").replace("ca n't", "can not").replace("n't", " not")
    for word in part["text"].split():
        assert word in read or (word in ("can", "will") and written.lower()[-2:] in ("ca", "wo")), (part, written)
phrases = 0
for a, b in (("I can't log in , why ca n't we use my card", "why can't we use my card ?"),
             ("why don't you send my card", "why do n't you not send the card, don't you"),
             ("My card won't work and it wo n't", "the card won't work")):
    answer = json.loads(subprocess.run([sys.argv[1], "match", "faq.film", a, b, "--json"], check=True, stdout=subprocess.PIPE).stdout)
    for reason in answer["reasons"]:
        assert reason["kind"] and reason["text"], reason
        phrases += bool(reason["side"]) and " " in reason["text"]
        if reason["side"]:
            look(answer[reason["side"]], reason)
        if "other" in reason:
            look(answer[reason["other"]["side"]], reason["other"])
assert phrases > 5, phrases
END
    check "reasons stand in their sentence, contractions too" "$PYTHON" check.py "$FILM"
fi
finish
