"""Growth of measured counts with the problem size: least squares over a short list of exponents.

Measured counts are smooth, so few exponents suffice: multiples of 1/2 and 1/3, and one logarithm. Free exponents fit
small sizes as well and miss large ones: a stencil's transfers of words at size 32,768, predicted from sizes up to 192,
were wrong by up to 39 %.

Counts are often polynomials. Example: if the rim of a grid with n^2 points is not computed, a row has n - 2 points. So
functions of several terms may have negative coefficients, if they predict the measurements exactly, or if the term that
grows fastest is the largest one at the measured sizes already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy

from pysmpi.formulas.growth.leave_one_out import left_out, solve
from pysmpi.formulas.growth.normal_form import Array, Growth, NormalForm, Term
from pysmpi.formulas.growth.spanning import EXACT

__all__ = ["Fit", "fit_growth"]

_LEADING = 2.0  # least ratio of the fastest-growing term to another one at the largest size, unless the fit is exact
_POWERS = sorted({Fraction(i, 2) for i in range(9)} | {Fraction(i, 3) for i in range(13)})
_NO_LOG = Fraction(0)
_PURE = [Growth(power, _NO_LOG) for power in _POWERS]
_LOGARITHMIC = [Growth(power, Fraction(1)) for power in _POWERS]
_CONSTANT = _PURE[0]
_STEPS = (Fraction(1), Fraction(1, 2), Fraction(1, 3))
"""Differences between the powers of successive terms of a polynomial, such as n^2 and n.

A volume, an area and a length differ by the power 1 if the size n is a length, by 1/2 if it is an area, and by 1/3 if
it is a volume."""

_PARAMETERS = ("n",)
Terms = tuple[Growth, ...]


@dataclass(frozen=True)
class Fit:
    """Function fitted to measurements.

    Attributes:
        form: function of one parameter.
        error: largest error of predicting a measurement from the others, as a share of it.
    """

    form: NormalForm
    error: float

    def value(self, size: float) -> float:
        """Return the function's value at a size, at least 0."""
        return max(float(self.form.values(numpy.array([[float(size)]]))[0]), 0.0)


def fit_growth(sizes: Sequence[float], values: Sequence[float]) -> Fit:
    """Find the function of the problem size that measured counts follow: that which predicts each from the others best.

    If several do so exactly, the one with fewer terms and smaller powers is returned. If none does, the function has
    one or two terms. Functions with logarithms or more terms have to predict at least twice as well as others.

    Args:
        sizes: sizes that were measured, at least two different ones.
        values: measured counts, at least 0.
    """
    measured = numpy.array(values, float)
    if not measured.any():
        return Fit(NormalForm(_PARAMETERS, ()), 0.0)
    places = numpy.array(sizes, float)
    best: Fit | None = None
    for sets in _SETS:
        if len(sets[0]) >= len(places):
            break
        for fit in _fits(sets, places, measured):
            if best is not None and fit.error > best.error * 0.5 - EXACT:
                break
            if fit.error <= EXACT or (len(sets[0]) <= 2 and _leads(fit, places[-1])):
                best = fit
                break
    assert best is not None
    return best if best.error > EXACT else replace(best, error=0.0)


def _pairs() -> list[Terms]:
    found: list[Terms] = []
    for leading in _PURE:
        lower = {Growth(leading.power - number * step, _NO_LOG) for step in _STEPS for number in (1, 2)}
        found += [(leading, each) for each in sorted(lower | {_CONSTANT}) if each != leading and each.power >= -1]
    return found


def _pairs_with_logarithms() -> list[Terms]:
    lower = [{Growth(leading.power, _NO_LOG), _CONSTANT} for leading in _LOGARITHMIC]
    return [(leading, each) for leading, terms in zip(_LOGARITHMIC, lower, strict=True) for each in sorted(terms)]


def _polynomials(terms: int) -> list[Terms]:
    powers = [[power - number * step for number in range(terms)] for step in _STEPS for power in _POWERS]
    return [tuple(Growth(power, _NO_LOG) for power in each) for each in powers if each[-1] >= 0]


_SETS: list[list[Terms]] = [
    [(growth,) for growth in _PURE],
    _pairs(),
    [(growth,) for growth in _LOGARITHMIC],
    _pairs_with_logarithms(),
    _polynomials(3),
    _polynomials(4),
]
"""Functions that are tried: lists of sets of terms. A function of a later list is preferred only if its error is at
most half of the best one of earlier lists. In a set, the term that grows fastest comes first."""


def _fits(sets: Sequence[Terms], sizes: Array, measured: Array) -> Iterator[Fit]:
    """Fit a function to measurements with each set of terms; yield the one that predicts best first.

    Functions whose fastest-growing term has a negative coefficient are left out.

    Args:
        sets: sets of terms, all with the same number of terms.
        sizes: (m,) measured sizes.
        measured: (m,) measured values.
    """
    weights = 1.0 / numpy.where(measured > 0, measured, measured[measured > 0].min())
    columns = {growth: growth.values(sizes) * weights for growth in {each for terms in sets for each in terms}}
    functions = numpy.array([[columns[each] for each in terms] for terms in sets]).transpose(0, 2, 1)
    errors = left_out(functions, (measured * weights)[:, None])
    for number in numpy.argsort(errors, kind="stable"):
        found = solve(functions[number], measured * weights)
        if found[0] >= 0:
            terms = tuple(Term(float(c), (growth,)) for c, growth in zip(found, sets[number], strict=True))
            yield Fit(NormalForm(_PARAMETERS, terms), float(errors[number]))


def _leads(fit: Fit, size: float) -> bool:
    """Return whether the fastest-growing term of a function is at least twice as large as each other one at a size.

    A smaller term may only reproduce errors of the measurements.
    """
    parts = [abs(c * growth.values(numpy.array([size]))[0]) for c, (growth,) in fit.form.terms]
    return all(parts[0] >= _LEADING * each for each in parts[1:])
