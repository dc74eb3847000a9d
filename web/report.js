// Draws the report of film report from its data, which src/report/report.c describes. A part without data is left out, and
// what is missing is listed at the end.
import { $, el, count, several, signed } from "./dom.js";
import { row, side, waterfall } from "./sum.js";
import { number } from "./scale.js";
import { calibration, coverage, losses, precisionRecall, probabilities, roc } from "./curves.js";
import { chart, facts, heat, shares, table } from "./charts.js";

const data = JSON.parse($("page-data").textContent);
const { model, figures: stored, files, warnings } = data;
const answer = data.eval;
const pairsKnown = answer?.labels === "pairs" || answer?.labels === "triplets";

const fixed = (x, digits) => (Number.isFinite(x) ? x.toFixed(digits).replace("-", "−") : "-");
const share = (x, digits = 1) => (Number.isFinite(x) ? `${fixed(100 * x, digits)} %` : "-");
const isolated = (text) => el("bdi", {}, text);
const zip = (xs, ys) => xs.map((x, i) => [x, ys[i]]);

// ---- Sections ----

const missing = [];
const lacks = (what, why) => { missing.push(el("li", {}, el("b", {}, what), `: ${why}`)); return null; };
const present = (nodes) => nodes.flat(2).filter((node) => node);

// A section, or null without content.
function section(id, title, intro, ...content) {
    const nodes = present(content);
    return nodes.length ? el("section", { id }, el("h2", {}, title), intro ? el("p.intro", {}, intro) : null, ...nodes) : null;
}

// A section that is closed until the reader opens it, or follows a link to it.
function folded(id, title, intro, ...content) {
    const nodes = present(content);
    return nodes.length ? el("section.folded", { id }, el("details", {}, el("summary", {}, el("h2", {}, title)), intro ? el("p.intro", {}, intro) : null, ...nodes)) : null;
}

function figures(...list) {
    const nodes = present(list);
    return nodes.length ? el("div.figures", {}, ...nodes) : null;
}

const fold = (title, note, open, ...content) => {
    const node = el("details.fold", {}, el("summary", {}, ...[title].flat(), " ", el("small", {}, note)), ...content);
    node.open = open;
    return node;
};
const unit = { percent: true, low: 0, high: 1 };

// A sentence as text, a record as its fields.
const sentence = (x) => el("p", { dir: "auto" }, ...(typeof x === "string" ? [x]
    : Object.entries(x).map(([name, value]) => el("span.entry", {}, el("span.field", {}, name), ` ${value}`))));

// ---- Summary ----

function lead() {
    if (!answer) {
        const why = files.eval ? "the evaluation file has no labels." : "no labelled evaluation file was given.";
        const known = stored.balanced_accuracy ?? null;
        return `The model was not evaluated: ${why}${known === null ? "" : ` In training, its balanced accuracy on held-out pairs was ${share(known)}.`}`;
    }
    if (pairsKnown) {
        const words = answer.ece < 0.02 ? "are reliable" : answer.ece < 0.05 ? "are slightly off" : "are not reliable";
        return `The model decides ${share(answer.accuracy)} of ${count(data.data.eval.pairs.all)} evaluation pairs correctly. Its probabilities ${words} (calibration error ${fixed(100 * answer.ece, 1)} points).`;
    }
    if (answer.labels === "scores") return `On ${count(answer.rows)} scored pairs, the correlation between probability and score is ${fixed(answer.pearson, 3)} (Pearson) or ${fixed(answer.spearman, 3)} (Spearman).`;
    return `The ten nearest neighbours predict the right category for ${share(answer.category_accuracy["10"])} of ${count(answer.rows)} sentences.`;
}

// What was promised in training, and what its threshold does with near misses.
function promise() {
    const point = stored.operating;
    const near = point?.near_misses;
    if (!near) return null;
    const range = ([low, high], digits) => `${fixed(100 * low, digits)} to ${fixed(100 * high, digits)}`;
    const little = near.labelled?.precision ?? null;
    return el("p.intro", {}, `The threshold was chosen for a precision of ${number(100 * point.target)} %. In training it was ${share(point.precision)} (${range(point.interval, 0)}) on unseen pairs`,
        little === null ? "" : `, and ${share(little)} (${range(near.labelled.interval, 0)}) on those that differ in little`,
        near.pairs > 0 ? `. Near misses: ${near.called_same} of ${near.pairs} made-up ones were called the same (${share(near.share)}, ${range(near.interval, 1)}).` : ".");
}

const card = (value, name, note) => el("div.card", {}, el("b", {}, value), el("span", {}, name), el("small", {}, note));

function cards() {
    const ofAnswer = (key, percent, name, note) => {
        if (!Number.isFinite(answer[key])) return null;
        const ends = answer.ci[key]?.map((x) => (percent ? fixed(100 * x, 1) : fixed(x, 3)));
        return card(percent ? share(answer[key]) : fixed(answer[key], 3), name, ends ? `${note}; 95 % CI ${ends[0]} to ${ends[1]}` : note);
    };
    const { pairs } = data.data.eval;
    const balance = pairs ? Math.round(100 * pairs.same / pairs.all) : null;
    return el("div.cards", {}, ...[
        ofAnswer("accuracy", true, "accuracy", "correct decisions"),
        ofAnswer("precision", true, "precision", "of the pairs called the same"),
        ofAnswer("recall", true, "recall", "of the pairs labelled the same"),
        ofAnswer("ece", true, "calibration error", "mean gap between probability and observed share"),
        ofAnswer("auc", false, "AUC", "probability that a duplicate ranks above a non-duplicate"),
        ofAnswer("log_loss", false, "log loss", "0.693 is random guessing"),
        balance === null ? null : card(`${balance} : ${100 - balance}`, "class balance", "percent labelled same : different"),
        ofAnswer("pearson", false, "Pearson", "correlation of probability and score"),
        ofAnswer("spearman", false, "Spearman", "rank correlation of probability and score"),
        ofAnswer("triplet_accuracy", true, "triplets", "ranked correctly"),
        ...[["1", "nearest neighbour"], ["5", "5 neighbours"], ["10", "10 neighbours"]].map(([depth, name]) =>
            (Number.isFinite(answer.category_accuracy?.[depth]) ? card(share(answer.category_accuracy[depth]), name, "category predicted correctly") : null)),
    ].filter((one) => one));
}

function warningList(shown) {
    if (!warnings.length) return answer || data.data.train ? el("p.notice.fine", {}, "No warnings about the data or the figures.") : null;
    const line_ = ({ section: id, text }) => el("li", {}, text, shown.has(id) ? " " : null, shown.has(id) ? el("a", { href: `#${id}` }, "more") : null);
    return el("div.notice.warnings", {}, el("h2", {}, several(warnings.length, "warning", "warnings")), el("ul", {}, ...warnings.map(line_)));
}

// ---- Quality ----

function thresholds() {
    if (!answer.thresholds.length) return null;
    return el("div", {}, el("h3", {}, "By threshold"), el("p.hint", {}, `If ${number(100 * answer.prior)} % of the pairs are duplicates. A pair is the same if its probability reaches the threshold.`),
        table([["threshold"], ["precision"], ["recall"], ["called the same"], ""],
            answer.thresholds.map((at) => [fixed(at.threshold, 2), share(at.precision), share(at.recall), share(at.called_same), at.used ? "in use" : ""]),
            { id: "thresholds", own: (i) => answer.thresholds[i].used }));
}

// The decisions: true and false, positive and negative.
const cell = (same, label) => data.mistakes.find((one) => one.same === same && one.label === label)?.count;
const counts = { tp: cell(true, true), fn: cell(false, true), fp: cell(true, false), tn: cell(false, false) };
const corner = [[0, 0], [1, 1]];
const reference = (name, points) => ({ name, kind: "line", colour: 0, points });

function histogram(id, title, about, { width, same, different }, x, y, marks = []) {
    const bars = (counts, at) => counts.map((pairs, i) => [(i + at) * width, pairs]);
    return chart({ id, title, about, x: { ...x, low: 0, high: width * same.length }, y, marks, series: [
        { name: "labelled the same", kind: "bars", colour: 1, points: bars(same, 0.27), width: 0.46 * width },
        { name: "labelled different", kind: "bars", colour: 2, points: bars(different, 0.73), width: 0.46 * width }] });
}

function pairFigures(pairs) {
    const { tp, fp, tn, fn } = counts;
    const [lossOf, found] = [losses(pairs), tp / (tp + fn)];
    const threshold = (x, y) => ({ name: "threshold", kind: "points", colour: 2, points: [[x, y]] });
    const predicted = calibration(pairs).map(([p, observed, pairs]) => [p, observed, `${share(observed)} of ${several(pairs, "pair", "pairs")} with probability ${share(p)}`]);
    return [figures(
        thresholds(),
        chart({ id: "precision-recall", title: "Precision and recall", about: `With the duplicates of this file. Average precision ${fixed(answer.average_precision, 3)}.`,
            x: { title: "recall (share of same pairs found)", ...unit }, y: { title: "precision (share of correct finds)", ...unit },
            series: [{ name: "model", kind: "line", points: precisionRecall(pairs) }, threshold(found, tp / (tp + fp))] }),
        chart({ id: "calibration", title: "Calibration", about: `Are 80 % of the pairs with probability 80 % the same? Mean error ${fixed(100 * answer.ece, 1)} points.`,
            x: { title: "predicted probability", ...unit }, y: { title: "share labelled the same", ...unit },
            series: [reference("perfect calibration", corner), { kind: "line", points: predicted }, { name: "model", kind: "points", points: predicted }] }),
        chart({ id: "coverage", title: "Accuracy on the most certain pairs", about: "The model decides the most certain pairs; people decide the others.",
            x: { title: "share of pairs decided by the model", ...unit }, y: { title: "accuracy", percent: true }, series: [{ name: "accuracy", kind: "line", points: coverage(pairs) }] }),
    ), fold("More curves", "distribution of probabilities, log loss, ROC", false, figures(
        histogram("probabilities", "Distribution of probabilities", "A good model puts most pairs near 0 % or 100 %, on the side of their label.", probabilities(pairs),
            { title: "predicted probability", percent: true }, { title: "pairs" }),
        histogram("log-loss", "Log loss", "Figure 3 of the paper. Pairs on the right were decided with high certainty, but wrongly. The last bin includes larger values.", lossOf,
            { title: "log loss of the pair (nats)" }, { title: "pairs (logarithmic)", log: true, low: 0.7, high: Math.max(...lossOf.same, ...lossOf.different, 2) }, [{ x: Math.log(2), text: "random guessing" }]),
        chart({ id: "roc", title: "ROC", about: `AUC ${fixed(answer.auc, 3)}: the probability that a duplicate ranks above a non-duplicate.`,
            x: { title: "false positive rate (share of different pairs)", ...unit }, y: { title: "true positive rate (share of same pairs)", ...unit },
            series: [reference("random guessing", corner), { name: "model", kind: "line", points: roc(pairs) }, threshold(fp / (fp + tn), found)] })))];
}

function quality() {
    const { scores, every } = data.quality;
    const intro = "Measured on the evaluation file, as film eval does.";
    if (!answer) return lacks("Quality: precision, recall, calibration", files.eval ? "The file has no labels." : "This needs a labelled evaluation file.");
    if (pairsKnown) return section("quality", "Quality", intro, pairFigures(data.quality.pairs));
    if (!scores) return null;
    return section("quality", "Quality", intro, figures(chart({ id: "scatter", title: "Score and probability",
        about: `Pearson ${fixed(answer.pearson, 3)}, Spearman ${fixed(answer.spearman, 3)}${every > 1 ? "; a sample of the pairs" : ""}.`,
        x: { title: "score in the file" }, y: { title: "predicted probability", ...unit },
        series: [{ name: "pairs", kind: "points", points: scores.map(([score, p, a, b]) => [score, p, `score ${number(score)}, p = ${fixed(p, 3)}\n${a}\n${b}`]) }] })));
}

// ---- Mistakes ----

// The terms of a pair, those for the verdict first.
function chips(terms, same) {
    const sorted = [...terms].sort((x, y) => ((y.weight > 0) === same) - ((x.weight > 0) === same) || Math.abs(y.weight) - Math.abs(x.weight));
    return el("p.chips", {}, ...sorted.map((term) => el(`span.chip.${side(term.weight)}`, { title: term.id }, `${signed(term.weight)} `,
        isolated(term.title ?? `“${term.text}” in ${term.side}`))));
}

// A pair of records: steps from the bias to the log-odds. A field opens into its words and traits.
function falls({ bias, log_odds: total, fields, groups, same }) {
    const rest = total - bias - [...fields, ...groups].reduce((sum, { weight }) => sum + weight, 0);
    const scale = waterfall([bias, ...fields.map(({ weight }) => weight), ...groups.map(({ weight }) => weight), rest]);
    const line = (title, weight, id = null) => el("div.row", { title: id }, ...row(title, weight, scale));
    return el("div.falls", {}, line("Bias", bias),
        ...fields.map((field) => el("details", {}, el("summary.row", {}, ...row(field.name, field.weight, scale)), chips(field.terms, same))),
        ...groups.map((group) => line(group.title, group.weight, group.id)),
        Math.abs(rest) >= 0.005 ? line("Other words", rest) : null, el("p.total", {}, el("span", {}, "log-odds"), el("strong.weight", {}, signed(total))));
}

const example = (pair) => el("div.example", {}, sentence(pair.a), el("span.chance", {}, `p = ${fixed(pair.probability, 3)}${pair.score === undefined ? "" : `, score ${number(pair.score)}`}`),
    sentence(pair.b), pair.fields ? falls(pair) : chips(pair.terms, pair.same));
const examples = (pairs) => (pairs.length ? pairs.map(example) : [el("p.none", {}, "No pairs.")]);

function matrix() {
    const { tp: found, fn: missed, fp: alarm, tn: apart } = counts;
    return figures(heat({ id: "confusion", title: "Confusion matrix", about: "Pairs by label and decision. The diagonal is correct.", columns: 2, values: [found, missed, alarm, apart],
        x: { title: "decision", names: ["decided same", "decided different"] }, y: { title: "label", names: ["same", "different"] }, value: "pairs" }),
    facts([["same pairs found (recall, TPR)", share(found / (found + missed))], ["same pairs missed (FNR)", share(missed / (found + missed))],
        ["different pairs recognised (TNR)", share(apart / (alarm + apart))], ["different pairs decided same (FPR)", share(alarm / (alarm + apart))],
        ["correct among “same” decisions (precision)", share(found / (found + alarm))], ["correct among “different” decisions", share(apart / (missed + apart))]]));
}

function mistakes() {
    if (!data.mistakes.length) return lacks("Confusion matrix and examples", answer ? "The file has no pairs." : "This needs a labelled evaluation file.");
    if (!pairsKnown) {
        return section("mistakes", "Mistakes", null, data.mistakes.map(({ higher, pairs }) =>
            fold(`probability much ${higher ? "higher" : "lower"} than the score`, "", !higher, ...examples(pairs))));
    }
    const word = (same) => (same ? "same" : "different");
    return section("mistakes", "Mistakes", null, matrix(),
        el("p.intro", {}, "The lists show examples of each cell. Blue reasons are evidence for the same meaning, red ones against it; those for the decision come first. The numbers are log-odds."),
        data.mistakes.map(({ same, label, count: of, pairs }) => fold(`decided ${word(same)}, labelled ${word(label)}`,
            `${several(of, "pair", "pairs")}, ${same === label ? "right" : "wrong"}; most and least certain examples`, same && !label, ...examples(pairs))));
}

function reasons() {
    const { pairs, totals } = data.reasons;
    const list = Object.values(totals).filter(({ weight }) => weight > 0).sort((x, y) => y.weight - x.weight);
    if (!list.length) return null;
    return section("reasons", "What decides", "Every verdict is a sum of log-odds. The bars show how much each group of reasons moves the verdict on a pair of the file, in either direction.",
        table(["group of reasons", ["mean log-odds"], ""], list.map(({ id, title, type, weight }) =>
            [el("span", { title: id }, type ? `field ${title} (${type})` : title), fixed(weight / pairs, 2), shares([[weight / list[0].weight, 1]], "")]), { id: "reasons-groups" }));
}

// ---- Data ----

function suspicious(file, id) {
    const list = file.suspicious ?? [];
    if (!list.length) return null;
    const judged = id === "labels-eval";
    return [el("h3", {}, "Labels to check in ", isolated(file.name)),
        el("p.intro", {}, `Labels that contradict other labels${judged ? ", and labels that the model gives less than 10 %, the least likely first: either the label or the model is wrong" : ""}. Rows are counted from 1, without the header.`),
        el("div.listed", {}, table([["row"], "label", ...(judged ? [["p (same)"]] : []), "pair", "why"], list.map((one) =>
            [one.row === null ? "-" : String(one.row), one.same ? "same" : "different", ...(judged ? [fixed(one.probability, 3)] : []), [sentence(one.a), sentence(one.b)], one.why]), { id })),
        file.more_suspicious ? el("p.hint", {}, `The model contradicts ${count(file.more_suspicious)} more labels.`) : null];
}

// The categories with the lowest F1, as the model itself answers, or those that the neighbours name least often.
function worstCategories({ worst = [] }) {
    const shown = 15;
    if (answer.classes?.length) {
        const list = answer.classes.filter(({ rows }) => rows > 0).sort((x, y) => x.f1 - y.f1 || (x.category < y.category ? -1 : 1));
        const instead = ({ category }) => answer.confusions.find((one) => one.category === category);
        return [el("h3", {}, "Worst categories"), el("p.intro", {}, `The ${Math.min(list.length, shown)} of ${list.length} categories with the lowest F1.`),
            table(["category", ["sentences"], ["precision"], ["recall"], "most often taken for"], list.slice(0, shown).map((one) =>
                [isolated(one.category), count(one.rows), share(one.precision, 0), share(one.recall, 0), instead(one) ? [isolated(instead(one).answered), el("small", {}, ` (${instead(one).rows})`)] : ""]), { id: "worst-categories" })];
    }
    return worst.length ? [el("h3", {}, "Worst categories"),
        el("p.intro", {}, `How many sentences of a category their ten nearest neighbours name correctly; the worst ${worst.length} of ${data.data.eval.category_count} categories.`),
        table(["category", ["sentences"], ["right"], "most often taken for"], worst.map((one) =>
            [isolated(one.category), count(one.sentences), share(one.right / one.sentences, 0), one.confused ? [isolated(one.instead), el("small", {}, ` (${one.confused})`)] : ""]), { id: "worst-categories" })] : null;
}

function oddSentences({ odd = [] }) {
    return odd.length ? [el("h3", {}, "Labels to check"), el("p.intro", {}, "Sentences of which at least eight of the ten nearest neighbours have one other category."),
        el("div.listed", {}, table(["category", "neighbours say", "sentence"], odd.map((one) =>
            [isolated(one.category), [isolated(one.neighbours), el("small", {}, ` (${one.votes} of 10)`)], sentence(one.text)]), { id: "labels-eval" }))] : null;
}

const kinds = { none: "none", pairs: "pairs, same or different", scores: "pairs with scores", triplets: "triplets", categories: "categories" };

function aboutFile(file, role, id) {
    const { rows, pairs } = file;
    const same = pairs ? pairs.same / pairs.all : null;
    const words = `${share(same)} labelled the same, ${share(1 - same)} different`;
    const number_ = (name, value) => (value === undefined ? null : [name, count(value)]);
    const bars = (title, about, x, points, more) => chart({ id, title, about, x: { title: x }, y: { title: more.y }, series: [{ name: more.y, kind: "bars", points, width: more.width }], names: more.names });
    return el("div", {}, el("h3", {}, isolated(file.name), el("small", {}, ` ${role}`)),
        ...(same === null ? [] : [shares([[same, 1], [1 - same, 2]], words), el("p.hint", {}, words)]),
        facts([["labels", kinds[file.labels]], number_("rows", rows.read), number_("distinct sentences", rows.sentences), rows.skipped ? number_("bad rows skipped", rows.skipped) : null,
            number_("repeated pairs", pairs?.repeated), number_("pairs with both labels", pairs?.contradicting),
            number_("labelled different, but connected by “same” pairs", pairs?.connected), number_("identical words, labelled different", pairs?.identical)]),
        file.categories ? bars("Categories", `The largest ${file.categories.length} of ${file.category_count} categories.`, "category", file.categories.map(([, sentences], i) => [i, sentences]),
            { y: "sentences", names: file.categories.map(([name]) => name) }) : null,
        file.scores ? bars("Scores", "Number of pairs by score.", "score", file.scores.pairs.map((scored, i) => [file.scores.low + (i + 0.5) * file.scores.width, scored]), { y: "pairs", width: 0.9 * file.scores.width }) : null);
}

function leaks() {
    const found = data.data.leaks;
    if (!found) return answer ? lacks("Leaks between training and evaluation data", "This needs the training files.") : null;
    const row_ = (name, value) => (value === undefined ? null : [name, count(value)]);
    return [el("h3", {}, "Leaks: evaluation data in the training data"), facts([row_("sentences also in the training data", found.sentences),
        row_("pairs with at least one training question", found.either), row_("pairs with two training questions", found.both), row_("pairs also in the training data", found.pairs),
        row_("… with the opposite label", found.opposed), (found.accuracy ?? null) === null ? null : ["accuracy on pairs without a training question", share(found.accuracy)]])];
}

function buckets(id, title, x, names, list) {
    return chart({ id, title, x: { title: x }, y: { title: "labelled the same", ...unit }, names, series: [{ name: "labelled the same", kind: "bars",
        points: list.map(([same, pairs], i) => [i, same, `${names[i]}: ${share(same)} of ${several(pairs, "pair", "pairs")}`]) }] });
}

function audit(file, key) {
    const { audit: found } = file;
    if (!found) return file.pairs === undefined ? null : lacks("Selection bias", "This needs at least 20 pairs and both labels.");
    return fold(["Selection bias in ", isolated(file.name)], found.biased ? "labels can be predicted without reading" : "none that matters", false,
        el("p", { id: `audit-${key}` }, "Can labels be predicted without reading the sentences? Counts of how often questions occur, and with which others, predict ", el("b", {}, share(found.accuracy)),
            " of the held-out labels correctly. Always predicting the more frequent label is correct for ", el("b", {}, share(found.majority)), ". AUC ", el("b", {}, fixed(found.auc, 3)), " (0.5: no bias)."),
        figures(buckets(`audit-${key}-count`, "By frequency of the more frequent question", "occurrences in the file", ["once", "twice", "3 times", "4 to 5", "6 to 10", "more"], found.by_count),
            buckets(`audit-${key}-common`, "By number of common partners", "questions paired with both", ["none", "1", "2", "3 to 5", "6 to 10", "more"], found.by_common)));
}

function contents() {
    const { eval: measured, train } = data.data;
    if (!measured && !train) return lacks("Data summary, leaks and audit", "This needs an evaluation or a training file.");
    return section("data", "Data", "Contents of the files, and problems that make the figures look better or worse than they are. Questions with the same words count as one.",
        figures(measured && aboutFile(measured, "evaluation data", "data-eval"), train && aboutFile(train, "training data", "data-train")),
        measured && suspicious(measured, "labels-eval"), train && suspicious(train, "labels-train"), measured && worstCategories(measured), measured && oddSentences(measured), leaks(),
        measured && audit(measured, "eval"), train && audit(train, "train"));
}

// ---- Other systems ----

const measuresOfSystems = [
    ["accuracy_percent", "others-accuracy", "Accuracy", "Higher is better.", "correct decisions", { percent: true, digits: 1 }],
    ["log_loss", "others-log-loss", "Log loss", "Lower is better; 0.693 is random guessing.", "nats", { digits: 3 }],
    ["training_seconds", "others-training", "Training time", "Wall-clock time on a logarithmic scale.", "seconds", { log: true, digits: 1 }],
    ["processor_seconds", "others-processor", "CPU time", "Of training, all cores, on a logarithmic scale.", "seconds", { log: true, digits: 1 }],
    ["memory_mb", "others-memory", "Peak memory", "During training, on a logarithmic scale.", "MB", { log: true, digits: 0 }],
    ["model_mb", "others-size", "Model size", "File size on a logarithmic scale.", "MB", { log: true, digits: 1 }],
    ["sentences_per_second", "others-speed", "Speed", "Higher is better; logarithmic scale.", "sentences/s", { log: true, digits: 0 }],
    ["explained_percent", "others-explained", "Explained exactly", "Share of a decision that is attributed to words and named traits.", "share of the decision", { percent: true, digits: 1, whole: true }],
].map(([key, id, title, about, of, more]) => ({ key, id, title, about, of, ...more }));

function amount(value, { percent, digits }) {
    if (value === null) return "-";
    if (percent) return `${fixed(value, digits)} %`;
    if (value > 0 && value < (digits ? 0.1 : 10)) return String(Number(value.toPrecision(2))); // must not look like zero
    return value >= 1000 || digits === 0 ? count(Math.round(value)) : fixed(value, digits);
}

// Ends at powers of ten around the values, so that the shortest bar stays visible.
function powers(values) {
    const known = values.filter((value) => value > 0);
    if (!known.length) return {};
    const [least, most] = [Math.min(...known), Math.max(...known)];
    return { low: Math.max(10 ** Math.floor(Math.log10(least / 1.5)), 1e-300), high: Math.min(10 ** Math.ceil(Math.log10(most * 1.001)), 1e300) };
}

function systemBars(list, of) {
    const value = (system) => (system[of.key] === null ? null : system[of.key] / (of.percent ? 100 : 1));
    const points = (own) => list.map((system, i) => [i, value(system), `${system.name}: ${amount(system[of.key], of)}${of.percent ? "" : ` ${of.of}`}`]).filter(([i]) => list[i].own === own);
    const highlighted = list.some((system) => system.own && value(system) !== null); // this model has its own colour
    return chart({ id: of.id, title: of.title, about: of.about, small: true, x: { title: "system" }, names: list.map(({ name }) => name),
        y: { title: of.of, percent: of.percent, log: of.log, ...(of.log ? powers(list.map(value)) : of.whole ? { low: 0, high: 1 } : {}) },
        series: [{ name: "other systems", kind: "bars", colour: highlighted ? 0 : 1, points: points(false) }, ...(list.some(({ own }) => own) ? [{ name: "this model", kind: "bars", colour: 1, points: points(true) }] : [])] });
}

function others() {
    const list = data.others;
    const given = measuresOfSystems.filter(({ key }) => list.some((system) => system[key] !== null));
    const words_ = list.some(({ explained }) => explained);
    if (!list.length) return null;
    return section("others", "Other systems", "Quality and cost of other systems. The figures come from the given table; they were not measured for this report.",
        table(["System", ...given.map(({ title, percent, of }) => [title, percent ? "" : of]), ...(words_ ? ["Explained by"] : [])], list.map((system) =>
            [[isolated(system.name), system.own ? el("small", {}, " this model") : null], ...given.map((of) => amount(system[of.key], of)), ...(words_ ? [isolated(system.explained)] : [])]),
        { id: "others-table", own: (i) => list[i].own }),
        figures(...given.map((of) => systemBars(list, of))));
}

// ---- Nearest neighbours ----

const paperK = 36; // what the paper chose on Quora, because of an elbow at 37

function sweep() {
    const points = answer?.knn ?? [];
    const retrieval = answer?.retrieval;
    if (!answer) lacks("k sweep", "This needs a labelled evaluation file.");
    else if (!points.length) lacks("k sweep", pairsKnown ? "The model has no vectors." : "This needs pairs labelled 0 or 1.");
    const [first, last] = [points[0]?.k, points.at(-1)?.k];
    const best = points.find(({ k }) => k === answer.best_k);
    const edge = points.length > 1 && (best.k === first || best.k === last);
    const rates = [["TPR (found)", "tpr", 1], ["TNR", "tnr", 3], ["FPR (false positives)", "fpr", 2], ["FNR (missed)", "fnr", 4]];
    const k = { title: "k (neighbours)" };
    return folded("sweep", "Nearest neighbours", "The FILM paper decides by nearest neighbours of the vectors alone. These plots show the quality of the vectors; the decisions above use more than the vectors.",
        edge ? el("p.notice.warnings", { id: "knn-edge" }, `The best k = ${best.k} is at the edge of the sweep from ${first} to ${last}. ${best.k === 1
            ? "The strictest rule has the lowest cross-entropy, as in the paper." : "A k outside of it may be better: film eval takes another range."}`) : null,
        figures(...(points.length ? [
            chart({ id: "knn-rates", title: "Rates by k", about: "Figure 4 of the paper, above. Two sentences are the same if each is among the other's k nearest neighbours. The paper chose k = 36.",
                x: k, y: { title: "rate", ...unit }, marks: [{ x: paperK, text: "paper" }], series: rates.map(([name, key, colour_]) => ({ name, kind: "line", colour: colour_, points: points.map((at) => [at.k, at[key]]) })) }),
            chart({ id: "knn-entropy", title: "Cross-entropy by k", about: `Figure 4 of the paper, below. Minimum ${fixed(best.cross_entropy, 3)} at k = ${best.k}; elbow at k = ${answer.elbow_k}.`,
                x: k, y: { title: "cross-entropy (nats)" }, marks: [{ x: best.k, text: "best" }, { x: answer.elbow_k, text: "elbow" }, { x: paperK, text: "paper" }],
                series: [{ name: "cross-entropy", kind: "line", points: points.map((at) => [at.k, at.cross_entropy]) }] })] : []),
        retrieval && chart({ id: "retrieval", title: "Search in the pool", about: `${count(retrieval.queries)} duplicates searched among ${count(retrieval.pool)} sentences by vector similarity; MRR ${fixed(retrieval.mrr, 3)}.`,
            x: { title: "k (first results)" }, y: { title: "recall (duplicates found)", ...unit }, series: [{ name: "found", kind: "line", points: data.search.map((found, i) => [i + 1, found]) }] })));
}

// ---- Training ----

const paperGradient = 5.62e-3; // the lowest gradient norm in Figure 2 of the paper
const curvesOf = {
    film: [["hinge", "training-hinge", "Hinge loss", "Figure 1 of the paper: the hinge of its equation (32), averaged over all triplets.", "hinge loss", {}],
        ["satisfied", "training-satisfied", "Satisfied triplets", "Triplets whose similar sentence is nearer by the margin.", "share of the triplets", { percent: true }],
        ["gradient", "training-gradient", "Gradient norm", "Figure 2 of the paper, whose lowest value is 0.00562. It approaches 0 at an optimum.", "gradient norm", { log: true, paper: paperGradient }],
        ["objective", "training-loss", "Objective", "The function that the solver minimises.", "objective", {}],
        ["active", "training-active", "Active anchors", "Anchors whose margin is still violated.", "anchors", {}],
        ["accuracy", "training-accuracy", "Accuracy on held-out pairs", "The model of the best step is stored.", "accuracy", { percent: true, skipZero: true }]],
    ranking: [["loss", "training-loss", "Training loss", "Loss of the batch of each step.", "loss", {}],
        ["gradient", "training-gradient", "Gradient norm", "Norm of the gradient of the same batches.", "gradient norm", { log: true }]],
    network: [["loss", "training-loss", "Training loss of the network", "Mean loss of the batches since the last point.", "loss", { x: "epoch" }]],
};
curvesOf.mfilm = curvesOf.film;

// The values of a column of a history; none if it has no such column. 0 may stand for a step at which nothing was measured.
function columnOf({ history, history_columns: names }, name, skipZero = false) {
    const at = names.indexOf(name);
    return at < 0 ? [] : history.map((values) => (skipZero && values[at] === 0 ? null : values[at]));
}

function trainingCurve(kept, steps, [column, id, title, about, y, { log, percent, paper, skipZero, x }]) {
    const values = columnOf(kept, column, skipZero);
    // The file has every n-th step, including the last.
    const stride = Math.ceil(steps / kept.history.length);
    const at = x ? columnOf(kept, x) : kept.history.map((_, i) => steps - stride * (kept.history.length - 1 - i));
    if (!values.some(Number.isFinite) || !at.length) return null;
    return chart({ id, title, about, x: { title: x ?? "step" }, y: { title: y, log, percent, zero: !log }, series: [
        { name: y, kind: values.length > 1 ? "line" : "points", points: zip(at, values) },
        ...(paper ? [reference("the paper's lowest value", [[at[0], paper], [at.at(-1), paper]])] : [])] });
}

function training() {
    const method = ["film", "mfilm", "ranking", "network"].find((name) => stored[name]);
    const kept = stored[method];
    const known = kept?.history?.length > 0;
    const trees = stored.trees;
    const spectrum = data.singular_values;
    if (!known && !spectrum.length) lacks("Training curves", "The model has no learned map, or its file has no training history.");
    return folded("training", "Training", "The training history stored in the model file: at most 500 steps per curve.", figures(
        ...(known ? curvesOf[method].map((one) => trainingCurve(kept, kept.iterations ?? kept.steps, one)) : []),
        trees?.history?.length ? chart({ id: "training-trees", title: "Boosting", about: "Log loss of one fold by number of trees. Boosting stops when held-out pairs no longer improve.",
            x: { title: "trees" }, y: { title: "log loss (nats)" }, marks: [{ x: trees.rounds, text: "trees kept" }],
            series: [["training pairs", "train_loss", 1], ["held-out pairs", "held_out_loss", 2]].map(([name, column, colour_]) => ({ name, kind: "line", colour: colour_, points: zip(columnOf(trees, "round"), columnOf(trees, column)) })) }) : null,
        spectrum.length ? chart({ id: "training-spectrum", title: "Singular values", about: "Singular value of each direction of the SVD.", x: { title: "direction" }, y: { title: "singular value", zero: true },
            series: [{ name: "singular value", kind: "line", points: spectrum.map((value, i) => [i + 1, value]) }] }) : null));
}

// ---- Traits ----

function shapes() {
    const { curves = [], heats = [] } = data.shapes;
    if (!model.full) return lacks("Term shapes", "This model decides by a threshold on the similarity.");
    const range = (values) => `${signed(Math.min(0, ...values))} to ${signed(Math.max(0, ...values))} log-odds.`;
    return folded("shapes", "Traits", "Each curve shows what a trait of a pair adds to the log-odds that both sentences mean the same. The curves are the decision itself, not an approximation. Word evidence and memory are added to them. The strongest traits are shown.",
        figures(...curves.map((one, i) => chart({ id: `shape-${i + 1}`, title: `${one.group}: ${one.name}`, about: one.about, small: true, x: { title: one.name }, y: { title: "added log-odds", zero: true },
            series: [{ name: "log-odds", kind: "line", points: zip(one.x, one.y) }] }))),
        heats.length ? [el("h3", {}, "Combinations of two traits"), el("p.intro", {}, "What two traits add together, beyond their separate effects. Blue is evidence for the same meaning, red against it; darker is stronger.")] : null,
        figures(...heats.map(({ x, y, values }, i) => heat({ id: `shape-two-${i + 1}`, title: x.group === y.group ? x.group : `${x.group}, with: ${y.group}`, about: range(values), small: true,
            x: { title: x.name, edges: x.edges }, y: { title: y.name, edges: y.edges }, value: "added log-odds", columns: x.edges.length - 1, values }))));
}

// ---- Dimensions and map ----

function dimension({ dimension: n, share: part, words: list }) {
    const points = (sign) => list.map(([name, weight], i) => [i, weight, `${name}: ${signed(weight, 4)}`]).filter(([, weight]) => (weight < 0) === (sign < 0));
    return chart({ id: `dimension-${n}`, title: `Dimension ${n}`, about: `${share(part)} of the map; words with the largest weights.`, x: { title: "words, sorted by weight" }, y: { title: "weight", zero: true },
        names: list.map(([name]) => name), series: [{ name: "negative weight", kind: "stems", colour: 2, points: points(-1) }, { name: "positive weight", kind: "stems", colour: 1, points: points(1) }] });
}

function dimensions() {
    const { features, ratio, row: envelope, sorted, largest, list } = data.dimensions;
    if (!list) return lacks("Dimensions", "This model has no map.");
    const label = ([id, weight, name]) => `${name} (id ${id}): ${signed(weight, 4)}`;
    return folded("dimensions", "Dimensions", model.ranked
        ? "A sentence's vector is the sum of its words' weights. Method rank starts from random directions, so a dimension combines words of several themes. Dimensions of methods film and svd depend on fewer words."
        : "A sentence's vector is the sum of its words' weights. Each dimension contrasts some words with others.",
    figures(chart({ id: "row-first", title: "First row of L, by feature", about: "Figure 5 of the paper: dimension 0 over all features. The largest weights are dots; point at one to see its word.",
        x: { title: "feature id (by falling frequency in each group)" }, y: { title: "weight", zero: true },
        series: [{ kind: "line", points: envelope }, { name: "largest weights", kind: "points", colour: 2, points: largest.map((one) => [one[0], one[1], label(one)]) }] }),
    chart({ id: "row-sorted", title: "First row of L, sorted", about: `The same weights, the largest first. The row depends on about ${count(Math.round(ratio))} of ${count(features)} features (participation ratio).`,
        x: { title: "rank (logarithmic)", log: true }, y: { title: "absolute weight", zero: true }, marks: [{ x: Math.max(ratio, 1), text: "participation ratio" }],
        series: [{ name: "absolute weight", kind: "line", points: sorted }, { name: "largest weights", kind: "points", colour: 2, points: largest.map((one, i) => [i + 1, Math.abs(one[1]), label(one)]) }] }),
    ...list.map(dimension)));
}

function mapOf(id, title, about, found, tagged) {
    if (!found.points) return null;
    const caption = ([, , , text, near, similarity]) => (near === null ? text : `${text}\nnearest here (${fixed(similarity, 2)}): ${found.points[near][3]}`);
    const within = (group) => found.points.filter((at) => at[2] === group);
    const links = (group) => found.points.flatMap((at, i) => (at[2] === group ? [[at[0], at[1]], ...(i % 2 ? [[null, null]] : [])] : []));
    return chart({ id, title, about: `${about} The two components explain ${share(found.share, 0)} of the variance.`, map: true, x: { title: "first principal component" }, y: { title: "second principal component" }, series: [
        ...(found.linked ? found.groups.map((_, g) => ({ kind: "line", thin: true, colour: g + 1, points: links(g) })) : []),
        ...found.groups.map((name, g) => ({ name, kind: "points", colour: g + 1, points: within(g).map((at) => [at[0], at[1], caption(at)]), tags: tagged ? within(g).map((at) => at[3]) : null }))] });
}

function atlas() {
    const { sentences, words: ofWords } = data.map;
    if (!model.vectors) return lacks("Map", "This model has no vectors.");
    if (!sentences.points && !answer && !data.data.train) lacks("Map of sentences", "This needs an evaluation or a training file.");
    return folded("map", "Map", "Vectors have hundreds of dimensions. The map shows the two directions in which they vary most. Points that are close here need not be close in the other dimensions. Point at one to see its nearest neighbour.",
        figures(mapOf("map-sentences", "Sentences", sentences.linked ? "A line connects the two sentences of a pair." : "Sentences of the largest categories.", sentences, false),
            mapOf("map-words", "Words", "Frequent words. Words with similar use are close to each other.", ofWords, true)));
}

// ---- The page ----

function header(shown) {
    const facts_ = [`Method ${model.method}`, `${count(model.features)} features`, model.vectors ? `${model.dim}-dimensional vectors` : "no vectors",
        `decision by ${model.full ? "words, traits and memory" : "a threshold on the similarity"}`];
    return [el("p.kind", {}, "Report"), el("h1", {}, isolated(data.name)), el("p.about-model", {}, facts_.join(", ")), el("p.lead", {}, lead()), promise(),
        answer ? cards() : null, warningList(shown)];
}

// A link to a closed section opens it.
function follow() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target; node; node = node.parentElement) if (node.localName === "details") node.open = true;
    const inside = target?.querySelector(":scope > details");
    if (inside) inside.open = true;
    target?.scrollIntoView();
}

const sections = [quality(), mistakes(), reasons(), contents(), others(), sweep(), training(), shapes(), dimensions(), atlas()].filter((one) => one);
if (missing.length) sections.push(folded("missing", "Not in this report", null, el("ul.missing", {}, ...missing)));
document.title = `${data.name} · FILM report`;
document.body.classList.toggle("framed", window.parent !== window);
$("main").append(...present(header(new Set(sections.map(({ id }) => id)))), ...sections);
$("contents").append(...sections.filter(({ id }) => id !== "missing").map((one) => el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
$("footer").textContent = `Created by film ${data.film}. The CSV button of a chart saves its values. Point at a value to read it. docs/explanation/report.md explains each section.`;
window.addEventListener("hashchange", follow);
follow();
