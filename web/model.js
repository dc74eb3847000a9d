// What is answering: the model, the pool, the report.
import { $, el, say, problem, count, several } from "./dom.js";
import { ask, askForText, hasToken, Gone } from "./api.js";
import { download } from "./csv.js";

let known = null;

const methods = {
    film: "FILM, a low-rank map learned from triplets", mfilm: "M-FILM, learned in batches",
    rank: "a map learned by ranking", svd: "a map from the texts alone",
};
const number = (x, digits) => (typeof x === "number" ? x.toFixed(digits) : null);
const share = (x) => (typeof x === "number" ? `${(100 * x).toFixed(1)} %` : null);

function facts(title, pairs) {
    const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return given.length ? el("section.facts-of", {}, el("h2", {}, title),
        el("dl", {}, ...given.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { dir: "auto" }, String(value))]))) : null;
}

function describeModel({ settings = {}, sizes = {}, figures = {} }) {
    const features = Object.entries(sizes.features ?? {}).map(([kind, n]) => `${count(n)} ${kind}`).join(", ");
    const decision = settings.decision
        ? `words, ${count(settings.decision.traits.length)} named traits${figures.trees ? `, ${count(figures.trees.rounds)} small trees` : ""}; a sum of all`
        : "one threshold on the similarity";
    const accuracy = figures.balanced_accuracy ?? figures.accuracy;
    return [
        facts("The model", [
            ["Learned by", methods[settings.method] ?? settings.method], ["Decides by", decision],
            ["Dimensions", sizes.dim && count(sizes.dim)], ["Features", features],
            ["Ignored words", settings.stop?.length ? settings.stop.slice(0, 40).join(", ") : null],
        ]),
        facts("What it learned from", [
            ["Rows", figures.rows && count(figures.rows)], ["Sentences", figures.sentences && count(figures.sentences)],
            ["Labels", figures.labels], ["Remembers", figures.memory && several(figures.memory.questions, "question", "questions")],
        ]),
        facts("How good it was in training", [
            ["Accuracy on pairs held out, both labels weighing half", share(accuracy)],
            ["Precision, recall", figures.operating && [share(figures.operating.precision), share(figures.operating.recall)].join(", ")],
            ["Log loss held out", number(figures.trees?.held_out_loss, 3)],
        ]),
    ];
}

const poolNames = { sentences: "Sentences", labels: "Labelled pairs", clusters: "Clusters", changes: "Changes so far", created: "Made" };
const limitNames = {
    body: "Bytes of a request", texts: "Sentences or pairs in a request", timeout: "Seconds for a request",
    connections: "Connections at once", pool: "Sentences the pool may hold",
};
const named = (object, names) => Object.entries(names)
    .map(([name, title]) => [title, typeof object[name] === "number" ? count(object[name]) : object[name]]);

export async function loadModel() {
    known = await ask("/v1/model");
    $("model-facts").replaceChildren(...[
        ...describeModel(known.model),
        known.pool ? facts("The pool", [...named(known.pool, poolNames), ["Can be changed through this server", known.limits.read_only ? "no" : "yes"]]) : null,
        facts("Limits of this server", named(known.limits, limitNames)),
    ].filter(Boolean));
    say($("served"), `FILM ${known.version}`);
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

export const model = { title: "Model", start() {}, show() { load(); }, refresh() { load(); } };

async function saveReport() {
    try {
        download("report.html", await askForText("/report"), "text/html");
    } catch (error) {
        if (error.status) say($("report-says"), error.message);
        else if (!(error instanceof Gone)) throw error;
    }
}

// The report is a page of its own. A frame cannot send a token, so with one it is fetched and saved instead.
function showReport() {
    const has = known?.report ?? false;
    say($("report-says"), has ? (hasToken() ? "The report is one file that works without a network." : "")
                              : "This server has no report. film report makes one, film serve --report shows it here.");
    $("report-says").hidden = has && !hasToken();
    if (!has || $("report-actions").childElementCount) return;
    if (hasToken()) {
        const save = el("button.primary", { type: "button" }, "Download the report");
        save.addEventListener("click", saveReport);
        $("report-actions").replaceChildren(save);
    } else {
        $("report-actions").replaceChildren(el("a.button.quiet", { href: "/report", target: "_blank", rel: "noopener" }, "Open in a tab of its own"));
        $("report-frame").replaceChildren(el("iframe", { src: "/report", title: "Report of the model" }));
    }
}

export const report = { title: "Report", start() {}, show: showReport, refresh: showReport };
