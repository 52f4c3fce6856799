"""Distributions of random numbers in statements such as ``sample x from uniform(1, 2)``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.errors import unknown
from pysmpi.formulas.expressions.evaluation import Value

__all__ = ["DISTRIBUTIONS", "expected_value"]


@dataclass(frozen=True)
class _Distribution:
    """Distribution of random numbers.

    Attributes:
        arguments: names of its arguments.
        mean: function that returns the expected value for the arguments.
        draw: function that returns a random number for a generator of NumPy and the arguments.
    """

    arguments: tuple[str, ...]
    mean: Callable[..., Value]
    draw: Callable[..., float]


DISTRIBUTIONS = {
    "uniform": _Distribution(
        ("low", "high"), lambda low, high: (low + high) / 2, lambda drawn, low, high: drawn.uniform(low, high)
    ),
    "normal": _Distribution(
        ("mean", "deviation"), lambda mean, _: mean, lambda drawn, mean, deviation: drawn.normal(mean, deviation)
    ),
    "exponential": _Distribution(("mean",), lambda mean: mean, lambda drawn, mean: drawn.exponential(mean)),
    "poisson": _Distribution(("mean",), lambda mean: mean, lambda drawn, mean: drawn.poisson(mean)),
    "binomial": _Distribution(
        ("trials", "chance"),
        lambda trials, chance: trials * chance,
        lambda drawn, trials, chance: drawn.binomial(trials, chance),
    ),
}
"""Distributions by the names that models give them."""


def expected_value(name: str, arguments: Sequence[Value], place: Place) -> Value:
    """Return the mean of a distribution.

    Args:
        name: name of the distribution; see `DISTRIBUTIONS`.
        arguments: values of its arguments.
        place: file and line for errors.

    Raises:
        AspenError: the distribution is unknown, or the number of arguments is wrong.
    """
    return _distribution(name, arguments, place).mean(*arguments)


def drawn_value(seed: int, name: str, arguments: Sequence[Value], place: Place) -> float:
    """Return a random number from a distribution; calls with the same seed, line and arguments return the same number.

    Args:
        seed: seed of the random numbers.
        name: name of the distribution; see `DISTRIBUTIONS`.
        arguments: values of its arguments.
        place: file and line of the statement, which errors name. The line is part of the seed.

    Raises:
        AspenError: the distribution is unknown, or the arguments are not valid or their number is wrong.
    """
    drawn = numpy.random.default_rng([seed, place.line])
    try:
        return float(_distribution(name, arguments, place).draw(drawn, *arguments))
    except (ValueError, TypeError, OverflowError) as error:
        shown = ", ".join(f"{float(each):.6g}" for each in arguments)
        raise error_at(place, f"no number can be drawn from {name}({shown}): {error}") from None


def _distribution(name: str, arguments: Sequence[Value], place: Place) -> _Distribution:
    if name not in DISTRIBUTIONS:
        raise error_at(place, unknown("distribution", name, DISTRIBUTIONS))
    found = DISTRIBUTIONS[name]
    if len(arguments) != len(found.arguments):
        raise error_at(place, f"{name} has {len(arguments)} arguments; write {name}({', '.join(found.arguments)})")
    return found
