"""The page of examples/paper/run: its tables and charts as data, which web/paper.js draws. Standard library only.

The page is {kind, title, lead, sections}. The lead is a list of {text} and parts; a section has a title, an intro and a
list of parts. A part is {table: {heads, rows}}, {chart: ...} as web/charts.js describes it, {steps: {title, list}} or
{warning: text}. A cell of a table is a text, {quoted: text} or {verdict: text}."""
import json
import os
import re

WEB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "web")


def read(name):
    with open(os.path.join(WEB, name), encoding="utf-8") as file:
        return file.read()


def rounded(value):
    return None if value is None else float(f"{value:.6g}")


def points(xs, ys):
    return [[rounded(x), rounded(y)] for x, y in zip(xs, ys)]


def identifier(title):
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def headed(title):
    return title[:1].upper() + title[1:]


def figure(title, x_title, y_title, series, **more):
    x, y = ({"title": axis, **more.pop(key, {})} for key, axis in (("x", x_title), ("y", y_title)))
    return {"chart": {"id": identifier(title), "title": headed(title), "x": x, "y": y, "series": series, **more}}


def swings(values):
    """Whether a line turns at nearly every step: it would hide the others."""
    known = [value for value in values if value is not None]
    return sum((b - a) * (c - b) < 0 for a, b, c in zip(known, known[1:], known[2:])) > 0.8 * len(values)


def lines(title, series, x_title, y_title, log=False, marks=(), levels=(), low=None):
    """SERIES: [(name, xs, ys)]; MARKS: [(x, label)] vertical; LEVELS: [(y, label)] horizontal. LOW: 0 starts the axis there."""
    return figure(title, x_title, y_title,
                  [{"name": name, "kind": "line", "colour": i + 1, "points": points(xs, ys), "thin": swings(ys)}
                   for i, (name, xs, ys) in enumerate(series)],
                  y={"log": log, "zero": low == 0}, marks=[{"x": x, "text": label} for x, label in marks],
                  levels=[{"y": y, "text": label} for y, label in levels])


def bars(title, edges, counts, x_title, y_title):
    middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
    return figure(title, x_title, y_title, [{"name": y_title, "kind": "bars", "points": points(middles, counts), "width": edges[1] - edges[0]}])


def needles(title, values, named, x_title, y_title, labels=16):
    """A thin line per value that can be seen; NAMED: {index: label}, largest first, can be pointed at, and up to LABELS have
    a word beside them where there is room."""
    least = max(abs(v) for v in values) / 400
    thin = [(i, v) for i, v in enumerate(values) if abs(v) > least and i not in named]
    return figure(title, x_title, y_title, [
        {"name": "components", "kind": "needles", "points": points(*zip(*thin)) if thin else []},
        {"name": "largest", "kind": "needles", "colour": 2, "labelled": True, "mostTags": labels,
         "tags": list(named.values()) if labels else None,
         "points": [[i, rounded(values[i]), f"{label}: {values[i]:.4g}"] for i, label in named.items()]}],
        x={"low": 0, "high": len(values)})


def strip(title, values):
    """VALUES: [(what, value)]: a bar for each, with what it gained or lost against the one before."""
    return {"steps": {"title": headed(title), "list": values}}


def table(header, rows):
    return {"table": {"heads": header, "rows": rows}}


def quoted(value):
    return {"quoted": value}


def verdict(name):
    return {"verdict": name} if name in ("reproduced", "better", "not reproduced") else quoted(name)


def warning(message):
    return {"warning": message}


def section(title, intro, *parts):
    return {"title": title, "intro": intro, "parts": list(parts)}


def module(name):
    """The text of a module for one script with others: without imports and exports."""
    return re.sub("^export ", "", re.sub("^import .*\n", "", read(f"{name}.js"), flags=re.M), flags=re.M)


def document(title, lead, sections):
    """One HTML file: the data, the style sheets and the scripts in web/report.html. A text may hold any characters: without
    "<" it cannot end the element that holds the data."""
    data = {"kind": "The paper beside the program", "title": title, "lead": lead, "sections": sections}
    parts = {"STYLE": read("page.css") + read("report.css"), "SCRIPT": "".join(map(module, ("dom", "csv", "scale", "charts", "paper"))),
             "DATA": json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")}
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], read("report.html"))
