"""Tables and pictures of predictions beside measurements, and their errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pysmpi.util.pictures import COLOURS, finish, new_figure, save

__all__ = ["Point", "draw", "print_summary", "print_table"]


class Point(NamedTuple):
    """A measured time with its prediction.

    Attributes:
        kind: kind of collective under which the error counts.
        row: label of the point's row in the table.
        column: bytes, or number of ranks.
        measured: seconds.
        predicted: seconds.
        calibration: whether the model is made from the measurement, so that its error does not count.
    """

    kind: str
    row: str
    column: int
    measured: float
    predicted: float
    calibration: bool = False

    @property
    def error(self) -> float:
        """Relative error of the time; negative if the prediction is too fast."""
        return self.predicted / self.measured - 1


def print_table(title: str, unit: str, points: Sequence[Point]) -> None:
    """Print measured microseconds and errors in Markdown. Points of the calibration are in parentheses."""
    columns = sorted({point.column for point in points})
    rows: dict[str, dict[int, str]] = {}
    for point in points:
        text = f"{1e6 * point.measured:,.5g}: {100 * point.error:+.0f} %"
        rows.setdefault(point.row, {})[point.column] = f"({text})" if point.calibration else text
    print(f"| {title} | " + " | ".join(f"{column:,} {unit}" for column in columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for row, cells in rows.items():
        print(f"| {row} | " + " | ".join(cells.get(column, "") for column in columns) + " |")
    print()


def print_summary(predicted: Callable[[Sequence[str]], Iterable[Point]], variants: Mapping[str, Sequence[str]]) -> None:
    """Print the absolute errors of each variant of the model by kind: median, 90th percentile and largest.

    Args:
        predicted: returns all points, without some steps of the model.
        variants: the steps to leave out, by the name of the variant.
    """
    print("| points | model | number | median | 90th percentile | largest |")
    print("|---|---|---|---|---|---|")
    errors: dict[tuple[str, str], list[float]] = {}
    for name, without in variants.items():
        for point in predicted(without):
            if not point.calibration:
                errors.setdefault((point.kind, name), []).append(abs(point.error))
    for kind in dict.fromkeys(kind for kind, _ in errors):
        for name in variants:
            found = errors[kind, name]
            figures = (np.median(found), np.quantile(found, 0.9), np.max(found))
            print(f"| {kind} | {name} | {len(found)} | " + " | ".join(f"{100 * each:.0f} %" for each in figures) + " |")


def draw(panels: Mapping[str, Mapping[str, Sequence[Sequence[Point]]]], target: str) -> None:
    """Draw measured times as dots, predicted ones as lines.

    Args:
        panels: curves by label, by the panel's title. A curve has the points of the whole model and, if given, those of
            another one, which becomes a dashed line.
        target: file to write.
    """
    figure = new_figure(5.6 * len(panels), 4.4)
    for axes, (title, curves) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        for (label, models), colour in zip(curves.items(), COLOURS[:6], strict=False):
            for points, style in zip(models, ("-", ":"), strict=False):
                sizes = [point.column for point in points]
                axes.loglog(sizes, [1e6 * point.predicted for point in points], style, color=colour, linewidth=1.3)
            sizes = [point.column for point in models[0]]
            axes.loglog(sizes, [1e6 * point.measured for point in models[0]], "o", color=colour, markersize=4,
                        label=label)  # fmt: skip
        axes.set_xlabel("bytes")
        axes.set_ylabel("us")
        finish(axes, title, legend="best")
    save(figure, target)
