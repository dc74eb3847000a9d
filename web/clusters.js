// The view Clusters: a person confirms, merges and splits the clusters of the pool. Every edit is stored at once.
import { $, el, setText, problem, percent, several, count } from "./dom.js";
import { request, Gone } from "./api.js";

const atOnce = 20; // clusters fetched per request
let havePool = false; // until the server says so
let loaded = null; // the last response: figures
let clusters = []; // as shown
let current = null; // the cluster that edits are about
let busy = false;

const ids = (members) => members.map((member) => member.id);
const ticked = (cluster) => cluster.members.filter((member) => member.box?.checked);
const withTicks = () => clusters.filter((cluster) => ticked(cluster).length > 0);
const open = () => clusters.filter((cluster) => !cluster.reviewed);

// ---- Cards ----

function row(cluster, member) {
    const name = `${member.text}, ${member.representative ? "representative" : `${percent(member.probability)} percent`}`;
    member.box = el("input", { type: "checkbox", "aria-label": name });
    member.box.addEventListener("change", showTools);
    member.box.addEventListener("focus", () => choose(cluster, member));
    return el(member.representative ? "li.first" : "li", {}, el("label.choice", {}, member.box, el("span.text", { dir: "auto" }, member.text)),
        el("span.chance", {}, member.representative ? "representative" : `${percent(member.probability)} %`));
}

function head(cluster) {
    const doubt = `weakest link ${percent(cluster.weakest)} %`;
    return el("p.doubt", {}, `${several(cluster.members.length, "sentence", "sentences")}, ${cluster.reviewed ? "reviewed" : doubt}`);
}

function draw(cluster) {
    const place = clusters.indexOf(cluster) + 1;
    const card = el(cluster.reviewed ? "li.cluster.reviewed" : "li.cluster", { "aria-label": `Cluster ${place}` },
        el("span.size", { "aria-hidden": "true" }, `${count(cluster.members.length)}×`),
        el("div", {}, head(cluster), el("ul", {}, ...cluster.members.map((member) => row(cluster, member)))));
    card.addEventListener("click", () => choose(cluster, cluster.focus ?? cluster.members[0]));
    cluster.card?.replaceWith(card);
    cluster.card = card;
    return card;
}

function choose(cluster, member) {
    current?.card.classList.remove("current");
    current = cluster;
    if (!cluster) return;
    cluster.focus = member;
    cluster.card.classList.add("current");
    showTools();
}

function focusOn(cluster, member = cluster?.members[0]) {
    choose(cluster ?? null, member);
    if (!cluster) { $("clusters-title").focus(); return; }
    member.box.focus({ preventScroll: true });
    cluster.card.scrollIntoView({ block: "nearest" });
}

// ---- What is shown around them ----

function showTools() {
    const some = current ? ticked(current).length : 0;
    const off = busy || !current;
    $("clusters-same").disabled = off || current.reviewed;
    $("clusters-split").disabled = off || some === 0 || some === current.members.length;
    $("clusters-represent").disabled = off || !current.focus || current.focus.representative;
    $("clusters-merge").disabled = busy || withTicks().length < 2;
}

function showProgress() {
    setText($("clusters-progress"), loaded.count === 0
        ? `No duplicates among ${several(loaded.sentences, "sentence", "sentences")} at threshold ${percent(loaded.threshold)} %.`
        : `${count(loaded.reviewed)} of ${several(loaded.count, "cluster", "clusters")} reviewed, at threshold ${percent(loaded.threshold)} %.`);
    const left = loaded.count - clusters.length;
    $("clusters-more").hidden = left <= 0;
    setText($("clusters-more"), `Show more (${count(left)} remaining)`);
    showTools();
}

function showAll() {
    $("cluster-list").replaceChildren(...clusters.map(draw));
    showProgress();
}

// ---- Requests ----

// Runs one request at a time; a failure changes nothing on the screen.
async function attempt(work) {
    if (busy) return;
    busy = true;
    showTools();
    problem($("clusters-problem"), null);
    try {
        await work();
    } catch (error) {
        if (!(error instanceof Gone) && !error.status) throw error;
        problem($("clusters-problem"), error instanceof Gone ? "The server does not respond. Nothing was changed." : error.message);
    } finally {
        busy = false;
        showTools();
    }
}

const fetchSome = (from) => request(`/v1/clusters?from=${from}&n=${atOnce}&order=${$("clusters-order").value}`);

// Shows the list from its start, and stays at the current sentence.
async function reload() {
    const id = current?.focus.id;
    const had = $("cluster-list").contains(document.activeElement);
    loaded = await fetchSome(0);
    clusters = loaded.clusters;
    choose(null);
    showAll();
    const same = clusters.find((cluster) => ids(cluster.members).includes(id));
    const member = same?.members.find((one) => one.id === id);
    if (same && had) focusOn(same, member);
    else if (same) choose(same, member);
}

const load = () => attempt(async () => {
    if (!loaded) setText($("clusters-progress"), "Comparing the sentences of the pool …");
    await reload();
});

// Reviewed clusters are last on the server, so those still open are the first ones there.
const loadMore = () => attempt(async () => {
    loaded = await fetchSome(open().length);
    const known = new Set(clusters.map((cluster) => cluster.members[0].id));
    const fresh = loaded.clusters.filter((cluster) => !known.has(cluster.members[0].id));
    clusters.push(...fresh);
    showAll();
    if (fresh.length) focusOn(fresh[0]);
});

const edit = (body) => request("/v1/clusters", body);

const said = (text) => setText($("clusters-last"), text);

// The next cluster that waits for a decision, after this one.
function following(cluster) {
    const at = clusters.indexOf(cluster);
    return [...clusters.slice(at + 1), ...clusters.slice(0, at)].find((other) => !other.reviewed) ?? null;
}

function confirmed(cluster) {
    if (!cluster.reviewed) loaded.reviewed++;
    cluster.reviewed = true;
    draw(cluster);
}

const confirmAll = () => attempt(async () => {
    if (!current || current.reviewed) return;
    const cluster = current;
    await edit({ action: "same", ids: ids(cluster.members) });
    confirmed(cluster);
    said(`${several(cluster.members.length, "sentence means", "sentences mean")} the same.`);
    showProgress();
    focusOn(following(cluster) ?? cluster);
});

function drop(cluster) {
    clusters = clusters.filter((other) => other !== cluster);
    cluster.card.remove();
    loaded.count--;
    loaded.reviewed -= cluster.reviewed ? 1 : 0;
}

const split = () => attempt(async () => {
    const cluster = current;
    const out = cluster ? ticked(cluster) : [];
    if (out.length === 0 || out.length === cluster.members.length) return;
    const rest = cluster.members.filter((member) => !out.includes(member));
    await edit({ action: "split", ids: ids(out), rest: ids(rest) });
    const next = following(cluster);
    cluster.members = rest;
    if (!rest.some((member) => member.representative)) rest[0].representative = true;
    said(`Took ${several(out.length, "sentence", "sentences")} out of the cluster.`);
    if (rest.length > 1) draw(cluster);
    else drop(cluster);
    showProgress();
    focusOn(rest.length > 1 ? cluster : next);
});

const merge = () => attempt(async () => {
    const [first, ...others] = withTicks();
    if (others.length === 0) return;
    const members = [first, ...others].flatMap((cluster) => cluster.members);
    await edit({ action: "same", ids: ids(members) });
    others.forEach(drop);
    first.members = members.map((member) => ({ ...member, representative: member === first.members[0] }));
    confirmed(first);
    said(`Merged ${several(others.length + 1, "cluster", "clusters")}.`);
    showProgress();
    focusOn(first);
});

const represent = () => attempt(async () => {
    const cluster = current;
    const member = cluster?.focus;
    if (!member || member.representative) return;
    await edit({ action: "represent", ids: [member.id] });
    for (const other of cluster.members) other.representative = other === member;
    cluster.members.sort((one, other) => other.representative - one.representative);
    draw(cluster);
    said("Chose the representative.");
    focusOn(cluster, member);
});

// ---- Keys ----

// Moves to the next sentence, or to the first of the next cluster.
function move(step, whole) {
    const rows = clusters.flatMap((cluster) => (whole ? [[cluster, cluster.members[0]]] : cluster.members.map((member) => [cluster, member])));
    const at = rows.findIndex(([cluster, member]) => cluster === current && (whole || member === current.focus));
    const next = rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (next) focusOn(...next);
}

const keys = {
    y: confirmAll, x: split, m: merge, r: represent,
    arrowdown: () => move(1, false), arrowup: () => move(-1, false), arrowright: () => move(1, true), arrowleft: () => move(-1, true),
    home: () => focusOn(clusters[0]),
};

function press(event) {
    if ($("clusters").hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog") && event.target.type !== "checkbox") return;
    const act = keys[event.key.toLowerCase()];
    if (!act || (event.repeat && event.key.length === 1)) return;
    event.preventDefault();
    act();
}

export const clusterReview = {
    title: "Clusters",
    start() {
        for (const [name, act] of Object.entries({ same: confirmAll, split, merge, represent })) {
            $(`clusters-${name}`).addEventListener("click", act);
        }
        $("clusters-more").addEventListener("click", loadMore);
        $("clusters-order").addEventListener("change", () => load());
        document.addEventListener("keydown", press);
    },
    show() { if (havePool) load(); },
    served(model) {
        const fresh = !havePool && model.pool !== null;
        havePool = model.pool !== null;
        $("clusters-none").hidden = havePool;
        $("clusters-desk").hidden = !havePool;
        if (fresh && !$("clusters").hidden) clusterReview.show();
    },
    refresh() { clusterReview.show(); },
};
