"""Behaviour that follows the setting mpi (docs/libraries.md)."""

from typing import Any

import pytest

import pysmpi


@pytest.mark.parametrize(("library", "tag"), [("openmpi-5.0", 2**31 - 1), ("mpich-4", 2**30 - 1), ("smpi", 2**31 - 1)])
def test_largest_tag(library: str, tag: int) -> None:
    """MPI_TAG_UB is the library's, a message may have this tag, and a larger one is an error."""

    def program() -> Any:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        largest = world.Get_attr(MPI.TAG_UB)
        found = world.sendrecv(world.rank, 1 - world.rank, largest, None, 1 - world.rank, largest)
        if largest < 2**31 - 1:
            with pytest.raises(MPI.Exception, match="valid: 0 to"):
                world.send(None, 1 - world.rank, largest + 1)
        return largest, found

    assert pysmpi.simulate(program, np=2, platform="flat:2", mpi=library).values == [(tag, 1), (tag, 0)]
