"""Factors of a study that do not change a metric (in its first nine digits), and the reasons, as reported by the
runs."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

from pysmpi.study.points import Point
from pysmpi.study.results_table import Table
from pysmpi.study.store import Store
from pysmpi.study.study_description import Description

__all__ = ["are_equal", "factors_without_effect", "reason_for", "unused_inputs"]


def factors_without_effect(table: Table, metric: str) -> list[str]:
    """Return the factors that take several values among the finished points (simulations) without changing the metric.

    Only points that differ in no other factor are compared. A sampled design usually has no such points, so that no
    factor is returned.
    """
    rows = [row for row in table.done() if row.get(metric) is not None]
    found = []
    for factor in table.varied:
        groups: dict[tuple[str, ...], list[tuple[str, float]]] = {}
        for row in rows:
            others = tuple(repr(row[name]) for name in (*table.varied, "replicate") if name != factor)
            groups.setdefault(others, []).append((repr(row[factor]), float(str(row[metric]))))
        compared = [group for group in groups.values() if len({value for value, _ in group}) > 1]
        if compared and all(are_equal([figure for _, figure in group]) for group in compared):
            found.append(factor)
    return found


def are_equal(figures: Sequence[float]) -> bool:
    """Return whether numbers differ only by rounding: in the tenth digit or later."""
    return all(math.isclose(figure, figures[0], rel_tol=1e-9) for figure in figures)


def reason_for(study: Description, factor: str, points: Sequence[Point], results: Path) -> str:
    """Return the reason why a factor had no effect, as reported by the runs, or an empty text if they reported none."""
    field = re.escape(factor.partition(".")[2])
    if factor.startswith("platform.") and re.search(
        rf"speed\s*=\s*[\"']?\{{\{{\s*{field}\s*\}}\}}", study.platform_text
    ):
        return next((text for record in _records(points, results) if (text := str(record.get("unscaled", "")))), "")
    setting = factor.partition(".")[2] if factor.startswith("cfg.") else ""
    texts = [text for text in unused_inputs(points, results) if setting and f"{setting}:" in text]
    return texts[0].partition(": ")[2] if texts else ""


def unused_inputs(points: Sequence[Point], results: Path) -> list[str]:
    """Return the warnings about inputs, models and settings that had no effect in at least one run."""
    texts: dict[str, None] = {}
    for record in _records(points, results):
        texts |= dict.fromkeys(str(record.get("without_effect") or "").splitlines())
    return list(texts)


def _records(points: Sequence[Point], results: Path) -> list[dict[str, object]]:
    store = Store(results)
    return [record for key in dict.fromkeys(point.key for point in points) if (record := store.read(key))]
