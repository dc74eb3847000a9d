"""Self-contained HTML and SVG for examples/paper/run: tables, line charts, bars. Standard library only."""
import html
import math
import os

STYLE = open(os.path.join(os.path.dirname(__file__), "..", "..", "src", "report", "report.css"), encoding="utf-8").read()
OWN = """
.verdict{display:inline-block;padding:1px 9px;border-radius:99px;font-size:.85em;white-space:nowrap}
.reproduced,.better{background:var(--finebg);color:var(--fine)}.missed{background:var(--warnbg);color:var(--warn)}
.quoted{color:var(--faint)}table.paper td,table.paper th{text-align:right}table.paper td:first-child,table.paper
th:first-child,table.judged td:last-child,table.judged th:last-child{text-align:left}.scroll{overflow-x:auto}
figure+figure{margin-top:14px}svg .word{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
svg text{font:12px system-ui,sans-serif;fill:var(--soft)}svg .axis{stroke:var(--line)}svg .grid{stroke:var(--grid)}svg .gain{font-weight:600}
svg .hover{stroke:transparent;stroke-width:9}svg .hover:hover{stroke:var(--s2)}
table.judged th,table.paper td+td{white-space:nowrap;overflow-wrap:normal}.legend span{margin-right:1.4em;white-space:nowrap}.legend i{display:inline-block;width:1.6em;height:3px;vertical-align:middle;
margin-right:.4em}p.warn{background:var(--warnbg);color:var(--warn);padding:6px 12px;border-radius:8px}code{overflow-wrap:anywhere}
"""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 900, 300, 70, 20, 14, 40


def text(value):
    return html.escape(str(value))


def ticks(low, high, log):
    if log:
        return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                if low <= 10.0 ** e <= high] or [low, high]
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step = next(step * m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


class Scale:
    def __init__(self, low, high, start, end, log=False):
        if high <= low:
            low, high = (low / 2, high * 2 + 1e-300) if log else (low - 0.5, high + 0.5)
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def __call__(self, value):
        of = math.log if self.log else float
        value = max(value, self.low) if self.log else value
        return self.start + (of(value) - of(self.low)) / (of(self.high) - of(self.low)) * (self.end - self.start)


def axes(x, y, x_title, y_title):
    parts = []
    for value in ticks(y.low, y.high, y.log):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
                     f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{number(value)}</text>')
    for value in ticks(x.low, x.high, x.log):
        parts.append(f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number(value)}</text>')
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>'
                 f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 4}" text-anchor="middle">{text(x_title)}</text>'
                 f'<text transform="translate(14 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
                 f'{text(y_title)}</text>')
    return "".join(parts)


def figure(body, title, names=(), about=""):
    legend = "".join(f'<span><i style="background:var(--s{i + 1})"></i>{text(n)}</span>' for i, n in enumerate(names))
    return (f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{text(title)}">{body}</svg>'
            + (f'<p class="legend">{legend}</p>' if legend else "")
            + (f'<figcaption>{about}</figcaption>' if about else "") + "</figure>")


def lines(title, series, x_title, y_title, log=False, marks=(), levels=(), about="", low=None):
    """SERIES: [(name, xs, ys)]; MARKS: [(x, label)] vertical; LEVELS: [(y, label)] horizontal."""
    ys = [v for _, _, values in series for v in values if not log or v > 0] + [v for v, _ in levels]
    xs = [v for _, values, _ in series for v in values] + [v for v, _ in marks]
    if not ys or not xs:
        return "<p class='none'>Nothing to draw.</p>"
    x = Scale(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    y = Scale(min(ys) if low is None else low, max(ys), HEIGHT - BOTTOM, TOP, log)
    body = [axes(x, y, x_title, y_title)]
    for value, label in levels:
        body.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="var(--warn)" '
                    f'stroke-dasharray="5 4"/><text x="{WIDTH - RIGHT}" y="{y(value) - 5:.1f}" text-anchor="end">'
                    f'{text(label)}</text>')
    for i, (name, at, values) in enumerate(series):
        turns = sum((b - a) * (c - b) < 0 for a, b, c in zip(values, values[1:], values[2:]))
        faint = ' stroke-opacity=".45"' if turns > 0.8 * len(values) else ""  # a line that swings at every step hides the others
        points = " ".join(f"{x(a):.1f},{y(v):.1f}" for a, v in zip(at, values))
        body.append(f'<polyline fill="none" stroke="var(--s{i + 1})"{faint} stroke-width="1.7" points="{points}">'
                    f'<title>{text(name)}</title></polyline>')
    for row, (value, label) in enumerate(marks):
        left = x(value) < LEFT + 160  # no room for the label before the line
        body.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="var(--warn)" '
                    f'stroke-dasharray="5 4"/><text class="word" x="{x(value) + (5 if left else -5):.1f}" y="{TOP + 12 + 15 * row}" '
                    f'text-anchor="{"start" if left else "end"}">{text(label)}</text>')
    return figure("".join(body), title, [name for name, _, _ in series], about)


def bars(title, edges, counts, x_title, y_title, about=""):
    x = Scale(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
    y = Scale(0, max(counts + [1]), HEIGHT - BOTTOM, TOP)
    body = [axes(x, y, x_title, y_title)]
    for a, b, count in zip(edges, edges[1:], counts):
        body.append(f'<rect x="{x(a) + 0.5:.1f}" y="{y(count):.1f}" width="{max(x(b) - x(a) - 1, 0.5):.1f}" '
                    f'height="{HEIGHT - BOTTOM - y(count):.1f}" fill="var(--s1)"><title>{a:.2f} to {b:.2f}: {count:,}</title>'
                    f'</rect>')
    return figure("".join(body), title, about=about)


def needles(title, values, named, x_title, y_title, labels=16):
    """A thin line per value; NAMED: {index: label}, largest first, have a tooltip, and up to LABELS a label where there is
    room."""
    x = Scale(0, len(values), LEFT, WIDTH - RIGHT)
    top = max(abs(v) for v in values) or 1
    y = Scale(-top, top, HEIGHT - BOTTOM, TOP)
    zero = y(0)
    path = "".join(f"M{x(i):.1f} {zero:.1f}V{y(v):.1f}" for i, v in enumerate(values) if abs(v) > top / 400)
    body = [axes(x, y, x_title, y_title), f'<path d="{path}" stroke="var(--s1)" stroke-width=".7" fill="none"/>']
    placed, words = [], []
    for i, label in named.items():
        at, end = x(i), y(values[i])
        tip = f"{text(label)}: {values[i]:.4g}"
        body.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{zero:.1f}" y2="{end:.1f}" stroke="var(--s2)" stroke-width="1.5"/>'
                    f'<line class="hover" x1="{at:.1f}" x2="{at:.1f}" y1="{zero:.1f}" y2="{end:.1f}"><title>{tip}</title></line>')
        box = (at + 4, at + 12 + 7 * len(label), end)
        if len(placed) < labels and box[1] < WIDTH - RIGHT and all(box[0] > b or box[1] < a or abs(end - c) > 13 for a, b, c in placed):
            placed.append(box)
            words.append(f'<text class="word" x="{at + 4:.1f}" y="{end + (4 if values[i] < 0 else 8):.1f}">{text(label)}</text>')
    return figure("".join(body + words), title)


def strip(title, steps):
    """STEPS: [(what, value)]: a bar for each, with what it gained or lost against the one before."""
    row, left, right = 28, 250, 110
    values = [value for _, value in steps]
    x = Scale(5 * math.floor(min(values) / 5 - 1), max(values), left, WIDTH - right)
    body = []
    for i, (what, value) in enumerate(steps):
        before, at = values[max(i - 1, 0)], i * row + 6
        low, high = x(min(before, value)), x(max(before, value))
        gain = f"{value - before:+.2f}" if i else ""
        body.append(f'<text x="{left - 10}" y="{at + 14}" text-anchor="end">{text(what)}</text>'
                    f'<rect x="{left}" y="{at}" width="{low - left:.1f}" height="18" fill="var(--grid)"/>'
                    f'<rect x="{low:.1f}" y="{at}" width="{high - low:.1f}" height="18" '
                    f'fill="var(--{"s1" if value >= before else "warn"})"/>'
                    f'<text x="{max(high, low) + 8:.1f}" y="{at + 14}">{value:.2f} % <tspan class="gain">{gain}</tspan></text>')
    return (f'<figure><svg viewBox="0 0 {WIDTH} {row * len(steps) + 8}" role="img" aria-label="{text(title)}">'
            f'{"".join(body)}</svg></figure>')


def table(header, rows):
    """Cells are text, or ready markup in a tuple of one."""
    cell = lambda c: c[0] if isinstance(c, tuple) else text(c)
    head = "".join(f"<th>{text(c)}</th>" for c in header)
    body = "".join("<tr>" + "".join(f"<td>{cell(c)}</td>" for c in row) + "</tr>" for row in rows)
    judged = " judged" if header[-1] == "verdict" else ""
    return f'<div class="scroll"><table class="paper{judged}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def quoted(value):
    return (f'<span class="quoted">{text(value)}</span>',)


def verdict(name):
    kind = {"reproduced": "reproduced", "better": "better", "not reproduced": "missed"}.get(name)
    return (f'<span class="verdict {kind}">{text(name)}</span>',) if kind else quoted(name)


def warning(message):
    return f'<p class="warn" role="note">{text(message)}</p>'


def section(title, intro, *parts):
    return f'<section><h2>{text(title)}</h2><p class="intro">{intro}</p>{"".join(parts)}</section>'


def document(title, lead, sections):
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
            f"content='width=device-width'><title>{text(title)}</title><style>{STYLE}{OWN}</style></head><body><main>"
            f"<p class='kind'>FILM: the paper beside the program</p><h1>{text(title)}</h1>{lead}{''.join(sections)}"
            "</main></body></html>\n")
