"""Least squares with the errors of predicting each value from all others, in closed form.

Let Q be an orthonormal basis of the functions' values. The residual of a value that is left out of the fit is its
residual in the full fit, divided by 1 - h, where h is the squared length of the value's row in Q.
"""

import numpy

from pysmpi.formulas.growth.normal_form import Array

__all__ = ["left_out", "solve"]

_DETERMINED = 1e-9  # the other values determine the prediction of a value only if its 1 - h is above this


def left_out(functions: Array, values: Array) -> Array:
    """Return the largest error of predicting a value from all others, for each of many sets of functions.

    A prediction is the sum of a set's functions with coefficients that are fitted to the other values.

    Args:
        functions: (sets, m, k) values of k functions at m points.
        values: (m, lines) values to be predicted; the errors are absolute.

    Returns:
        (sets,) errors; infinite where a value has no influence on the others, or functions are not independent.
    """
    if functions.shape[2] >= functions.shape[1]:
        return numpy.full(len(functions), numpy.inf)
    basis, triangle = numpy.linalg.qr(functions)
    residuals = values - basis @ (basis.swapaxes(1, 2) @ values)
    free = 1 - (basis**2).sum(axis=2)
    diagonal = numpy.abs(numpy.diagonal(triangle, axis1=1, axis2=2))
    lengths = numpy.sqrt((functions**2).sum(axis=1))
    valid = (free.min(axis=1) > _DETERMINED) & (diagonal > 1e-11 * lengths).all(axis=1)
    errors = numpy.abs(residuals).max(axis=2) / numpy.where(free > _DETERMINED, free, 1.0)
    return numpy.where(valid, errors.max(axis=1), numpy.inf)


def solve(functions: Array, values: Array) -> Array:
    """Return the coefficients with which a sum of functions fits values best, by least squares.

    They are refined three times, so that values without errors give coefficients exact to rounding.

    Args:
        functions: (m, k) values of k functions at m points.
        values: (m,) values.
    """
    lengths = numpy.sqrt((functions**2).sum(axis=0))
    lengths = numpy.where(lengths > 0, lengths, 1.0)
    scaled = functions / lengths
    coefficients = numpy.linalg.lstsq(scaled, values, rcond=None)[0]
    precise = scaled.astype(numpy.longdouble)
    for _ in range(3):
        residual = values.astype(numpy.longdouble) - precise @ coefficients.astype(numpy.longdouble)
        coefficients = coefficients + numpy.linalg.lstsq(scaled, residual.astype(float), rcond=None)[0]
    found: Array = coefficients / lengths
    return found
