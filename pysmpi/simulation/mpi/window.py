"""Windows of one-sided communication as objects: creating, naming and freeing them. MPI 4.1, section 12.2.

A window is one object with one handle for all its members, with its own communicator. Each rank keeps its own name and
info for the window. Accesses and synchronisation are native (``native/rma``); ``native/rma/window.hpp`` describes their
costs. Creating a window takes the time of an allgather of 8 bytes per rank, as in SMPI. A shared window also takes a
broadcast and a barrier before that. Freeing a window takes two barriers.
"""

import dataclasses
import itertools
from collections.abc import Callable, Hashable
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi import collective, unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, check, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import Communicator, enter, find_communicator, free, join, next_creation
from pysmpi.simulation.mpi.constants import (
    ERR_ASSERT,
    ERR_BASE,
    ERR_COMM,
    ERR_DISP,
    ERR_GROUP,
    ERR_NO_MEM,
    ERR_RMA_ATTACH,
    ERR_RMA_FLAVOR,
    ERR_RMA_SHARED,
    ERR_RMA_SYNC,
    ERR_SIZE,
    ERR_WIN,
    ERRORS_ARE_FATAL,
    ERRORS_RETURN,
    MAX_OBJECT_NAME,
    UNDEFINED,
    WIN_NULL,
    from_bits,
)
from pysmpi.simulation.mpi.group import Members, add_group, find_group, my_world_rank
from pysmpi.simulation.mpi.info import add_info, copy_info
from pysmpi.simulation.mpi.texts import read_text, write_text

__all__ = ["reset_windows", "window_title"]

_CREATE, _ALLOCATE, _DYNAMIC, _SHARED = 1, 2, 3, 4  # values of MPI_WIN_FLAVOR_CREATE and so on
_WINDOWS = 2  # kind of object in the native table of attributes
_NO_CHECK, _NO_STORE, _NO_PUT = 1024, 2048, 4096  # values of MPI_MODE_NOCHECK, MPI_MODE_NOSTORE and MPI_MODE_NOPUT
_ALIGNMENT = 64  # bytes; alignment of parts of a noncontiguous shared window
_HINTS = {
    "accumulate_ops": "same_op_no_op",
    "accumulate_ordering": "rar,raw,war,waw",
    "no_locks": "false",
    "same_disp_unit": "false",
    "same_size": "false",
}


@dataclasses.dataclass(slots=True)
class _OfRank:
    """State of a window that each rank has for itself."""

    name: str = ""
    held: int = 0  # bytes of allocated memory
    info: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(slots=True)
class _Window:
    """A window, shared by its members.

    Attributes:
        handle: handle that programs use.
        flavor: one of MPI_WIN_FLAVOR_.
        members: ranks of the window.
        communicator: handle of its own communicator.
        sizes: size in bytes of each rank's part of a shared window, in rank order.
        bases: start of each part of a shared window, once allocated.
    """

    handle: int
    flavor: int
    members: Members
    communicator: int
    of_ranks: dict[int, _OfRank] = dataclasses.field(default_factory=dict)
    sizes: list[int] = dataclasses.field(default_factory=list)
    bases: list[Any] = dataclasses.field(default_factory=list)
    missing: int = 0  # number of members that have not joined yet
    freed: int = 0  # number of members that have freed it

    def mine(self) -> _OfRank:
        """Return the running rank's own state of the window."""
        return self.of_ranks.setdefault(running_rank(), _OfRank())


_windows: dict[int, _Window] = {}
_being_made: dict[Hashable, _Window] = {}


def reset_windows() -> None:
    """Discard all windows."""
    _windows.clear()
    _being_made.clear()
    lib.pysmpi_reset_windows()


def window_title(handle: int, rank: int) -> str:
    """Return a window's title in reports: the name that the rank has given it, or else how it was made."""
    window = _windows.get(from_bits(handle))
    if window is None:
        return f"window {handle & 0xFFFFFFFF:#x}"
    of_rank = window.of_ranks.get(rank)
    if of_rank is not None and of_rank.name:
        return f"window {of_rank.name!r}"
    return str(ffi.string(lib.pysmpi_communicator_title(window.communicator, rank)).decode())


def _find_window(handle: int) -> _Window:
    found = _windows.get(handle)
    if found is not None and found.members.position(my_world_rank()) != UNDEFINED:
        return found
    if handle == WIN_NULL:
        raise MpiError(ERR_WIN, "the window is MPI_WIN_NULL")
    raise MpiError(ERR_WIN, f"unknown window {handle & 0xFFFFFFFF:#x}; was it freed?")


def _begin(comm: int, flavor: int, info: int) -> _Window:
    """Create the window, or find it if another member has created it; every member of the communicator calls this."""
    parent = find_communicator(comm)
    if parent.remote is not None:
        raise MpiError(ERR_COMM, "an intercommunicator cannot have windows", comm)
    entries = copy_info(info)
    name = (*next_creation(parent), "window")
    own = join(name, parent.members, comm)
    lib.pysmpi_set_error_handler(own.handle, ERRORS_RETURN)  # the window's own error handler is called instead
    window = _being_made.get(own.handle)
    if window is None:
        handle = int(lib.pysmpi_window_add(flavor, own.handle, comm))
        window = _Window(handle, flavor, parent.members, own.handle, missing=len(parent.members))
        _windows[handle] = _being_made[own.handle] = window
    window.missing -= 1
    if window.missing == 0:
        del _being_made[own.handle]
    lib.pysmpi_set_error_handler(window.handle, ERRORS_ARE_FATAL)
    window.mine().info = {**_HINTS, **entries}
    return window


def _end(window: _Window, comm: int, win: Any) -> None:
    """Wait for all members in an allgather, then store the window's handle in the program's variable `win`."""
    collective.allgather(comm, 8)
    win[0] = window.handle
    unfreed_objects.made("window", window.handle)


def _check_sizes(comm: int, size: int, unit: int) -> None:
    if size < 0:
        raise MpiError(ERR_SIZE, f"negative size {size}", comm)
    if unit <= 0:
        raise MpiError(ERR_DISP, f"invalid displacement unit {unit}; it must be positive", comm)


@mpi_function("Win_create_c")
def win_create(base: Any, size: int, unit: int, info: int, comm: int, win: Any) -> None:
    """Create a window on existing memory of each rank."""
    win[0] = WIN_NULL
    find_communicator(comm)
    _check_sizes(comm, size, unit)
    if base == ffi.NULL and size > 0:
        raise MpiError(ERR_BASE, f"the base of {size} bytes is a null pointer", comm)
    check(int(lib.pysmpi_refuse_window_memory(base, size)))
    window = _begin(comm, _CREATE, info)
    lib.pysmpi_window_expose(window.handle, base, size, unit)
    _end(window, comm, win)


@mpi_function("Win_allocate_c")
def win_allocate(size: int, unit: int, info: int, comm: int, base: Any, win: Any) -> None:
    """Create a window with new memory for each rank."""
    win[0] = WIN_NULL
    find_communicator(comm)
    _check_sizes(comm, size, unit)
    window = _begin(comm, _ALLOCATE, info)
    memory = _allocate(window, size, comm)
    _hold(window, size)
    lib.pysmpi_window_expose(window.handle, memory, size, unit)
    _end(window, comm, win)
    ffi.cast("void**", base)[0] = memory


def _allocate(window: _Window, size: int, comm: int) -> Any:
    memory = lib.pysmpi_window_allocate(window.handle, size)
    if memory == ffi.NULL:
        raise MpiError(ERR_NO_MEM, f"cannot allocate {size} bytes", comm)
    return memory


def _hold(window: _Window, size: int) -> None:
    """Count memory of the window as the running rank's, in a run that counts requirements."""
    window.mine().held = size
    lib.pysmpi_hold_memory(running_rank(), size)


def _check_same_host(parent: Communicator) -> None:
    if running_rank() < 0:
        return
    first = parent.members.world_ranks[0]
    host = lib.pysmpi_rank_host(first)
    away = next((rank for rank in parent.members.world_ranks if lib.pysmpi_rank_host(rank) != host), None)
    if away is not None:
        text = (
            f"ranks {first} and {away} of MPI_COMM_WORLD share no memory; use MPI_Comm_split_type to find ranks that do"
        )
        raise MpiError(ERR_RMA_SHARED, text, parent.handle)


@mpi_function("Win_allocate_shared_c")
def win_allocate_shared(size: int, unit: int, info: int, comm: int, base: Any, win: Any) -> None:
    """Create a window on memory that all its ranks access directly, as ranks on one host can.

    The parts of the ranks are contiguous.

    With the info key alloc_shared_noncontig, each rank's part begins at a multiple of 64 bytes.
    """
    win[0] = WIN_NULL
    parent = find_communicator(comm)
    _check_sizes(comm, size, unit)
    _check_same_host(parent)
    window = _begin(comm, _SHARED, info)
    rank = parent.members.position(my_world_rank())
    if not window.sizes:
        window.sizes = [0] * len(parent.members)
    window.sizes[rank] = size
    collective.broadcast(comm, 8)
    collective.barrier(comm)
    if not window.bases:
        spread = window.mine().info.get("alloc_shared_noncontig") == "true"
        taken = [(-(-each // _ALIGNMENT) * _ALIGNMENT if spread else each) for each in window.sizes]
        memory = ffi.cast("char*", _allocate(window, sum(taken), comm))
        window.bases = [memory + before for before in itertools.accumulate(taken[:-1], initial=0)]
    _hold(window, size)
    lib.pysmpi_window_expose(window.handle, window.bases[rank], size, unit)
    _end(window, comm, win)
    ffi.cast("void**", base)[0] = window.bases[rank]


@mpi_function("Win_create_dynamic")
def win_create_dynamic(info: int, comm: int, win: Any) -> None:
    """Create a window to which ranks attach memory later. Displacements in it are memory addresses."""
    win[0] = WIN_NULL
    window = _begin(comm, _DYNAMIC, info)
    lib.pysmpi_window_expose(window.handle, ffi.NULL, 0, 1)
    _end(window, comm, win)


def _dynamic(win: int) -> _Window:
    window = _find_window(win)
    if window.flavor != _DYNAMIC:
        raise MpiError(ERR_RMA_FLAVOR, "memory can be attached only to windows made by MPI_Win_create_dynamic", win)
    return window


@mpi_function("Win_attach")
def win_attach(win: int, base: Any, size: int) -> None:
    """Attach memory to the window, so that other ranks can access it."""
    _dynamic(win)
    if size < 0:
        raise MpiError(ERR_SIZE, f"negative size {size}", win)
    check(int(lib.pysmpi_refuse_window_memory(base, size)))
    status = int(lib.pysmpi_window_attach(win, base, size))
    if status == -1:
        raise MpiError(ERR_RMA_ATTACH, f"part of the {size} bytes at {base} is attached already", win)
    check(status)


@mpi_function("Win_detach")
def win_detach(win: int, base: Any) -> None:
    """Withdraw the memory at `base` from the window."""
    _dynamic(win)
    if lib.pysmpi_window_detach(win, base) != 0:
        raise MpiError(ERR_RMA_ATTACH, f"no attached memory begins at {base}", win)


@mpi_function("Win_free")
def win_free(win: Any) -> None:
    """Free the window on all members."""
    window = _find_window(win[0])
    unfinished = lib.pysmpi_window_unfinished(window.handle)
    if unfinished != ffi.NULL:
        text = f"the window is in use; call {ffi.string(unfinished).decode()} first"
        raise MpiError(ERR_RMA_SYNC, text, window.handle)
    enter(find_communicator(window.communicator))
    collective.barrier(window.communicator)
    check(int(lib.pysmpi_window_finish(window.handle)))
    collective.barrier(window.communicator)
    check(int(lib.pysmpi_delete_attributes(_WINDOWS, window.handle)))
    lib.pysmpi_forget_error_handler(window.handle)
    lib.pysmpi_hold_memory(running_rank(), -window.mine().held)
    window.freed += 1
    if window.freed == len(window.members):
        del _windows[window.handle]
        lib.pysmpi_window_remove(window.handle)
    unfreed_objects.freed("window", window.handle)
    free(find_communicator(window.communicator))
    win[0] = WIN_NULL


@mpi_function("Win_get_group")
def win_get_group(win: int, group: Any) -> None:
    """Return the group of the window's members."""
    group[0] = add_group(_find_window(win).members)


@mpi_function("Win_set_name")
def win_set_name(win: int, name: Any) -> None:
    """Set the running rank's name for the window."""
    _find_window(win).mine().name = read_text(name)


@mpi_function("Win_get_name")
def win_get_name(win: int, name: Any, length: Any) -> None:
    """Return the running rank's name for the window; empty by default."""
    text = "MPI_WIN_NULL" if win == WIN_NULL else _find_window(win).mine().name
    length[0] = write_text(name, text, MAX_OBJECT_NAME)


@mpi_function("Win_set_info")
def win_set_info(win: int, info: int) -> None:
    """Store hints, which do not affect the simulation."""
    window, entries = _find_window(win), copy_info(info)
    enter(find_communicator(window.communicator), waits=False)
    window.mine().info.update(entries)


@mpi_function("Win_get_info")
def win_get_info(win: int, info: Any) -> None:
    """Return a new info object with the current hints."""
    info[0] = add_info(dict(_find_window(win).mine().info))


def _synchronise(group: int, assertion: int, valid: int, win: int, begin: Callable[[int, int, Any], int]) -> None:
    window, members = _find_window(win), find_group(group)
    if assertion & ~valid:
        text = f"invalid assertion {assertion}; valid: 0, or MPI_MODE_ constants that this function accepts"
        raise MpiError(ERR_ASSERT, text, win)
    ranks = [window.members.position(world_rank) for world_rank in members.world_ranks]
    if UNDEFINED in ranks:
        world_rank = members.world_ranks[ranks.index(UNDEFINED)]
        raise MpiError(ERR_GROUP, f"rank {world_rank} of MPI_COMM_WORLD is in the group but not in the window", win)
    check(int(begin(win, len(ranks), ffi.new("int32_t[]", ranks))))


@mpi_function("Win_post")
def win_post(group: int, assertion: int, win: int) -> None:
    """Allow the group's ranks to access the running rank's memory."""
    _synchronise(group, assertion, _NO_CHECK | _NO_STORE | _NO_PUT, win, lib.pysmpi_window_post)


@mpi_function("Win_start")
def win_start(group: int, assertion: int, win: int) -> None:
    """Begin to access the memory of the group's ranks, as soon as they have allowed it with MPI_Win_post."""
    _synchronise(group, assertion, _NO_CHECK, win, lib.pysmpi_window_start)
