// The view Classify: the category of a sentence, or none, while typing. Only for a model of categories.
import { $, el, setText, clean, percent, signed } from "./dom.js";
import { request, latest } from "./api.js";

const text = $("classify-text");
const shown = $("classified");
let keepLink = () => {};
let hasCategories = true;

function row(category, chosen) {
    return el("li", {}, el(`span.chance${chosen ? ".for" : ""}`, {}, `${percent(category.probability)} %`),
        el("span.text", { dir: "auto" }, category.category));
}

function verdict(answer) {
    if (!answer.none) return `${answer.category} (${percent(answer.probability)} %)`;
    return `None of these: the probability of none is ${percent(answer.none_probability)} %, and none is chosen from ${percent(answer.threshold)} % on. The nearest categories:`;
}

function example({ text: sentence, category, similarity }) {
    return el("li", {}, el("span.badge", {}, `similarity ${similarity.toFixed(2)}`),
        el("span.texts", { dir: "auto" }, sentence), el("span.tag", {}, category));
}

function show(answer) {
    $("category-list").replaceChildren(...answer.categories.map((one, i) => row(one, i === 0 && !answer.none)));
    $("category-words").replaceChildren(...answer.reasons.map((reason) =>
        el(`li.${reason.weight < 0 ? "against" : "for"}`, { dir: "auto" }, `${signed(reason.weight)} ${reason.word}`)));
    $("category-examples").replaceChildren(...answer.examples.map(example));
    setText($("classify-status"), verdict(answer));
    shown.hidden = false;
    shown.classList.remove("waiting");
}

const update = latest(async (signal) => {
    const sentence = clean(text.value).trim();
    keepLink({ ...(sentence && { text: sentence }) });
    shown.classList.add("waiting");
    if (sentence) show(await request("/v1/classify", { text: sentence, top: 5, examples: 5 }, signal));
    else shown.hidden = true;
}, 120, (problem) => {
    if (problem) shown.hidden = true;
    if (problem || !text.value.trim()) setText($("classify-status"), problem ?? "");
});

export const classify = {
    title: "Classify",
    start(keep) {
        keepLink = keep;
        text.addEventListener("input", () => update());
        $("classify-form").addEventListener("submit", (event) => { event.preventDefault(); update(true); });
    },
    show(parameters) {
        if (parameters.has("text")) text.value = parameters.get("text");
        if (hasCategories) update(true);
    },
    served(known) {
        hasCategories = Boolean(known.model.settings?.classifier);
        $("nav-classify").hidden = !hasCategories;
        $("classify-form").hidden = !hasCategories;
        $("classify-none").hidden = hasCategories;
        if (!hasCategories) shown.hidden = true;
    },
    refresh() { if (hasCategories) update(true); },
};
