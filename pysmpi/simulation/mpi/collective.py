"""Communication inside MPI functions written in Python: messages that take time and carry no data."""

import functools
import pathlib
from collections.abc import Sequence
from typing import Any

from cffi import FFI

from pysmpi import native
from pysmpi.simulation.mpi.bindings import check
from pysmpi.simulation.mpi.constants import PROC_NULL

__all__ = [
    "agree_on_context",
    "allgather",
    "allreduce",
    "answer",
    "await_answer",
    "barrier",
    "begin_agreement",
    "broadcast",
    "complete_request",
    "exchange",
    "gather",
    "gather_linearly",
    "scatter",
]

_BYTE = 0x4C00010D
_INT = 0x4C000405
_MAX = 0x58000001
_STATUS_IGNORE = 1


@functools.cache
def _library() -> tuple[Any, Any]:
    """Return pysmpi's libmpi.so.12, whose C functions this module calls, and the cffi object with their
    declarations."""
    ffi = FFI()
    ffi.cdef("""
        int MPI_Allreduce(const void*, void*, int count, int datatype, int op, int comm);
        int MPI_Barrier(int comm);
        int MPI_Bcast(void* buffer, int count, int datatype, int root, int comm);
        int MPI_Irecv(void*, int, int, int source, int tag, int comm, int* request);
        int MPI_Gather(const void*, int, int, void*, int, int, int root, int comm);
        int MPI_Scatter(const void*, int, int, void*, int, int, int root, int comm);
        int MPI_Sendrecv(const void*, int, int, int, int, void*, int, int, int, int, int comm, void* status);
    """)
    path = pathlib.Path(native._native.__file__).resolve().with_name("libmpi.so.12")
    return ffi.dlopen(str(path)), ffi


@functools.cache
def _memory(size: int, use: str) -> Any:
    """Return a buffer for messages without data; its contents are never read.

    All ranks share one buffer for each size and use ("sent", "received" or "broadcast").
    """
    return _library()[1].new("char[]", size)


def allgather(comm: int, size: int) -> None:
    """Send `size` bytes from each rank to all."""
    if native.lib.pysmpi_communicator_size(comm) > 1:
        check(native.lib.pysmpi_allgather_nothing(comm, size))


def allreduce(comm: int, count: int) -> None:
    """Reduce `count` integers of each rank to their maxima, which all ranks get."""
    if native.lib.pysmpi_communicator_size(comm) > 1:
        sent, received = _memory(4 * count, "sent"), _memory(4 * count, "received")
        check(_library()[0].MPI_Allreduce(sent, received, count, _INT, _MAX, comm))


def agree_on_context(comm: int, allreduces: int = 3, *, uses_tree: bool = False) -> None:
    """Let all ranks agree on the context of a new communicator, as in Open MPI.

    Args:
        comm: parent of the new communicator, or the new communicator itself if only its ranks take part.
        allreduces: number of allreduces of an integer.
        uses_tree: True if the ranks send the integers along a binary tree, as they do if only the ranks of the new
            communicator take part.
    """
    check(native.lib.pysmpi_agree_on_context(comm, allreduces, uses_tree))


def begin_agreement(comm: int) -> int:
    """Start an agreement as `agree_on_context` does, and return the handle of its request."""
    request = native.ffi.new("int32_t*")
    check(native.lib.pysmpi_begin_agreement(comm, request))
    return int(request[0])


def barrier(comm: int) -> None:
    """Wait until all ranks have arrived."""
    check(_library()[0].MPI_Barrier(comm))


def broadcast(comm: int, size: int, root: int = 0) -> None:
    """Send `size` bytes from the root to all ranks."""
    if native.lib.pysmpi_communicator_size(comm) > 1:
        check(_library()[0].MPI_Bcast(_memory(size, "broadcast"), size, _BYTE, root, comm))


def gather(comm: int, size: int) -> None:
    """Send `size` bytes from each rank to rank 0."""
    members = int(native.lib.pysmpi_communicator_size(comm))
    if members == 1:
        return
    all_of_them = _memory(size * members, "received")
    check(_library()[0].MPI_Gather(_memory(size, "sent"), size, _BYTE, all_of_them, size, _BYTE, 0, comm))


def gather_linearly(comm: int, size: int) -> None:
    """Send `size` bytes from each rank directly to rank 0.

    Unlike `gather`, this does not use the algorithm that the run has chosen for MPI_Gather.
    """
    if native.lib.pysmpi_communicator_size(comm) > 1:
        check(native.lib.pysmpi_gather_linearly(comm, size))


def scatter(comm: int, size: int) -> None:
    """Send `size` bytes from rank 0 to each rank."""
    members = int(native.lib.pysmpi_communicator_size(comm))
    if members == 1:
        return
    all_of_them = _memory(size * members, "sent")
    check(_library()[0].MPI_Scatter(all_of_them, size, _BYTE, _memory(size, "received"), size, _BYTE, 0, comm))


def answer(comm: int, size: int, groups: Sequence[Sequence[int]]) -> None:
    """Send `size` bytes from the running rank to each other rank in `groups`, group after group.

    This is the second half of MPI_Comm_split: rank 0 calls it directly after `gather_linearly`, and the other ranks
    call `await_answer`.
    """
    ffi = native.ffi
    ranks = ffi.new("int32_t[]", [rank for group in groups for rank in group])
    sizes = ffi.new("int32_t[]", [len(group) for group in groups])
    check(native.lib.pysmpi_answer(comm, size, len(groups), sizes, ranks))


def await_answer(comm: int, size: int) -> None:
    """Receive the `size` bytes that rank 0 sends with `answer`."""
    check(native.lib.pysmpi_await_answer(comm, size, 0))


def exchange(comm: int, peer: int, tag: int, size: int, room: int) -> None:
    """Send `size` bytes to another rank, and receive at most `room` bytes from it."""
    library, ffi = _library()
    sent, received = _memory(size, "sent"), _memory(room, "received")
    ignore = ffi.cast("void*", _STATUS_IGNORE)
    check(library.MPI_Sendrecv(sent, size, _BYTE, peer, tag, received, room, _BYTE, peer, tag, comm, ignore))


def complete_request(comm: int) -> int:
    """Return the handle of a request that is already complete: a receive from MPI_PROC_NULL."""
    library, ffi = _library()
    request = ffi.new("int*")
    check(library.MPI_Irecv(ffi.NULL, 0, _BYTE, PROC_NULL, 0, comm, request))
    return int(request[0])
