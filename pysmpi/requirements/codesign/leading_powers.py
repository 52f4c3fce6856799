"""Leading powers of formulas: how they grow when logarithms count as constant.

A formula is expanded into terms, each a coefficient with a power of each parameter. For each parameter, the term with
the largest coefficient among those in which the parameter occurs is the leading one. Example: in
``1e5*log2(p) + 10*p + 10*n`` the leading term of p is ``1e5*log2(p)``, whose power is 0. Of the 45 numbers in
table V of Calotoiu et al. (2018), 36 follow from this rule; the others contradict the formulas in the same paper.
"""

import math
from typing import NamedTuple

from pysmpi.errors import ModelError
from pysmpi.formulas import Expression
from pysmpi.formulas.expressions.tokens import Place
from pysmpi.formulas.expressions.tree import Expression as Node
from pysmpi.formulas.expressions.tree import Function, Index, Name, Negation, Number, Power, Product, Sum

__all__ = ["leading_powers"]

_ROOTS = {"sqrt": 1 / 2, "cbrt": 1 / 3}
_MOST_FACTORS = 8  # largest whole power of a sum that is expanded
_MOST_TERMS = 2000


class _Term(NamedTuple):
    """Coefficient, and the powers of the parameters that occur; a parameter in a logarithm occurs with power 0."""

    coefficient: float
    powers: dict[str, float]


Terms = list[_Term]


def leading_powers(expression: Expression) -> dict[str, float]:
    """Return the power of each of a formula's parameters in the leading term of that parameter.

    Raises:
        ModelError: the formula grows faster than any power, such as ``2**n``.
    """
    terms = _Expansion(expression).of(expression.root)
    return {name: _leading(terms, name) for name in expression.parameters}


def _leading(terms: Terms, name: str) -> float:
    found = [(abs(term.coefficient), term.powers[name]) for term in terms if name in term.powers and term.coefficient]
    return max(found, default=(0.0, 0.0))[1]


class _Expansion:
    def __init__(self, expression: Expression) -> None:
        self._expression = expression

    def of(self, node: Node) -> Terms:
        match node:
            case Number(value):
                return [_Term(value, {})]
            case Name(name):
                return [_Term(1.0, {name: 1.0})]
            case Negation(operand):
                return [_Term(-term.coefficient, term.powers) for term in self.of(operand)]
            case Power(base, exponent):
                return self._raised(self.of(base), self._number(exponent, node.place))
            case Sum(first, rest) | Product(first, rest):
                return self._chain(first, rest)
            case Function(name, arguments):
                return self._call(name, [self.of(each) for each in arguments])
            case Index():
                raise NotImplementedError  # the dialect has no lists

    def _chain(self, first: Node, rest: tuple[tuple[str, Node], ...]) -> Terms:
        terms = self.of(first)
        for sign, operand in rest:
            other = self.of(operand)
            if sign in "+-":
                direction = 1 if sign == "+" else -1
                terms = _gathered(terms + [_Term(direction * each.coefficient, each.powers) for each in other])
            else:
                terms = _product(terms, other if sign == "*" else self._raised(other, -1.0))
        return terms

    def _raised(self, terms: Terms, exponent: float) -> Terms:
        if len(terms) > 1 and exponent.is_integer() and 0 <= exponent <= _MOST_FACTORS:
            result: Terms = [_Term(1.0, {})]
            for _ in range(int(exponent)):
                result = _product(result, terms)
            return result
        term = terms[0] if len(terms) == 1 else _collapsed(terms)
        return [_Term(_power(term.coefficient, exponent), {name: p * exponent for name, p in term.powers.items()})]

    def _call(self, name: str, arguments: list[Terms]) -> Terms:
        if name == "log2":
            return [_Term(1.0, {parameter: 0.0 for term in arguments[0] for parameter in term.powers})]
        if name in _ROOTS:
            return self._raised(arguments[0], _ROOTS[name])
        return _gathered([term for terms in arguments for term in terms])

    def _number(self, exponent: Node, place: Place) -> float:
        part = Expression(self._expression.text, exponent, self._expression.place)
        if part.parameters:
            raise ModelError(f"{place}: the exponent depends on {part.parameters[0]}, so there is no leading power")
        return part.evaluate({})


def _product(left: Terms, right: Terms) -> Terms:
    if len(left) * len(right) > _MOST_TERMS:
        left, right = [_collapsed(left)], [_collapsed(right)]
    return _gathered([
        _Term(a.coefficient * b.coefficient,
              {name: a.powers.get(name, 0) + b.powers.get(name, 0) for name in (*a.powers, *b.powers)})
        for a in left for b in right
    ])  # fmt: skip


def _gathered(terms: Terms) -> Terms:
    """Return the terms with the coefficients of equal powers added."""
    sums: dict[tuple[tuple[str, float], ...], float] = {}
    for term in terms:
        key = tuple(sorted(term.powers.items()))
        sums[key] = sums.get(key, 0.0) + term.coefficient
    return [_Term(coefficient, dict(key)) for key, coefficient in sums.items() if coefficient] or [_Term(0.0, {})]


def _collapsed(terms: Terms) -> _Term:
    """Return one term with the leading powers of a sum."""
    names = dict.fromkeys(name for term in terms for name in term.powers)
    largest = max(abs(term.coefficient) for term in terms)
    return _Term(largest, {name: _leading(terms, name) for name in names})


def _power(coefficient: float, exponent: float) -> float:
    try:
        return math.pow(abs(coefficient), exponent)
    except (OverflowError, ValueError):
        return 0.0 if coefficient == 0 else float("inf")
