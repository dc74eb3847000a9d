// The page of the paper (examples/paper/run): sections of tables, charts and steps, as the data lists them.
import { $, el } from "./dom.js";
import { chart, steps, table } from "./charts.js";

const data = JSON.parse($("page-data").textContent);

// A cell is a text, {quoted: text} or {verdict: text}.
function cell(what) {
    if (what?.quoted !== undefined) return el("span.quoted", {}, what.quoted);
    if (what?.verdict === undefined) return what;
    const good = what.verdict === "reproduced" || what.verdict === "better";
    return el(good ? "span.judged.good" : "span.judged", {}, what.verdict);
}

// The first column is a name, and so is a last one of verdicts; the others are figures.
function tableOf({ heads, rows }) {
    const isName = (head, i) => i === 0 || (i === heads.length - 1 && head === "verdict");
    const node = table(heads.map((head, i) => (isName(head, i) ? head : [head])), rows.map((row) => row.map(cell)));
    node.classList.add("names");
    return node;
}

const kinds = {
    table: tableOf,
    chart: (spec) => chart(spec) ?? el("p.hint", {}, "Nothing to draw."),
    steps: ({ title, list }) => steps(title, list),
    warning: (text) => el("p.notice.warnings", { role: "note" }, text),
};

const idOf = (title) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
const block = (part) => Object.entries(part).map(([kind, spec]) => kinds[kind](spec));

document.title = `${data.title} · FILM`;
document.body.classList.toggle("framed", window.parent !== window);
$("main").append(el("p.kind", {}, data.kind), el("h1", {}, data.title), ...data.lead.flatMap((part) => (part.text ? [el("p.lead", {}, part.text)] : block(part))),
    ...data.sections.map(({ title, intro, parts }) => el("section", { id: idOf(title) }, el("h2", {}, title), el("p.intro", {}, intro), ...parts.flatMap(block))));
$("contents").append(...data.sections.filter(({ title }) => /^(Table|Figure) /.test(title)).map(({ title }) => el("a", { href: `#${idOf(title)}` }, title)));
$("footer").textContent = "The CSV button of a chart saves its values. Point at a value to read it.";
