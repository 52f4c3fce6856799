"""Error codes, their classes and texts, and error handlers."""

from types import ModuleType
from typing import Any

import pytest

from pysmpi.native import ffi, lib


def test_what_is_missing_says_so(MPI: ModuleType) -> None:
    lib.pysmpi_set_python_function(b"MPI_Register_datarep", ffi.NULL)
    try:
        with pytest.raises(MPI.Exception) as caught:
            MPI.Register_datarep("missing", None, None, None)
    finally:
        there = ffi.cast("void*", ffi.addressof(lib, "py_Register_datarep"))
        lib.pysmpi_set_python_function(b"MPI_Register_datarep", there)
    assert caught.value.Get_error_class() == MPI.ERR_UNSUPPORTED_OPERATION
    expected = "MPI_Register_datarep: pysmpi does not implement this function (MPI_ERR_UNSUPPORTED_OPERATION)"
    assert str(caught.value) == expected


def test_a_function_that_only_mpich_has_says_so(pysmpirun: Any) -> None:
    """A library compiled with MPICH may refer to such a function without calling it."""
    source = """
import ctypes
from mpi4py import MPI
library = ctypes.CDLL("libmpi.so.12")
library.MPIX_Stream_progress(0)
"""
    run = pysmpirun("-np", "1", "program.py", source=source)
    assert run.returncode != 0
    assert "MPIX_Stream_progress: pysmpi does not implement this function" in run.stderr


def test_text_names_what_is_valid(MPI: ModuleType) -> None:
    """The error string contains the function, the value, the valid values and the class."""
    with pytest.raises(MPI.Exception) as caught:
        MPI.COMM_WORLD.Get_group().Incl([0, 4])
    assert str(caught.value) == "MPI_Group_incl: invalid rank 4; valid: 0 to 0 (MPI_ERR_RANK)"
    assert caught.value.Get_error_class() == MPI.ERR_RANK
    assert caught.value.Get_error_code() > MPI.ERR_RANK


def test_every_class_has_a_text_with_its_name(MPI: ModuleType) -> None:
    """Plain classes are valid error codes."""
    values = {name: value for name, value in vars(MPI).items() if name.startswith("ERR_")}
    missing = (MPI.ERR_UNKNOWN, MPI.ERR_LASTCODE)  # mpi4py's values for classes that the library lacks
    known = [name for name, value in values.items() if value not in missing]
    assert len(known) >= 55
    for name in known:
        assert MPI.Get_error_string(getattr(MPI, name)).startswith(f"MPI_{name}: ")


def test_later_errors_do_not_change_a_text(MPI: ModuleType) -> None:
    """Two failures have two codes, each with its own text."""
    codes = []
    for rank in (5, 6):
        with pytest.raises(MPI.Exception) as caught:
            MPI.COMM_WORLD.Get_group().Incl([rank])
        codes.append(caught.value.Get_error_code())
    assert "invalid rank 5" in MPI.Get_error_string(codes[0])
    assert "invalid rank 6" in MPI.Get_error_string(codes[1])


def test_a_text_is_forgotten_after_thousands_of_others(MPI: ModuleType) -> None:
    """Programs that poll by failing do not fill memory; an old code reads as its class."""
    group = MPI.COMM_WORLD.Get_group()
    with pytest.raises(MPI.Exception) as first:
        group.Incl([5])
    for _ in range(5000):
        with pytest.raises(MPI.Exception):
            group.Incl([6])
    assert str(first.value) == "MPI_ERR_RANK: invalid rank"
    assert first.value.Get_error_class() == MPI.ERR_RANK


def test_user_error_handler_is_called(MPI: ModuleType) -> None:
    """The handler gets the communicator and the code; then the code is returned."""
    seen = []
    comm = MPI.COMM_WORLD.Dup()
    handler = MPI.Comm.Create_errhandler(lambda handle, code: seen.append((handle == comm, code)))
    comm.Set_errhandler(handler)
    with pytest.raises(MPI.Exception) as caught:
        comm.Create_cart([2])
    assert seen == [(True, caught.value.Get_error_code())]
    handler.Free()
    with pytest.raises(MPI.Exception):
        comm.Create_cart([2])
    assert len(seen) == 2  # a freed handler stays valid while it is set
    comm.Free()


def test_added_codes(MPI: ModuleType) -> None:
    own_class = MPI.Add_error_class()
    assert MPI.COMM_WORLD.Get_attr(MPI.LASTUSEDCODE) == own_class
    own_code = MPI.Add_error_code(own_class)
    MPI.Add_error_string(own_code, "the reactor is cold")
    assert MPI.Get_error_class(own_code) == own_class
    assert MPI.Get_error_string(own_code) == "the reactor is cold"
    with pytest.raises(MPI.Exception):
        MPI.Add_error_string(MPI.ERR_RANK, "no")


def test_messages_to_nobody_outside_ranks(MPI: ModuleType) -> None:
    """Outside simulations, messages are possible only with MPI_PROC_NULL."""
    comm, nobody = MPI.COMM_WORLD, MPI.PROC_NULL
    buffer = bytearray(3)
    for request in (comm.Isend(buffer, nobody), comm.Irecv(buffer, nobody)):
        assert request.Get_status()
        assert request.Test()
    requests = [comm.Isend(buffer, nobody), comm.Irecv(buffer, nobody), comm.Irecv(buffer, nobody)]
    assert MPI.Request.Testany(requests) == (0, True)
    assert MPI.Request.Waitany(requests[1:]) == 0
    MPI.Request.Waitall(requests)
    persistent = comm.Recv_init(buffer, nobody)
    persistent.Start()
    persistent.Wait()
    persistent.Free()
    status = MPI.Status()
    comm.Sendrecv(buffer, nobody, recvbuf=buffer, source=nobody, status=status)
    assert status.source == nobody
    comm.Sendrecv_replace(buffer, nobody, source=nobody)
    with pytest.raises(MPI.Exception, match="messages are only possible between ranks of a simulation"):
        comm.Send(buffer, 0)
