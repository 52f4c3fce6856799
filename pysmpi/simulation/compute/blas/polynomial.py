"""Polynomials in the sizes of a call, such as ``{"m*n*k": 5e-11, "m*k": 2e-10, "1": 1e-6}``."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from pysmpi.errors import ConfigurationError, unknown

__all__ = ["NOTHING", "Polynomial", "parse_exact_sizes", "parse_polynomial"]

_FACTOR = re.compile(r"([a-z]+)(?:\^(\d+))?$")


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Sum of terms, each a coefficient times a product of sizes; the square of a size lists the size twice.

    Example: ``5e-11 * m * n^2`` is the term ``(5e-11, ("m", "n", "n"))``.

    Attributes:
        terms: coefficients, with the sizes that each is multiplied by.
        exact: names of sizes, each with one value and a factor above zero. The sum is multiplied by the factor if the
            size has exactly this value.
    """

    terms: tuple[tuple[float, tuple[str, ...]], ...]
    exact: tuple[tuple[str, int, float], ...] = ()

    def __call__(self, sizes: Mapping[str, Any]) -> Any:
        """Return the value of the polynomial for these sizes: a number, or an array if sizes are arrays."""
        total: Any = 0.0
        for coefficient, factors in self.terms:
            value: Any = coefficient
            for factor in factors:
                value *= sizes[factor]
            total += value
        for name, exactly, times in self.exact:
            total = total * (1 + (times - 1) * (sizes[name] == exactly))
        return total

    def check_sign(self, where: str, ranges: Mapping[str, tuple[int, int]]) -> None:
        """Check that the value is not negative in the ranges of the sizes (smallest, largest).

        A polynomial in which no size has a power is lowest at a corner of the ranges. For others, the middles of the
        ranges are tried too.

        Args:
            where: place of the polynomial in the file, for error messages.
            ranges: smallest and largest value of each size that terms use.

        Raises:
            ConfigurationError: the value is negative; the message gives the sizes.
        """
        if all(coefficient >= 0 for coefficient, _ in self.terms):
            return
        tried = [(low, round(math.sqrt(low * high)), high) for low, high in ranges.values()]
        for values in product(*tried):
            sizes = dict(zip(ranges, values, strict=True))
            value = self(sizes)
            if value < 0:
                listed = ", ".join(f"{name} = {size}" for name, size in sizes.items())
                raise ConfigurationError(
                    f"{where}: the value is {value:.3g} for {listed}, within fit.range; no value may be negative"
                )


NOTHING = Polynomial(())


def parse_polynomial(
    where: str, value: object, sizes: tuple[str, ...], exact: tuple[tuple[str, int, float], ...] = ()
) -> Polynomial:
    """Parse a polynomial from a model file.

    Args:
        where: place of the polynomial in the file, for error messages.
        value: decoded JSON: coefficient of each term, such as ``{"m*n": 2e-10, "1": 1e-6}``.
        sizes: names of sizes that terms may use.
        exact: factors at values of sizes, as in `Polynomial.exact`.

    Raises:
        ConfigurationError: the value is not a mapping from terms to numbers, or repeats a term.
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
        if isinstance(coefficient, bool) or not isinstance(coefficient, int | float) or not abs(coefficient) < 1e300:
            problem = f"{coefficient!r} is not a valid coefficient; give a finite number"
            raise ConfigurationError(f"{where}.{term}: {problem}")
        found[factors] = float(coefficient)
    return Polynomial(tuple((coefficient, factors) for factors, coefficient in found.items()), exact)


def parse_exact_sizes(where: str, value: object, sizes: tuple[str, ...]) -> tuple[tuple[str, int, float], ...]:
    """Parse factors at values of sizes from a model file, such as ``{"k": {"256": 1.05}}``; see `Polynomial.exact`.

    Args:
        where: place of the factors in the file, for error messages.
        value: decoded JSON: a factor for each value, by size.
        sizes: names of sizes that may be used.

    Raises:
        ConfigurationError: the value has another form, names an unknown size, or has a factor that is not above zero.
    """
    example = f'write factors by size and value, such as {{"{sizes[-1]}": {{"256": 1.05}}}}'
    if not isinstance(value, dict) or not value:
        raise ConfigurationError(f"{where}: no factors are given; {example}")
    found = []
    for size, by_value in value.items():
        if size not in sizes:
            raise ConfigurationError(f"{where}: {unknown('size', size, sizes)}")
        if not isinstance(by_value, dict) or not by_value:
            raise ConfigurationError(f"{where}.{size}: {by_value!r} is not valid; {example}")
        for text, factor in by_value.items():
            if not re.fullmatch(r"0|[1-9]\d*", text):
                raise ConfigurationError(f"{where}.{size}: {text!r} is not a whole number; {example}")
            if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < math.inf:
                problem = f"{factor!r} is not a valid factor; give a number above zero"
                raise ConfigurationError(f"{where}.{size}.{text}: {problem}")
            found.append((size, int(text), float(factor)))
    return tuple(found)


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
