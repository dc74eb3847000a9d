// The view Start of a server without a pool: takes a table, shows how its columns are read, and builds the pool.
import { $, el, setText, problem, several } from "./dom.js";
import { request, Gone } from "./api.js";

const lookAgain = 500; // milliseconds, while the pool is being built
let table = null;
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

const openFile = (file) => attempt(async () => {
    const isTsv = /\.tsv$/i.test(file.name);
    table = new Blob([file], { type: isTsv ? "text/tab-separated-values" : "text/csv" });
    $("start-columns").hidden = true;
    const { columns, sentences, rows } = await request("/v1/start/columns", table);
    setText($("start-rows"), `${file.name}: ${several(rows, "row", "rows")}`);
    $("start-uses").replaceChildren(...columns.map(({ name, use }) => el("li", {}, el("strong", {}, name), `: ${meaning[use]}`)));
    $("start-sentences").replaceChildren(...sentences.map((text) => el("li", { dir: "auto" }, text)));
    $("start-columns").hidden = false;
    $("start-build").focus();
});

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
