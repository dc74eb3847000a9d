// Shows an explanation: both sentences with their most important words, the links between them, and the sum. Records are
// shown field by field, and their sum is a waterfall over fields.
import { el, svg, signed, percent, several, count } from "./dom.js";
import { row, side, waterfall } from "./sum.js";
import { segments } from "./spans.js";
import { isRecord } from "./record.js";

const mostMarked = 8;    // marked words per sentence
const mostLinks = 8;
const faintLink = 0.12;  // relative to the strongest; weaker links are listed, not drawn
const mostListed = 25;   // reasons listed per group; the last line sums up the others, so the sum stays complete
const mostDifferences = 6;
const mostShown = 1500;  // characters shown per sentence

const strength = (item) => Math.abs(item.weight);
const byStrength = (x, y) => strength(y) - strength(x);
// What speaks for the verdict comes first, strongest first; what speaks against it follows.
const verdict = (answer) => answer.same; // as the page words it (inWords)
const bySupport = (same) => (x, y) => ((y.weight > 0) === same) - ((x.weight > 0) === same) || byStrength(x, y);
const sum = (items) => items.reduce((total, item) => total + item.weight, 0);

// ---- The two sentences ----

// Chooses the words to mark: strong in comparison with the strongest, and not negligible.
function deciding(words) {
    const strongest = Math.max(...words.map(strength), 0);
    const chosen = new Map();
    for (const which of ["a", "b"]) {
        words.filter((word) => word.side === which && strength(word) >= Math.max(0.15 * strongest, 0.01))
            .sort(byStrength).slice(0, mostMarked)
            .forEach((word) => chosen.set(word, Math.ceil(3 * strength(word) / strongest)));
    }
    return chosen;
}

function markedWord(text, mark) {
    const node = el("span.word", {}, text);
    if (mark.level) {
        node.classList.add(side(mark.weight), `level-${mark.level}`);
        // Only strong words get a number, without its leading zero: numbers under short words would overlap.
        node.dataset.weight = mark.level > 1 ? signed(mark.weight).replace("0.", ".") : mark.weight < 0 ? "−" : "+";
        // The title repeats what colour and the small number below the word express.
        node.title = `${signed(mark.weight)}: evidence for ${mark.weight < 0 ? "a different" : "the same"} meaning`;
    }
    return node;
}

// Builds one sentence. `ends` receives its elements by start offset, to attach the links.
function sentence(letter, text, words, levels, linked, ends) {
    const marks = words.filter((word) => levels.has(word) || linked.has(word.span[0]))
        .map((word) => ({ span: word.span, weight: word.weight, level: levels.get(word) ?? 0 }));
    const known = new Set(marks.map((mark) => mark.span[0]));
    for (const [start, span] of linked) if (!known.has(start)) marks.push({ span, weight: 0, level: 0 });
    const line = el("p.sentence", { dir: "auto" });
    let shown = 0;
    for (const segment of segments(text, marks)) {
        if (shown + segment.text.length > mostShown) {
            const room = Math.max(0, mostShown - shown);
            const cut = [...segment.text.slice(0, room)].slice(0, -1).join("");
            if (!segment.mark) line.append(cut);
            line.append(el("span.cut", {}, ` … ${several(text.length - shown - cut.length, "more character", "more characters")} not shown`));
            break;
        }
        shown += segment.text.length;
        if (!segment.mark) {
            line.append(segment.text);
            continue;
        }
        const node = markedWord(segment.text, segment.mark);
        ends.set(segment.mark.span[0], node);
        node.classList.toggle("tied", linked.has(segment.mark.span[0]));
        line.append(node);
    }
    return el("div.line", {}, el("span.letter", { "aria-hidden": "true" }, letter), line);
}

// Draws curves from words of the upper sentence to words of the lower one, at their current screen positions.
function draw(drawing, sheet, links) {
    const frame = sheet.getBoundingClientRect();
    if (!frame.width) return;
    drawing.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    const strongest = Math.max(...links.map((link) => Math.abs(link.share)));
    drawing.replaceChildren(...links.map(({ from, to, share }) => {
        const a = from.getBoundingClientRect();
        const b = to.getBoundingClientRect();
        const [x1, y1] = [a.left + a.width / 2 - frame.left, a.bottom - frame.top + (from.dataset.weight ? 19 : 3)];
        const [x2, y2] = [b.left + b.width / 2 - frame.left, b.top - frame.top - 3];
        const middle = (y1 + y2) / 2;
        return svg("path", {
            d: `M${x1.toFixed(1)} ${y1.toFixed(1)}C${x1.toFixed(1)} ${middle.toFixed(1)} ${x2.toFixed(1)} ${middle.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`,
            class: share < 0 ? "link apart" : "link",
            "stroke-width": (1 + 3.5 * Math.abs(share) / strongest).toFixed(1),
        });
    }));
}

const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => target.redraw?.()));

function sheet(answer) {
    const levels = deciding(answer.words);
    const most = Math.max(...answer.links.map((link) => Math.abs(link.share)), 0);
    const strongest = [...answer.links].sort((x, y) => Math.abs(y.share) - Math.abs(x.share))
        .filter((link) => Math.abs(link.share) >= faintLink * most).slice(0, mostLinks);
    const ends = { a: new Map(), b: new Map() };
    const lines = ["a", "b"].map((which) => sentence(
        which.toUpperCase(), answer[which], answer.words.filter((word) => word.side === which), levels,
        new Map(strongest.map((link) => [link[which].span[0], link[which].span])), ends[which]));
    const drawing = svg("svg", { class: "links", "aria-hidden": "true" });
    const node = el("div.sheet", {}, drawing, ...lines);
    const drawn = strongest.map((link) => ({
        from: ends.a.get(link.a.span[0]), to: ends.b.get(link.b.span[0]), share: link.share,
    })).filter((link) => link.from && link.to);
    node.redraw = () => draw(drawing, node, drawn);
    node.classList.toggle("linked", drawn.length > 0);
    // A word under the pointer highlights its links.
    drawn.forEach(({ from, to }, i) => [from, to].forEach((word) => {
        word.addEventListener("pointerenter", () => drawing.children[i]?.classList.add("lit"));
        word.addEventListener("pointerleave", () => drawing.children[i]?.classList.remove("lit"));
    }));
    observer.observe(node);
    return node;
}

// ---- Two records ----

const isField = (group) => group.name.startsWith("field ");

// The value of a field with its most important words marked.
function markedValue(text, words, levels) {
    if (text === null || text === undefined || text === "") return [el("span.none", {}, "missing")];
    const cut = [...text].slice(0, mostShown).join("");
    const marks = words.filter((word) => levels.has(word)).map((word) => ({ ...word, level: levels.get(word) }));
    const nodes = segments(cut, marks).map((segment) => (segment.mark ? markedWord(segment.text, segment.mark) : segment.text));
    if (cut.length < text.length) nodes.push(el("span.cut", {}, ` … ${several(text.length - cut.length, "more character", "more characters")} not shown`));
    return nodes;
}

// A row per field that one of the records has, in the order of the records.
function fieldTable(answer) {
    const levels = deciding(answer.words);
    const sides = ["a", "b"].map((which) => (isRecord(answer[which]) ? answer[which] : { [answer.fields[0]?.name ?? ""]: answer[which] }));
    const names = [...new Set(sides.flatMap(Object.keys))];
    const cell = (name, record, which) => el("td", { dir: "auto" },
        ...markedValue(record[name], answer.words.filter((word) => word.side === which && (word.field ?? name) === name), levels));
    return el("table.records", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Field"), el("th", { scope: "col" }, el("span.letter", {}, "A")), el("th", { scope: "col" }, el("span.letter", {}, "B")))),
        el("tbody", {}, ...names.map((name) => el("tr", {}, el("th", { scope: "row" }, name), cell(name, sides[0], "a"), cell(name, sides[1], "b")))));
}

const legend = () => el("p.legend", {},
    el("span.word.for.level-3", {}, "+ underlined"), " is evidence for the same meaning, ",
    el("span.word.against.level-3", {}, "− wavy"), " for a different meaning. Numbers are log-odds.");

// ---- What differs, and what would change the verdict ----

const quoted = (text) => el("q", { dir: "auto" }, text);

const named = (field) => (field ? [el("span.field", {}, field), " "] : []);

function difference({ field, a, b }) {
    if (a.text && b.text) return el("li", {}, ...named(field), quoted(a.text), " / ", quoted(b.text));
    return el("li", {}, ...named(field), quoted(a.text || b.text), ` only in ${a.text ? "A" : "B"}`);
}

// Words, or the whole value of a field.
function edit({ side: where, field, value, text, by }, i) {
    const what = by ? ["with ", ...named(value && field), quoted(by), ...(text ? [" instead of ", quoted(text)] : [])]
        : ["without ", ...named(value && field), quoted(text)];
    const place = field && !value ? [" in ", ...named(field), `of ${where.toUpperCase()}`] : [` in ${where.toUpperCase()}`];
    return [i ? " and " : "", ...what, ...place];
}

// `use` compares the edited sentences; without it there is no button.
function reversal(found, use) {
    const line = el("li", {}, el("span", {}, ...found.edits.flatMap(edit), ` (${percent(found.probability)} %)`));
    if (use) {
        const button = el("button.quiet.small", { type: "button" }, "Compare these");
        button.addEventListener("click", () => use(found.a, found.b));
        line.append(" ", button);
    }
    return line;
}

function changes(answer, use) {
    const { differences, reversals } = answer;
    const rest = differences.length - mostDifferences;
    const listed = differences.slice(0, mostDifferences).map(difference);
    if (rest > 0) listed.push(el("li", {}, `${count(rest)} more`));
    return el("div.changes", {},
        listed.length ? el("div.differ", {}, el("h2", {}, differences.some(({ field }) => field) ? "What differs" : "Words that differ"), el("ul", {}, ...listed)) : null,
        el("div.reverse", {}, el("h2", {}, `It would be ${answer.same ? "different" : "the same"}`),
            reversals.length ? el("ul", {}, ...reversals.map((found) => reversal(found, use)))
                : el("p.hint", {}, "No three edits were found that change the result.")));
}

// ---- The sum ----

// The words that cause the weight of a group, each once.
function caused(group) {
    const words = [...new Map((group.causes ?? []).map(({ text }) => [text.toLowerCase(), text])).values()];
    return words.length ? `${group.title} (${words.join(", ")})` : group.title;
}

function reasonText(reason) {
    if (reason.kind === "trait" || !reason.kind) return reason.text;
    const other = reason.other ? ` – “${reason.other.text}”` : "";
    const where = !other && reason.side ? (reason.side === "a" ? " (A)" : " (B)") : "";
    return `${reason.kind}: “${reason.text}”${other}${where}`;
}

// Lists the reasons of a group. Their weights add up to the group's weight. A raw id is the title of its line.
// Words of a record that round to 0.00 are summed up too.
function parts({ items, text, field }, same) {
    const sorted = [...items].sort(byStrength);
    const visible = field ? sorted.findIndex((item) => strength(item) < 0.005) : -1;
    const most = visible > 0 ? Math.min(visible, mostListed) : mostListed;
    const list = sorted.slice(0, most).sort(bySupport(same));
    const largest = Math.max(...list.map(strength), 0) || 1;
    const lines = list.map((item) => el("li.row", { title: [item.id, item.other_id].filter(Boolean).join(" + ") },
        ...row(text(item), item.weight, largest)));
    const rest = sorted.slice(most);
    if (rest.length) lines.push(el("li.row", {}, ...row(`${count(rest.length)} more`, sum(rest), largest)));
    return el("ul.parts", {}, ...lines);
}

// The lines of the sum: words, groups, and the fields of records with their words and traits.
function termsOf(answer) {
    const wordText = (word) => `“${word.text}” (${word.side.toUpperCase()})`;
    const fields = new Map((answer.fields ?? []).map((field) => [field.name, field]));
    const rest = answer.words.filter((word) => !fields.has(word.field));
    const inside = (field) => [...answer.words.filter((word) => word.field === field.name),
        ...answer.groups.filter((group) => group.name === `field ${field.name}`).flatMap((group) => group.reasons)];
    return [
        { name: "words", title: "Single words", weight: sum(rest), items: rest, text: wordText },
        ...[...fields.values()].map((field) => ({ ...field, name: `field ${field.name}`, field: field.name, title: `${field.name} (${field.type})`, items: inside(field),
            text: (item) => (item.kind ? reasonText(item).replace(`${field.name}: `, "") : wordText(item)) })),
        ...answer.groups.filter((group) => !fields.size || !isField(group)).map((group) => ({ ...group, items: group.reasons, text: reasonText })),
    ].filter((term) => term.items.length);
}

function ledger(answer, open) {
    const groups = termsOf(answer).sort(bySupport(verdict(answer)));
    const start = ["Starting value of every pair", answer.bias];
    const largest = answer.fields ? waterfall([answer.bias, ...groups.map(({ weight }) => weight)])
        : Math.max(strength({ weight: answer.bias }), ...groups.map(strength));
    const base = answer.fields ? el("li", {}, el("div.row.base", {}, ...row(...start, largest))) : null;
    const lines = groups.map((group) => {
        const fold = el("details.group", { "data-name": group.name, title: group.id ?? group.name },
            el("summary.row", {}, ...row(caused(group), group.weight, largest)));
        // Builds the lines only when the group is opened: there can be hundreds.
        const fill = () => { if (fold.open && fold.childElementCount === 1) fold.append(parts(group, verdict(answer))); };
        fold.addEventListener("toggle", () => {
            fill();
            if (fold.open) open.add(group.name); else open.delete(group.name);
        });
        fold.open = open.has(group.name);
        fill();
        return el("li", {}, fold);
    });
    if (base) lines.unshift(base); // a waterfall starts there
    else lines.push(el("li", {}, el("div.row.base", {}, ...row(...start, largest))));
    const total = answer.bias + sum(groups);
    const exact = Math.abs(total - answer.log_odds) < 1e-6 * (1 + Math.abs(answer.log_odds));
    return [el("ul.ledger", {}, ...lines),
        el("p.total", {}, el("span", {}, exact ? "Sum (log-odds)" : `Sum ${signed(total)}, but the log-odds are`),
            el("strong.weight", {}, signed(answer.log_odds))),
        el("p.hint", {}, `These log-odds correspond to a probability of ${percent(answer.probability)} %. Nothing else affects the result. Open a line to see its terms.`)];
}

const linkList = (links) => el("details.help", {}, el("summary", {}, "Links between words"),
    el("ul.pairs", {}, ...links.slice(0, 20).map((link) => el("li", {},
        el("bdi", {}, link.a.text), " – ", el("bdi", {}, link.b.text), ` ${signed(link.share)}`))));

// explanation(answer, open, use): builds the elements for a response of /v1/explain. `open` is the set of names of open
// groups; pass it again so that the next explanation in this place has the same groups open. `use(a, b)` compares
// edited sentences; it may be missing.
export function explanation(answer, open, use) {
    const facts = answer.facts.length ? el("div.facts", {}, el("h2", {}, "Facts"),
        el("ul", {}, ...answer.facts.map((fact) => el("li", { dir: "auto" }, fact.text)))) : null;
    const words = answer.words.length || answer.links.length;
    const records = isRecord(answer.a) || isRecord(answer.b);
    return el("div.explanation", {}, changes(answer, use),
        el("h2", {}, records ? "The records" : words ? "Important words" : "The sentences"), records ? fieldTable(answer) : sheet(answer), words ? legend() : null,
        answer.links.length ? linkList(answer.links) : null,
        el("div.columns", {},
            el("div.sum", {}, el("h2", {}, "How the result adds up"), ...ledger(answer, open)), facts));
}

// Summarises the sum: the groups that contribute most to the decision, and those against it.
export function inShort(answer) {
    const same = verdict(answer);
    const groups = termsOf(answer).sort(byStrength);
    const names = (list) => list.map(({ field, title }) => field ?? title[0].toLowerCase() + title.slice(1)).join(", ");
    const strong = groups.filter((group) => group.weight && strength(group) >= 0.1 * strength(groups[0]));
    const mine = strong.filter((group) => (group.weight > 0) === same).slice(0, 3);
    const others = strong.filter((group) => (group.weight > 0) !== same).slice(0, 2);
    return (mine.length ? `Main reasons: ${names(mine)}.` : "") + (others.length ? ` Against: ${names(others)}.` : "");
}

// Opens all lists for printing: closed ones would be missing on paper.
let folded = [];
window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((fold) => { fold.open = true; });
});
window.addEventListener("afterprint", () => {
    folded.forEach((fold) => { fold.open = false; });
    folded = [];
});
