"""What options can choose."""

import pytest

from pysmpi.collectives import algorithms

# Numbers of ranks with which each algorithm is tried: with the other tests, and with `make parity` besides.
QUICK = (2, 5, 8, 13)
RANKS = [
    pytest.param(ranks, marks=[] if ranks in QUICK else [pytest.mark.parity])
    for ranks in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 33)
]


def names(operation: str) -> list[str]:
    """The names of an operation's algorithms as options take them, those with a number with 3."""
    return [algorithm.name.replace("-k", "-3") for algorithm in algorithms(operation)]
