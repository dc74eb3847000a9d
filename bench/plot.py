"""Plots as small SVG files: lines over a logarithmic axis, and horizontal bars. Standard library only.

White background, black text, colours that differ in grey print too (and dashes and marks beside them)."""
from xml.sax.saxutils import escape

COLOURS = ["#1b5e9c", "#c2571a", "#3d7a3d", "#6b4c9a"]
DASHES = ["", "6 3", "2 3", "8 3 2 3"]
FONT = 'font-family="DejaVu Sans, Arial, sans-serif"'


class Canvas:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}" role="img" {FONT} font-size="13">',
                      f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="#fff"/>']
        self.text(12, 22, title, size=15, weight="bold")

    def line(self, x1, y1, x2, y2, colour="#000", width=1, dash=""):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def path(self, points, colour, dash=""):
        self.parts.append('<polyline fill="none" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) +
                          f'" stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def mark(self, x, y, colour, kind):
        if kind % 2:
            self.parts.append(f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>')
        else:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" fill="{colour}"/>')

    def text(self, x, y, text, anchor="start", size=13, weight="normal", turn=0):
        more = (f' font-size="{size}"' if size != 13 else "") + (f' font-weight="{weight}"' if weight != "normal" else "")
        more += f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>')

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(self.parts + ["</svg>"]) + "\n")


def steps(low, high, step):
    first, last = round(low / step), round(high / step)
    return [i * step for i in range(first, last + 1)]


def lines(path, title, x_name, y_name, x, series, low, high, step, log=True, below=()):
    """SERIES: (name, values at X). Y goes from LOW to HIGH with a line at every STEP. BELOW: names of the series whose
    values are written under their marks, out of the way of others."""
    from math import log as ln
    canvas = Canvas(640, 400, title)
    left, right, top, bottom = 70, 620, 44, 340
    place = (lambda v: ln(v)) if log else (lambda v: v)
    pad = 0.06 * (place(x[-1]) - place(x[0]))
    at_x = lambda v: left + (right - left) * (place(v) - place(x[0]) + pad) / (place(x[-1]) - place(x[0]) + 2 * pad)  # noqa: E731
    at_y = lambda v: bottom - (bottom - top) * (v - low) / (high - low)  # noqa: E731
    for v in steps(low, high, step):
        canvas.line(left, at_y(v), right, at_y(v), "#ddd")
        canvas.text(left - 8, at_y(v) + 4, f"{v:g}", "end")
    for v in x:
        canvas.line(at_x(v), bottom, at_x(v), bottom + 5)
        canvas.text(at_x(v), bottom + 20, f"{v:,}", "middle")
    canvas.line(left, top, left, bottom)
    canvas.line(left, bottom, right, bottom)
    canvas.text((left + right) / 2, bottom + 44, x_name, "middle")
    canvas.text(20, (top + bottom) / 2, y_name, "middle", turn=-90)
    for i, (name, values) in enumerate(series):
        points = [(at_x(a), at_y(b)) for a, b in zip(x, values)]
        canvas.path(points, COLOURS[i], DASHES[i])
        for (px, py), v in zip(points, values):
            canvas.mark(px, py, COLOURS[i], i)
            canvas.text(px, py + (18 if name in below else -10), f"{v:.1f}", "middle", size=12)
        canvas.line(left + 14, top + 14 + 20 * i, left + 44, top + 14 + 20 * i, COLOURS[i], 2, DASHES[i])
        canvas.mark(left + 29, top + 14 + 20 * i, COLOURS[i], i)
        canvas.text(left + 52, top + 18 + 20 * i, name)
    canvas.save(path)


def bars(path, title, unit, rows, low, high, step, digits=2):
    """ROWS: (name, value), or (name, None) for a heading. Bars start at LOW."""
    left, top, pitch = 290, 40, 22
    bottom = top + pitch * len(rows) + 4
    canvas = Canvas(680, bottom + 50, title)
    right = 620
    at = lambda v: left + (right - left) * (v - low) / (high - low)  # noqa: E731
    for v in steps(low, high, step):
        canvas.line(at(v), top, at(v), bottom, "#ddd")
        canvas.text(at(v), bottom + 18, f"{v:g}", "middle")
    for i, (name, value) in enumerate(rows):
        y = top + pitch * i
        if value is None:
            canvas.text(12, y + 16, name, weight="bold")
            continue
        canvas.text(left - 8, y + 16, name, "end")
        start, end = sorted((at(max(low, min(0, high))) if low < 0 else at(low), at(value)))
        canvas.box(start, y + 4, end - start, pitch - 7, COLOURS[0] if value >= 0 else COLOURS[1])
        canvas.text(end + 5, y + 16, f"{value:.{digits}f}", size=12)
    canvas.line(at(0) if low < 0 else left, top, at(0) if low < 0 else left, bottom)
    canvas.line(left, bottom, right, bottom)
    canvas.text((left + right) / 2, bottom + 40, unit, "middle")
    canvas.save(path)
