"""Distributions of random numbers that steps may draw."""

from collections.abc import Callable, Sequence

from pysmpi.aspen.evaluation import Value
from pysmpi.aspen.tokens import Place, error_at
from pysmpi.errors import unknown

__all__ = ["DISTRIBUTIONS", "expected_value"]

DISTRIBUTIONS: dict[str, tuple[tuple[str, ...], Callable[..., Value]]] = {
    "uniform": (("low", "high"), lambda low, high: (low + high) / 2),
    "normal": (("mean", "deviation"), lambda mean, deviation: mean),
    "exponential": (("mean",), lambda mean: mean),
    "poisson": (("mean",), lambda mean: mean),
    "binomial": (("trials", "chance"), lambda trials, chance: trials * chance),
}
"""Arguments and expected value of each distribution."""


def expected_value(name: str, arguments: Sequence[Value], place: Place) -> Value:
    """Return the mean of a distribution.

    Raises:
        AspenError: the distribution is not known, or has other arguments.
    """
    if name not in DISTRIBUTIONS:
        raise error_at(place, unknown("distribution", name, DISTRIBUTIONS))
    names, mean = DISTRIBUTIONS[name]
    if len(arguments) != len(names):
        raise error_at(place, f"write {name}({', '.join(names)}), not {len(arguments)} arguments")
    return mean(*arguments)
