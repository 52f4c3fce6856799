"""Studies: many simulations that answer one question."""

from pysmpi.study.collectives import Comparison, compare_algorithms

__all__ = ["Comparison", "compare_algorithms"]
