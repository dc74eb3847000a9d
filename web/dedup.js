// The view Deduplicate: finds clusters of sentences that mean the same in a list.
import { $, el, setText, clean, percent, several, count } from "./dom.js";
import { request, latest } from "./api.js";
import { rows, csv, download } from "./csv.js";
import { asText, fieldsOf, isRecord, readable, sentenceOrRecord } from "./record.js";

const list = $("list");
const kept = "film-list";
const page = 40; // clusters shown at a time
let table = null; // rows of the opened file, if it has columns
let texts = [];   // the sentences that the result refers to
let result = null;
let shown = 0;
let wanted = false; // requested, but not received yet

let fields = [];  // names of the fields of a record model

// A table whose first row has fields of the model: the number of each column that is one. null: no such table.
function recordColumns(head) {
    const at = fields.map((name) => [name, head.findIndex((cell) => cell.trim().toLowerCase() === name.toLowerCase())]).filter(([, i]) => i >= 0);
    return head.length > 1 && at.length ? at : null;
}

// Sentences, one per line. With a record model: JSON objects, one per line, or a table with a head.
function lines() {
    const text = clean(list.value);
    const all = text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter((line) => line !== "");
    if (!fields.length) return all;
    const cells = rows(text);
    const columns = cells.length ? recordColumns(cells[0]) : null;
    if (!columns) return all.map(sentenceOrRecord);
    return cells.slice(1).map((row) => Object.fromEntries(columns.map(([name, i]) => [name, (row[i] ?? "").trim()]).filter(([, value]) => value !== "")))
        .filter((record) => Object.keys(record).length);
}

function describe() {
    const n = lines().length;
    setText($("list-status"), n ? several(n, one(), many()) : "Paste a list, drop a file here, or open a file.");
    setText($("threshold-status"), `${$("threshold").value} %`);
    try {
        sessionStorage.setItem(kept, list.value);
    } catch {
        sessionStorage.removeItem(kept); // too large for the session storage
    }
}

const one = () => (fields.length ? "record" : "sentence");
const many = () => `${one()}s`;

// ---- Files ----

const knownNames = /^(text|question|question1|sentence|sentence1|title|query|body|description)$/i;

function columnsOf(head, body) {
    const named = head.findIndex((name) => knownNames.test(name.trim()));
    if (named >= 0) return named;
    const length = (i) => body.reduce((total, cells) => total + (cells[i]?.length ?? 0), 0);
    return head.map((_, i) => i).reduce((best, i) => (length(i) > length(best) ? i : best), 0);
}

function useColumn() {
    const named = table[0].some((name) => knownNames.test(name.trim()));
    const column = Number($("column").value);
    list.value = (named ? table.slice(1) : table).map((cells) => (cells[column] ?? "").replace(/\s+/g, " ").trim())
        .filter((text) => text !== "").join("\n");
    describe();
}

async function openFile(file) {
    const text = (await file.text()).replace(/^\ufeff/, "");
    const isTable = /\.(csv|tsv)$/i.test(file.name) || /csv|tab-separated/.test(file.type);
    table = isTable ? rows(text) : null;
    if (table && (table.length === 0 || recordColumns(table[0]))) table = null; // a table of records is kept as it is
    $("column-box").hidden = !table || table[0].length < 2;
    if (table) {
        const chosen = columnsOf(table[0], table.slice(1, 50));
        $("column").replaceChildren(...table[0].map((name, i) => {
            const option = el("option", { value: i }, `${i + 1}: ${name.slice(0, 60)}`);
            option.selected = i === chosen;
            return option;
        }));
        useColumn();
    } else {
        list.value = text;
        describe();
    }
    setText($("dedup-status"), `Loaded ${several(lines().length, one(), many())} from ${file.name}.`);
}

// ---- The result ----

function card(cluster) {
    return el("li.cluster", {}, el("span.size", { "aria-label": several(cluster.size, one(), many()) }, `${count(cluster.size)}×`),
        el("ul", {}, ...cluster.members.map((member) => el(member.representative ? "li.first" : "li", {},
            el("span.text", { dir: "auto" }, ...readable(member.text)),
            el("span.chance", {}, member.representative ? "representative" : `${percent(member.probability)} %`)))));
}

function showMore() {
    const next = result.clusters.slice(shown, shown + page);
    $("found-clusters").append(...next.map(card));
    shown += next.length;
    const left = result.clusters.length - shown;
    $("more-clusters").hidden = left === 0;
    setText($("more-clusters"), `Show more (${count(left)} remaining)`);
}

function showResult() {
    result.clusters.sort((x, y) => y.size - x.size);
    for (const cluster of result.clusters) {
        cluster.members.sort((x, y) => y.representative - x.representative || y.probability - x.probability);
    }
    shown = 0;
    $("found-clusters").replaceChildren();
    showMore();
    const inside = result.clusters.reduce((total, cluster) => total + cluster.size, 0);
    setText($("dedup-status"), result.clusters.length
        ? `${count(inside)} of ${several(result.records, one(), many())} have duplicates, in ${several(result.clusters.length, "cluster", "clusters")}. Without duplicates, ${several(result.records - inside + result.clusters.length, `${one()} remains`, `${many()} remain`)}.`
        : `No duplicates among ${several(result.records, one(), many())} at threshold ${percent(result.threshold)} %.`);
    // The server assumes prior 0.5 for candidate pairs; in most lists duplicates are much rarer.
    $("dedup-sure").hidden = result.sure === result.pairs;
    setText($("dedup-sure"), `${count(result.sure)} of ${several(result.pairs, "pair", "pairs")} also reach the threshold if only 1 in 20 candidate pairs is a duplicate. If you see wrong duplicates, raise the threshold.`);
    $("downloads").hidden = false;
}

function forget() {
    result = null;
    $("found-clusters").replaceChildren();
    $("downloads").hidden = true;
    $("dedup-sure").hidden = true;
    $("more-clusters").hidden = true;
}

const find = latest(async (signal) => {
    texts = lines();
    forget();
    if (texts.length < 2) {
        setText($("dedup-status"), `Enter at least two ${many()}.`);
        return;
    }
    setText($("dedup-status"), `Comparing ${several(texts.length, one(), many())} …`);
    $("dedup-run").setAttribute("aria-busy", "true");
    try {
        result = await request("/v1/dedup", { texts, threshold: Number($("threshold").value) / 100 }, signal);
        showResult();
        wanted = false;
    } finally {
        $("dedup-run").removeAttribute("aria-busy");
    }
}, 0, (text) => {
    if (text) setText($("dedup-status"), text);
    else if (wanted && !result && texts.length > 1) setText($("dedup-status"), "Waiting for the server …");
});

// One row per sentence: line, text, cluster (empty if it has no duplicate), probability, representative or not.
function clusterRows() {
    const place = new Map();
    result.clusters.forEach((cluster, i) => cluster.members.forEach((member) => place.set(member.index, [i + 1, member])));
    const columns = fields.length ? fields : ["text"];
    const cells = (x) => (fields.length ? fields.map((name) => asText((isRecord(x) ? x : { [fields[0]]: x })[name] ?? "")) : [x]);
    return [["line", ...columns, "cluster", "probability", "representative"], ...texts.map((text, i) => {
        const [cluster, member] = place.get(i) ?? ["", null];
        return [i + 1, ...cells(text), cluster, member ? member.probability : "", member ? Number(member.representative) : ""];
    })];
}

const distinctRows = () => clusterRows().filter((cells) => cells.at(-3) === "" || cells.at(-1) === 1 || cells[0] === "line").map((cells) => cells.slice(0, -3));

export const dedup = {
    title: "Deduplicate",
    start() {
        list.value = sessionStorage.getItem(kept) ?? "";
        describe();
        list.addEventListener("input", describe);
        list.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("dedup-form").requestSubmit();
        });
        $("threshold").addEventListener("input", describe);
        $("file").addEventListener("change", (event) => {
            if (event.target.files[0]) openFile(event.target.files[0]);
            event.target.value = "";
        });
        list.addEventListener("dragover", (event) => event.preventDefault());
        list.addEventListener("drop", (event) => {
            if (!event.dataTransfer.files[0]) return;
            event.preventDefault();
            openFile(event.dataTransfer.files[0]);
        });
        $("column").addEventListener("change", useColumn);
        $("dedup-form").addEventListener("submit", (event) => { event.preventDefault(); wanted = true; find(true); });
        $("more-clusters").addEventListener("click", showMore);
        $("download-clusters").addEventListener("click", () => download("clusters.csv", csv(clusterRows())));
        $("download-distinct").addEventListener("click", () => download("distinct.csv", csv(distinctRows())));
    },
    show() { if (wanted) find(true); },
    served(known) {
        fields = fieldsOf(known).map(([name]) => name);
        if (fields.length) {
            setText($("dedup-title"), "Which records are duplicates?");
            setText($("list-label"), "A table with a head, or a JSON object per line");
            list.placeholder = `${fields.join(",")}\n…`;
        }
        describe();
    },
    refresh() { if (wanted) find(true); },
};
