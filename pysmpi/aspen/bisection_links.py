"""Topologies of a machine's network, as far as formulas see them: the links that halve it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Trait
from pysmpi.formulas.expressions.evaluation import Value, evaluate

__all__ = ["balanced", "bisection_links"]

_DIMENSIONS = 3  # of a torus or mesh without arguments


def balanced(count: int, dimensions: int) -> list[int]:
    """Return a grid of `count` places whose sides are as equal as divisors allow, longest first."""
    sides = [1] * dimensions
    for factor in reversed(_prime_factors(count)):
        sides[sides.index(min(sides))] *= factor
    return sorted(sides, reverse=True)


def bisection_links(traits: Sequence[Trait], nodes: Value, scope: Scope) -> Value:
    """Return the number of links, in one direction, between two halves of a network; None if they limit nothing.

    Args:
        traits: traits of the connection, of which one may be "torus", "mesh" or "hypercube".
        nodes: number of nodes.
        scope: names that the traits' arguments may use.
    """
    for trait in traits:
        name = trait.name.lower()
        if name == "hypercube":
            return nodes / 2
        if name not in ("torus", "mesh"):
            continue
        links = 2.0 if name == "torus" else 1.0
        if trait.arguments:
            sides = [evaluate(each, scope) for each in trait.arguments]
            if any(numpy.any(numpy.less(each, 1)) for each in sides):
                raise error_at(trait.place, f"a side of the {name} is shorter than 1")
            return links * _largest(sides, lambda longest, product: product / longest)
        return links * nodes / _longest(nodes)
    return None


def _largest(sides: list[Value], act: Callable[[Value, Value], Value]) -> Value:
    longest: Any = sides[0]
    product: Any = 1.0
    for each in sides:
        longest = numpy.maximum(longest, each)
        product = product * each
    return act(longest, product)


def _longest(nodes: Value) -> Value:
    found, places = numpy.unique(nodes, return_inverse=True)
    sides = numpy.array([float(balanced(max(1, round(each)), _DIMENSIONS)[0]) for each in found])
    return sides[places].reshape(numpy.shape(nodes)) if numpy.ndim(nodes) else float(sides[0])


def _prime_factors(count: int) -> list[int]:
    found, divisor = [], 2
    while divisor * divisor <= count:
        while count % divisor == 0:
            found.append(divisor)
            count //= divisor
        divisor += 1
    return [*found, count] if count > 1 else found
