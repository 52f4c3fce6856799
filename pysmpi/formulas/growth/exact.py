"""Search for models that hold exactly, to the precision of floating-point numbers."""

import itertools

import numpy

from pysmpi.formulas.growth.coefficients import plain_numbers
from pysmpi.formulas.growth.data_points import Measurements
from pysmpi.formulas.growth.leave_one_out import left_out, solve
from pysmpi.formulas.growth.normal_form import Array, Growth, NormalForm, Term
from pysmpi.formulas.growth.spanning import EXACT, smallest_set

__all__ = ["design", "exact_form"]

_NOISE = 1e-12  # a term is dropped if the error without it is at most this, or at most three times the error with it


def exact_form(measured: Measurements) -> tuple[NormalForm, float] | None:
    """Search for a formula that the measurements follow exactly: a sum of products of powers and logarithms.

    Returns:
        The formula, and the largest relative error of predicting one measurement from all others; None if no formula
        with up to 3 functions of each parameter has an error below 1e-9.
    """
    if not measured.values.any():
        return NormalForm(measured.parameters, ()), 0.0
    sets = []
    for column in range(len(measured.parameters)):
        found = smallest_set(measured.lines(column))
        if found is None:
            return None
        sets.append(found)
    products = list(itertools.product(*sets))
    functions = design(products, measured) / measured.scales[:, None]
    values = measured.values / measured.scales
    if not _error(functions, values) < EXACT:
        return None
    kept = _needed(functions, values)
    functions = functions[:, kept]
    coefficients = plain_numbers(functions, values, solve(functions, values))
    terms = (Term(float(c), products[index]) for c, index in zip(coefficients, kept, strict=True))
    return NormalForm(measured.parameters, tuple(terms)), _error(functions, values)


def design(products: list[tuple[Growth, ...]], measured: Measurements) -> Array:
    """Return the values of products of functions at the measured points.

    Args:
        products: products, each of which has one function for each parameter.
        measured: measurements, whose values are not used.

    Returns:
        (points, products) the values.
    """
    result = numpy.ones((len(measured.points), len(products)))
    for number, product in enumerate(products):
        for column, growth in enumerate(product):
            result[:, number] *= growth.values(measured.points[:, column])
    return result


def _error(functions: Array, values: Array) -> float:
    return float(left_out(functions[None], values[:, None])[0])


def _needed(functions: Array, values: Array) -> list[int]:
    """Return the indices of the functions that a sum needs to reproduce the values exactly.

    Functions are dropped one by one, the one with the least contribution first, while the error stays near rounding.

    Args:
        functions: (points, k) values of the functions.
        values: (points,) values to be reproduced.
    """
    kept = list(range(functions.shape[1]))
    error = _error(functions, values)
    while len(kept) > 1:
        coefficients = solve(functions[:, kept], values)
        shares = numpy.abs(functions[:, kept] * coefficients).max(axis=0)
        for place in numpy.argsort(shares):
            without = kept[:place] + kept[place + 1 :]
            remaining = _error(functions[:, without], values)
            if remaining <= max(_NOISE, 3 * error) and remaining < EXACT:
                kept, error = without, remaining
                break
        else:
            return kept
    return kept
