"""Choice of the algorithms that carry out the MPI collectives of a simulation.

The algorithms themselves are native schedules (``pysmpi/native/collectives``), under SMPI's names.
"""

from pysmpi.simulation.collectives.algorithm_names import OPERATIONS, SELECTORS, Algorithm, algorithms
from pysmpi.simulation.collectives.mpich_tuning import MPICH_SELECTORS
from pysmpi.simulation.collectives.selection import choose_algorithms, fallbacks, parse_algorithm

__all__ = [
    "MPICH_SELECTORS",
    "OPERATIONS",
    "SELECTORS",
    "Algorithm",
    "algorithms",
    "choose_algorithms",
    "fallbacks",
    "parse_algorithm",
]
