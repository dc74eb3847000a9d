// The view Start of a server without a pool: takes a table, shows how its columns are read, and builds the pool.
import { $, el, setText, problem, several } from "./dom.js";
import { request, Gone } from "./api.js";
import { rows, separator } from "./csv.js";

const lookAgain = 500; // milliseconds, while the pool is being built
const longestHead = 65536; // bytes
let file = null;
let head = null;
let table = null;      // what is sent
let waiting = false;   // the server has no pool
let whenReady = null;

const meaning = { text: "the sentences", id: "their ids", category: "their categories", other: "kept with them" };

async function attempt(work) {
    problem($("start-problem"), null);
    try {
        await work();
    } catch (error) {
        if (error instanceof Gone) return; // the banner says so
        if (!error.status) throw error;
        problem($("start-problem"), error.message);
    }
}

// Reads the first line: the names of the columns, and the byte where the line ends.
async function readHead(file) {
    const bytes = new Uint8Array(await file.slice(0, longestHead).arrayBuffer());
    const end = bytes.includes(10) ? bytes.indexOf(10) : bytes.length;
    const text = new TextDecoder().decode(bytes.subarray(0, end)).replace(/\r$/, "");
    return { end, mark: separator(text), names: rows(text)[0] ?? [] };
}

const cell = (name, mark) => (name.includes(mark) || name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name);

// The table as it is sent: the chosen column is called text, whatever its name is in the file.
function prepare() {
    const type = /\.tsv$/i.test(file.name) ? "text/tab-separated-values" : "text/csv";
    const chosen = $("start-text").value;
    if (chosen === "") return new Blob([file], { type });
    const names = head.names.map((name, i) => (i === Number(chosen) ? "text" : name.trim().toLowerCase() === "text" ? `other ${name}` : name));
    return new Blob([names.map((name) => cell(name, head.mark)).join(head.mark), file.slice(head.end)], { type });
}

const propose = () => attempt(async () => {
    table = prepare();
    $("start-columns").hidden = true;
    const { columns, sentences, rows: count } = await request("/v1/start/columns", table);
    setText($("start-rows"), `${file.name}: ${several(count, "row", "rows")}`);
    $("start-uses").replaceChildren(...columns.map(({ name, use }) => el("li", {}, el("strong", {}, name), `: ${meaning[use]}`)));
    $("start-sentences").replaceChildren(...sentences.map((text) => el("li", { dir: "auto" }, text)));
    $("start-columns").hidden = false;
});

async function openFile(given) {
    file = given;
    head = await readHead(file);
    $("start-text").replaceChildren(el("option", { value: "" }, "guessed"),
        ...head.names.map((name, i) => el("option", { value: String(i) }, name)));
    $("start-choice").hidden = false;
    await propose();
    if (!$("start-columns").hidden) $("start-build").focus();
}

async function look() {
    await attempt(async () => showState(await request("/v1/start")));
}

function showState({ state, problem: why }) {
    const builds = state === "building";
    setText($("start-state"), builds ? "Building the model and the pool ..." : "");
    problem($("start-problem"), why);
    $("start-build").disabled = $("start-file").disabled = builds;
    if (builds) setTimeout(look, lookAgain);
    if (state !== "ready" || !waiting) return;
    waiting = false;
    location.hash = "#review";
    whenReady();
}

const build = () => attempt(async () => showState(await request("/v1/start", table)));

export const start = {
    title: "Start",
    start() {
        const view = $("start");
        $("start-file").addEventListener("change", (event) => event.target.files.length && openFile(event.target.files[0]));
        $("start-text").addEventListener("change", propose);
        $("start-build").addEventListener("click", build);
        view.addEventListener("dragover", (event) => event.preventDefault());
        view.addEventListener("drop", (event) => {
            event.preventDefault();
            if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
        });
    },
    show() {},
    refresh() { if (waiting) look(); },
    served(known, ready) {
        whenReady = ready;
        waiting = known.model === null;
        $("nav-start").hidden = !waiting;
        $("start-ready").hidden = waiting;
        $("start-desk").hidden = !waiting;
        if (!waiting) return;
        if (location.hash.split("?")[0] !== "#start") location.hash = "#start";
        look();
    },
};
