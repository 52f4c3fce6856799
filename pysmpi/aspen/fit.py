"""Fits: the values of parameters for which an application's predicted times or amounts are nearest to measured ones."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from pysmpi.aspen.application import Application
from pysmpi.aspen.fit_problem import Array, Problem, groups_of, scales_of
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.measurements import Measurement
from pysmpi.aspen.timing import OVERLAP

__all__ = ["Fit", "Fitted", "fit"]

_CONFIDENCE = 0.95
_NO_EFFECT = 1e-8  # a parameter has no effect if the root mean square of its slopes is at most this
_DEPENDENT = 1e-6  # directions with smaller singular values are not determined
_SHARED = 1e-3  # a pair of parameters is not determined if its entry in the projection on the null space is larger


@dataclass(frozen=True)
class Fitted:
    """Fitted parameter.

    Attributes:
        value: value with the least sum of squared relative errors, or the default if the parameter has no effect.
        low: lower end of the 95 % confidence interval. If the measurements do not determine the parameter, or are too
            few for an interval, it is the lower end of the parameter's range in the model.
        high: upper end of this interval or range.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """Result of a fit.

    Attributes:
        parameters: fitted parameters by name.
        undetermined: pairs of parameters of which the measurements determine only a combination, such as the product. A
            parameter without any effect on the predictions makes a pair with itself.
        residuals: relative error (predicted / measured - 1) of each measured number, in the order of the table.
        places: file and line of each measured number, in the same order.
    """

    parameters: dict[str, Fitted]
    undetermined: list[tuple[str, str]]
    residuals: Array
    places: list[str]

    @property
    def largest(self) -> float:
        """Largest absolute value of the relative errors."""
        return float(numpy.abs(self.residuals).max())

    @property
    def rms(self) -> float:
        """Root mean square of the relative errors."""
        return float(numpy.sqrt(numpy.mean(self.residuals**2)))

    def to_json(self) -> dict[str, Any]:
        """Return parameters and errors as a dict for JSON."""
        return {
            "parameters": {name: vars(each) for name, each in self.parameters.items()},
            "undetermined": [list(pair) for pair in self.undetermined],
            "residuals": {"largest": self.largest, "rms": self.rms},
        }


def fit(
    application: Application,
    machine: Machine,
    measurements: Sequence[Measurement],
    *,
    socket: str | None = None,
    control: str | None = None,
    kernel: str | None = None,
    rules: str = OVERLAP,
) -> Fit:
    """Fit the parameters that have a range in the application, by least squares of relative errors.

    Parameters that have been set, and parameters whose values are in the measurements, are not fitted.

    Args:
        application: the application.
        machine: machine for the measurements that name no machine.
        measurements: lines of a table with measured times or amounts.
        socket: name of the sockets for the measurements that name no sockets.
        control: name of the control flow for the measurements that name neither a control flow nor a kernel; by default
            "main", or the only one.
        kernel: name of the kernel for these measurements, instead of a control flow.
        rules: "overlap", or "ornl" for the rules of Oak Ridge's (ORNL's) tools, where parallel parts add up.

    Raises:
        AspenError: no parameter has a range, or a value that is needed does not exist.
    """
    scales = scales_of(application, {name for each in measurements for name in each.values})
    groups = groups_of(measurements, machine, {"socket": socket, "control": control, "kernel": kernel})
    problem = Problem(application, groups, list(scales), list(scales.values()), rules)
    best = problem.solve()
    residuals = problem.residuals(best)
    parameters, undetermined = _determined(problem, best, residuals)
    places = [str(place) for group in groups for place in group.places]
    lines = numpy.argsort(numpy.concatenate([group.numbers for group in groups]), kind="stable")
    return Fit(parameters, undetermined, residuals[lines], [places[line] for line in lines])


def _determined(problem: Problem, best: Array, residuals: Array) -> tuple[dict[str, Fitted], list[tuple[str, str]]]:
    """Return the fitted parameters with confidence intervals, and the pairs for `Fit.undetermined`.

    Args:
        problem: the least-squares problem.
        best: solution of the problem: each parameter's position in its range (0 to 1).
        residuals: relative errors of the solution.
    """
    from scipy.stats import t

    widths = numpy.array([scale.width for scale in problem.scales])
    slopes = problem.slopes(best) / widths
    sizes = numpy.sqrt(numpy.mean(slopes**2, axis=0))
    has_effect = sizes > _NO_EFFECT
    scaled = slopes[:, has_effect] / sizes[has_effect] / numpy.sqrt(len(slopes))
    _, singular, directions = numpy.linalg.svd(scaled, full_matrices=True)
    rank = int(numpy.sum(singular > _DEPENDENT))
    nothing_changes = directions[rank:].T @ directions[rank:]  # projection on the null space of the slopes
    names = [name for name, has in zip(problem.names, has_effect, strict=True) if has]
    pairs = [(name, name) for name, has in zip(problem.names, has_effect, strict=True) if not has]
    pairs += [
        (names[first], names[second])
        for first, second in itertools.combinations(range(len(names)), 2)
        if abs(nothing_changes[first, second]) > _SHARED
    ]
    is_open = {name for pair in pairs for name in pair}
    freedom = len(residuals) - rank
    inverse = numpy.linalg.pinv(scaled.T @ scaled, rcond=_DEPENDENT**2) if names else numpy.zeros((0, 0))
    spread = dict(zip(names, numpy.sqrt(numpy.maximum(numpy.diag(inverse), 0.0)), strict=True))
    found = {}
    for number, (name, scale, part) in enumerate(zip(problem.names, problem.scales, best, strict=True)):
        value = scale.default if (name, name) in pairs else float(scale.value(part))
        if name in is_open or freedom <= 0:
            found[name] = Fitted(value, scale.low, scale.high)
            continue
        sigma = numpy.sqrt(numpy.sum(residuals**2) / freedom)
        deviation = sigma * spread[name] / sizes[number] / numpy.sqrt(len(slopes))
        reach = float(t.ppf((1 + _CONFIDENCE) / 2, freedom) * deviation) / scale.width
        ends = float(scale.value(max(0.0, part - reach))), float(scale.value(min(1.0, part + reach)))
        found[name] = Fitted(value, min(value, ends[0]), max(value, ends[1]))
    return found, pairs
