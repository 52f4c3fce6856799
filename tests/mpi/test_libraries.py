"""Behaviour that follows the setting mpi (docs/libraries.md)."""

from pathlib import Path
from typing import Any

import numpy as np
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


@pytest.mark.parametrize(
    ("library", "clock_is_global", "io_is_any", "parts_have_attributes"),
    [("openmpi-5.0", False, True, False), ("mpich-4", False, True, True), ("smpi", True, False, True)],
)
def test_predefined_attributes(
    library: str, clock_is_global: bool, io_is_any: bool, parts_have_attributes: bool
) -> None:
    """Values of predefined attributes, on MPI_COMM_WORLD, its duplicates and a part of it."""

    def program() -> Any:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        twin, part = world.Dup(), world.Split(world.rank)
        assert twin.Get_attr(MPI.TAG_UB) == world.Get_attr(MPI.TAG_UB)
        io = world.Get_attr(MPI.IO)
        return world.Get_attr(MPI.WTIME_IS_GLOBAL) != 0, io == MPI.ANY_SOURCE, part.Get_attr(MPI.TAG_UB) is not None

    expected = (clock_is_global, io_is_any, parts_have_attributes)
    assert pysmpi.simulate(program, np=2, platform="flat:2", mpi=library).values == [expected] * 2


@pytest.mark.parametrize(
    ("library", "contiguous", "strided", "nonblocking"),
    [("openmpi-5.0", 8, 5, 8), ("mpich-4", 5, 5, 8), ("smpi", 5, 2, 5)],
)
def test_position_after_a_read_past_the_end(
    library: str, contiguous: int, strided: int, nonblocking: int, tmp_path: Path
) -> None:
    """Read five bytes of a file of five: from position 3 in a contiguous view, and each fourth from position 0."""
    path = tmp_path / "data"
    path.write_bytes(bytes(range(5)))

    def program() -> Any:
        from mpi4py import MPI

        file = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_RDONLY)
        buffer, status, positions = np.full(5, 9, "B"), MPI.Status(), []
        file.Seek(3)
        file.Read(buffer, status)
        positions.append(file.Get_position())
        assert status.Get_count(MPI.BYTE) == 2 and buffer.tolist() == [3, 4, 9, 9, 9]
        file.Set_view(0, MPI.BYTE, MPI.BYTE.Create_resized(0, 4).Commit())
        file.Read(buffer, status)
        positions.append(file.Get_position())
        assert status.Get_count(MPI.BYTE) == 2 and buffer.tolist() == [0, 4, 9, 9, 9]
        file.Set_view(0, MPI.BYTE, MPI.BYTE)
        file.Seek(3)
        file.Iread(buffer).Wait()
        return [*positions, file.Get_position()]

    assert pysmpi.simulate(program, np=1, mpi=library).values == [[contiguous, strided, nonblocking]]


@pytest.mark.parametrize(
    ("library", "called"),
    [
        ("openmpi-5.0", ["world", "world", "world"]),
        ("mpich-5", ["world", "self", "self"]),
        ("impi-2021", ["world", "world", "world"]),
        ("smpi", ["world", "world", "world"]),
    ],
)
def test_handlers_of_errors_that_concern_no_communicator(library: str, called: list[str]) -> None:
    def program() -> list[str]:
        from mpi4py import MPI

        found = []
        world = MPI.Comm.Create_errhandler(lambda communicator, code: found.append("world"))
        own = MPI.Comm.Create_errhandler(lambda communicator, code: found.append("self"))
        MPI.COMM_WORLD.Set_errhandler(world)
        MPI.COMM_SELF.Set_errhandler(MPI.ERRORS_ARE_FATAL)  # as if it had not been set
        for call in (MPI.COMM_NULL.Barrier, MPI.DATATYPE_NULL.Commit, lambda: MPI.GROUP_EMPTY.Incl([5])):
            with pytest.raises(MPI.Exception):
                call()
            MPI.COMM_SELF.Set_errhandler(own)
        return found

    assert pysmpi.simulate(program, np=1, mpi=library).values == [called]


@pytest.mark.parametrize(
    ("library", "names"),
    [
        ("openmpi-5.0", ["DIMS", "DIMS", "TAG", "OTHER", "ARG", "ARG"]),
        ("mpich-4", ["ARG", "ARG", "RANK", "KEYVAL", "COUNT", "RANK"]),
        ("smpi", ["DIMS", "ARG", "RANK", "KEYVAL", "COUNT", "RANK"]),
    ],
)
def test_error_classes(library: str, names: list[str]) -> None:
    def program() -> Any:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        calls = [
            lambda: MPI.Compute_dims(-1, 2),
            lambda: world.Create_cart([1]).Shift(-1, 1),
            lambda: world.Send(b"", 7, -2),
            lambda: world.Delete_attr(12345),
            lambda: MPI.BYTE.Create_indexed([-1], [0]),
            lambda: world.Create_intercomm(0, world, 7),
        ]
        classes = []
        for call in calls:
            with pytest.raises(MPI.Exception) as caught:
                call()
            classes.append(caught.value.Get_error_class())
        return classes == [getattr(MPI, f"ERR_{name}") for name in names]

    assert pysmpi.simulate(program, np=1, mpi=library).values == [True]
