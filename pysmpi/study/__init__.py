"""Studies: many simulations that answer one question."""

from pysmpi.simulation.experiments.compare_collectives import Comparison, compare_algorithms
from pysmpi.study.results_table import Table
from pysmpi.study.study_class import Study

__all__ = ["Comparison", "Study", "Table", "compare_algorithms"]
