"""Values of the options that choose algorithms."""

import pytest

from pysmpi.simulation.collectives import algorithms

# Numbers of ranks for tests of each algorithm, in the other tests and in `make parity`.
QUICK = (2, 5, 8, 13)
RANKS = [
    pytest.param(ranks, marks=[] if ranks in QUICK else [pytest.mark.parity])
    for ranks in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 33)
]


def names(operation: str) -> list[str]:
    """Return the names of an operation's algorithms as option values; those with a number get 3."""
    return [algorithm.name.replace("-k", "-3") for algorithm in algorithms(operation)]
