"""Behaviour that the MPI standard leaves to the library, and in which libraries differ.

To add a matter, add a field to `Behaviour` and give each library its value. Python reads
it with `followed().behaviour` (pysmpi/simulation/settings/mpi_libraries/followed.py). If the engine reads it, yield it
in `engine_values`, and add it to native/base/library_behaviour.hpp and .cpp.
"""

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pysmpi.simulation.settings.mpi_libraries.error_classes import ErrorClasses

__all__ = ["ANY_SOURCE", "Behaviour", "Reductions"]

ANY_SOURCE = -2  # as in native/mpi/mpi.h


class Reductions(enum.IntEnum):
    """Libraries whose rules of reductions are known: types of each operation, and results with NaN, zeros, overflow.

    The numbers are those of `ReductionRules` in native/base/library_behaviour.hpp.
    """

    OPEN_MPI = 0
    OPEN_MPI_4_0 = 1
    MPICH_5 = 2
    MPICH_4 = 3
    INTEL_MPI = 4
    SMPI = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Behaviour of an MPI library. docs/libraries.md says how each value was seen.

    Attributes:
        largest_tag: value of MPI_TAG_UB.
        grid_extents: function of a number of nodes and a number of dimensions that returns the extents chosen by
            MPI_Dims_create, in descending order.
        divides_by_each_extent: True if MPI_Dims_create divides the number of nodes by one given extent after the other,
            rounding down, each of which must divide the whole number; 1 must be left if no extent is to be chosen.
            False if the product of the given extents must divide the number of nodes.
        reductions: rules of predefined reduction operations.
        copies_to_itself: True if an MPI_Sendrecv of a rank with itself is a copy that takes no time, False if it is a
            message.
        agrees_on_contexts: True if a new communicator needs three allreduces of an integer on its parent, False if it
            needs a broadcast of an integer on the new communicator.
        reads_past_end_advance: kinds of reads that advance a rank's own file pointer by the etypes asked for, although
            the file ends before: "contiguous" or "strided" by the filetype of the view, and "nonblocking". Other reads
            advance it by the etypes read.
        checks_tags_first: True if a message with an invalid tag and an invalid rank is an error of the tag.
        clock_is_global: value of MPI_WTIME_IS_GLOBAL.
        io_rank: value of MPI_IO.
        only_world_has_attributes: True if only MPI_COMM_WORLD and its duplicates have the predefined attributes. Here,
            communicators of equally many ranks count as duplicates.
        scatters_nearest_first: True if a binomial scatter (``ompi_binomial``) sends the smallest subtree first, as Open
            MPI did before 4.1; False if it sends the largest one first.
        asks_self_first: True if an error that concerns no communicator, such as one of MPI_COMM_NULL or of a datatype,
            calls the error handler of MPI_COMM_SELF if the program has set one. Otherwise, it calls that of
            MPI_COMM_WORLD.
        error_classes: classes of failures, where they are not MPICH's.
    """

    largest_tag: int
    grid_extents: Callable[[int, int], tuple[int, ...]]
    divides_by_each_extent: bool
    reductions: Reductions
    copies_to_itself: bool
    agrees_on_contexts: bool
    reads_past_end_advance: frozenset[str]
    checks_tags_first: bool
    clock_is_global: bool
    io_rank: int
    only_world_has_attributes: bool
    scatters_nearest_first: bool = False
    asks_self_first: bool = False
    error_classes: ErrorClasses = field(default_factory=dict)

    def engine_values(self) -> Iterator[tuple[str, float]]:
        """Yield name and value of each matter that the engine reads."""
        yield "library/largest-tag", self.largest_tag
        yield "library/reductions", self.reductions
        yield "library/copies-to-itself", self.copies_to_itself
        yield "library/scatters-nearest-first", self.scatters_nearest_first
        yield "library/asks-self-first", self.asks_self_first
        yield "library/checks-tags-first", self.checks_tags_first
        yield "library/clock-is-global", self.clock_is_global
        yield "library/io-rank", self.io_rank
        yield "library/only-world-has-attributes", self.only_world_has_attributes
