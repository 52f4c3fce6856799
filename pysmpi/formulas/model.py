"""Model of a measured quantity: a formula with its error and the range of the measurements."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

from pysmpi.formulas.growth.candidates import CONSTANT
from pysmpi.formulas.growth.data_points import Measurements
from pysmpi.formulas.growth.exact import exact_form
from pysmpi.formulas.growth.extrapolation import foretelling_form
from pysmpi.formulas.growth.normal_form import NormalForm

__all__ = ["BEYOND", "Model", "fit", "is_beyond", "rounded_up"]

BEYOND = 10
"""Largest trusted ratio of a parameter to its largest measured value, if the formula is not exact.

Beyond it, the value of the formula should be checked by a measurement."""


@dataclass(frozen=True)
class Model:
    """Formula that `fit` has found.

    Attributes:
        form: formula as a normal form.
        exact: True if the formula predicts each point from all others with a relative error below 1e-9.
        error: largest relative error: of predicting one point from all others if the formula is exact; otherwise of
            predicting the points at the largest values of the parameters from those at smaller values.
        points: number of points that were measured.
        largest: largest measured value of each parameter.
        foretold: values of each parameter that were predicted from smaller ones; empty if the formula is exact.
        farthest: the measured point at which the relative error of the formula is largest, by the names of the
            parameters; empty if the formula is exact.
    """

    form: NormalForm
    exact: bool
    error: float
    points: int
    largest: Mapping[str, float]
    foretold: Mapping[str, Sequence[float]]
    farthest: Mapping[str, float]

    @property
    def formula(self) -> str:
        """Formula in the language of `Expression`, with all digits."""
        return self.form.text

    @property
    def certainty(self) -> str:
        """Text that says how the formula is known: "exact (25 points)", "extrapolated to p = 64, 100 within 5 %"."""
        if self.exact:
            return f"exact ({self.points} points)"
        foretold = [
            f"{name} = {', '.join(f'{place:.10g}' for place in places)}"
            for name, places in self.foretold.items()
            if places
        ]
        within = f"within {rounded_up(100 * self.error)} %"
        if not foretold:
            return f"fitted {within}, not extrapolated"
        return f"extrapolated to {' and '.join(foretold)} {within}"

    def growth(self, parameter: str) -> str:
        """Return how fast the formula grows in a parameter: "at most constant in p", "grows as √p·log2(p)"."""
        if not self.rises(parameter):
            return f"at most constant in {parameter}"
        fastest = self.form.growth_in(parameter)
        alone = NormalForm((parameter,), ())
        return f"grows as {alone.with_term(1.0, (fastest,)).pretty}"

    def rises(self, parameter: str) -> bool:
        """Return whether the formula grows without limit in a parameter."""
        return self.form.growth_in(parameter) > CONSTANT

    def needs_verification(self, point: Mapping[str, float]) -> bool:
        """Return whether the value of the formula at a point should be checked by a measurement.

        That is so if the formula is not exact, and a parameter exceeds ten times its largest measured value.
        """
        return not self.exact and is_beyond(self.largest, point)


def is_beyond(largest: Mapping[str, float], point: Mapping[str, float]) -> bool:
    """Return whether a parameter exceeds ten times its largest measured value.

    Args:
        largest: largest measured value of each parameter.
        point: values of the parameters.
    """
    return any(point[name] > BEYOND * place for name, place in largest.items() if name in point)


def rounded_up(percentage: float) -> str:
    """Return a percentage as text with two significant digits, rounded up, so that an error is not understated."""
    if not 0 < percentage < math.inf:
        return f"{percentage:g}"
    scale = 10 ** (math.floor(math.log10(percentage)) - 1)
    return f"{math.ceil(percentage / scale - 1e-9) * scale:.3g}" if percentage < 100 else f"{math.ceil(percentage)}"


def fit(parameters: Sequence[str], points: Sequence[Sequence[float]], values: Sequence[float]) -> Model:
    """Find the formula that measurements follow, as a sum of products of powers and logarithms of the parameters.

    If no formula holds exactly, the one is returned that best predicts the measurements at the largest values of the
    parameters from those at smaller values.

    Args:
        parameters: names of the parameters.
        points: coordinates of each measurement, positive numbers in the order of the parameters.
        values: measured values; the mean counts where several have the same point.

    Raises:
        ModelError: there are no points, or a number is not valid.
    """
    measured = Measurements.of(parameters, points, values)
    largest = dict(zip(measured.parameters, map(float, measured.points.max(axis=0)), strict=True))
    found = exact_form(measured)
    if found is not None:
        form, error = found
        return Model(form, True, error, len(measured.points), largest, {}, {})
    foretold = foretelling_form(measured)
    off = numpy.abs(foretold.form.values(measured.points) - measured.values) / measured.scales
    farthest = dict(zip(measured.parameters, map(float, measured.points[int(off.argmax())]), strict=True))
    return Model(foretold.form, False, foretold.error, len(measured.points), largest, foretold.places, farthest)
