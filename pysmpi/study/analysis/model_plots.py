"""Plots of formulas, together with the measurements to which they were fitted."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pysmpi.errors import StudyError
from pysmpi.formulas import Model, Series
from pysmpi.util.pictures import COLOURS, finish, is_wide, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_models"]

_STEPS = 120  # straight pieces of which the curve of a formula consists
_MOST = 12  # largest number of panels in a picture


def plot_models(
    parameters: Sequence[str],
    models: Sequence[tuple[str, Series, Model]],
    path: str | os.PathLike[str],
    beyond: Sequence[Mapping[str, float]] = (),
) -> None:
    """Draw a panel for each model: measurements as dots, the formula as curves, and its error as a band.

    The first parameter is on the horizontal axis. There is a curve for each value of the second parameter. All further
    parameters have their largest value.

    Args:
        parameters: names of the parameters.
        models: title, measurements and model of each panel.
        path: path of the picture.
        beyond: points beyond the measurements, as values by parameter; the curves extend up to the largest value of the
            first parameter among them.

    Raises:
        StudyError: there are too many models for one picture.
        LaunchError: the ending is not a known format, matplotlib is missing, or the file cannot be written.
    """
    if len(models) > _MOST:
        raise StudyError(f"{len(models)} models do not fit into one picture of up to {_MOST}; choose one by --of")
    figure = new_figure(8.0, 0.6 + 3.6 * len(models))
    panels = figure.subplots(len(models), squeeze=False).flat
    for axes, (title, series, model) in zip(panels, models, strict=True):
        _draw(axes, parameters, series, model, beyond)
        axes.set_title(f"{title}: {model.certainty}", loc="left", fontsize=10)
    save(figure, path)


def _draw(
    axes: "Axes", parameters: Sequence[str], series: Series, model: Model, beyond: Sequence[Mapping[str, float]]
) -> None:
    points = [tuple(point) for point in series.points]
    along = sorted({point[0] for point in points})
    end = max([along[-1], *(point[parameters[0]] for point in beyond)])
    places = [along[0] * (end / along[0]) ** (step / _STEPS) for step in range(_STEPS + 1)]
    largest = [max(point[column] for point in points) for column in range(len(parameters))]
    second = [[line] for line in sorted({point[1] for point in points})] if len(parameters) > 1 else [[]]
    means = dict(zip(points, series.means, strict=True))
    for number, line in enumerate(second):
        colour = COLOURS[number % len(COLOURS)]
        rest = line + largest[2:]
        label = f"{parameters[1]} = {line[0]:.6g}" if line else None
        _draw_formula(axes, model, places, [dict(zip(parameters, [x, *rest], strict=True)) for x in places],
                      colour, label)  # fmt: skip
        shown = [x for x in along if (x, *rest) in means]
        axes.scatter(shown, [means[x, *rest] for x in shown], color=colour, s=22, zorder=3)
    if end > 8 * along[0]:
        axes.set_xscale("log", base=2)
    if is_wide(means.values()):
        axes.set_yscale("log")
    several = len(parameters) > 1
    finish(axes, x=parameters[0], numbers=8, legend="center left" if several else "", bbox_to_anchor=(1, 0.5))


def _draw_formula(
    axes: "Axes",
    model: Model,
    places: Sequence[float],
    points: Sequence[Mapping[str, float]],
    colour: str,
    label: str | None,
) -> None:
    """Draw a formula as a curve, and its relative error as a band around the curve, unless the formula is exact.

    Args:
        axes: axes to draw on.
        model: the formula and its error.
        places: horizontal coordinates of the curve.
        points: values of all parameters at each of these coordinates.
        colour: colour of curve and band.
        label: entry of the legend, or None for no entry.
    """
    values = [model.form.value(point) for point in points]
    axes.plot(places, values, color=colour, linewidth=1.4, label=label)
    if not model.exact:
        low = [value * (1 - model.error) for value in values]
        high = [value * (1 + model.error) for value in values]
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
