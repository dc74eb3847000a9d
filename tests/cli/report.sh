#!/usr/bin/env bash
# film report: a page that parses, has every section, loads nothing, shows hostile text as text and the same figures
# as film eval; what cannot be shown is said; the audit against numpy.
source "$(dirname "$0")/tap.sh"
cat >page.py <<'END'
"""What a page holds: parsed as XML (strict) and by the HTML parser of the standard library."""
import csv, io, re, sys, urllib.parse, xml.etree.ElementTree as E
from html.parser import HTMLParser

class Page:
    def __init__(self, path):
        self.raw = open(path, encoding='utf-8').read()
        self.root = E.fromstring(self.raw.split('\n', 1)[1])  # without the DOCTYPE
        self.ids = [e.get('id') for e in self.root.iter() if e.get('id')]
        self.text = ' '.join(''.join(self.root.itertext()).split())
    def table(self, figure):
        """The rows behind a figure's CSV link."""
        for e in self.root.iter('figure'):
            if e.get('id') == figure:
                link = [a for a in e.iter('a') if a.get('class') == 'csv'][0].get('href')
                return list(csv.reader(io.StringIO(urllib.parse.unquote(link.split(',', 1)[1]))))
        raise SystemExit(f'no figure {figure}')
    def cells(self, table):
        """The texts of a table's cells."""
        found = [t for t in self.root.iter('table') if t.get('id') == table][0]
        return [[' '.join(''.join(c.itertext()).split()) for c in row] for row in found.iter('tr')]
    def check(self):
        assert len(set(self.ids)) == len(self.ids), 'an id stands twice'
        for e in self.root.iter():
            assert e.tag not in ('script', 'iframe', 'object', 'embed', 'img', 'link', 'base', 'form'), e.tag
            for name, value in e.attrib.items():
                assert not name.startswith('on'), name
                if name in ('href', 'src'):
                    assert value.startswith('#') or value.startswith('data:text/csv'), value[:80]
        style = self.root.find('.//style').text
        assert not re.search(r'url\(|@import', style)
        assert not re.search(r'https?://', self.raw), 'an address'
        for a in self.root.iter('a'):
            if a.get('href').startswith('#'): assert a.get('href')[1:] in self.ids, a.get('href')
        for f in self.root.iter('figure'):
            assert self.table(f.get('id')), f.get('id')
        assert not re.search(r'[" ](nan|inf|-nan|-inf)[" <]', self.raw), 'not a number'
        class Strict(HTMLParser):
            pass
        Strict().feed(self.raw)
        assert len(self.raw) < 4e6
sys.argv += ['']
page = Page(sys.argv[1])
page.check()
exec(sys.argv[2])
END
page() { "$PYTHON" page.py "$@"; }

sample 4 "$FAQ/train.tsv" >train.tsv
"$FILM" train train.tsv --dim 40 -q -o m.film || { echo "Bail out! no model"; exit 1; }

# ---- pairs ----
expect_status "a report of pairs" 0 "$FILM" report m.film --eval "$FAQ/heldout.tsv" --train train.tsv \
    --pool "$FAQ/questions.tsv" -o pairs.html
check "it is well-formed, loads nothing and has every section" page pairs.html '
for id in "summary quality mistakes reasons sweep data training shapes dimensions map".split(): assert id in page.ids, id
for id in "thresholds reasons-groups labels-eval row-first row-sorted".split(): assert id in page.ids, id
for id in ("roc precision-recall calibration probabilities log-loss coverage confusion knn-rates knn-entropy retrieval "
           "audit-eval-count audit-eval-common audit-train-count training-loss training-gradient training-trees "
           "shape-1 shape-two-1 map-sentences map-words").split(): assert id in page.ids, id
assert sum(i.startswith("dimension-") for i in page.ids) == 6
folded = [d for s in page.root.iter("section") if s.get("class") == "research" for d in s.findall("details")]
assert [d.find("div").get("id") for d in folded] == "sweep training shapes dimensions map".split()
assert not any(d.get("open") for d in folded) and "missing" not in page.ids'
"$FILM" eval m.film "$FAQ/heldout.tsv" --pool "$FAQ/questions.tsv" --json -q >eval.json
check "its figures are those of film eval" page pairs.html '
import json
d = json.load(open("eval.json"))
for name in ("auc", "log_loss"): assert f"{d[name]:.3f}" in page.text, name
for name in ("accuracy", "ece", "precision", "recall"): assert f"{100 * d[name]:.1f} %" in page.text, name
cells = page.cells("thresholds")[1:]
share = lambda x: "-" if x is None else f"{100 * x:.1f} %"
assert cells == [["%.2f" % t["threshold"], share(t["precision"]), share(t["recall"]), share(t["called_same"]),
                  "in use" if t["used"] else ""] for t in d["thresholds"]], cells
rows = page.table("confusion")[1:]
n = {(r[0], r[1]): float(r[2]) for r in rows}
assert sum(n.values()) == d["rows"]
assert abs((n["decided same", "same"] + n["decided different", "different"]) / d["rows"] - d["accuracy"]) < 1e-9
tpr = [float(r[2]) for r in page.table("knn-rates")[1:] if r[0].startswith("TPR")]
assert all(abs(a - b["tpr"]) < 1e-6 for a, b in zip(tpr, d["knn"])) and len(tpr) == len(d["knn"])
found = [float(r[2]) for r in page.table("retrieval")[1:]]
assert abs(found[9] - d["retrieval"]["r10"]) < 1e-6 and abs(found[0] - d["retrieval"]["r1"]) < 1e-6
roc = [(float(r[1]), float(r[2])) for r in page.table("roc")[1:] if r[0] == "model"]
area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(roc, roc[1:]))
assert roc[0] == (0, 0) and roc[-1] == (1, 1) and abs(area - d["auc"]) < 0.004, area'
"$FILM" predict m.film "$FAQ/heldout.tsv" -q >predicted
cp "$FAQ/heldout.tsv" heldout.tsv
check "labels to check are those the model gives less than 10 %" bash -c '"$PYTHON" page.py pairs.html "
rows = [l.rstrip(\"\n\").split(\"\t\") for l in open(\"heldout.tsv\")][1:]
p = [float(l.split(\"\t\")[0]) for l in list(open(\"predicted\"))[1:]]
least = [x if r[0] == \"1\" else 1 - x for x, r in zip(p, rows)]
wanted = sorted((l, i) for i, l in enumerate(least) if l < 0.1)[:20]
shown = page.cells(\"labels-eval\")[1:]
assert [int(c[0]) - 1 for c in shown] == [i for _, i in wanted], shown
for c in shown:
    row = rows[int(c[0]) - 1]
    assert c[1] == (\"same\" if row[0] == \"1\" else \"different\") and c[3].startswith(row[1].split()[0]), c
    assert abs(float(c[2]) - p[int(c[0]) - 1]) < 6e-4
"'
check "reasons are groups with titles, or words; those for the decision come first" page pairs.html '
titles = {c[0] for c in page.cells("reasons-groups")[1:]} | {"Known from training", "Identical sentences", "Single words"}
lists = [e for e in page.root.iter("div") if e.get("class") == "chips"]
assert len(lists) > 10
for chips in lists:
    same = chips[0].get("class") == "for"
    for chip in chips:
        text = "".join(chip.itertext()).split(" ", 1)[1]
        assert text in titles and chip.get("title") or re.fullmatch("\u201c.*\u201d in [ab]", text), text
    order = [(chip.get("class") == "for") != same for chip in chips]
    assert order == sorted(order), order'
head -13 "$FAQ/heldout.tsv" >few.tsv
"$FILM" report m.film --eval few.tsv -q -o few.html
check "the weights of the groups are those of film match" bash -c '"$PYTHON" page.py few.html "
import collections, json, subprocess
total = collections.Counter()
rows = [l.rstrip(\"\n\").split(\"\t\") for l in open(\"few.tsv\")][1:]
for _, a, b in rows:
    why = json.loads(subprocess.run([\"$0\", \"match\", \"m.film\", \"--json\", \"--\", a, b], stdout=subprocess.PIPE).stdout)
    here = collections.Counter()
    for r in why[\"reasons\"]:
        for title in ([r[\"title\"], r[\"other_title\"]] if \"other_title\" in r else [r.get(\"title\", \"Single words\")]):
            here[title] += r[\"weight\"] / (2 if \"other_title\" in r else 1)
    for title, weight in here.items(): total[title] += abs(weight)
shown = {c[0]: float(c[1]) for c in page.cells(\"reasons-groups\")[1:]}
assert shown and all(abs(total[t] / len(rows) - w) < 0.0051 for t, w in shown.items()), (shown, total)
"' "$FILM"
"$FILM" explain m.film --dim 0 --all >row.tsv
check "Figure 5 shows the row that film explain --dim 0 --all prints" page pairs.html '
rows = [l.rstrip("\n").split("\t") for l in open("row.tsv")]
assert rows[0] == ["id", "group", "feature", "weight"] and [int(r[0]) for r in rows[1:]] == list(range(len(rows) - 1))
weight = [float(r[3]) for r in rows[1:]]
top = sorted(range(len(weight)), key=lambda i: (-abs(weight[i]), i))[:60]
spikes = page.table("row-first")[1:]
assert [int(float(s[1])) for s in spikes] == top
assert all(abs(float(s[2]) - weight[i]) < 1e-5 and rows[i + 1][2] in s[3] for s, i in zip(spikes, top))
curve = page.table("row-sorted")[1:]
falling = sorted(map(abs, weight), reverse=True)
assert all(abs(float(c[2]) - falling[int(float(c[1])) - 1]) < 1e-5 for c in curve) and int(float(curve[-1][1])) == len(weight)
ratio = sum(w ** 2 for w in weight) ** 2 / sum(w ** 4 for w in weight)
assert f"about {ratio:.0f} of {len(weight)} features" in page.text, ratio'
edge() { page "$1" 'import json
d = json.load(open(sys.argv[3]))
assert ("knn-edge" in page.ids) == (d["best_k"] in (1, 55)), d["best_k"]
assert "The paper chose k = 36" in page.text' "$2"; }
check "a best k at the edge of the sweep is reported" edge pairs.html eval.json
"$FILM" info m.film --json >info.json
check "the training curve is the one the model keeps" page pairs.html '
import json
kept = json.load(open("info.json"))["figures"]["ranking"]
assert kept["history_columns"] == ["epoch", "loss", "gradient"] and len(kept["history"]) == kept["steps"]
rows = page.table("training-loss")[1:]
assert [int(r[1]) for r in rows] == list(range(1, kept["steps"] + 1))
assert all(abs(float(r[2]) - h[1]) < 1e-5 for r, h in zip(rows, kept["history"]))
assert all(h[2] > 0 for h in kept["history"])'
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
check "hostile text is shown as text" bash -c 'sed "s|http:%2F%2F||g; s|http://evil||g" hostile.html >plain.html
"$PYTHON" page.py plain.html "
assert \"<script>alert(\" in page.text and \"onerror=alert(1)\" in page.text and \"<img src=x>.tsv\" in page.text
assert \"h<b>\" in page.text
cells = [c for f in page.root.iter(\"figure\") for r in page.table(f.get(\"id\")) for c in r]
assert not any(c[:1] in \"=@+\" for c in cells if c)"'
head -c 100000 /dev/zero | tr '\0' 'x' | awk '{ for (i = 0; i < 40; i++) print i % 2 "\t" $0 i "\tlost card " i }' >long.tsv
expect_status "sentences of 100 KB" 0 "$FILM" report m.film --eval long.tsv --columns label,a,b -o long.html
check "are cut: the page stays small" bash -c '[ "$(stat -c %s long.html)" -lt 2000000 ]'

# ---- other labels, other models, less to show ----
awk -F'\t' 'NR == 1 { print "sentence1\tsentence2\tscore"; next } { print $2 "\t" $3 "\t" $1 * 3.5 + NR % 3 * 0.5 }' "$FAQ/heldout.tsv" >scores.tsv
check "scores: a scatter and no ROC" bash -c '"$0" report m.film --eval scores.tsv -o s.html -q && "$PYTHON" page.py s.html "
assert \"scatter\" in page.ids and \"roc\" not in page.ids and \"Pearson\" in page.text and \"data-eval\" in page.ids"' "$FILM"
check "categories: shares, sizes and a map" bash -c '"$0" report m.film --eval "$1" --train "$1" -o c.html -q && "$PYTHON" page.py c.html "
assert \"10 neighbours\" in page.text and \"data-eval\" in page.ids and \"map-sentences\" in page.ids and \"roc\" not in page.ids
assert \"280 of the 280 evaluation sentences (100.0 %)\" in page.text"' "$FILM" "$FAQ/questions.tsv"
printf 'anchor\tpositive\tnegative\n' >triplets.tsv
for i in $(seq 25); do printf 'lost my card %d\tmy card %d is lost\twhere is my parcel %d\n' "$i" "$i" "$i"; done >>triplets.tsv
check "triplets are two pairs each" bash -c '"$0" report m.film --eval triplets.tsv -o t.html -q && "$PYTHON" page.py t.html "
assert \"roc\" in page.ids and \"of 50 evaluation pairs\" in page.text and \"Only 50 pairs\" in page.text"' "$FILM"
check "a model alone" bash -c '"$0" report m.film -o a.html -q && "$PYTHON" page.py a.html "
assert \"This needs a labelled evaluation file\" in page.text and \"roc\" not in page.ids and \"shape-1\" in page.ids
assert \"dimension-\" in \" \".join(page.ids) and \"map-words\" in page.ids"' "$FILM"
cut -f2 train.tsv >lines.txt
check "a file without labels" bash -c '"$0" report m.film --eval lines.txt --train lines.txt -o n.html -q && "$PYTHON" page.py n.html "
assert \"lines.txt has no labels\" in page.text and \"roc\" not in page.ids"' "$FILM"
"$FILM" train train.tsv --method tfidf --decision threshold -q -o tfidf.film
check "a model without vectors and with a threshold" bash -c '"$0" report tfidf.film --eval "$1" -o f.html -q && "$PYTHON" page.py f.html "
for line in (\"decision by a threshold\", \"has no map\", \"no vectors\"): assert line in page.text, line
assert \"roc\" in page.ids and \"knn-rates\" not in page.ids"' "$FILM" "$FAQ/heldout.tsv"
"$FILM" train train.tsv --method film --rank 40 --dim 10 --decision threshold -q -o film.film
"$FILM" eval film.film "$FAQ/heldout.tsv" --bootstrap 0 --json -q >film.json
"$FILM" report film.film --eval "$FAQ/heldout.tsv" -q -o film.html
check "also for method film" edge film.html film.json
check "the gradient has the paper's value beside it" page film.html '
rows = page.table("training-gradient")[1:]
assert {float(r[2]) for r in rows if r[0].startswith("the paper")} == {0.00562}'
check "method film: objective, gradient, active anchors, singular values" bash -c '"$0" report film.film -o g.html -q && "$PYTHON" page.py g.html "
for id in (\"training-loss\", \"training-gradient\", \"training-active\", \"training-spectrum\"): assert id in page.ids, id"' "$FILM"

# ---- other systems ----
cat >systems.csv <<'END'
system,model,accuracy_percent,log_loss,training_seconds,processor_seconds,memory_mb,model_mb,sentences_per_second,explained_percent,explained
FILM,m.film,80,0.4,2.5,4,120,22.5,60000,100,"words, traits"
<script>alert(1)</script>,other.film,70.5,,0.004,0,1500,,,0,"=HYPERLINK(""x"") <b>&"
nothing known,,,,,,,,,,
END
"$FILM" report m.film --eval "$FAQ/heldout.tsv" --compare systems.csv -o v.html -q
check "other systems: a table with this model marked, and bars" page v.html '
for name in "accuracy log-loss training processor memory size speed explained".split(): assert "others-" + name in page.ids, name
lines = [r for r in page.root.iter("tr") if len(r) == 10]
rows = [[" ".join("".join(c.itertext()).split()) for c in r] for r in lines]
assert rows[0][0] == "System" and rows[0][3] == "Training time (seconds)", rows[0]
assert rows[1] == ["FILM this model", "80.0 %", "0.400", "2.5", "4.0", "120", "22.5", "60,000", "100.0 %", "words, traits"], rows[1]
assert rows[2][:6] == ["<script>alert(1)</script>", "70.5 %", "-", "0.004", "0.0", "1,500"], rows[2]
assert rows[3] == ["nothing known"] + 8 * ["-"] + [""], rows[3]
assert [r.get("class") for r in lines] == [None, "this", None, None]
bars = page.table("others-training")[1:]
assert sorted(b[:3] for b in bars) == [["other systems", "1", "0.004"], ["this model", "0", "2.5"]], bars
assert "FILM: 2.5 seconds" in [b[3] for b in bars]
assert "systems.csv gives this model an accuracy of 80.0 %" in page.text'
printf '\xef\xbb\xbfSystem , log_loss\r\n\r\n"a ""b""\nc",1e-3\r\n' >windows.csv
"$FILM" report m.film --compare windows.csv -o v.html -q
check "a table as Windows writes it, of two columns" page v.html '
assert "others-log-loss" in page.ids and "others-accuracy" not in page.ids and "this model" not in page.text
rows = [[" ".join("".join(c.itertext()).split()) for c in r] for r in page.root.iter("tr")]
assert ["a \"b\" c", "0.001"] in rows, rows'
check "without --compare there is no such section" page pairs.html 'assert "others" not in page.ids'

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
said = float(re.search(r"predict ([\d.]+) % of the held-out", page.text).group(1)) / 100
assert abs(said - np.mean(found)) < 3 * np.std(found) + .01, (said, np.mean(found), np.std(found))
assert said > .65 and "biased.tsv can be predicted without reading" in page.text
shares = {r[3].split(":")[0]: float(r[2]) for r in page.table("audit-eval-count")[1:]}
names = [("once", 1, 1), ("twice", 2, 2), ("3 times", 3, 3), ("4 to 5", 4, 5), ("6 to 10", 6, 10), ("more", 11, 1e9)]
for name, low, high in names:
    labels = [float(l) for l, a, b in rows if low <= max(count[a], count[b]) <= high]
    if labels: assert abs(shares[name] - np.mean(labels)) < 1e-6, name'
fi
# ---- causes are named only where they hold ----
shared=$(printf '%s' "contain a training question")
head -1 "$FAQ/heldout.tsv" >mixed.tsv; tail -n +2 "$FAQ/heldout.tsv" >>mixed.tsv; sed -n 2,6p train.tsv >>mixed.tsv
"$FILM" report m.film --eval mixed.tsv --train train.tsv -q -o k.html
check "a leak that changes nothing is counted, not warned of" page k.html "
assert '$shared' not in page.text and 'accuracy on pairs without a training question' in page.text"
head -1 "$FAQ/heldout.tsv" >mixed.tsv; sed -n 2,200p "$FAQ/heldout.tsv" >>mixed.tsv; tail -n +2 train.tsv >>mixed.tsv
"$FILM" report m.film --eval mixed.tsv --train train.tsv -q -o k.html
check "a leak that matters is" page k.html "
assert '$shared' in page.text and re.search(r'Without them, accuracy is [0-9.]+ % instead of [0-9.]+ %', page.text)"
awk -F'\t' 'NR == 1 || $1 == 0 || NR % 12 == 0' "$FAQ/heldout.tsv" >rare.tsv
"$FILM" report m.film --eval rare.tsv -q -o k.html
check "rare duplicates are the cause of probabilities that are off" page k.html '
assert re.search(r"they assume 50 % duplicates, and this file has [0-9.]+ %", page.text)'
awk -F'\t' 'BEGIN { OFS = "\t" } NR > 1 && NR % 3 == 0 { $1 = 1 - $1 } 1' "$FAQ/heldout.tsv" >noisy.tsv
"$FILM" report m.film --eval noisy.tsv -q -o k.html
check "wrong labels are not mistaken for that" page k.html '
assert "The probabilities are off by" in page.text and "they assume" not in page.text'

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
shown = page.cells("worst-categories")[1:]
assert len(shown) == min(15, sum(r < n for n, r, _ in tally.values())) > 3
worst = sorted(r / n for n, r, _ in tally.values())
for i, (category, n, right, instead) in enumerate(shown):
    assert int(n) == tally[category][0], category
    assert abs(float(right[:-2]) / 100 - tally[category][1] / tally[category][0]) < 0.011, (category, right, tally[category])
    assert abs(float(right[:-2]) / 100 - worst[i]) < 0.011
    assert int(re.search(r"\((\d+)\)", instead).group(1)) == max(tally[category][2].values()), (instead, tally[category])'
fi

printf 'label\tquestion1\tquestion2\n1\ta b\tc d\n0\tC D?\tA b\n1\tx y\tz w\n1\tz w\tv u\n0\tx y\tv u\n' >odd.tsv
"$FILM" report m.film --eval odd.tsv --train odd.tsv -o o.html -q
check "contradictions and leaks are counted" page o.html '
assert "1 pairs have both labels, and 2 pairs are labelled different although a chain" in page.text
for table in ("labels-eval", "labels-train"):
    why = [c[-1] for c in page.cells(table)[1:]]
    assert why[0].startswith("the same pair has the other label") and any(w.startswith("a chain") for w in why), why
assert "5 of the 5 evaluation pairs (100.0 %) contain a training question, and 5 are also" in page.text'

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
check "which is reported" page old.html 'assert "Bad rows skipped in bad.tsv: 1." in page.text'
finish
