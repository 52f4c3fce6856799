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


@pytest.mark.parametrize(
    ("library", "sums", "seconds"),
    [
        ("openmpi-5.0", [255] * 16 + [44] * 4, [[True, False]] * 3),
        ("openmpi-4.0", [44] * 20, [[False, False]] * 3),
        ("mpich-4", [44] * 20, [[False, False]] * 3),
        ("impi", [44] * 20, [[True, True], [False, False], [False, False]]),
        ("smpi", [44] * 20, [[True, True]] * 3),
    ],
)
def test_bits_of_reductions(library: str, sums: list[int], seconds: list[list[bool]]) -> None:
    """Bytes overflow as in the library, and minima of NaN and 1, 1 and NaN, 0 and -0 are the library's operand.

    Open MPI saturates whole vectors of 16 bytes and wraps around in the rest, and its minima differ there, too.
    """

    def program() -> Any:
        import numpy as np
        from mpi4py import MPI

        small, total = np.full(20, 200, "u1"), np.full(20, 100, "u1")
        MPI.SUM.Reduce_local(small, total)
        found = []
        for one, two, is_two in ((np.nan, 1.0, lambda x: x == 1.0), (1.0, np.nan, np.isnan), (0.0, -0.0, np.signbit)):
            least = np.full(3, two)
            MPI.MIN.Reduce_local(np.full(3, one), least)
            found.append(is_two(least)[[0, 2]].tolist())
        return total.tolist(), found

    found_sums, found = pysmpi.simulate(program, np=1, platform="flat:1", mpi=library).values[0]
    assert found_sums == sums
    assert found == seconds


def test_reductions_of_smpi() -> None:
    """SMPI reduces logically over floating-point numbers, and allows duplicates of datatypes; seen in runs of 3.32."""

    def program() -> Any:
        import numpy as np
        from mpi4py import MPI

        one, two = np.array([0, 0, 1, 2, 3.5, 0, -1]), np.array([0, 1, 0, 3, 1, 2, -1.0])
        MPI.LAND.Reduce_local(one, two)
        integers = np.array([2], "i")
        duplicate = MPI.INT.Dup()
        MPI.SUM.Reduce_local([np.array([1], "i"), 1, duplicate], [integers, 1, duplicate])
        layout = np.dtype([("value", "d"), ("index", "i")], align=True)
        pairs = []
        for op in (MPI.MINLOC, MPI.MAXLOC):
            for value, other in ((np.nan, 1), (1, np.nan), (0.0, -0.0)):
                best = np.array([(other, 3)], layout)
                op.Reduce_local([np.array([(value, 5)], layout), 1, MPI.DOUBLE_INT], [best, 1, MPI.DOUBLE_INT])
                pairs.append(str(best[0]))
        return two.tolist(), integers[0], pairs

    logical, total, pairs = pysmpi.simulate(program, np=1, platform="flat:1", mpi="smpi").values[0]
    assert logical == [0, 0, 0, 1, 1, 0, 1]
    assert total == 3
    assert pairs == ["(1.0, 3)", "(nan, 3)", "(-0.0, 3)", "(nan, 5)", "(1.0, 5)", "(-0.0, 3)"]


@pytest.mark.parametrize(("library", "messages"), [("openmpi-5.0", 1 + 3 * 2), ("mpich-4", 1 + 1), ("smpi", 0 + 1)])
def test_messages_to_itself_and_of_duplicates(library: str, messages: int) -> None:
    """Rank 0 sends itself a message, except in SMPI; the ranks agree on a duplicate, or rank 0 announces it."""

    def program() -> None:
        from mpi4py import MPI

        if MPI.COMM_WORLD.rank == 0:
            MPI.COMM_WORLD.Sendrecv(bytearray(5), 0, recvbuf=bytearray(5), source=0)
        MPI.COMM_WORLD.Dup().Free()

    result = pysmpi.simulate(program, np=2, platform="flat:2", mpi=library, network_report=True)
    assert result.network is not None
    assert result.network.matrix.messages.sum() == messages
