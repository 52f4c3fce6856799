"""What options can choose."""

from pysmpi.collectives import algorithms


def names(operation: str) -> list[str]:
    """The names of an operation's algorithms as options take them, those with a number with 3."""
    return [algorithm.name.replace("-k", "-3") for algorithm in algorithms(operation)]
