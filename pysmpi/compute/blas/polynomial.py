"""Polynomials in the sizes of a call, such as ``{"m*n*k": 5e-11, "m*k": 2e-10, "1": 1e-6}``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.errors import ConfigurationError, unknown

__all__ = ["NOTHING", "Polynomial", "parse_polynomial"]

_FACTOR = re.compile(r"([a-z]+)(?:\^(\d+))?$")


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Sum of terms, each a coefficient times a product of sizes; the square of a size lists the size twice.

    Example: ``5e-11 * m * n^2`` is the term ``(5e-11, ("m", "n", "n"))``.
    """

    terms: tuple[tuple[float, tuple[str, ...]], ...]

    def __call__(self, sizes: Mapping[str, int]) -> float:
        """Return the value of the polynomial for these sizes."""
        total = 0.0
        for term, factors in self.terms:
            value = term
            for factor in factors:
                value *= sizes[factor]
            total += value
        return total


NOTHING = Polynomial(())


def parse_polynomial(where: str, value: object, sizes: tuple[str, ...]) -> Polynomial:
    """Parse a polynomial from a model file.

    Args:
        where: place of the polynomial in the file, for error messages.
        value: decoded JSON: coefficient of each term, such as ``{"m*n": 2e-10, "1": 1e-6}``.
        sizes: names of sizes that terms may use.

    Raises:
        ConfigurationError: the value is not a mapping from terms to numbers of zero or more, or repeats a term.
    """
    if not isinstance(value, dict) or not value:
        example = "*".join(sizes)
        raise ConfigurationError(
            f'{where}: no terms are given; write coefficients by term, such as {{"{example}": 1e-9}}'
        )
    found: dict[tuple[str, ...], float] = {}
    for term, coefficient in value.items():
        factors = _factors(f"{where}.{term}", term, sizes)
        if factors in found:
            raise ConfigurationError(f"{where}: the term {term!r} equals an earlier one; remove one of them")
        if isinstance(coefficient, bool) or not isinstance(coefficient, int | float) or not 0 <= coefficient < 1e300:
            raise ConfigurationError(
                f"{where}.{term}: {coefficient!r} is not a valid coefficient; give a number of zero or more "
                "(a negative one would give some sizes a negative time)"
            )
        found[factors] = float(coefficient)
    return Polynomial(tuple((coefficient, factors) for factors, coefficient in found.items()))


def _factors(where: str, term: str, sizes: tuple[str, ...]) -> tuple[str, ...]:
    if term == "1":
        return ()
    factors: list[str] = []
    for text in term.split("*"):
        match = _FACTOR.match(text.strip())
        if match is None:
            raise ConfigurationError(
                f"{where}: {text!r} is not a valid factor; write 1, a size such as {sizes[0]}, "
                f"or a power such as {sizes[0]}^2"
            )
        if match[1] not in sizes:
            raise ConfigurationError(f"{where}: {unknown('size', match[1], sizes)}")
        factors += [match[1]] * int(match[2] or 1)
    return tuple(sorted(factors))
