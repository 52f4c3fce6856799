"""Replacements for computation in a simulated program: injected time, sampling, and memory without contents.

In a real run the functions do without the simulator (`sleep` sleeps, `folded_empty` is `numpy.empty`), so that the
same script runs in both cases.
"""

from pysmpi.simulation.compute.current_host import Host, host, pstate, set_pstate
from pysmpi.simulation.compute.execution import execute, execute_flops, is_simulated, sleep, untimed, untimed_program
from pysmpi.simulation.compute.folded import (
    FoldedMemoryError,
    folded_empty,
    is_folded,
    partial_shared_malloc,
    shared_free,
    shared_malloc,
)
from pysmpi.simulation.compute.sampling import Sample, forget_samples, sample
from pysmpi.simulation.compute.sharing import shared_cache

__all__ = [
    "FoldedMemoryError",
    "Host",
    "Sample",
    "execute",
    "execute_flops",
    "folded_empty",
    "forget_samples",
    "host",
    "is_folded",
    "is_simulated",
    "partial_shared_malloc",
    "pstate",
    "sample",
    "set_pstate",
    "shared_cache",
    "shared_free",
    "shared_malloc",
    "sleep",
    "untimed",
    "untimed_program",
]
