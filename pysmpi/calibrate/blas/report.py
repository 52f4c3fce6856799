"""Report of the quality of BLAS fits: a text, and plots."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pysmpi.calibrate.blas.fit import RoutineFit
from pysmpi.calibrate.regression import CONFIDENCE
from pysmpi.util.columns import aligned
from pysmpi.util.pictures import COLOURS, INK, finish, new_figure, save
from pysmpi.util.quantities import human_speed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "report_text"]


def report_text(fits: Sequence[RoutineFit], provenance: Mapping[str, str], speed: float) -> str:
    """Return the quality of all fits, and each polynomial with the confidence intervals of its coefficients."""
    lines = [f"{key}: {value}" for key, value in provenance.items()]
    lines += ["", f"speed: {human_speed(float(f'{speed:.4g}'))} of a core in dgemm at large sizes", ""]
    header = ("routine", "times", "sizes", "R²", "error, median", "largest", "left out", "noise", "outliers",
              "their time", "one coefficient, median", "largest")  # fmt: skip
    lines += aligned([header, *(_row(each) for each in fits)], right=range(1, len(header)))
    lines += [
        "",
        "error: expected duration relative to the mean time of each size; left out: mean error of",
        "sizes left out of the fit (cross-validation); noise: standard deviation relative to",
        "the duration, median of all sizes; outliers: times far above others of their size, left out of the fit;",
        "their time: their excess over the others, relative to the total time; one coefficient: the published",
        "study's model with the operation count alone. A run's summary counts calls beyond the fitted sizes.",
    ]
    for each in fits:
        lines += ["", *_polynomial(each)]
    return "\n".join(lines)


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _noise(fit: RoutineFit) -> float:
    deviations = [
        sum(value * _value(term, each.sizes) for term, value in fit.deviation.items()) for each in fit.observations
    ]
    return float(np.median(np.array(deviations) / fit.predicted))


def _value(term: str, sizes: Mapping[str, int]) -> float:
    found = 1.0
    for factor in term.split("*") if term != "1" else ():
        name, _, power = factor.partition("^")
        found *= float(sizes[name]) ** int(power or 1)
    return found


def _row(fit: RoutineFit) -> tuple[str, ...]:
    one = fit.one_coefficient
    errors = np.abs(fit.errors)
    return (
        fit.name,
        str(sum(len(each.seconds) for each in fit.observations) + fit.outliers),
        str(len(fit.observations)),
        f"{fit.r_squared:.4f}",
        _percent(float(np.median(errors))),
        _percent(float(errors.max())),
        _percent(fit.expected.cross_validated_error),
        _percent(_noise(fit)) if fit.distribution else "",
        str(fit.outliers),
        _percent(fit.outliers_time) if fit.outliers else "",
        _percent(one["median_relative_error"]),
        _percent(one["largest_relative_error"]),
    )


def _polynomial(fit: RoutineFit) -> list[str]:
    rows = [
        (term, f"{value:.4g} s", f"[{fit.expected.intervals[term][0]:.4g}, {fit.expected.intervals[term][1]:.4g}]")
        for term, value in fit.expected.coefficients.items()
    ]
    bounds = ", ".join(f"{name} {low} to {high}" for name, (low, high) in fit.range.items())
    lines = [f"{fit.name}: {bounds}; with {_percent(CONFIDENCE)} intervals", *aligned(rows, indent="  ")]
    if fit.distribution:
        noise = " + ".join(f"{value:.3g}·{term}" for term, value in fit.deviation.items())
        shape = "" if fit.skewness is None else f" (skewness of the times of one size: {fit.skewness:.2g})"
        lines.append(f"  noise: {fit.distribution}, standard deviation {noise} s{shape}")
    steps = "; ".join(f"+ {terms[-1]} {_percent(error)}" for terms, error in fit.expected.tried)
    lines.append(f"  terms in order of use, with the cross-validation error: {steps.removeprefix('+ ')}")
    return lines


def draw(fits: Sequence[RoutineFit], path: str | os.PathLike[str]) -> None:
    """Draw each routine's times against its operation count, and the errors of its two models.

    The models are the polynomial, and the model with one coefficient.

    Raises:
        LaunchError: if matplotlib is not installed, or the file cannot be written.
    """
    rows = -(-len(fits) // 2)
    figure = new_figure(18.0, 2.8 * rows + 0.4)
    places = figure.subplots(rows, 4, squeeze=False).reshape(2 * rows, 2)
    for fit, (left, right) in zip(fits, places, strict=False):
        _times(left, fit)
        _errors(right, fit)
    for unused in places[len(fits) :].flat:
        unused.set_axis_off()
    save(figure, path)


def _operations(fit: RoutineFit) -> tuple[str, "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
    term = fit.expected.tried[0][0][0]
    return term, np.array([_value(term, each.sizes) for each in fit.observations])


def _times(axes: "Axes", fit: RoutineFit) -> None:
    term, operations = _operations(fit)
    every = np.repeat(operations, [len(each.seconds) for each in fit.observations])
    seconds = np.concatenate([each.seconds for each in fit.observations])
    axes.loglog(every, seconds, ".", color="#9ab8d8", markersize=3, label="measured")
    if fit.outliers:
        far = np.repeat(operations, [len(each.outlying) for each in fit.observations])
        axes.loglog(far, np.concatenate([each.outlying for each in fit.observations]), ".", color="#e0a0a0",
                    markersize=3, label="outlying")  # fmt: skip
    axes.loglog(operations, fit.predicted, "x", color=INK, markersize=4, label="expected")
    finish(axes, f"{fit.name}: seconds over {term}", colour=INK, numbers=8, legend="upper left")


def _errors(axes: "Axes", fit: RoutineFit) -> None:
    _, operations = _operations(fit)
    one = fit.one_coefficient["coefficient"] * operations / fit.means
    axes.semilogx(operations, one, ".", color=COLOURS[1], markersize=4, label="one coefficient")
    axes.semilogx(operations, fit.errors + 1, ".", color=COLOURS[0], markersize=5, label="polynomial")
    axes.axhline(1.0, color=INK, linewidth=0.8)
    axes.set_yscale("log", base=2)
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 1 / 8), max(2.0, min(high, 8.0)))
    axes.set_yticks(ticks := [tick for tick in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8) if low <= tick <= max(2, high)],
                    [f"{tick:g}" for tick in ticks])  # fmt: skip
    axes.minorticks_off()
    largest = _percent(float(np.abs(fit.errors).max()))
    finish(axes, f"{fit.name}: expected over measured (largest error {largest})", colour=INK, numbers=8,
           legend="lower right")  # fmt: skip
