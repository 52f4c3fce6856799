"""Functions of one parameter, such as n^(1/2) or n*log2(n), whose products are the terms of a model."""

from collections.abc import Sequence
from fractions import Fraction

import numpy

from pysmpi.formulas.growth.normal_form import Array, Growth

__all__ = ["BOUNDARY", "CONSTANT", "RISING", "candidates", "columns", "plain_candidates"]

CONSTANT = Growth(Fraction(0), Fraction(0))

_POWERS = sorted({Fraction(i, 8) for i in range(25)} | {Fraction(i, 3) for i in range(10)})

RISING: tuple[Growth, ...] = tuple(Growth(power, Fraction(log, 2)) for log in (0, 2, 4, 1, 3) for power in _POWERS)
"""Functions that rise with the parameter: powers up to 3 in steps of 1/8 and 1/3, times logarithms to the powers 0,
1/2, 1, 3/2 and 2. The literature calls sums of their products the performance model normal form."""

BOUNDARY: tuple[Growth, ...] = tuple(
    Growth(-power, Fraction(log))
    for log in (0, 1)
    for power in (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(1))
)
"""Functions that fall with the parameter, such as 1/√p. They occur because, on a grid of p processes without
wrap-around, a share 1/√p (or 1/p^(1/3), 1/p^(2/3), 1/p) of the processes is at the boundary and sends less."""


def candidates(places: Array) -> list[Growth]:
    """Return the functions that may occur in a model, the constant first.

    If a value of the parameter is below 1, functions with √log2(x) are left out, because they are not defined there.

    Args:
        places: measured values of the parameter.
    """
    growths = [CONSTANT, *(growth for growth in (*RISING, *BOUNDARY) if growth != CONSTANT)]
    if places.min() < 1:
        growths = [growth for growth in growths if growth.log.denominator == 1]
    return growths


def plain_candidates(places: Array) -> list[Growth]:
    """Return the functions that may occur in a model of measurements that no formula fits exactly, the constant first.

    Their powers are multiples of 1/2, 1/3 and 1/4, with at most one logarithm, because such measurements do not suffice
    to distinguish finer steps.

    Args:
        places: measured values of the parameter.
    """
    return [each for each in candidates(places) if each.power.denominator <= 4 and each.log in (0, 1)]


def columns(growths: Sequence[Growth], places: Array) -> Array:
    """Return the values of functions at some values of their parameter.

    Args:
        growths: k functions.
        places: (m,) values of the parameter.

    Returns:
        (m, k) the functions' values.
    """
    return numpy.stack([growth.values(places) for growth in growths], axis=1)
