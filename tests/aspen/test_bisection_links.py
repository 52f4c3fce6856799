"""Bisections of networks, and the sides of a torus or mesh without arguments."""

import numpy
import pytest

from pysmpi.aspen.bisection_links import bisection_links, default_sides
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Number, Trait
from pysmpi.formulas.expressions.evaluation import Value


def links(name: str, nodes: Value, *sides: float) -> Value:
    return bisection_links([Trait("dma"), Trait(name, tuple(map(Number, sides)))], nodes, Scope())


@pytest.mark.parametrize("nodes", [1, 7, 64, 72, 360, 432, 576, 720, 1620])
def test_default_sides_are_the_most_equal(nodes: int) -> None:
    """The longest side is the shortest possible, also where multiplying the shortest side by prime factors fails."""
    divisors = [each for each in range(1, nodes + 1) if nodes % each == 0]
    grids = [
        (nodes // (b * c), b, c)
        for b in divisors
        for c in divisors
        if nodes % (b * c) == 0 and nodes // (b * c) >= b >= c
    ]
    assert default_sides(nodes) == min(grids)


def test_links_of_a_bisection() -> None:
    assert (links("torus", 360.0), links("mesh", 360.0), links("hypercube", 64.0)) == (80.0, 40.0, 32.0)
    assert (links("Torus", 32.0, 4, 8), links("mesh", 32.0, 4, 8)) == (8.0, 4.0)
    assert links("fatTree", 64.0) is None
    assert numpy.array_equal(links("torus", numpy.array([[360.0, 64.0]])), [[80.0, 32.0]])
    with pytest.raises(AspenError, match="a side of the torus is shorter than 1"):
        links("torus", 4.0, 4, 0.5)
