"""Choice of functions of one parameter that best predict the measurements at its largest values from all others.

The coefficients of the functions are fitted separately for each combination of the other parameters.
"""

import itertools

import numpy

from pysmpi.formulas.growth.candidates import columns, plain_candidates
from pysmpi.formulas.growth.data_points import Measurements
from pysmpi.formulas.growth.normal_form import Array, Growth
from pysmpi.formulas.growth.spanning import balanced

__all__ = ["shortlist"]

_LENGTH = 6  # number of sets that are chosen, of each size


def shortlist(measured: Measurements, column: int) -> list[list[Growth]]:
    """Return sets of functions of one parameter that may occur in a model.

    The first set has only the constant. Up to 6 sets of one function and up to 6 of two follow: those that best predict
    the measurements at the two largest values of the parameter. If fewer than three values of the parameter were
    measured, only the first set is returned.

    Args:
        measured: the measurements.
        column: index of the parameter.
    """
    lines = measured.lines(column)
    growths = plain_candidates(lines.places)
    chosen = [growths[:1]]
    if len(lines.places) < 3:
        return chosen
    weights, values = balanced(lines.values)
    functions = columns(growths, lines.places) * weights[:, None]
    functions = functions / numpy.sqrt((functions**2).sum(axis=0))
    for size in (1, 2):
        sets = numpy.array(list(itertools.combinations(range(len(growths)), size)))
        errors = _errors(functions.T[sets].swapaxes(1, 2), values)
        for number in numpy.argsort(errors, kind="stable")[:_LENGTH]:
            found = [growths[index] for index in sets[number]]
            if numpy.isfinite(errors[number]) and found not in chosen:
                chosen.append(found)
    return chosen


def _errors(functions: Array, values: Array) -> Array:
    """Return the error of extrapolation with each set of functions: the root of the mean squared error.

    The measurements at the largest value of the parameter are predicted from those at smaller values, and so are those
    at the second largest value.

    Args:
        functions: (sets, m, k) values of k functions at m values of the parameter, in increasing order.
        values: (m, lines) measured values; each line has coefficients of its own.
    """
    places, size = functions.shape[1:]
    total = numpy.zeros(len(functions))
    cuts = [cut for cut in (places - 2, places - 1) if cut > size]
    for cut in cuts:
        basis, triangle = numpy.linalg.qr(functions[:, :cut])
        independent = numpy.abs(numpy.diagonal(triangle, axis1=1, axis2=2)).min(axis=1) > 1e-9
        triangle = numpy.where(independent[:, None, None], triangle, numpy.eye(size))
        found = numpy.linalg.solve(triangle, basis.swapaxes(1, 2) @ values[:cut])
        errors = (functions[:, cut : cut + 1] @ found)[:, 0] - values[cut]
        total += numpy.where(independent, (errors**2).mean(axis=1), numpy.inf)
    return numpy.sqrt(total / len(cuts)) if cuts else numpy.full(len(functions), numpy.inf)
