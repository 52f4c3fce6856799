"""Behaviour that the MPI standard leaves to the library, and in which libraries differ.

To add a matter, add a field to `Behaviour` and give each library its value (`MPICH`, `OPEN_MPI`, `SMPI`). Python reads
it with `followed().behaviour` (pysmpi/simulation/settings/mpi_libraries/followed.py). If the engine reads it, yield it
in `engine_values`, and add it to native/base/library_behaviour.hpp and .cpp.
"""

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Behaviour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Behaviour of an MPI library. docs/libraries.md says how each value was seen.

    Attributes:
        largest_tag: value of MPI_TAG_UB.
    """

    largest_tag: int

    def engine_values(self) -> Iterator[tuple[str, float]]:
        """Yield name and value of each matter that the engine reads."""
        yield "library/largest-tag", self.largest_tag
