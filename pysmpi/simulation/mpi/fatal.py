"""Errors that end the program because of its error handler (MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT)."""

import os
import sys
from types import TracebackType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.bindings import raise_later, running_rank

__all__: list[str] = []


def _fatal_error(_: int, text: Any) -> None:
    """Print the error and abort: the simulation if called in a rank, else the process."""
    rank = running_rank()
    where = f" in rank {rank}" if rank >= 0 else ""
    place = lib.pysmpi_running_place()
    if place != ffi.NULL:
        where += f", at {ffi.string(place).decode(errors='replace')}"
    print(f"Fatal MPI error{where}: {ffi.string(text).decode(errors='replace')}", file=sys.stderr, flush=True)
    if rank < 0:
        os._exit(1)
    lib.pysmpi_abort(1)


def _on_error(_: type[BaseException], error: BaseException, __: TracebackType) -> None:
    """Defer the exception that stops an aborting rank to the rank's own code, because cffi would discard it here."""
    raise_later(error)


ffi.def_extern(name="py_fatal_error", onerror=_on_error)(_fatal_error)
lib.pysmpi_set_fatal_hook(ffi.addressof(lib, "py_fatal_error"))
