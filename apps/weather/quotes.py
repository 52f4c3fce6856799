"""Numbers that a text quotes from stored points.

In a text, `{5a|ring-4|1000}` stands for the seconds of the curve ring-4 of figure 5a at 1,000 ranks. `{A : B}` is the
ratio of two such numbers. A word before the figure asks for another number:

- `{floor 5b|torus-M|10000}`: the floor.
- `{share 0-30 8a|dragonfly-MM, valiant|10000}`: packets with delays from 0 to 30 us, in percent; `50-inf` has no end.
- `{flows 5a|burst|1000}`, `{loggps …}`: the seconds under another model.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from catalogue import FIGURES
from drawing import seconds_of
from points import BINS
from results import Outcome, Results

from pysmpi.errors import LaunchError
from pysmpi.util.quantities import human_seconds

_QUOTE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Number:
    """Number of a stored point: the number of the whole grid, and what is stored."""

    value: float
    source: dict[str, Any]


def fill(text: str, results: Results) -> tuple[str, list[dict[str, Any]]]:
    """Return a text with its numbers, and for each number the text of it and the stored points that it comes from.

    Raises:
        LaunchError: a figure, a curve or a point does not exist.
    """
    found: list[dict[str, Any]] = []

    def replaced(match: re.Match[str]) -> str:
        numbers = [_number(each.strip(), results) for each in match[1].split(" : ")]
        if len(numbers) == 2:
            text = f"{numbers[0].value / numbers[1].value:.3g}"
        elif "share" in numbers[0].source:
            text = f"{numbers[0].value:.3g} %"
        else:
            text = human_seconds(float(f"{numbers[0].value:.3g}"))
        found.append({"quote": text, "from": [number.source for number in numbers]})
        return text

    return _QUOTE.sub(replaced, text), found


def curve_point(figure: str, label: str, ranks: int, results: Results, model: str = "packets") -> Outcome:
    """Return the stored point of a curve.

    Raises:
        LaunchError: there is none.
    """
    for curve in FIGURES[figure].curves if figure in FIGURES else ():
        if curve.label == label:
            outcome = results.best(curve, ranks, model)
            if outcome is not None:
                return outcome
    raise LaunchError(f"no stored point of figure {figure}, {label}, {ranks} ranks, {model}")


def _number(words: str, results: Results) -> Number:
    *before, place = words.split(" ", 1) if words.split(" ", 1)[0] in ("floor", "share", "flows", "loggps") else [words]
    kind = before[0] if before else "seconds"
    share = ""
    if kind == "share":
        share, place = place.split(" ", 1)
    figure, label, ranks = place.split("|")
    model = {"floor": "floors", "flows": "flows", "loggps": "loggps"}.get(kind, "packets")
    outcome = curve_point(figure, label, int(ranks), results, model)
    source: dict[str, Any] = {"figure": figure, "curve": label, "ranks": int(ranks), "model": model}
    if kind == "share":
        begin, end = (float(number) * 1e-6 for number in share.split("-"))
        inside = [begin * (1 - 1e-9) <= each < end * (1 - 1e-9) for each in BINS]
        value = 100 * float(np.array(outcome["delays"])[inside].sum())
        return Number(value, source | {"share": share, "delays": outcome["delays"]})
    which = "floor" if kind == "floor" else "seconds"
    return Number(seconds_of(outcome, which) or math.nan, source | {which: outcome[which]})
