"""Errors that end the program, because an error handler (MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT) says so."""

import os
import sys
from types import TracebackType
from typing import Any

from pysmpi.mpi.bindings import raise_later, running_rank
from pysmpi.native import ffi, lib

__all__: list[str] = []


def _fatal_error(_: int, text: Any) -> None:
    """Says what was wrong, and aborts: the simulation inside a rank, the process outside."""
    rank = running_rank()
    where = f" in rank {rank}" if rank >= 0 else ""
    print(f"Fatal MPI error{where}: {ffi.string(text).decode(errors='replace')}", file=sys.stderr, flush=True)
    if rank < 0:
        os._exit(1)
    lib.pysmpi_abort(1)


def _on_error(_: type[BaseException], error: BaseException, __: TracebackType) -> None:
    """The rank is stopped where it aborts: its own code is to end, not this."""
    raise_later(error)


ffi.def_extern(name="py_fatal_error", onerror=_on_error)(_fatal_error)
lib.pysmpi_set_fatal_hook(ffi.addressof(lib, "py_fatal_error"))
