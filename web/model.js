// The views Model (model, pool, limits of the server) and Report.
import { $, el, setText, problem, count } from "./dom.js";
import { request, requestText, hasToken, Gone } from "./api.js";
import { download } from "./csv.js";
import { showEdits, startEdits } from "./edit.js";

let known = null;

const methods = {
    film: "FILM (low-rank map learned from triplets)", mfilm: "M-FILM (FILM trained in batches)",
    rank: "rank (map trained with a ranking loss)", svd: "svd (map from the texts, without labels)",
};
const featureNames = { word: "words", bigram: "word pairs", char: "character n-grams" };
const number = (x, digits) => (typeof x === "number" ? x.toFixed(digits) : null);
const share = (x) => (typeof x === "number" ? `${(100 * x).toFixed(1)} %` : null);

function facts(title, pairs) {
    const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return given.length ? el("section.facts-of", {}, el("h2", {}, title),
        el("dl", {}, ...given.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { dir: "auto" }, String(value))]))) : null;
}

function describeModel({ settings = {}, sizes = {}, figures = {} }) {
    const features = Object.entries(sizes.features ?? {}).map(([kind, n]) => `${count(n)} ${featureNames[kind] ?? kind}`).join(", ");
    const decision = settings.decision
        ? `sum of word evidence, ${count(settings.decision.traits.length)} named traits${figures.trees ? ` and ${count(figures.trees.rounds)} small trees` : ""}`
        : "threshold on the similarity";
    const balanced = typeof figures.balanced_accuracy === "number";
    return [
        facts("Model", [
            ["Method", methods[settings.method] ?? settings.method], ["Decision", decision],
            ["Dimensions", sizes.dim && count(sizes.dim)], ["Features", features],
            ["Ignored words", settings.stop?.length ? settings.stop.slice(0, 40).join(", ") : null],
        ]),
        facts("Fields", (settings.fields ?? []).map(([name, type]) => [name, type])),
        facts("Training data", [
            ["Rows", figures.rows && count(figures.rows)], ["Sentences", figures.sentences && count(figures.sentences)],
            ["Labels", figures.labels], ["Remembered questions", figures.memory && count(figures.memory.questions)],
        ]),
        facts("Quality on held-out pairs", [
            [balanced ? "Balanced accuracy" : "Accuracy", share(figures.balanced_accuracy ?? figures.accuracy)],
            ["Precision, recall", figures.operating && [share(figures.operating.precision), share(figures.operating.recall)].join(", ")],
            ["Log loss", number(figures.trees?.held_out_loss, 3)],
        ]),
    ];
}

const poolNames = { sentences: "Sentences", labels: "Labelled pairs", clusters: "Clusters", changes: "Changes", created: "Created" };
const limitNames = {
    body: "Request size (bytes)", texts: "Sentences or pairs per request", timeout: "Request timeout (seconds)",
    connections: "Simultaneous connections", pool: "Pool size (sentences)",
};
const named = (object, names) => Object.entries(names)
    .map(([name, title]) => [title, typeof object[name] === "number" ? count(object[name]) : object[name]]);

export async function loadModel() {
    known = await request("/v1/model");
    $("model-facts").replaceChildren(...[
        ...(known.model ? describeModel(known.model) : []),
        known.pool ? facts("Pool", [...named(known.pool, poolNames), ["Writable through this server", known.limits.read_only ? "no" : "yes"]]) : null,
        facts("Limits of this server", named(known.limits, limitNames)),
    ].filter(Boolean));
    if (known.model) showEdits(known);
    setText($("served"), `FILM ${known.version}`);
    $("nav-report").hidden = !known.report;
    return known;
}

async function load() {
    try {
        await loadModel();
        problem($("model-problem"), null);
    } catch (error) {
        if (error.status) problem($("model-problem"), error.message);
        else if (!(error instanceof Gone)) throw error;
    }
}

export const model = { title: "Model", start() { startEdits(load); }, show() { load(); }, refresh() { load(); } };

async function saveReport() {
    try {
        download("report.html", await requestText("/report"), "text/html");
    } catch (error) {
        if (error.status) setText($("report-status"), error.message);
        else if (!(error instanceof Gone)) throw error;
    }
}

// The report is a separate page. A frame cannot send a token, so with a token the report is downloaded instead.
function showReport() {
    const has = known?.report ?? false;
    setText($("report-status"), has ? (hasToken() ? "The report is a single file that works offline." : "")
                              : "This server has no report. Create one with film report, then start the server with film serve --report FILE.");
    $("report-status").hidden = has && !hasToken();
    if (!has || $("report-actions").childElementCount) return;
    if (hasToken()) {
        const save = el("button.primary", { type: "button" }, "Download the report");
        save.addEventListener("click", saveReport);
        $("report-actions").replaceChildren(save);
    } else {
        $("report-actions").replaceChildren(el("a.button.quiet", { href: "/report", target: "_blank", rel: "noopener" }, "Open in a new tab"));
        $("report-frame").replaceChildren(el("iframe", { src: "/report", title: "Report of the model" }));
    }
}

export const report = { title: "Report", start() {}, show: showReport, refresh: showReport };
