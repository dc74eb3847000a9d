"""Verdicts and explanations: what a model says about a pair, for programs and for people."""
import json
from dataclasses import dataclass, field
from html import escape
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union


@dataclass(frozen=True)
class Reason:
    """One reason of a verdict. The weights of all reasons and the bias add up to the log-odds."""

    id: str
    kind: str
    text: str
    weight: float
    side: Optional[str] = None
    span: Optional[Tuple[int, int]] = None
    other: Optional[str] = None
    other_side: Optional[str] = None
    other_span: Optional[Tuple[int, int]] = None
    family: Optional[str] = None

    def __str__(self) -> str:
        words = self.text if self.other is None else f"{self.text} / {self.other}"
        return f"{self.weight:+.2f} {words}"


@dataclass(frozen=True)
class Verdict:
    """Whether two sentences mean the same, how sure the model is, and why.

    A verdict is true when the sentences mean the same::

        if model.match(a, b): ...
    """

    a: Union[str, Dict[str, Any]]
    b: Union[str, Dict[str, Any]]
    probability: float
    same: bool
    similarity: float
    log_odds: float
    bias: float
    reasons: Sequence[Reason] = ()
    _model: Any = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        return f"{'same' if self.same else 'different'} (probability {self.probability:.2f})"

    def explain(self) -> "Explanation":
        """The same verdict with its weights grouped by words and by readable groups."""
        return self._model.explain(self.a, self.b)

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class Explanation:
    """The log-odds of a pair as a sum over words and named groups.

    `words`, `groups`, `links`, `facts`, `examples`, `differences`, `reversals` and, of records,
    `fields` are lists of dicts, as film_explain.h describes them; `verdict` has the probability and
    all reasons.
    """

    def __init__(self, text: str, verdict: Verdict):
        self._text = text
        self.verdict = verdict
        self.data: Dict[str, Any] = json.loads(text)
        self.words: List[dict] = self.data["words"]
        self.groups: List[dict] = self.data["groups"]
        self.links: List[dict] = self.data["links"]
        self.facts: List[dict] = self.data["facts"]
        self.examples: List[dict] = self.data["examples"]
        self.differences: List[dict] = self.data["differences"]
        self.reversals: List[dict] = self.data["reversals"]
        self.fields: List[dict] = self.data.get("fields", [])

    def to_json(self) -> str:
        """The explanation as JSON text, as `film explain --json` prints it."""
        return self._text

    def __str__(self) -> str:
        lines = [str(self.verdict)]
        for part, key in ((self.fields, "name"), ([] if self.fields else self.words, "text"),
                          (self._groups(), "title")):
            strongest = sorted(part, key=lambda item: -abs(item["weight"]))[:8]
            lines += [f"{item['weight']:+6.2f}  {item[key]}" for item in strongest]
        return "\n".join(lines)

    def _groups(self) -> List[dict]:
        """The groups beside the fields: those of a field are part of it."""
        return [group for group in self.groups
                if not (self.fields and group["name"].startswith("field "))]

    def _lines(self) -> List[Tuple[str, float]]:
        """Fields, then groups; within each, those that speak for the verdict come first."""
        return [(f"{field['name']} ({field['type']})", field["weight"]) for field in self.fields] \
            + [(group["title"], group["weight"]) for group in self._groups()[:8]]

    def _repr_html_(self) -> str:
        most = max([abs(item["weight"]) for item in self.words + self.groups] + [1.0])
        rows = "".join(
            f"<tr><td style='text-align:right'>{weight:+.2f}</td><td>{_bar(weight, most)}</td>"
            f"<td style='text-align:left'>{escape(title)}</td></tr>"
            for title, weight in self._lines())
        facts = "".join(f"<li>{escape(fact['text'])}</li>" for fact in self.facts)
        return (
            f"<div><p><b>{'same' if self.verdict.same else 'different'}</b>, probability "
            f"{self.verdict.probability:.2f}</p>"
            f"<p>{self._marked('a', most)}<br>{self._marked('b', most)}</p>"
            + (f"<ul>{facts}</ul>" if facts else "") + f"<table>{rows}</table></div>")

    def _marked(self, side: str, most: float) -> str:
        """The sentence with its words coloured: blue speaks for the same, red for different."""
        data = self.data[side]
        if isinstance(data, dict):
            return ", ".join(f"<i>{escape(name)}</i> " + self._coloured(value, side, name, most)
                             for name, value in data.items())
        return self._coloured(data, side, None, most)

    def _coloured(self, text: str, side: str, field: Optional[str], most: float) -> str:
        data, html, at = text.encode(), [], 0
        for word in self.words:
            if word["side"] != side or word.get("field") != field:
                continue
            start, end = word["span"]
            html.append(escape(data[at:start].decode("utf-8", "replace")))
            html.append(
                f"<span title='{word['weight']:+.2f}' style='{_colour(word['weight'], most)}'>"
                f"{escape(data[start:end].decode('utf-8', 'replace'))}</span>")
            at = end
        html.append(escape(data[at:].decode("utf-8", "replace")))
        return "".join(html)


def _rgb(weight: float) -> str:
    return "47,91,234" if weight > 0 else "216,67,42"


def _colour(weight: float, most: float) -> str:
    share = min(abs(weight) / most, 1.0)
    line = "solid" if weight > 0 else "wavy"  # the direction is visible without colours too
    decoration = f";text-decoration:underline {line} rgb({_rgb(weight)})" if share > 0.05 else ""
    return f"background:rgba({_rgb(weight)},{0.45 * share:.2f}){decoration}"


def _bar(weight: float, most: float) -> str:
    return (f"<span style='display:inline-block;height:0.7em;background:rgb({_rgb(weight)});"
            f"width:{6 * abs(weight) / most:.2f}em'></span>")
