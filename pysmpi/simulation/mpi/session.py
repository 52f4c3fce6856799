"""Sessions: MPI without a world. MPI 4.1, section 11.3.

A rank has two process sets: the world it was started in, and itself. Sessions cost no simulated time.
"""

from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi import unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import find_communicator
from pysmpi.simulation.mpi.constants import COMM_SELF, COMM_WORLD, ERR_ARG, ERR_SESSION, FIRST_SESSION, SESSION_NULL
from pysmpi.simulation.mpi.group import Members, add_group
from pysmpi.simulation.mpi.info import add_info, copy_info
from pysmpi.simulation.mpi.texts import read_text

__all__ = ["find_session", "reset_sessions"]

_SETS = {"mpi://WORLD": COMM_WORLD, "mpi://SELF": COMM_SELF}

_sessions: dict[int, tuple[int, dict[str, str]]] = {}  # the rank that made the session, and its hints, by handle
_next_handle = FIRST_SESSION


def find_session(handle: int) -> dict[str, str]:
    """Return the hints of the session with this handle.

    Raises:
        MpiError: the handle is invalid.
    """
    found = _sessions.get(handle)
    if found is None:
        why = (
            "is MPI_SESSION_NULL"
            if handle == SESSION_NULL
            else f"{handle & 0xFFFFFFFF:#x} does not exist; was it finalized?"
        )
        raise MpiError(ERR_SESSION, f"the session {why}")
    return found[1]


def reset_sessions() -> None:
    """Discard the sessions that ranks have made."""
    for handle in [handle for handle, (rank, _) in _sessions.items() if rank >= 0]:
        del _sessions[handle]


@mpi_function("Session_init")
def session_init(info: int, handler: int, session: Any) -> None:
    """Create a session."""
    global _next_handle
    entries = copy_info(info)
    handle = _next_handle
    _next_handle += 1
    _sessions[handle] = running_rank(), {"thread_level": "MPI_THREAD_MULTIPLE", **entries}
    lib.pysmpi_set_error_handler(handle, handler)
    session[0] = handle
    unfreed_objects.made("session", handle)


@mpi_function("Session_finalize")
def session_finalize(session: Any) -> None:
    """Finalise a session."""
    find_session(session[0])
    del _sessions[session[0]]
    unfreed_objects.freed("session", session[0])
    lib.pysmpi_forget_error_handler(session[0])
    session[0] = SESSION_NULL


@mpi_function("Session_get_info")
def session_get_info(session: int, info: Any) -> None:
    """Return a new info object with the session's hints."""
    info[0] = add_info(dict(find_session(session)))


@mpi_function("Session_get_num_psets")
def session_get_num_psets(session: int, _info: int, count: Any) -> None:
    """Return the number of process sets that the rank knows."""
    find_session(session)
    count[0] = len(_SETS)


@mpi_function("Session_get_nth_pset")
def session_get_nth_pset(session: int, _info: int, n: int, length: Any, name: Any) -> None:
    """Return the name of a process set, truncated to `length` bytes with the final null, and the full size."""
    find_session(session)
    names = list(_SETS)
    if not 0 <= n < len(names):
        raise MpiError(ERR_ARG, f"invalid process set number {n}; valid: 0 to {len(names) - 1}", session)
    encoded = names[n].encode()
    if length[0] > 0:
        kept = encoded[: length[0] - 1] + b"\0"
        ffi.memmove(name, kept, len(kept))
    length[0] = len(encoded) + 1


def _members(session: int, name: Any) -> Members:
    find_session(session)
    text = read_text(name)
    for known, communicator in _SETS.items():
        if text.casefold() == known.casefold():
            return find_communicator(communicator).members
    raise MpiError(ERR_ARG, f"unknown process set {text!r}; valid: {' and '.join(_SETS)}", session)


@mpi_function("Session_get_pset_info")
def session_get_pset_info(session: int, name: Any, info: Any) -> None:
    """Return a new info object with the size of a process set."""
    info[0] = add_info({"mpi_size": str(len(_members(session, name)))})


@mpi_function("Group_from_session_pset")
def group_from_session_pset(session: int, name: Any, group: Any) -> None:
    """Return the group of a process set."""
    group[0] = add_group(_members(session, name))
