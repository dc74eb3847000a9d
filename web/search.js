// The view Search: searches the pool while typing.
import { $, el, setText, clean, percent, signed, several } from "./dom.js";
import { request, latest, Gone } from "./api.js";
import { explanation } from "./why.js";
import { asText, fieldsOf, readable, sentenceOrRecord } from "./record.js";

const q = $("q");
const category = $("category");
const results = $("results");
const categories = new Set();
let keepLink = () => {};
let havePool = true;

const heads = () => [...results.querySelectorAll("button.result")];

function learnCategories(found) {
    for (const { category: name } of found) {
        if (!name || categories.has(name)) continue;
        categories.add(name);
        $("categories").append(el("option", { value: name }));
    }
}

// Only http and https addresses become links; others (such as javascript:) are shown as text.
function address(url) {
    const safe = /^https?:\/\//i.test(url);
    return safe ? el("a.url", { href: url, rel: "noopener noreferrer", target: "_blank" }, url) : el("span.url", { dir: "auto" }, url);
}

async function openReasons(place, question, text) {
    place.replaceChildren(el("p.hint", {}, "Loading the explanation …"));
    try {
        const link = el("a", { href: `#compare?${new URLSearchParams({ a: asText(question), b: asText(text) })}` }, "Open in Compare");
        place.replaceChildren(explanation(await request("/v1/explain", { a: question, b: text }), new Set()), el("p", {}, link));
    } catch (error) {
        const gone = error instanceof Gone;
        if (!gone && !error.status) throw error;
        place.replaceChildren(el("p.problem", {}, gone ? "The server does not respond. Close this result and open it again later." : error.message));
    }
}

function card(found, number, question) {
    const why = el("div.why", { id: `why-${number}`, hidden: "" });
    const head = el("button.result", { type: "button", "aria-expanded": "false", "aria-controls": why.id },
        el(`span.chance.${found.same ? "for" : "against"}`, {}, `${found.same ? "=" : "≠"} ${percent(found.probability)} %`),
        el("span.text", { dir: "auto" }, ...readable(found.text)));
    head.addEventListener("click", () => {
        const now = why.hidden;
        why.hidden = !now;
        head.setAttribute("aria-expanded", String(now));
        if (now) openReasons(why, question, found.text);
    });
    const reasons = (found.groups ?? []).slice(0, 3); // the server lists those for the verdict first
    return el("li", {}, head,
        el("div.more", {},
            found.answer ? el("p.answer", { dir: "auto" }, found.answer) : null,
            el("p.meta", {}, found.category ? el("span.tag", {}, found.category) : null,
                found.url ? address(found.url) : null, el("span.id", {}, found.id)),
            reasons.length ? el("ul.reasons", {}, ...reasons.map((group) =>
                el(`li.${group.weight < 0 ? "against" : "for"}`, { title: group.id }, `${signed(group.weight)} ${group.title}`))) : null),
        why);
}

const update = latest(async (signal) => {
    const question = clean(q.value).trim();
    const only = clean(category.value).trim();
    keepLink({ ...(question && { q: question }), ...(only && { category: only }) });
    if (!question) {
        results.replaceChildren();
        results.classList.remove("waiting");
        return;
    }
    const body = { q: sentenceOrRecord(question), k: 10, explain: true, reasons: 0 };
    if (only) body.where = { category: only };
    results.classList.add("waiting");
    try {
        const { results: found } = await request("/v1/search", body, signal);
        // Keeps the keyboard focus at the same position in the list.
        const here = heads().indexOf(document.activeElement);
        results.replaceChildren(...found.map((one, i) => card(one, i, body.q)));
        if (here >= 0) (heads()[here] ?? q).focus();
        learnCategories(found);
        results.classList.remove("waiting"); // on failure they stay pale: they belong to older input
        setText($("search-status"), found[0]?.answers === false ? "Nothing here answers this. The nearest sentences:" : found.length ? `${several(found.length, "result", "results")}, best first` : `No results${only ? ` in category ${only}` : ""}.`);
    } catch (error) {
        if (error.status) results.replaceChildren(); // the message is shown instead
        throw error;
    }
}, 120, (text) => {
    if (text) setText($("search-status"), text);
    else if (!q.value.trim()) setText($("search-status"), "");
});

// Up and Down move through the results, starting from the question; Escape returns to the question.
function move(event) {
    const all = heads();
    const here = all.indexOf(document.activeElement);
    if (event.target !== q && here < 0) return;
    let next = null;
    if (event.key === "ArrowDown") next = all[here + 1] ?? all[here];
    else if (event.key === "ArrowUp" && here >= 0) next = here === 0 ? q : all[here - 1];
    else if (event.key === "Home" && here >= 0) next = all[0];
    else if (event.key === "End" && here >= 0) next = all[all.length - 1];
    else if (event.key === "Escape" && here >= 0) next = q;
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
}

export const search = {
    title: "Search",
    start(keep) {
        keepLink = keep;
        q.addEventListener("input", () => update());
        category.addEventListener("input", () => update());
        $("search-form").addEventListener("submit", (event) => { event.preventDefault(); update(true); });
        $("search").addEventListener("keydown", move);
    },
    show(parameters) {
        if (parameters.has("q")) q.value = parameters.get("q");
        if (parameters.has("category")) category.value = parameters.get("category");
        if (havePool) update(true);
    },
    // Shows the search form only if the server has a pool.
    served(model) {
        havePool = model.pool !== null;
        const [first] = fieldsOf(model);
        if (first) q.placeholder = `${first[0]}, or a record: {"${first[0]}": "…"}`;
        $("search-none").hidden = havePool;
        for (const id of ["search-form", "search-keys", "search-status"]) $(id).hidden = !havePool;
        results.hidden = !havePool;
    },
    refresh() { if (havePool) update(true); },
};
