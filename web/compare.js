// The view Compare: two sentences, or two records field by field, and a result that updates while typing.
import { $, el, setText, clean, percent, inWords } from "./dom.js";
import { request, latest, show } from "./api.js";
import { explanation, inShort } from "./why.js";
import { asText, fieldsOf, isRecord, readable, recordOf, sentenceOrRecord } from "./record.js";

const tries = [
    ["My bicycle was stolen, is that insured?", "Does the household policy pay for a stolen bike?"],
    ["My bicycle was stolen, is that insured?", "My bicycle was damaged, is that insured?"],
    ["I lost my card", "what if my card is lost?"],
];
const boxes = { a: $("a"), b: $("b") };
const prior = $("prior");
const open = new Set();
let fields = null; // of a record model: {name, a, b} with two inputs each
let keepLink = () => {};
let shownFor = null;

// The slider is linear in log-odds, so every step changes a result by the same amount.
const priorChosen = () => 1 / (1 + Math.exp(-prior.value / 10));
const isDefault = () => Number(prior.value) === 0;

function describePrior() {
    const p = priorChosen();
    const text = `${percent(p)} % of pairs mean the same`;
    setText($("prior-status"), text);
    prior.setAttribute("aria-valuetext", text);
}

// ---- What is compared ----

// A sentence, or a record without its empty fields; "" if nothing was entered.
function read(side) {
    if (!fields) return clean(boxes[side].value);
    const entries = fields.map((field) => [field.name, clean(field[side].value).trim()]).filter(([, value]) => value !== "");
    return entries.length ? Object.fromEntries(entries) : "";
}

function write(side, x) {
    if (!fields) {
        boxes[side].value = asText(x);
        return;
    }
    const record = isRecord(x) ? x : { [fields[0].name]: x };
    const known = new Map(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
    for (const field of fields) field[side].value = asText(known.get(field.name.toLowerCase()) ?? "");
    const unknown = [...known.keys()].filter((name) => !fields.some((field) => field.name.toLowerCase() === name));
    setText($("fields-status"), unknown.length ? `Not fields of the model: ${unknown.join(", ")}.` : "");
}

function set(first, second) {
    write("a", first);
    write("b", second);
    update(true);
}

// A pasted JSON object fills all fields of its side.
function paste(side) {
    return (event) => {
        const record = recordOf(event.clipboardData?.getData("text") ?? "");
        if (!record) return;
        event.preventDefault();
        write(side, record);
        update(true);
    };
}

function buildFields(list) {
    const input = (side, name) => {
        const node = el("textarea", { rows: 1, dir: "auto", spellcheck: "false", autocomplete: "off", "aria-label": `${name} of ${side.toUpperCase()}` });
        node.addEventListener("input", () => update());
        node.addEventListener("paste", paste(side));
        return node;
    };
    fields = list.map(([name, type]) => ({ name, type, a: input("a", name), b: input("b", name) }));
    const head = ["a", "b"].map((side) => el("span.head", { "aria-hidden": "true" },
        el("span.letter", {}, side.toUpperCase()), side === "a" ? " First record" : " Second record"));
    $("fields-grid").replaceChildren(el("span"), ...head,
        ...fields.flatMap((field) => [el("span.name", {}, field.name, " ", el("span.type", {}, field.type)), field.a, field.b]));
    const before = { a: boxes.a.value, b: boxes.b.value };
    $("fields").hidden = false;
    $("pair").hidden = true;
    $("fields").append($("swap"));
    setText($("compare-title"), "Are these two records the same?");
    $("compare-start").replaceChildren(el("p", {}, "Fill in some fields of both records. The result updates as you type. A JSON object can be pasted into any field."));
    for (const side of ["a", "b"]) if (before[side]) write(side, sentenceOrRecord(before[side]));
}

// ---- The result ----

function showExamples(examples) {
    $("known").hidden = examples.length === 0;
    $("examples").replaceChildren(...examples.map((example) => {
        const use = el("button.quiet.small", { type: "button" }, "Compare these");
        use.addEventListener("click", () => { set(example.a, example.b); focusFirst(); });
        return el("li", {},
            el(`span.badge.${example.same ? "for" : "against"}`, {}, example.same ? "= the same" : "≠ different"),
            el("span.texts", {}, el("span", { dir: "auto" }, ...readable(example.a)), el("span", { dir: "auto" }, ...readable(example.b))), use);
    }));
}

const focusFirst = () => (fields ? fields[0].a : boxes.a).focus();

function showAnswer(answer) {
    $("answer").hidden = false;
    setText($("percent"), percent(answer.probability));
    setText($("verdict-words"), inWords(answer.probability, answer.same));
    setText($("because"), inShort(answer));
    const verdict = $("verdict");
    verdict.classList.toggle("for", answer.same);
    verdict.classList.toggle("against", !answer.same);
    $("pin").style.setProperty("--at", answer.probability.toFixed(4));
    $("why").replaceChildren(explanation(answer, open, set));
    showExamples(answer.examples);
}

const update = latest(async (signal) => {
    const question = { a: read("a"), b: read("b") };
    const ready = [question.a, question.b].every((x) => isRecord(x) || x.trim() !== "");
    $("compare-start").hidden = Boolean(question.a || question.b);
    keepLink({ a: asText(question.a), b: asText(question.b), ...(isDefault() ? {} : { prior: priorChosen().toFixed(4) }) });
    if (!ready) {
        $("answer").hidden = true;
        shownFor = null;
        return;
    }
    if (!isDefault()) question.prior = priorChosen();
    const key = JSON.stringify(question);
    $("answer").classList.toggle("waiting", key !== shownFor);
    if (key === shownFor) return;
    try {
        showAnswer(await request("/v1/explain", question, signal));
        shownFor = key;
        $("answer").classList.remove("waiting"); // on failure it stays pale: it belongs to older input
    } catch (error) {
        if (error.name !== "AbortError") shownFor = null;
        if (error.status) $("answer").hidden = true; // a result for older input would mislead
        throw error;
    }
}, 120, show($("compare-problem")));

export const compare = {
    title: "Compare",
    start(keep) {
        keepLink = keep;
        boxes.a.addEventListener("input", () => update());
        boxes.b.addEventListener("input", () => update());
        prior.addEventListener("input", () => { describePrior(); update(); });
        $("swap").addEventListener("click", () => set(read("b"), read("a")));
        $("tries").replaceChildren(...tries.map(([first, second]) => {
            const use = el("button.try", { type: "button" }, el("span", {}, first), el("span", {}, second));
            use.addEventListener("click", () => { set(first, second); focusFirst(); });
            return el("li", {}, use);
        }));
        describePrior();
    },
    show(parameters) {
        if (parameters.has("prior")) {
            const p = Number(parameters.get("prior"));
            if (p > 0 && p < 1) prior.value = Math.round(10 * Math.log(p / (1 - p)));
            describePrior();
        }
        for (const side of ["a", "b"]) {
            if (parameters.has(side)) write(side, fields ? sentenceOrRecord(parameters.get(side)) : parameters.get(side));
        }
        update(true);
    },
    // A model of records has inputs for its fields.
    served(known) {
        const list = fieldsOf(known);
        if (!list.length || (fields && fields.map(({ name }) => name).join() === list.map(([name]) => name).join())) return;
        buildFields(list);
        update(true);
    },
    refresh() { update(true); },
};
