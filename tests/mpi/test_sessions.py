"""Sessions and their process sets, without mpi4py's own class, which needs error handlers of sessions."""

import ctypes
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from pysmpi import native

Runner = Callable[..., list[Any]]

NO_INFO = 0x1C000000


def mpi_library() -> ctypes.CDLL:
    """Return the simulator's MPI functions."""
    return ctypes.CDLL(str(pathlib.Path(native.__file__).parent / "libmpi.so.12"))


def begin_session(library: ctypes.CDLL, handler: int) -> ctypes.c_int:
    """Return the handle of a new session."""
    session = ctypes.c_int()
    assert library.MPI_Session_init(NO_INFO, handler, ctypes.byref(session)) == 0
    return session


@pytest.mark.parametrize("ranks", [1, 3, 8])
def test_communicators_of_process_sets(run_ranks: Runner, ranks: int) -> None:
    """The world's set has all ranks in order, a rank's own set only itself."""

    def program(MPI: Any) -> Any:
        library, found, group = mpi_library(), [], ctypes.c_int()
        session = begin_session(library, MPI.ERRORS_RETURN.handle)
        for name in (b"mpi://WORLD", b"MPI://self"):
            assert library.MPI_Group_from_session_pset(session, name, ctypes.byref(group)) == 0
            made = MPI.Intracomm.Create_from_group(MPI.Group.fromhandle(group.value & 0xFFFFFFFF), "tests")
            found.append(made.allgather(MPI.COMM_WORLD.rank))
        assert library.MPI_Session_finalize(ctypes.byref(session)) == 0
        return found

    assert run_ranks(program, ranks) == [[list(range(ranks)), [rank]] for rank in range(ranks)]


def test_names_are_cut_to_their_room(run_ranks: Runner) -> None:
    """A name is returned with its final zero, and the length that it needs."""

    def program(MPI: Any) -> Any:
        library, count, text = mpi_library(), ctypes.c_int(), ctypes.create_string_buffer(100)
        session = begin_session(library, MPI.ERRORS_RETURN.handle)
        assert library.MPI_Session_get_num_psets(session, NO_INFO, ctypes.byref(count)) == 0
        found = []
        for room in (0, 5, 100):
            length = ctypes.c_int(room)
            assert library.MPI_Session_get_nth_pset(session, NO_INFO, 1, ctypes.byref(length), text) == 0
            found.append((text.value, length.value))
        return count.value, found

    assert run_ranks(program, 1) == [(2, [(b"", 11), (b"mpi:", 11), (b"mpi://SELF", 11)])]


def test_what_is_no_session(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        library, group = mpi_library(), ctypes.c_int()
        session = begin_session(library, MPI.ERRORS_RETURN.handle)
        gone = begin_session(library, MPI.ERRORS_RETURN.handle)
        stale = ctypes.c_int(gone.value)
        library.MPI_Session_finalize(ctypes.byref(gone))
        codes = [
            library.MPI_Group_from_session_pset(stale, b"mpi://SELF", ctypes.byref(group)),
            library.MPI_Session_finalize(ctypes.byref(gone)),
            library.MPI_Group_from_session_pset(session, b"mpi://NODE", ctypes.byref(group)),
            library.MPI_Session_get_nth_pset(session, NO_INFO, 2, ctypes.byref(group), None),
        ]
        return [MPI.Get_error_class(code) for code in codes] == [
            MPI.ERR_SESSION,
            MPI.ERR_ARG,  # as in Open MPI
            MPI.ERR_ARG,
            MPI.ERR_ARG,
        ]

    assert run_ranks(program, 1) == [True]
