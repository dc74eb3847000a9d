// The view Compare: two text boxes and a result that updates while typing.
import { $, el, setText, clean, percent, inWords } from "./dom.js";
import { request, latest, show } from "./api.js";
import { explanation, inShort } from "./why.js";

const tries = [
    ["My bicycle was stolen, is that insured?", "Does the household policy pay for a stolen bike?"],
    ["My bicycle was stolen, is that insured?", "My bicycle was damaged, is that insured?"],
    ["I lost my card", "what if my card is lost?"],
];
const a = $("a");
const b = $("b");
const prior = $("prior");
const open = new Set();
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

function showExamples(examples) {
    $("known").hidden = examples.length === 0;
    $("examples").replaceChildren(...examples.map((example) => {
        const use = el("button.quiet.small", { type: "button" }, "Compare these");
        use.addEventListener("click", () => { set(example.a, example.b); a.focus(); });
        return el("li", {},
            el(`span.badge.${example.same ? "for" : "against"}`, {}, example.same ? "= the same" : "≠ different"),
            el("span.texts", {}, el("span", { dir: "auto" }, example.a), el("span", { dir: "auto" }, example.b)), use);
    }));
}

function showAnswer(answer) {
    $("answer").hidden = false;
    setText($("percent"), percent(answer.probability));
    setText($("verdict-words"), inWords(answer.probability));
    setText($("because"), inShort(answer));
    const verdict = $("verdict");
    verdict.classList.toggle("for", answer.probability >= 0.5);
    verdict.classList.toggle("against", answer.probability < 0.5);
    $("pin").style.setProperty("--at", answer.probability.toFixed(4));
    $("why").replaceChildren(explanation(answer, open, set));
    showExamples(answer.examples);
}

const update = latest(async (signal) => {
    const question = { a: clean(a.value), b: clean(b.value) };
    const ready = question.a.trim() !== "" && question.b.trim() !== "";
    $("compare-start").hidden = Boolean(question.a || question.b);
    keepLink({ ...question, ...(isDefault() ? {} : { prior: priorChosen().toFixed(4) }) });
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

function set(first, second) {
    a.value = first;
    b.value = second;
    update(true);
}

export const compare = {
    title: "Compare",
    start(keep) {
        keepLink = keep;
        a.addEventListener("input", () => update());
        b.addEventListener("input", () => update());
        prior.addEventListener("input", () => { describePrior(); update(); });
        $("swap").addEventListener("click", () => set(b.value, a.value));
        $("tries").replaceChildren(...tries.map(([first, second]) => {
            const use = el("button.try", { type: "button" }, el("span", {}, first), el("span", {}, second));
            use.addEventListener("click", () => { set(first, second); a.focus(); });
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
        if (parameters.has("a")) a.value = parameters.get("a");
        if (parameters.has("b")) b.value = parameters.get("b");
        update(true);
    },
    refresh() { update(true); },
};
