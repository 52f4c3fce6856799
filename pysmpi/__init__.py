"""Run an unmodified Python MPI program on a supercomputer that is not there.

What stands here a simulated program may call too; each does the plain thing in a real run. Importing pysmpi never
touches MPI.
"""

from pysmpi.compute import (
    FoldedMemoryError,
    Host,
    execute,
    execute_flops,
    folded_empty,
    host,
    is_simulated,
    sleep,
    untimed,
)

__all__ = [
    "FoldedMemoryError",
    "Host",
    "execute",
    "execute_flops",
    "folded_empty",
    "host",
    "is_simulated",
    "sleep",
    "untimed",
]
