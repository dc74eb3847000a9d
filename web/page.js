// Switches between the views. Each view keeps its input in the address (#search?q=...), so a link reproduces it.
import { $ } from "./dom.js";
import { connection, Gone } from "./api.js";
import { compare } from "./compare.js";
import { search } from "./search.js";
import { classify } from "./classify.js";
import { dedup } from "./dedup.js";
import { review } from "./review.js";
import { clusterReview } from "./clusters.js";
import { thresholds } from "./thresholds.js";
import { learn } from "./learn.js";
import { start } from "./start.js";
import { model, report, loadModel } from "./model.js";

const views = { compare, search, classify, dedup, start, review, clusters: clusterReview, thresholds, model, report };
const longestLink = 4000; // longer addresses are too long to share
let current = null;

function viewNamed(name) {
    return Object.hasOwn(views, name) ? name : "compare";
}

function keeper(name) {
    return (parameters) => {
        // The address may name the next view already, before the event arrives that shows it.
        if (current !== name || viewNamed(location.hash.slice(1).split("?")[0]) !== name) return;
        const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
        const address = `#${name}${query && query.length <= longestLink ? `?${query}` : ""}`;
        if (address !== location.hash) history.replaceState(null, "", address);
    };
}

function go(moveFocus) {
    const [name, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
    if (name === "main") return; // the skip link
    const next = viewNamed(name);
    const changed = next !== current;
    current = next;
    for (const id of Object.keys(views)) $(id).hidden = id !== next;
    for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.view === next) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    document.title = `${views[next].title} · FILM`;
    views[next].show(new URLSearchParams(query));
    if (changed && moveFocus) $(`${next}-title`).focus();
}

async function loadServer() {
    try {
        const known = await loadModel();
        start.served(known, loadServer);
        if (known.model === null) return; // there is no pool yet
        for (const view of [compare, search, classify, dedup, review, learn, clusterReview, thresholds]) view.served(known);
        report.refresh();
    } catch (error) {
        if (!(error instanceof Gone) && !error.status) throw error;
    }
}

document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address must keep naming the view
    $("main").focus();
});
for (const [name, view] of Object.entries(views)) view.start(keeper(name));
learn.start();
window.addEventListener("hashchange", () => go(true));
connection.addEventListener("back", () => {
    loadServer();
    views[current].refresh();
});
go(false);
loadServer();
