"""Collective algorithms: which carry out the MPI collectives of a simulation.

The algorithms themselves are native schedules (``pysmpi/native/collectives``), under SMPI's names.
"""

from pysmpi.collectives.selection import OPERATIONS, SELECTORS, algorithms, choose_algorithms

__all__ = ["OPERATIONS", "SELECTORS", "algorithms", "choose_algorithms"]
