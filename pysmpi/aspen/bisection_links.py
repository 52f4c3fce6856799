"""Links across the bisection of a machine's network, and the sides of a torus or mesh that the model gives no sides."""

import functools
import operator
from collections.abc import Sequence

import numpy

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Trait
from pysmpi.formulas.expressions.evaluation import Value, evaluate
from pysmpi.util.divisors import divisors

__all__ = ["bisection_links", "default_sides"]


@functools.lru_cache(maxsize=1024)
def default_sides(nodes: int) -> tuple[int, int, int]:
    """Return the three sides of a torus or mesh without given sides, as equal as the divisors of `nodes` allow.

    The longest side comes first, and is as short as possible. With this side, the second one is as short as possible,
    too. Example: 360 nodes are 9 × 8 × 5.
    """
    return next(
        (longest, middle, nodes // (longest * middle))
        for longest in divisors(nodes)
        for middle in divisors(nodes // longest)
        if nodes // longest <= middle**2 and middle <= longest
    )


def bisection_links(traits: Sequence[Trait], nodes: Value, scope: Scope) -> Value:
    """Return the number of links, in one direction, between two halves of a network.

    Args:
        traits: traits of the connection, of which one may be "torus", "mesh" or "hypercube".
        nodes: number of nodes.
        scope: names with values for the traits' arguments, as in ``torus(n, n)``.

    Returns:
        The number of links; None for another topology, whose bisection is not a limit.

    Raises:
        AspenError: a side is shorter than 1.
    """
    for trait in traits:
        name = trait.name.lower()
        if name == "hypercube":
            return nodes / 2
        if name not in ("torus", "mesh"):
            continue
        links = 2.0 if name == "torus" else 1.0
        if not trait.arguments:
            return links * nodes / _longest_default_side(nodes)
        sides = [evaluate(each, scope) for each in trait.arguments]
        if any(numpy.any(numpy.less(each, 1)) for each in sides):
            raise error_at(trait.place, f"a side of the {name} is shorter than 1")
        return links * (functools.reduce(operator.mul, sides) / functools.reduce(numpy.maximum, sides))
    return None


def _longest_default_side(nodes: Value) -> Value:
    """Return the longest of the `default_sides` of a number of nodes, or an array for an array of such numbers."""
    found, places = numpy.unique(nodes, return_inverse=True)
    longest = numpy.array([float(default_sides(max(1, round(each)))[0]) for each in found])
    return longest[places].reshape(numpy.shape(nodes)) if numpy.ndim(nodes) else float(longest[0])
