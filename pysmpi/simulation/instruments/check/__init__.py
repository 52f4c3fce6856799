"""Checks for mistakes in MPI programs (``pysmpirun --check``). docs/checks.md shows an example of each mistake."""

from pysmpi.simulation.instruments.check.finding import KINDS, Finding, rank_names, report
from pysmpi.simulation.instruments.check.leftovers import left_behind

__all__ = ["KINDS", "Finding", "left_behind", "rank_names", "report"]
