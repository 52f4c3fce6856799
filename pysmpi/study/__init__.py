"""Studies: many simulations that answer one question."""

from pysmpi.simulation.experiments.compare_collectives import Comparison, compare_algorithms
from pysmpi.study.study import Study
from pysmpi.study.table import Table

__all__ = ["Comparison", "Study", "Table", "compare_algorithms"]
