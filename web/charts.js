// The figures of the report and of the page of the paper: charts with axes, maps, heat maps, steps, tables. A chart is
// drawn at the width that it has, so its text keeps its size, and again when the width changes. Its values can be
// downloaded as CSV; the nearest one to the pointer is shown.
import { el, svg, count } from "./dom.js";
import { csv, download } from "./csv.js";
import { clamp, number, scale } from "./scale.js";

// ---- Figures ----

const drawings = new Map(); // from a picture to the function that draws it
const sight = new ResizeObserver((entries) => requestAnimationFrame(() => entries.forEach(({ target }) => redraw(target))));

function redraw(picture) {
    const width = picture.clientWidth;
    if (!width || width === picture.drawn) return; // 0: inside of a closed list
    picture.drawn = width;
    const { height, nodes, spots } = drawings.get(picture)(Math.max(width, 240));
    picture.setAttribute("viewBox", `0 0 ${Math.max(width, 240)} ${height}`);
    picture.replaceChildren(...nodes);
    picture.spots = spots;
}

const tip = el("div.tip", { role: "status" });
tip.hidden = true;

const distance = (spot, x, y) => Math.hypot(Math.max(spot.x0 - x, 0, x - spot.x1), Math.max(spot.y0 - y, 0, y - spot.y1));

function point(event) {
    const picture = event.currentTarget;
    const frame = picture.getBoundingClientRect();
    const unit = picture.viewBox.baseVal.width / frame.width;
    const [x, y] = [(event.clientX - frame.left) * unit, (event.clientY - frame.top) * unit];
    let nearest = null;
    let least = 24;
    for (const spot of picture.spots ?? []) {
        const here = distance(spot, x, y);
        if (here < least) [nearest, least] = [spot, here];
    }
    picture.querySelector(".ring")?.remove();
    tip.hidden = !nearest;
    if (!nearest) return;
    picture.append(svg("rect", { class: "ring", x: nearest.x0 - 3, y: nearest.y0 - 3, width: nearest.x1 - nearest.x0 + 6, height: nearest.y1 - nearest.y0 + 6, rx: 5 }));
    tip.textContent = nearest.text;
    document.body.append(tip);
    tip.style.left = `${clamp(frame.left + (nearest.x0 + nearest.x1) / 2 / unit - tip.offsetWidth / 2, 4, document.documentElement.clientWidth - tip.offsetWidth - 4) + scrollX}px`;
    const above = frame.top + nearest.y0 / unit - tip.offsetHeight - 8;
    tip.style.top = `${(above > 0 ? above : frame.top + nearest.y1 / unit + 8) + scrollY}px`;
}

function leave(event) {
    event.currentTarget.querySelector(".ring")?.remove();
    tip.hidden = true;
}

// `draw(width)` returns {height, nodes, spots}; a spot is a place with a text. `rows` are those of the CSV file.
function figure({ id, title, about, small }, legend, rows, draw) {
    const picture = svg("svg", { class: "plot", role: "img", "aria-label": title, viewBox: "0 0 480 290" });
    const save = el("button.csv", { type: "button", title: `Download the values of “${title}” as CSV` }, "CSV");
    const node = el(small ? "figure.chart.narrow" : "figure.chart", { id },
        el("figcaption", {}, el("strong", {}, title), about ? el("span.about", {}, about) : null), save, legend, picture);
    node.rows = rows;
    save.addEventListener("click", () => download(`${id}.csv`, csv(rows())));
    picture.addEventListener("pointermove", point);
    picture.addEventListener("pointerdown", point);
    picture.addEventListener("pointerleave", leave);
    drawings.set(picture, draw);
    sight.observe(picture);
    return node;
}

// ---- Charts ----

const textAt = (name, x, y, text, more = {}) => {
    const node = svg("text", { class: name, x: x.toFixed(1), y: y.toFixed(1), ...more });
    node.textContent = text;
    return node;
};
const line = (name, d) => svg("path", { class: name, d });
const colour = ({ colour: of = 1 }) => `c${of}`;
const barWidth = (series) => series.width ?? 0.7;
const fits = (spec, [x, y]) => Number.isFinite(x) && Number.isFinite(y) && (!spec.x.log || x > 0) && (!spec.y.log || y > 0);
const wide = 6.4; // the mean width of a character

const within = (text, room) => (text.length * wide > room ? `${text.slice(0, Math.floor(room / wide) - 1)}…` : text);

// Slanted names of x = 0, 1, 2, ... below the axis, or level ones where they fit.
const longestName = 20;
const cut = (text) => (text.length > longestName ? `${text.slice(0, longestName)}…` : text);
function nameHeight(spec, width) {
    const longest = Math.max(...spec.names.map((name) => cut(name).length));
    return longest * wide < width / spec.names.length ? 0 : 5 * longest - 8;
}

function ranges(spec) {
    const points = spec.series.flatMap((series) => series.points.filter((at) => fits(spec, at)).flatMap(([x, y]) => {
        const room = series.kind === "bars" ? barWidth(series) / 2 : 0;
        const stands = series.kind === "bars" || series.kind === "stems" || series.kind === "needles";
        return [[x - room, y], [x + room, stands ? 0 : y]];
    }));
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    for (const { y } of spec.levels ?? []) ys.push(y);
    if (spec.y.zero) ys.push(0);
    return [spec.names ? [-0.5, spec.names.length - 0.5] : xs, ys];
}

// Where a chart's parts are at this width. On a map both directions have the same unit.
function layout(spec, width) {
    const [xs, ys] = ranges(spec);
    let [x, y] = [spec.x, { round: !spec.map, wanted: spec.small ? 4 : 5, ...spec.y }];
    const height = spec.map ? clamp(0.8 * width, 300, 460) : (spec.small ? 200 : 280) + (spec.names ? nameHeight(spec, width - 70) : 0);
    const frame = { width, height, left: 4, right: width - 4, top: 4, bottom: height - 4 };
    if (spec.map) {
        const [a, b] = [scale(xs), scale(ys)];
        const unit = Math.max((a.high - a.low) / (width - 8), (b.high - b.low) / (height - 8));
        const around = (of, length) => ({ low: (of.low + of.high - unit * length) / 2, high: (of.low + of.high + unit * length) / 2 });
        [x, y] = [around(a, width - 8), around(b, height - 8)];
    }
    frame.y = scale(ys, y);
    if (!spec.map) {
        frame.left = 30 + wide * Math.max(...frame.y.ticks.map((tick) => frame.y.label(tick).length), 2);
        frame.right = width - 18;
        frame.top = 10 + 14 * Math.min(spec.marks?.length ?? 0, 2);
        frame.bottom = height - 42 - (spec.names ? nameHeight(spec, width - 70) : 0);
    }
    frame.x = scale(xs, { wanted: width < 260 ? 4 : 6, ...x });
    frame.atX = (value) => frame.left + frame.x.place(value) * (frame.right - frame.left);
    frame.atY = (value) => frame.bottom - frame.y.place(value) * (frame.bottom - frame.top);
    frame.base = frame.y.holds(0) && !frame.y.log ? frame.atY(0) : frame.bottom;
    return frame;
}

function axes(spec, f) {
    const middle = (f.left + f.right) / 2;
    const sideways = (f.top + f.bottom) / 2;
    const titles = [textAt("axis", middle, f.height - 5, within(spec.x.title, f.right - f.left + 24)),
        textAt("axis", 0, 0, within(spec.y.title, f.bottom - f.top + 30), { transform: `translate(11 ${sideways.toFixed(1)}) rotate(-90)` })];
    const across = f.y.ticks.flatMap((tick) => [line("gridline", `M${f.left} ${f.atY(tick).toFixed(1)}H${f.right}`),
        textAt("tick end", f.left - 7, f.atY(tick) + 4, f.y.label(tick))]);
    const level = spec.names && nameHeight(spec, f.width - 70) === 0;
    const below = spec.names
        ? spec.names.map((name, i) => textAt(level ? "tick" : "tick end", level ? f.atX(i) : 0, level ? f.bottom + 17 : 0, cut(name),
            level ? {} : { transform: `translate(${(f.atX(i) + 5).toFixed(1)} ${f.bottom + 13}) rotate(-50)` }))
        : f.x.ticks.flatMap((tick) => [line("baseline", `M${f.atX(tick).toFixed(1)} ${f.bottom}v4`), textAt("tick", f.atX(tick), f.bottom + 17, f.x.label(tick))]);
    return [...across, ...below, line("baseline", `M${f.left} ${f.base.toFixed(1)}H${f.right}`), ...titles];
}

// Vertical lines with a word at the top, on two lines in turn, and level ones with a word above.
function marks(spec, f) {
    const upright = (spec.marks ?? []).filter(({ x }) => f.x.holds(x)).flatMap(({ x, text }, i) => {
        const right = f.atX(x) > f.left + 0.7 * (f.right - f.left);
        return [line("mark", `M${f.atX(x).toFixed(1)} ${2 + 14 * (i % 2)}V${f.bottom}`),
            textAt(right ? "tick end" : "tick start", f.atX(x) + (right ? -5 : 5), 11 + 14 * (i % 2), text)];
    });
    return [...upright, ...(spec.levels ?? []).flatMap(({ y, text }) => [line("mark", `M${f.left} ${f.atY(y).toFixed(1)}H${f.right}`),
        textAt("tick end", f.right, f.atY(y) - 5, text)])];
}

// Gaps stay gaps.
function path(points, f) {
    let pen = "M";
    return points.map(([x, y]) => {
        if (!f.x.holds(x) || !f.y.holds(y)) { pen = "M"; return ""; }
        const step = `${pen}${f.atX(x).toFixed(1)} ${f.atY(y).toFixed(1)}`;
        pen = "L";
        return step;
    }).join("");
}

function drawSeries(series, f) {
    const inside = series.points.filter(([x, y]) => f.x.holds(x) && f.y.holds(y));
    const kinds = {
        line: () => [line(`curve ${colour(series)}${series.thin ? " thin" : ""}`, path(series.points, f))],
        points: () => inside.map(([x, y]) => svg("circle", { class: `dot ${colour(series)}`, cx: f.atX(x).toFixed(1), cy: f.atY(y).toFixed(1), r: inside.length === 1 ? 5 : 2.8 })),
        bars: () => inside.map(([x, y]) => {
            const [left, right] = [x - barWidth(series) / 2, x + barWidth(series) / 2].map(f.atX);
            return svg("rect", { class: `column ${colour(series)}`, x: left.toFixed(1), y: Math.min(f.atY(y), f.base).toFixed(1),
                width: Math.max(right - left - 1, 0.5).toFixed(1), height: Math.max(Math.abs(f.base - f.atY(y)), 0.5).toFixed(1) });
        }),
        stems: () => [line(`stem ${colour(series)}`, inside.map(([x, y]) => `M${f.atX(x).toFixed(1)} ${f.base.toFixed(1)}V${f.atY(y).toFixed(1)}`).join("")),
            ...inside.map(([x, y]) => svg("circle", { class: `dot ${colour(series)}`, cx: f.atX(x).toFixed(1), cy: f.atY(y).toFixed(1), r: 3.2 }))],
        needles: () => [line(`needle ${colour(series)}`, inside.map(([x, y]) => `M${f.atX(x).toFixed(1)} ${f.base.toFixed(1)}V${f.atY(y).toFixed(1)}`).join(""))],
    };
    return kinds[series.kind]();
}

// What the pointer finds: each value as a place with a text. Needles without labels are too many.
function spotsOf(spec, series, f) {
    if (series.kind === "needles" && !series.labelled) return [];
    return series.points.filter(([x, y]) => f.x.holds(x) && f.y.holds(y)).map(([x, y, label]) => {
        const half = series.kind === "bars" ? (f.atX(x + barWidth(series) / 2) - f.atX(x)) : 0;
        const upright = series.kind === "bars" || series.kind === "needles";
        const text = label ?? `${spec.names ? spec.names[x] : series.name ?? spec.y.title}: ${number(y, spec.y.percent)}${spec.names ? "" : `\n${spec.x.title}: ${number(x, spec.x.percent)}`}`;
        return { x0: f.atX(x) - half, x1: f.atX(x) + half, y0: upright ? Math.min(f.atY(y), f.base) : f.atY(y), y1: upright ? Math.max(f.atY(y), f.base) : f.atY(y), text };
    });
}

// Words beside the points of a series, where none is in the way.
function words(series, f) {
    const boxes = [];
    const nodes = [];
    for (const [i, [x, y]] of series.points.entries()) {
        if (!series.tags[i] || boxes.length >= (series.mostTags ?? 120) || !f.x.holds(x) || !f.y.holds(y)) continue;
        const box = [f.atX(x) + 4, f.atX(x) + 8 + wide * series.tags[i].length, f.atY(y) + (y < 0 && !f.y.log ? 8 : 4)];
        if (box[1] > f.right || boxes.some(([left, right, at]) => Math.abs(at - box[2]) < 12 && left < box[1] && box[0] < right)) continue;
        boxes.push(box);
        nodes.push(textAt("tag", box[0], box[2], cut(series.tags[i])));
    }
    return nodes;
}

const named = (spec) => spec.series.filter(({ name }) => name);

function legend(spec) {
    if (named(spec).length < 2) return null;
    return el("p.legend", {}, ...named(spec).map((series) => el("span", {}, el(`i.key.${colour(series)}.${series.kind}`), series.name)));
}

// A row per value of a named series: series, x, y and, if any has one, its label.
function rowsOf(spec) {
    const labels = spec.names || spec.series.some(({ points }) => points.some(([, , label]) => label));
    const head = ["series", spec.x.title, spec.y.title, ...(labels ? ["label"] : [])];
    return [head, ...named(spec).flatMap((series) => series.points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)).map(([x, y, label]) =>
        [series.name, x, y, ...(labels ? [label ?? spec.names?.[x] ?? ""] : [])]))];
}

// chart({id, title, about, x, y, series, marks, levels, names, map, small}). An axis is {title, log, percent, low, high, zero}.
// A series is {name, kind, colour, points, width, tags}: its kind is "line", "points", "bars", "stems" or "needles", a point
// is [x, y, label]; null is a gap. Colour 0 is for references. `names` are those of x = 0, 1, 2, ... A chart without values
// is null.
export function chart(spec) {
    if (!spec.series.some((series) => (series.colour ?? 1) && series.points.some((at) => fits(spec, at)))) return null;
    return figure(spec, legend(spec), () => rowsOf(spec), (width) => {
        const f = layout(spec, width);
        return {
            height: f.height,
            nodes: [...(spec.map ? [] : axes(spec, f)), ...spec.series.flatMap((series) => drawSeries(series, f)), ...marks(spec, f),
                ...spec.series.filter(({ tags }) => tags).flatMap((series) => words(series, f))],
            spots: spec.series.filter(({ name }) => name || spec.series.length === 1).flatMap((series) => spotsOf(spec, series, f)),
        };
    });
}

// ---- Grids of values ----

const cellsOf = ({ values, columns }) => values.map((value, i) => ({ value, row: Math.floor(i / columns), column: i % columns }));

// heat({id, title, about, x, y, value, columns, values, small}): x and y are {title, edges} or, for a confusion matrix, {title,
// names}; `value` names the values. Negative values, and counts off the diagonal, have the other colour.
export function heat(spec) {
    const rows = spec.values.length / spec.columns;
    const most = Math.max(...spec.values.map(Math.abs).filter(Number.isFinite), 0);
    const ends = (axis, n) => (axis.names ? { low: 0, high: n } : { low: axis.edges[0], high: axis.edges[n] });
    const edge = (axis, i) => (axis.names ? i : axis.edges[i]);
    const between = (axis, i) => (axis.names ? axis.names[i] : `${axis.title} ${number(axis.edges[i])} to ${number(axis.edges[i + 1])}`);
    const centre = (axis, i) => (axis.names ? axis.names[i] : (axis.edges[i] + axis.edges[i + 1]) / 2);
    const table = () => [[spec.x.title, spec.y.title, spec.value], ...cellsOf(spec).map(({ value, row, column }) => [centre(spec.x, column), centre(spec.y, row), value])];
    return figure(spec, null, table, (width) => {
        const height = spec.small ? 220 : 290;
        const f = { width, height, left: spec.y.names ? 92 : 54, right: width - 14, top: 10, bottom: height - 42 };
        f.x = scale([], { ...ends(spec.x, spec.columns), wanted: 5 });
        f.y = scale([], { ...ends(spec.y, rows), wanted: 4 });
        f.atX = (value) => f.left + f.x.place(value) * (f.right - f.left);
        f.atY = (value) => (spec.y.names ? f.top + f.y.place(value) * (f.bottom - f.top) : f.bottom - f.y.place(value) * (f.bottom - f.top));
        const nodes = [];
        const spots = [];
        for (const { value, row, column } of cellsOf(spec)) {
            if (!Number.isFinite(value)) continue;
            const [x0, x1] = [column, column + 1].map((i) => f.atX(edge(spec.x, i)));
            const [y0, y1] = [row, row + 1].map((i) => f.atY(edge(spec.y, i))).sort((a, b) => a - b);
            const gap = spec.x.names ? 3 : 0;
            const other = spec.x.names ? row !== column : value < 0;
            nodes.push(svg("rect", { class: `cell c${other ? 2 : 1}`, "fill-opacity": ((spec.x.names ? 0.1 + 0.5 * Math.abs(value) / (most || 1) : 0.9 * Math.abs(value) / (most || 1))).toFixed(3),
                x: x0.toFixed(1), y: y0.toFixed(1), width: Math.max(x1 - x0 - gap, 0.5).toFixed(1), height: Math.max(y1 - y0 - gap, 0.5).toFixed(1) }));
            if (spec.x.names) nodes.push(textAt("amount", (x0 + x1) / 2, (y0 + y1) / 2 + 8, count(value)));
            spots.push({ x0, x1, y0, y1, text: spec.x.names ? `${between(spec.y, row)}, ${between(spec.x, column)}: ${count(value)} ${spec.value}`
                : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}: ${between(spec.x, column)}, ${between(spec.y, row)}` });
        }
        const labels = (axis, of, put) => (axis.names ? axis.names.map((name, i) => put(i + 0.5, name)) : of.ticks.map((tick) => put(tick, of.label(tick))));
        nodes.push(...labels(spec.x, f.x, (at, text) => textAt("tick", f.atX(at), f.bottom + 16, text)),
            ...labels(spec.y, f.y, (at, text) => textAt("tick end", f.left - 7, f.atY(at) + 4, text)),
            textAt("axis", (f.left + f.right) / 2, height - 5, within(spec.x.title, f.right - f.left + 24)),
            textAt("axis", 0, 0, within(spec.y.title, f.bottom - f.top + 30),
                { transform: `translate(11 ${((f.top + f.bottom) / 2).toFixed(1)}) rotate(-90)` }));
        return { height, nodes, spots };
    });
}

// ---- Tables and bars of elements ----

// A share of a whole, such as of the labels: [share, colour].
export function shares(parts, label) {
    const node = el("div.shares", { role: "img", "aria-label": label });
    for (const [share, of] of parts) {
        const part = el(`i.c${of}`);
        part.style.width = `${(100 * share).toFixed(1)}%`;
        node.append(part);
    }
    return node;
}

// steps([[what, value], ...]): a bar for each value in percent, with what it gained or lost against the one before.
export function steps(title, list) {
    const values = list.map(([, value]) => value);
    const low = 5 * Math.floor(Math.min(...values) / 5 - 1);
    const at = (value) => (value - low) / (Math.max(...values) - low || 1);
    return el("figure.chart", {}, el("figcaption", {}, el("strong", {}, title)), el("ol.steps", {}, ...list.map(([what, value], i) => {
        const before = values[Math.max(i - 1, 0)];
        const [from, to] = [Math.min(before, value), Math.max(before, value)].map(at);
        const bar = el("span.step", { "aria-hidden": "true" }, el("i.before"), i ? el(`i.${value < before ? "c2" : "c1"}`) : null);
        bar.firstChild.style.width = `${(100 * from).toFixed(2)}%`;
        if (i) bar.lastChild.style.width = `${(100 * (to - from)).toFixed(2)}%`;
        return el("li", {}, el("span.what", {}, what), bar, el("span.weight", {}, `${value.toFixed(2)} % `,
            i ? el("b", {}, `${value < before ? "−" : "+"}${Math.abs(value - before).toFixed(2)}`) : null));
    })));
}

// table(heads, rows, {id, own}): a head that is a list is that of numbers, [name, unit]. A cell is a text, a node or a list of
// both; null is empty. `own(i)` is true for the row to be emphasised.
export function table(heads, rows, { id = null, own = () => false } = {}) {
    const numeric = heads.map(Array.isArray);
    const cell = (kind, what, i) => el(numeric[i] ? `${kind}.figure` : kind, {}, ...[what].flat());
    const head = heads.map((name, i) => cell("th", Array.isArray(name) ? [name[0], name[1] ? el("small", {}, ` (${name[1]})`) : null] : name, i));
    return el("div.scroll", {}, el("table.data", { id }, el("thead", {}, el("tr", {}, ...head)),
        el("tbody", {}, ...rows.map((row, i) => el(own(i) ? "tr.own" : "tr", {}, ...row.map((what, j) => cell("td", what, j)))))));
}

// facts([[name, value], ...]): a table of two columns; null is skipped.
export const facts = (list) => el("div.scroll", {}, el("table.data", {}, el("tbody", {}, ...list.filter((one) => one).map(([name, value]) =>
    el("tr", {}, el("th", { scope: "row" }, name), el("td.figure", {}, value))))));
