"""Polynomials in the sizes of a call, such as ``{"m*n*k": 5e-11, "m*k": 2e-10, "1": 1e-6}``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.errors import ConfigurationError, unknown

__all__ = ["NOTHING", "Polynomial", "parse_polynomial"]

_FACTOR = re.compile(r"([a-z]+)(?:\^(\d+))?$")


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of terms, each a coefficient and the sizes to be multiplied, repeated for higher powers."""

    terms: tuple[tuple[float, tuple[str, ...]], ...]

    def __call__(self, sizes: Mapping[str, int]) -> float:
        """Its value."""
        total = 0.0
        for term, factors in self.terms:
            value = term
            for factor in factors:
                value *= sizes[factor]
            total += value
        return total


NOTHING = Polynomial(())


def parse_polynomial(where: str, value: object, sizes: tuple[str, ...]) -> Polynomial:
    """Reads one.

    Args:
        where: it stands, for errors.
        value: as JSON has it: coefficients by term.
        sizes: what terms may be made of.

    Raises:
        ConfigurationError: it is no mapping from terms to numbers of zero or more, or has a term twice.
    """
    if not isinstance(value, dict) or not value:
        example = "*".join(sizes)
        raise ConfigurationError(f'{where}: terms with their coefficients are needed, such as {{"{example}": 1e-9}}')
    found: dict[tuple[str, ...], float] = {}
    for term, coefficient in value.items():
        factors = _factors(f"{where}.{term}", term, sizes)
        if factors in found:
            raise ConfigurationError(f"{where}: {term!r} is a term that is there already")
        if isinstance(coefficient, bool) or not isinstance(coefficient, int | float) or not 0 <= coefficient < 1e300:
            raise ConfigurationError(
                f"{where}.{term}: {coefficient!r} is no coefficient; a number of zero or more is "
                "(with negative ones some sizes would take negative times)"
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
            raise ConfigurationError(f"{where}: {text!r} is no factor of a term; write 1, or such as {sizes[0]}^2")
        if match[1] not in sizes:
            raise ConfigurationError(f"{where}: {unknown('size', match[1], sizes)}")
        factors += [match[1]] * int(match[2] or 1)
    return tuple(sorted(factors))
