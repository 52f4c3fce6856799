"""Formulas of models in normal form: sums of products of powers and logarithms of the parameters.

A `Growth` is the function of one parameter in such a product, given by the exponents of the parameter and of its
logarithm. In ``3*n**(1/3)*log2(p)``, the growth of ``n`` is (1/3, 0) and that of ``p`` is (0, 1).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy

__all__ = ["Array", "Growth", "NormalForm", "Term", "number_text"]

Array = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float64]]

_LARGEST_DENOMINATOR = 1000
_MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("-/0123456789.", "⁻ᐟ⁰¹²³⁴⁵⁶⁷⁸⁹·")


class Growth(NamedTuple):
    """Function x ** power * log2(x) ** log of one parameter x."""

    power: Fraction
    log: Fraction

    def values(self, x: Array) -> Array:
        """Return the function's value for each element of x."""
        result = numpy.power(x, float(self.power))
        # The functions in `_ROOTS` are exact or correctly rounded; numpy.power is not.
        if self.power in _ROOTS:
            result = _ROOTS[self.power](x)
        return result * numpy.log2(x) ** float(self.log) if self.log else result


_ROOTS: dict[Fraction, Callable[[Array], Array]] = {
    Fraction(0): numpy.ones_like,
    Fraction(1, 2): numpy.sqrt,
    Fraction(-1, 2): lambda x: 1 / numpy.sqrt(x),
    Fraction(1, 3): numpy.cbrt,
    Fraction(-1, 3): lambda x: 1 / numpy.cbrt(x),
}


class Term(NamedTuple):
    """Coefficient times a product of functions, one of each parameter of the normal form."""

    coefficient: float
    growths: tuple[Growth, ...]


@dataclass(frozen=True)
class NormalForm:
    """Formula that is a sum of terms, such as ``3*n**(1/3)*log2(p) + 5``.

    Attributes:
        parameters: names of the parameters.
        terms: terms, each with a function of each parameter; without terms the formula is the constant 0.
    """

    parameters: tuple[str, ...]
    terms: tuple[Term, ...]

    def values(self, coordinates: Array) -> Array:
        """Return the values of the formula at several points.

        Args:
            coordinates: (points, parameters) values of the parameters.
        """
        total = numpy.zeros(len(coordinates))
        for coefficient, growths in self.terms:
            product = numpy.full(len(coordinates), coefficient)
            for column, growth in enumerate(growths):
                product = product * growth.values(coordinates[:, column])
            total += product
        return total

    def value(self, point: Mapping[str, float]) -> float:
        """Return the value of the formula for given values of the parameters, by name."""
        return float(self.values(numpy.array([[float(point[name]) for name in self.parameters]]))[0])

    def growth_in(self, parameter: str) -> Growth:
        """Return the fastest-growing function of a parameter among the terms: n^2 for ``3*n + n**2*log2(p)`` and n."""
        column = self.parameters.index(parameter)
        return max((term.growths[column] for term in self.terms), default=Growth(Fraction(0), Fraction(0)))

    @property
    def text(self) -> str:
        """Formula in the language of `pysmpi.formulas.Expression`, fastest-growing terms first."""
        return self._joined(_PLAIN, " + ", " - ")

    @property
    def pretty(self) -> str:
        """Formula for people, with √ and superscripts: ``320·√n - 320·√n/√p``."""
        return self._joined(_PRETTY, " + ", f" {_MINUS} ")

    def _joined(self, notation: "_Notation", plus: str, minus: str) -> str:
        text = ""
        for term in self.ordered():
            written = notation.product(abs(term.coefficient), self.parameters, term.growths)
            sign = (minus if text else minus.strip()) if term.coefficient < 0 else plus if text else ""
            text += sign + written
        return text or "0"

    def with_term(self, coefficient: float, growths: tuple[Growth, ...]) -> "NormalForm":
        """Return the formula plus a further term.

        Args:
            coefficient: coefficient of the term.
            growths: its function of each parameter.
        """
        return NormalForm(self.parameters, (*self.terms, Term(coefficient, growths)))

    def ordered(self) -> list[Term]:
        """Return the terms, the fastest-growing ones first: by the sum of their powers, then of their logarithms."""
        return sorted(self.terms, key=lambda term: _rank(term.growths), reverse=True)


def _rank(growths: Sequence[Growth]) -> tuple[Fraction, Fraction, tuple[Growth, ...]]:
    powers = sum((growth.power for growth in growths), Fraction(0))
    return powers, sum((growth.log for growth in growths), Fraction(0)), tuple(reversed(growths))


def number_text(value: float) -> str:
    """Return the shortest text of a number that reads back as the same float: "320", "1e10", "0.125", "1/3"."""
    ratio = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    if value != int(value) and float(ratio) == value and len(str(ratio)) < len(repr(value)):
        return str(ratio)
    text = repr(value).replace("e+", "e").replace("e-0", "e-").replace("e0", "e")
    text = text.removesuffix(".0")
    if value == int(value) and abs(value) < 1e15:
        digits = str(int(value))
        stripped = digits.rstrip("0")
        zeros = len(digits) - len(stripped)
        return f"{stripped}e{zeros}" if zeros > 5 and len(stripped) < 8 else digits
    return text


class _Notation(NamedTuple):
    """Way to write a term of a formula as text: for the formula language, or for people.

    Attributes:
        times: sign between factors.
        number: function that returns the text of a number above 0.
        power: function that returns the text of a parameter with a power above 0.
        exponent: function that returns the text of an exponent behind a factor.
    """

    times: str
    number: Callable[[float], str]
    power: Callable[[str, Fraction], str]
    exponent: Callable[[Fraction], str]

    def product(self, coefficient: float, parameters: Sequence[str], growths: Sequence[Growth]) -> str:
        """Return a term as text, such as ``3*n**(1/3)*log2(p)``.

        Args:
            coefficient: coefficient, above 0.
            parameters: names of the parameters.
            growths: function of each parameter.
        """
        above: list[str] = []
        below: list[str] = []
        for name, (power, log) in zip(parameters, growths, strict=True):
            if power:
                (above if power > 0 else below).append(self.power(name, abs(power)))
            if log:
                above.append(f"log2({name})" if log == 1 else f"log2({name}){self.exponent(log)}")
        if coefficient != 1 or not above:
            written = self.number(coefficient)
            above = [f"({written})" if "/" in written and (above or below) else written, *above]
        return "/".join([self.times.join(above), *below])


def _power_text(name: str, power: Fraction) -> str:
    roots = {Fraction(1): name, Fraction(1, 2): f"sqrt({name})", Fraction(1, 3): f"cbrt({name})"}
    return roots.get(power) or f"{name}{_exponent_text(power)}"


def _exponent_text(exponent: Fraction) -> str:
    if exponent.denominator == 1:
        return f"**{exponent}"
    return f"**{float(exponent)}" if exponent.denominator in (2, 4, 8) else f"**({exponent})"


def _pretty_power(name: str, power: Fraction) -> str:
    roots = {Fraction(1): name, Fraction(1, 2): f"√{name}", Fraction(1, 3): f"∛{name}"}
    return roots.get(power) or f"{name}{_superscript(power)}"


def _superscript(exponent: Fraction) -> str:
    return str(exponent).translate(_SUPERSCRIPTS)


def _pretty_number(value: float) -> str:
    exact = number_text(value)
    return exact if len(exact) <= 12 else f"{value:.6g}".replace("e+", "e")


_PLAIN = _Notation("*", number_text, _power_text, _exponent_text)
_PRETTY = _Notation("·", _pretty_number, _pretty_power, _superscript)
