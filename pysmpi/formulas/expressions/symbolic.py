"""Symbolic values: formulas of parameters that have no number, as sums of products of powers.

They add, multiply and divide as numbers do, so code that computes with numbers also computes with formulas. Terms with
equal powers are collected: 2*n*n + n^2 is 3*n^2. Any other part, such as log2(n + 1), is a text that is treated like
the name of a parameter.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from pysmpi.formulas.expressions.functions import FUNCTIONS
from pysmpi.formulas.expressions.text import number_text

__all__ = ["Symbolic"]

_Term = frozenset[tuple[str, float]]


class Symbolic:
    """Formula of parameters: a sum of products of powers, with a coefficient for each product.

    Args:
        terms: coefficients by product. A product is a set of pairs: the name of a parameter (or a text such as
            "log2(n + 1)") and its exponent. Example: 3*n^2 is {frozenset({("n", 2.0)}): 3.0}.
    """

    __array_ufunc__ = None  # NumPy's numbers leave the arithmetic to this class

    def __init__(self, terms: Mapping[_Term, float]) -> None:
        self.terms = {term: value for term, value in terms.items() if value != 0}

    @classmethod
    def of(cls, value: Any) -> "Symbolic":
        """Convert a number to a formula; return a formula unchanged."""
        return value if isinstance(value, Symbolic) else cls({frozenset(): float(value)})

    @classmethod
    def atom(cls, text: str) -> "Symbolic":
        """Return the formula that consists of one parameter, or of a text such as "log2(n + 1)" that stays as it is."""
        return cls({frozenset([(text, 1.0)]): 1.0})

    @classmethod
    def call(cls, name: str, arguments: Iterable["Symbolic"]) -> "Symbolic":
        """Return the formula for a call of a function, such as "log2(n)"; if all arguments are numbers, its value.

        Args:
            name: name of the function in `pysmpi.formulas.expressions.functions.FUNCTIONS`.
            arguments: formulas of its arguments.
        """
        found = list(arguments)
        numbers = [each.number for each in found]
        if all(number is not None for number in numbers):
            return cls.of(FUNCTIONS[name].apply(*numbers))
        return cls.atom(f"{name}({', '.join(map(str, found))})")

    @property
    def number(self) -> float | None:
        """The formula's value if it has no parameters, else None."""
        if not self.terms:
            return 0.0
        return self.terms.get(frozenset()) if len(self.terms) == 1 else None

    def __add__(self, other: Any) -> "Symbolic":
        terms = dict(self.terms)
        for term, value in Symbolic.of(other).terms.items():
            terms[term] = terms.get(term, 0.0) + value
        return Symbolic(terms)

    __radd__ = __add__

    def __neg__(self) -> "Symbolic":
        return Symbolic({term: -value for term, value in self.terms.items()})

    def __sub__(self, other: Any) -> "Symbolic":
        return self + -Symbolic.of(other)

    def __rsub__(self, other: Any) -> "Symbolic":
        return Symbolic.of(other) + -self

    def __mul__(self, other: Any) -> "Symbolic":
        terms: dict[_Term, float] = {}
        for left, left_value in self.terms.items():
            for right, right_value in Symbolic.of(other).terms.items():
                exponents = dict(left)
                for atom, exponent in right:
                    exponents[atom] = exponents.get(atom, 0.0) + exponent
                term = frozenset((atom, exponent) for atom, exponent in exponents.items() if exponent)
                terms[term] = terms.get(term, 0.0) + left_value * right_value
        return Symbolic(terms)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Symbolic":
        below = Symbolic.of(other)
        if len(self.terms) > 1 and len(below.terms) > 1:
            return Symbolic.of(1.0) if self == below else Symbolic.atom(f"({self})/({below})")
        return self * below**-1.0

    def __rtruediv__(self, other: Any) -> "Symbolic":
        return Symbolic.of(other) * self**-1.0

    def __pow__(self, other: Any) -> "Symbolic":
        exponent = Symbolic.of(other).number
        if exponent is None:
            base = str(self) if self._is_atom or (self.number or -1) >= 0 else f"({self})"
            inner = str(other) if Symbolic.of(other)._is_atom else f"({other})"
            return Symbolic.atom(f"{base}^{inner}")
        if len(self.terms) == 1:
            ((term, value),) = self.terms.items()
            power = float(numpy.power(value, exponent))
            return Symbolic({frozenset((atom, each * exponent) for atom, each in term if exponent): power})
        if not self.terms:
            return Symbolic.of(float(numpy.power(0.0, exponent)))
        if exponent.is_integer() and 0 <= exponent <= 4:
            result = Symbolic.of(1.0)
            for _ in range(int(exponent)):
                result = result * self
            return result
        return Symbolic({frozenset([(f"({self})", exponent)]): 1.0})

    def __rpow__(self, other: Any) -> "Symbolic":
        return Symbolic.of(other) ** self

    @property
    def _is_atom(self) -> bool:
        return len(self.terms) == 1 and all(
            value == 1 and len(term) == 1 and next(iter(term))[1] == 1 for term, value in self.terms.items()
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbolic | int | float) and self.terms == Symbolic.of(other).terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        text = ""
        for term, value in self.terms.items():
            part = _term_text(term, abs(value))
            text += (f" {'-' if value < 0 else '+'} " if text else "-" * (value < 0)) + part
        return text or "0"

    def __repr__(self) -> str:
        return f"Symbolic({str(self)!r})"


def _term_text(term: _Term, value: float) -> str:
    order = sorted(term, key=lambda each: ("(" in each[0], each[0]))
    above = [_power_text(atom, exponent) for atom, exponent in order if exponent > 0]
    below = [_power_text(atom, -exponent) for atom, exponent in order if exponent < 0]
    if value != 1 or not above:
        above.insert(0, number_text(value))
    return "*".join(above) + "".join(f"/{each}" for each in below)


def _power_text(atom: str, exponent: float) -> str:
    if exponent == 1:
        return atom
    base = f"({atom})" if "^" in atom and not atom.endswith(")") else atom
    return f"{base}^{number_text(exponent)}"
