"""Replacement of the coefficients of exact models by simple numbers: 320 instead of 319.9999999997."""

from fractions import Fraction

import numpy

from pysmpi.formulas.growth.normal_form import Array

__all__ = ["plain_numbers"]

_DIGITS = 10  # most significant digits of a decimal fraction that replaces a coefficient
_LARGEST_DENOMINATOR = 1000
_WORSE = 1e-12  # largest relative error that replaced coefficients may cause, where the fit's own error is smaller
_ROUNDING = 1e-15  # relative error of a measured value


def plain_numbers(functions: Array, values: Array, coefficients: Array) -> Array:
    """Return the coefficients of a sum of functions, each replaced by the simplest number within its uncertainty.

    The uncertainty follows from the rounding of the values and from how alike the functions are. If the replaced
    numbers do not reproduce the values as well, the coefficients stay as they are.

    Args:
        functions: (m, k) values of the functions, divided by the magnitudes of the values.
        values: (m,) values, divided by their magnitudes.
        coefficients: (k,) coefficients.
    """
    error = _largest(functions, values, coefficients)
    inverse = numpy.linalg.pinv(functions)
    uncertainty = numpy.abs(inverse).sum(axis=1) * max(4 * error, _ROUNDING)
    plain = numpy.array([_simplest(c, u) for c, u in zip(coefficients, uncertainty, strict=True)])
    replaced = _largest(functions, values, plain)
    return plain if replaced <= max(_WORSE, 4 * error) else coefficients


def _largest(functions: Array, values: Array, coefficients: Array) -> float:
    return float(numpy.abs(functions @ coefficients - values).max())


def _simplest(value: float, uncertainty: float) -> float:
    """Return the simplest number that differs from a value by at most `uncertainty`.

    That is the decimal number with the fewest digits, up to 10; else the nearest whole number, a fraction with a
    denominator of at most 1000, or the value itself.
    """
    for digits in range(1, _DIGITS + 1):
        candidate = float(f"{value:.{digits - 1}e}")
        if abs(candidate - value) <= uncertainty:
            return candidate
    whole = float(round(value))
    if whole and abs(whole - value) <= uncertainty:
        return whole
    for largest in (10, 100, _LARGEST_DENOMINATOR):
        ratio = float(Fraction(value).limit_denominator(largest))
        if ratio and abs(ratio - value) <= uncertainty:
            return ratio
    return value
