#!/usr/bin/env bash
# film report: the data in the page. It is the whole page's, has the figures of film eval, film explain and numpy, holds
# hostile text as text, and says what was not measured. What the page draws of it, tests/e2e/page_report.mjs tests.
source "$(dirname "$0")/tap.sh"
cat >page.py <<'END'
"""The data of a page, d, and what any page must be: one file that loads nothing, whose data no text can leave."""
import json, re, sys
from html.parser import HTMLParser

def nothing_twice(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), [key for key, _ in pairs]
    return dict(pairs)
def no_constant(name):
    raise ValueError(name)

class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.script = [], []
    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag == 'script': self.script.append('')
    def handle_data(self, text):
        if self.found[-1:] and self.found[-1][0] == 'script': self.script[-1] += text

raw = open(sys.argv[1], encoding='utf-8').read()
elements = Elements()
elements.feed(raw)
tags = [tag for tag, _ in elements.found]
assert tags.count('script') == 2 and tags.count('noscript') == 1 and tags.count('style') == 1, tags
assert not {'iframe', 'object', 'embed', 'img', 'base', 'form'} & set(tags)
for tag, attributes in elements.found:
    for name, value in attributes.items():
        assert not name.startswith('on'), name
        if name in ('href', 'src'): assert value.startswith('#') or value == 'data:,', value
policy = next(a['content'] for _, a in elements.found if a.get('http-equiv') == 'Content-Security-Policy')
assert "default-src 'none'" in policy and "script-src 'nonce-film'" in policy, policy
assert not re.search(r'url\(|@import|^import |^export ', raw, re.M), 'it loads something'
assert elements.script[0].count('<') == 0 and len(raw) < 4e6
d = json.loads(elements.script[0], object_pairs_hook=nothing_twice, parse_constant=no_constant)
texts = ' '.join(one['text'] for one in d['warnings'])
exec(sys.argv[2])
END
page() { "$PYTHON" page.py "$@"; }

sample 4 "$FAQ/train.tsv" >train.tsv
"$FILM" train train.tsv --dim 40 -q -o m.film || { echo "Bail out! no model"; exit 1; }

# ---- pairs ----
expect_status "a report of pairs" 0 "$FILM" report m.film --eval "$FAQ/heldout.tsv" --train train.tsv \
    --pool "$FAQ/questions.tsv" -o pairs.html
check "it is one file that loads nothing, and every part has data" page pairs.html '
for part in ("model figures eval quality mistakes reasons data search shapes dimensions map").split(): assert d[part], part
assert d["data"]["eval"]["audit"] and d["data"]["train"]["audit"] and d["data"]["leaks"] and d["data"]["eval"]["suspicious"]
assert len(d["shapes"]["curves"]) == 9 and d["shapes"]["heats"] and len(d["dimensions"]["list"]) == 6
assert d["map"]["sentences"]["linked"] and d["map"]["words"]["points"]
assert d["files"] == {"eval": "heldout.tsv", "train": "train.tsv", "compare": None} and d["name"] == "m.film"'
"$FILM" eval m.film "$FAQ/heldout.tsv" --pool "$FAQ/questions.tsv" --json -q >eval.json
check "its figures are those of film eval" page pairs.html '
answer = json.load(open("eval.json"))
assert d["eval"] == answer
counts = {(cell["same"], cell["label"]): cell["count"] for cell in d["mistakes"]}
assert counts == {(True, True): answer["confusion"]["tp"], (True, False): answer["confusion"]["fp"],
                  (False, True): answer["confusion"]["fn"], (False, False): answer["confusion"]["tn"]}, counts
assert abs(d["search"][9] - answer["retrieval"]["r10"]) < 1e-6 and abs(d["search"][0] - answer["retrieval"]["r1"]) < 1e-6
pairs = d["quality"]["pairs"]
assert pairs == sorted(pairs) and sum(same + different for _, same, different, _ in pairs) == answer["rows"]
assert abs(sum(right for *_, right in pairs) / answer["rows"] - answer["accuracy"]) < 1e-9
same, different, below = answer["confusion"]["tp"] + answer["confusion"]["fn"], answer["confusion"]["tn"] + answer["confusion"]["fp"], 0
wins = 0  # pairs of pairs in the right order
for _, s, n, _ in pairs:
    wins += s * (below + n / 2)
    below += n
assert abs(wins / same / different - answer["auc"]) < 2e-3, wins / same / different
bins = [[0, 0] for _ in range(15)]
for p, s, n, _ in pairs:
    bins[min(int(p * 15), 14)][0] += p * (s + n)
    bins[min(int(p * 15), 14)][1] += s
assert abs(sum(abs(p - s) for p, s in bins) / answer["rows"] - answer["ece"]) < 5e-3'
"$FILM" predict m.film "$FAQ/heldout.tsv" -q >predicted
cp "$FAQ/heldout.tsv" heldout.tsv
cat >rows.py <<'END'
rows = [l.rstrip("\n").split("\t") for l in open("heldout.tsv", encoding="utf-8")][1:]
p = [float(l.split("\t")[0]) for l in list(open("predicted"))[1:]]
END
check "labels to check are those the model gives less than 10 %" page pairs.html '
exec(open("rows.py").read())
least = [x if r[0] == "1" else 1 - x for x, r in zip(p, rows)]
wanted = sorted((l, i) for i, l in enumerate(least) if l < 0.1)
shown = d["data"]["eval"]["suspicious"]
assert [one["row"] - 1 for one in shown] == [i for _, i in wanted[:20]], shown
assert d["data"]["eval"]["more_suspicious"] == max(len(wanted) - 20, 0)
for one in shown:
    row = rows[one["row"] - 1]
    assert [one["same"], one["a"], one["b"]] == [row[0] == "1", row[1], row[2]] and abs(one["probability"] - p[one["row"] - 1]) < 6e-4, one'
check "the probabilities are those of film predict" page pairs.html '
exec(open("rows.py").read())
pairs = d["quality"]["pairs"]
for same in (1, 0):
    mine = sorted(x for x, r in zip(p, rows) if (r[0] == "1") == same)
    shown = [probability for probability, *labels, _ in pairs for _ in range(labels[1 - same])]
    assert len(mine) == len(shown) and all(abs(a - b) < 0.006 for a, b in zip(mine, shown))'
check "reasons are groups with titles, or words, the strongest first" page pairs.html '
titles = {one["title"] for one in d["reasons"]["totals"].values()} | {"Known from training", "Identical sentences"}
pairs = [pair for cell in d["mistakes"] for pair in cell["pairs"]]
assert len(pairs) > 10
for pair in pairs:
    weights = [abs(term["weight"]) for term in pair["terms"]]
    assert weights == sorted(weights, reverse=True) and 1 <= len(weights) <= 6
    for term in pair["terms"]:
        if "title" in term: assert term["title"] in titles and term["id"], term
        else: assert term["side"] in "ab" and term["text"] in pair[term["side"]], term'
head -13 "$FAQ/heldout.tsv" >few.tsv
"$FILM" report m.film --eval few.tsv -q -o few.html
check "the weights of the groups are those of film match" page few.html '
import collections, os, subprocess
total = collections.Counter()
rows = [l.rstrip("\n").split("\t") for l in open("few.tsv", encoding="utf-8")][1:]
for _, a, b in rows:
    why = json.loads(subprocess.run([os.environ["FILM"], "match", "m.film", "--json", "--", a, b], stdout=subprocess.PIPE).stdout)
    here = collections.Counter()
    for r in why["reasons"]:
        for title in ([r["title"], r["other_title"]] if "other_title" in r else [r.get("title", "Single words")]):
            here[title] += r["weight"] / (2 if "other_title" in r else 1)
    for title, weight in here.items(): total[title] += abs(weight)
shown = {one["title"]: one["weight"] / d["reasons"]["pairs"] for one in d["reasons"]["totals"].values() if one["weight"]}
assert shown and all(abs(total[t] / len(rows) - w) < 1e-5 for t, w in shown.items()), (shown, total)'
"$FILM" explain m.film --dim 0 --all >row.tsv
check "Figure 5 shows the row that film explain --dim 0 --all prints" page pairs.html '
rows = [l.rstrip("\n").split("\t") for l in open("row.tsv", encoding="utf-8")]
assert rows[0] == ["id", "group", "feature", "weight"] and [int(r[0]) for r in rows[1:]] == list(range(len(rows) - 1))
weight = [float(r[3]) for r in rows[1:]]
top = sorted(range(len(weight)), key=lambda i: (-abs(weight[i]), i))[:60]
row = d["dimensions"]
assert [one[0] for one in row["largest"]] == top
assert all(abs(one[1] - weight[i]) < 1e-5 and rows[i + 1][2] == one[2] for one, i in zip(row["largest"], top))
falling = sorted(map(abs, weight), reverse=True)
assert all(abs(w - falling[int(rank) - 1]) < 1e-5 for rank, w in row["sorted"]) and row["sorted"][-1][0] == len(weight) == row["features"]
assert abs(max(y for _, y in row["row"]) - max(weight)) < 1e-5 and abs(min(y for _, y in row["row"]) - min(weight)) < 1e-5
ratio = sum(w ** 2 for w in weight) ** 2 / sum(w ** 4 for w in weight)
assert abs(row["ratio"] / ratio - 1) < 1e-3, ratio'
"$FILM" info m.film --json >info.json
check "the training curve is the one the model keeps" page pairs.html '
kept, shown = json.load(open("info.json"))["figures"]["ranking"], d["figures"]["ranking"]
assert kept["history_columns"] == shown["history_columns"] == ["epoch", "loss", "gradient"]
assert len(shown["history"]) == kept["steps"] == shown["steps"]
assert all(abs(a - b) <= 1e-6 * abs(b) for one, two in zip(shown["history"], kept["history"]) for a, b in zip(one, two))'
"$FILM" report m.film --eval "$FAQ/heldout.tsv" --train train.tsv --pool "$FAQ/questions.tsv" -o again.html -q -t 1
check "one thread writes the same bytes" cmp pairs.html again.html
expect_output "--json names the page" 0 '{"report": "x.html"}' "$FILM" report m.film -o x.html --json
"$FILM" report m.film -o - -q >stdout.html
check "- is standard output" cmp x.html stdout.html

# ---- hostile text ----
printf 'label\tquestion1\tquestion2\n' >hostile.tsv
for i in $(seq 30); do
    printf '%d\t<script>alert(%d)</script> </title></style></svg> card\t"><img src=x onerror=alert(1)> & &amp; card\n' $((i % 2)) "$i"
    printf '%d\t\xe2\x80\xae reversed \xd7\x90\xd7\x91 %d card\t=HYPERLINK("http:\x2f\x2fevil","x") \xf0\x9f\x98\x80 '"'"' card %d\n' $((i / 2 % 2)) "$i" "$i"
    printf '%d\tjavascript:alert(1) --> ]]> card\x01 %d\tlost card %d\n' $((i % 2)) "$i" "$i"
done >>hostile.tsv
"$FILM" train hostile.tsv train.tsv --dim 8 -q -o "h<b>&'\"m.film" 2>err || cat err
cp hostile.tsv "<img src=x>.tsv"
expect_status "a report of hostile text" 0 "$FILM" report "h<b>&'\"m.film" --eval "<img src=x>.tsv" --train hostile.tsv -o hostile.html
check "hostile text is data, and no text ends the data" page hostile.html '
assert d["name"].startswith("h<b>") and d["files"]["eval"] == "<img src=x>.tsv" and "http://evil" in json.dumps(d)
pairs = [pair for cell in d["mistakes"] for pair in cell["pairs"]]
assert any("<script>alert(" in pair["a"] and "onerror=alert(1)" in pair["b"] for pair in pairs)'
head -c 100000 /dev/zero | tr '\0' 'x' | awk '{ for (i = 0; i < 40; i++) print i % 2 "\t" $0 i "\tlost card " i }' >long.tsv
expect_status "sentences of 100 KB" 0 "$FILM" report m.film --eval long.tsv --columns label,a,b -o long.html
check "are cut: the page stays small" bash -c '[ "$(stat -c %s long.html)" -lt 2000000 ]'

# ---- other labels, other models, less to show ----
awk -F'\t' 'NR == 1 { print "sentence1\tsentence2\tscore"; next } { print $2 "\t" $3 "\t" $1 * 3.5 + NR % 3 * 0.5 }' "$FAQ/heldout.tsv" >scores.tsv
"$FILM" report m.film --eval scores.tsv -o s.html -q
check "scores: a scatter and no ROC" page s.html '
q = d["quality"]
assert len(q["scores"]) == 587 and q["every"] == 2 and d["eval"]["rows"] == 1174 and "roc" not in q and d["eval"]["pearson"] > 0
assert [cell["higher"] for cell in d["mistakes"]] == [False, True] and sum(d["data"]["eval"]["scores"]["pairs"]) == d["eval"]["rows"]'
"$FILM" report m.film --eval "$FAQ/questions.tsv" --train "$FAQ/questions.tsv" -o c.html -q
check "categories: shares, sizes and a map" page c.html '
assert d["eval"]["category_accuracy"]["10"] > 0 and d["data"]["eval"]["categories"][0][1] > 0 and not d["map"]["sentences"]["linked"]
assert not d["quality"] and "280 of the 280 evaluation sentences (100.0 %)" in texts'
printf 'anchor\tpositive\tnegative\n' >triplets.tsv
for i in $(seq 25); do printf 'lost my card %d\tmy card %d is lost\twhere is my parcel %d\n' "$i" "$i" "$i"; done >>triplets.tsv
"$FILM" report m.film --eval triplets.tsv -o t.html -q
check "triplets are two pairs each" page t.html '
assert d["quality"]["pairs"] and d["data"]["eval"]["pairs"]["all"] == 50 and "Only 50 pairs" in texts'
"$FILM" report m.film -o a.html -q
check "a model alone" page a.html '
assert d["eval"] is None and not d["quality"] and not d["mistakes"] and not d["reasons"]["totals"] and not d["data"]
assert d["shapes"]["curves"] and d["dimensions"]["list"] and d["map"]["words"]["points"] and not d["map"]["sentences"]'
cut -f2 train.tsv >lines.txt
"$FILM" report m.film --eval lines.txt --train lines.txt -o n.html -q
check "a file without labels" page n.html 'assert "lines.txt has no labels" in texts and d["eval"] is None'
"$FILM" train train.tsv --method tfidf --decision threshold -q -o tfidf.film
"$FILM" report tfidf.film --eval "$FAQ/heldout.tsv" -o f.html -q
check "a model without vectors and with a threshold" page f.html '
assert not d["model"]["full"] and not d["model"]["vectors"] and not d["map"]["words"] and not d["dimensions"] and not d["shapes"]
assert d["quality"]["pairs"] and not d["eval"]["knn"]'
"$FILM" train train.tsv --method film --rank 40 --dim 10 --decision threshold -q -o film.film
"$FILM" report film.film -o g.html -q
check "method film: objective, gradient, active anchors, singular values" page g.html '
kept = d["figures"]["film"]
assert {"objective", "gradient", "active", "hinge", "satisfied"} <= set(kept["history_columns"]) and kept["history"]
assert len(d["singular_values"]) == 40 and d["singular_values"] == sorted(d["singular_values"], reverse=True)'

# ---- other systems ----
cat >systems.csv <<'END'
system,model,accuracy_percent,log_loss,training_seconds,processor_seconds,memory_mb,model_mb,sentences_per_second,explained_percent,explained
FILM,m.film,80,0.4,2.5,4,120,22.5,60000,100,"words, traits"
<script>alert(1)</script>,other.film,70.5,,0.004,0,1500,,,0,"=HYPERLINK(""x"") <b>&"
nothing known,,,,,,,,,,
END
"$FILM" report m.film --eval "$FAQ/heldout.tsv" --compare systems.csv -o v.html -q
check "other systems: this model is marked, empty fields are null" page v.html '
columns = ["name", "own", "accuracy_percent", "log_loss", "training_seconds", "processor_seconds", "memory_mb", "model_mb",
           "sentences_per_second", "explained_percent", "explained"]
rows = [[one[c] for c in columns] for one in d["others"]]
assert rows[0] == ["FILM", True, 80, 0.4, 2.5, 4, 120, 22.5, 60000, 100, "words, traits"], rows[0]
assert rows[1] == ["<script>alert(1)</script>", False, 70.5, None, 0.004, 0, 1500, None, None, 0, "=HYPERLINK(\"x\") <b>&"], rows[1]
assert rows[2] == ["nothing known", False] + 8 * [None] + [""], rows[2]
assert "systems.csv gives this model an accuracy of 80.0 %" in texts'
printf '\xef\xbb\xbfSystem , log_loss\r\n\r\n"a ""b""\nc",1e-3\r\n' >windows.csv
"$FILM" report m.film --compare windows.csv -o v.html -q
check "a table as Windows writes it, of two columns" page v.html '
assert [(one["name"], one["log_loss"], one["own"]) for one in d["others"]] == [("a \"b\"\nc", 0.001, False)], d["others"]'
check "without --compare there are none" page pairs.html 'assert d["others"] == []'

# ---- the audit, and what is counted, against brute force ----
if have_numpy "the audit is what numpy finds"; then
    "$PYTHON" -c '
import random
random.seed(4)
print("label\tquestion1\tquestion2")
rows = []
for i in range(1500):                      # duplicates are of questions that occur often, most of the time
    same = random.random() < .5
    often = random.random() < (.8 if same else .3)
    q = [random.randrange(60 if often else 2000) for _ in range(2)]
    print(f"{int(same)}\tq{q[0]} lost card\tq{q[1]} lost card")' >biased.tsv
    "$FILM" report m.film --eval biased.tsv -o b.html -q
    check "the audit is what numpy finds" page b.html '
import numpy as np, collections, random
rows = [l.rstrip("\n").split("\t") for l in open("biased.tsv")][1:]
audit = d["data"]["eval"]["audit"]
count, near = collections.Counter(), collections.defaultdict(set)
for y, a, b in rows:
    for q in {a, b}: count[q] += 1
    if a != b: near[a].add(b); near[b].add(a)
x = np.array([[1, *sorted(np.log1p([count[a], count[b]])), np.log1p(len(near[a] & near[b]))] for y, a, b in rows])
y = np.array([float(r[0]) for r in rows])
def fit(x, y):                             # plain Newton steps
    w = np.zeros(x.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-x @ w))
        w -= np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(len(w)), x.T @ (p - y))
    return w
found = []
for seed in range(20):
    half = np.random.RandomState(seed).rand(len(y)) < .5
    right = [((x[t] @ fit(x[~t], y[~t]) > 0) == y[t]).sum() for t in (half, ~half)]
    found.append(sum(right) / len(y))
said = audit["accuracy"]
assert abs(said - np.mean(found)) < 3 * np.std(found) + .01, (said, np.mean(found), np.std(found))
assert said > .65 and audit["biased"] and "biased.tsv can be predicted without reading" in texts
for (share, pairs), (low, high) in zip(audit["by_count"], [(1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 1e9)]):
    labels = [float(l) for l, a, b in rows if low <= max(count[a], count[b]) <= high]
    assert pairs == len(labels) and (abs(share - np.mean(labels)) < 1e-6 if labels else share is None), (low, share)'
fi
# ---- causes are named only where they hold ----
shared=$(printf '%s' "contain a training question")
head -1 "$FAQ/heldout.tsv" >mixed.tsv; tail -n +2 "$FAQ/heldout.tsv" >>mixed.tsv; sed -n 2,6p train.tsv >>mixed.tsv
"$FILM" report m.film --eval mixed.tsv --train train.tsv -q -o k.html
check "a leak that changes nothing is counted, not warned of" page k.html "
assert '$shared' not in texts and d['data']['leaks']['either'] == 5 and 0 < d['data']['leaks']['accuracy'] < 1"
head -1 "$FAQ/heldout.tsv" >mixed.tsv; sed -n 2,200p "$FAQ/heldout.tsv" >>mixed.tsv; tail -n +2 train.tsv >>mixed.tsv
"$FILM" report m.film --eval mixed.tsv --train train.tsv -q -o k.html
check "a leak that matters is" page k.html "
assert '$shared' in texts and re.search(r'Without them, accuracy is [0-9.]+ % instead of [0-9.]+ %', texts)"
awk -F'\t' 'NR == 1 || $1 == 0 || NR % 12 == 0' "$FAQ/heldout.tsv" >rare.tsv
"$FILM" report m.film --eval rare.tsv -q -o k.html
check "rare duplicates are the cause of probabilities that are off" page k.html '
assert re.search(r"they assume 50 % duplicates, and this file has [0-9.]+ %", texts)'
awk -F'\t' 'BEGIN { OFS = "\t" } NR > 1 && NR % 3 == 0 { $1 = 1 - $1 } 1' "$FAQ/heldout.tsv" >noisy.tsv
"$FILM" report m.film --eval noisy.tsv -q -o k.html
check "wrong labels are not mistaken for that" page k.html '
assert "The probabilities are off by" in texts and "they assume" not in texts'

# ---- categories, against numpy ----
if have_numpy "the worst categories are what numpy finds"; then
    cut -f3,4 "$FAQ/clusters.tsv" >categories.tsv
    "$FILM" report m.film --eval categories.tsv -q -o w.html
    cut -f4 "$FAQ/clusters.tsv" | tail -n +2 | awk '!seen[$0]++' >sentences.txt
    "$FILM" embed m.film sentences.txt -q -o vectors.npy
    check "the worst categories are what numpy finds" page w.html '
import numpy as np, collections
own = {}
for line in list(open("categories.tsv"))[1:]:
    category, text = line.rstrip("\n").split("\t")
    own.setdefault(text, category)
texts = [l.rstrip("\n") for l in open("sentences.txt")]
v = np.load("vectors.npy").astype(np.float64)
v /= np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-30)
near = v @ v.T
np.fill_diagonal(near, -np.inf)
tally = collections.defaultdict(lambda: [0, 0, collections.Counter()])
for i, text in enumerate(texts):
    votes = collections.Counter(own[texts[j]] for j in np.argsort(-near[i], kind="stable")[:10])
    winner = votes.most_common(1)[0][0]  # of equally many, the nearer one was counted first
    entry = tally[own[text]]
    entry[0] += 1
    entry[1] += winner == own[text]
    entry[2][winner] += winner != own[text]
shown = d["data"]["eval"]["worst"]
assert len(shown) == min(15, sum(r < n for n, r, _ in tally.values())) > 3
worst = sorted(r / n for n, r, _ in tally.values())
for i, one in enumerate(shown):
    n, right, instead = tally[one["category"]]
    assert one["sentences"] == n and abs(one["right"] / n - right / n) < 0.011, (one, n, right)
    assert abs(one["right"] / n - worst[i]) < 0.011 and one["confused"] == max(instead.values()), (one, instead)'
fi

printf 'label\tquestion1\tquestion2\n1\ta b\tc d\n0\tC D?\tA b\n1\tx y\tz w\n1\tz w\tv u\n0\tx y\tv u\n' >odd.tsv
"$FILM" report m.film --eval odd.tsv --train odd.tsv -o o.html -q
check "contradictions and leaks are counted" page o.html '
assert "1 pairs have both labels, and 2 pairs are labelled different although a chain" in texts
for file in ("eval", "train"):
    why = [one["why"] for one in d["data"][file]["suspicious"]]
    assert why[0].startswith("the same pair has the other label") and any(w.startswith("a chain") for w in why), why
assert "5 of the 5 evaluation pairs (100.0 %) contain a training question, and 5 are also" in texts'

# ---- refusals ----
expect_output "without -o" 1 'film report: -o REPORT.html is missing; see film report --help' "$FILM" report m.film
expect_output "a pool without --eval" 1 \
    'film report: --pool needs --eval FILE, whose duplicates are searched for; see film report --help' \
    "$FILM" report m.film --pool train.tsv -o p.html
expect_output "no such file" 3 'film: cannot open missing.tsv: No such file or directory' "$FILM" report m.film --eval missing.tsv -o p.html
expect_output "a page that cannot be written" 3 'film: cannot write nowhere/p.html: No such file or directory' "$FILM" report m.film -o nowhere/p.html
cp a.html old.html
printf 'label\tquestion1\tquestion2\n1\ta\tb\n7\tc\td\n' >bad.tsv
expect_status "a bad row is refused" 2 "$FILM" report m.film --eval bad.tsv --labels pairs -o old.html
check "and the older page stays" cmp a.html old.html
expect_status "or skipped" 0 "$FILM" report m.film --eval bad.tsv --labels pairs --skip-bad -o old.html
check "which is reported" page old.html 'assert "Bad rows skipped in bad.tsv: 1." in texts'
finish
