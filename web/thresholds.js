// The view Threshold: precision and recall over the threshold, examples on both sides of the line, and the choice.
import { $, el, svg, setText, problem, percent, several } from "./dom.js";
import { request, latest, show } from "./api.js";

const left = 46, right = 26, top = 14, bottom = 34;
let width = 720, height = 300; // of the picture; narrow screens get a smaller one, with text of the same size
const most = 5; // examples on each side
let havePool = false; // until the server says so
let curve = null;

const x = (p) => left + p * (width - left - right);
const y = (p) => height - bottom - p * (height - top - bottom);
const point = () => curve.points[Number($("line").value) - 1];
const share = (p) => `${percent(p)} %`;
const whole = (p) => Math.round(100 * p); // an estimate may be 100 %

// ---- The picture ----

// Draws a line through the known values of FIELD; gaps stay gaps.
function path(field) {
    let pen = "M";
    return curve.points.map((at) => {
        if (at[field] === null) { pen = "M"; return ""; }
        const step = `${pen}${x(at.threshold).toFixed(1)} ${y(at[field]).toFixed(1)}`;
        pen = "L";
        return step;
    }).join("");
}

function band(name) {
    const known = curve.points.filter((at) => at[name] !== null);
    const edge = (field) => (at) => `${x(at.threshold).toFixed(1)} ${y(at[field]).toFixed(1)}`;
    return known.length ? `M${[...known.map(edge(`${name}_low`)), ...known.reverse().map(edge(`${name}_high`))].join("L")}Z` : "";
}

function axis() {
    const parts = [];
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
        const mark = svg("text", { x: left - 8, y: y(tick) + 4, class: "tick end" });
        const under = svg("text", { x: x(tick), y: height - 12, class: "tick" });
        mark.textContent = under.textContent = `${100 * tick} %`;
        parts.push(svg("path", { d: `M${left} ${y(tick)}H${width - right}`, class: "grid" }), mark, under);
    }
    return parts;
}

function draw() {
    width = Math.min(Math.max($("curve").clientWidth, 300), 720);
    height = width < 500 ? 230 : 300;
    $("curve").setAttribute("viewBox", `0 0 ${width} ${height}`);
    const line = svg("path", { id: "line-mark", class: "line-mark" });
    const shape = (d, name) => svg("path", { d, class: name });
    const answered = curve.answers > 0;
    $("key-expected").hidden = !answered;
    const [precision, recall] = answered ? ["precision", "recall"] : ["expected_precision", "expected_recall"];
    $("curve").replaceChildren(...axis(),
        shape(`${path("share")}L${x(0.99)} ${y(0)}L${x(0.01)} ${y(0)}Z`, "area"),
        ...(answered ? [shape(band("precision"), "band for"), shape(band("recall"), "band against")] : []),
        ...(answered ? [shape(path("expected_precision"), "expected for"), shape(path("expected_recall"), "expected against")] : []),
        shape(path(precision), "stroke for"), shape(path(recall), "stroke against"), line);
}

// ---- Words ----

const interval = (at, name) => `${whole(at[name])} % (${whole(at[`${name}_low`])} to ${whole(at[`${name}_high`])})`;

function describe(at) {
    const called = `Calls ${share(at.share)} of the pairs the same.`;
    if (curve.answers === 0 || at.precision === null) {
        if (at.expected_precision === null) return `${called} No pair of the sample is above the line.`;
        return `${called} The model expects ${share(at.expected_precision)} of them to be right, and to find ${share(at.expected_recall)} of the duplicates.`;
    }
    const found = at.recall === null ? "" : ` It finds ${interval(at, "recall")} of the duplicates.`;
    return `${called} Of these, ${interval(at, "precision")} are right.${found}`;
}

function basis() {
    const of = `${several(curve.answers, "answer", "answers")} of reviews and ${several(curve.pairs, "random pair", "random pairs")}`;
    if (curve.answers === 0) return "There are no answers yet. The curves are the model's own expectation, not a measurement. Answer pairs in Review to measure it.";
    if (!curve.enough) return `Estimated from ${of}, too few to rely on. Answers cover ${share(curve.covered)} of the pairs; 50 answers over 95 % of them are needed.`;
    return `Estimated from ${of}. Shaded: 95 % intervals.`;
}

function example(pair) {
    return el("li", {}, el("span.texts", {}, el("span", { dir: "auto" }, pair.a), el("span", { dir: "auto" }, pair.b)),
        el("span.chance", {}, share(pair.probability)));
}

function showLine() {
    const at = point();
    setText($("line-status"), share(at.threshold));
    setText($("line-words"), describe(at));
    $("line-mark").setAttribute("d", `M${x(at.threshold)} ${top}V${height - bottom}`);
    const above = curve.examples.filter((pair) => pair.probability >= at.threshold);
    const below = curve.examples.filter((pair) => pair.probability < at.threshold);
    $("above").replaceChildren(...above.slice(0, most).map(example));
    $("below").replaceChildren(...below.slice(-most).reverse().map(example));
    $("above-none").hidden = above.length > 0;
    $("below-none").hidden = below.length > 0;
    $("line-store").disabled = curve.threshold !== null && Math.abs(curve.threshold - at.threshold) < 1e-9;
    $("line-reset").disabled = curve.threshold === null;
}

function showStored() {
    setText($("line-stored"), curve.threshold === null
        ? "No threshold is stored. Deduplicating the pool uses 90 %, other verdicts use the model's own threshold."
        : `Stored: ${share(curve.threshold)}. Comparing, searching and deduplicating this pool use it.`);
}

// ---- Choices ----

// The lowest threshold whose precision keeps the budget, as GET /v1/thresholds?budget= chooses it.
function chooseBudget() {
    const budget = Number($("budget").value);
    if (!curve || !budget) return;
    const field = curve.enough ? "precision" : "expected_precision";
    const fitting = curve.points.find((at) => at[field] !== null && at[field] >= 1 - budget);
    problem($("threshold-problem"), fitting ? null : "No threshold keeps this budget.");
    if (!fitting) return;
    $("line").value = Math.round(100 * fitting.threshold);
    showLine();
}

const load = latest(async (signal) => {
    if (!curve) setText($("threshold-basis"), "Judging pairs of the pool …");
    curve = await request("/v1/thresholds", null, signal);
    const pairs = new Map(curve.examples.map((pair) => [[...pair.ids].sort().join("\t"), pair]));
    curve.examples = [...pairs.values()]; // two sentences that are each other's neighbour may come twice
    if (!$("thresholds").dataset.moved) $("line").value = Math.round(100 * (curve.threshold ?? 0.9));
    $("threshold-desk").hidden = curve.pairs === 0;
    setText($("threshold-basis"), curve.pairs === 0 ? "The pool has no pairs of sentences yet." : basis());
    if (curve.pairs === 0) return;
    draw();
    showLine();
    showStored();
}, 0, show($("threshold-problem")));

const store = latest(async (signal) => {
    const wanted = $("thresholds").dataset.store;
    const { threshold } = await request("/v1/threshold", { threshold: Number(wanted) }, signal);
    curve.threshold = threshold;
    showStored();
    showLine();
}, 0, show($("threshold-problem")));

function storeValue(value) {
    if (!curve) return;
    $("thresholds").dataset.store = value;
    store(true);
}

export const thresholds = {
    title: "Threshold",
    start() {
        $("line").addEventListener("input", () => {
            $("thresholds").dataset.moved = "1";
            $("budget").value = "";
            if (curve) showLine();
        });
        $("budget").addEventListener("change", chooseBudget);
        window.addEventListener("resize", () => {
            if (!curve || $("threshold-desk").hidden || $("thresholds").hidden) return;
            draw();
            showLine();
        });
        $("line-store").addEventListener("click", () => storeValue(point().threshold));
        $("line-reset").addEventListener("click", () => storeValue(0));
    },
    show() { if (havePool) load(true); },
    served(model) {
        const fresh = !havePool && model.pool !== null;
        havePool = model.pool !== null;
        $("threshold-none").hidden = havePool;
        if (!havePool) $("threshold-desk").hidden = true;
        if (fresh && !$("thresholds").hidden) thresholds.show();
    },
    refresh() { thresholds.show(); },
};
