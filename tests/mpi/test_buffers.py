"""Buffers for buffered sends, of a rank, of a communicator and of a session; error handlers of sessions."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

Runner = Callable[..., list[Any]]


def test_each_object_has_a_buffer_of_its_own(run_ranks: Runner) -> None:
    """Detaching returns the object's own buffer; sends complete whatever the buffers are."""

    def program(MPI: Any) -> Any:
        world, session = MPI.COMM_WORLD, MPI.Session.Init()
        sizes = []
        whole, ours, theirs = bytearray(100), bytearray(200), bytearray(300)
        MPI.Attach_buffer(whole)
        world.Attach_buffer(ours)
        session.Attach_buffer(theirs)
        world.Bsend(np.arange(5.0), 1 - world.rank)
        MPI.Flush_buffer()
        world.Flush_buffer()
        session.Flush_buffer()
        MPI.Request.Waitall([MPI.Iflush_buffer(), world.Iflush_buffer(), session.Iflush_buffer()])
        into = np.zeros(5)
        world.Recv(into, 1 - world.rank)
        sizes = [len(world.Detach_buffer()), len(session.Detach_buffer()), len(MPI.Detach_buffer())]
        session.Finalize()
        return sizes, into.tolist()

    assert run_ranks(program, 2) == [([200, 300, 100], [0, 1, 2, 3, 4])] * 2


def test_one_buffer_at_a_time(MPI: ModuleType) -> None:
    duplicate = MPI.COMM_SELF.Dup()
    with pytest.raises(MPI.Exception, match="MPI_Comm_detach_buffer: no buffer is attached"):
        duplicate.Detach_buffer()
    duplicate.Attach_buffer(bytearray(10))
    with pytest.raises(MPI.Exception, match="a buffer is already attached"):
        duplicate.Attach_buffer(bytearray(10))
    duplicate.Detach_buffer()
    duplicate.Free()


def test_error_handlers_of_sessions(MPI: ModuleType) -> None:
    called: list[int] = []
    session = MPI.Session.Init()
    handler = MPI.Session.Create_errhandler(lambda _, code: called.append(MPI.Get_error_class(code)))
    session.Set_errhandler(handler)
    assert session.Get_errhandler() == handler
    session.Call_errhandler(MPI.ERR_OTHER)
    with pytest.raises(MPI.Exception, match="invalid process set number 9"):
        session.Get_nth_pset(9)
    assert called == [MPI.ERR_OTHER, MPI.ERR_ARG]
    handler.Free()
    alias = MPI.Session.fromhandle(session.handle)
    session.Finalize()
    with pytest.raises(MPI.Exception, match="MPI_ERR_SESSION"):
        alias.Get_errhandler()
