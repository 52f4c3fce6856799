"""Sessions: MPI without a world. MPI 4.1, section 11.3.

A rank has two process sets, the world that it was started in and itself. Sessions cost no simulated time.
"""

from typing import Any

from pysmpi.mpi import leftovers
from pysmpi.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.mpi.communicator import find_communicator
from pysmpi.mpi.constants import COMM_SELF, COMM_WORLD, ERR_ARG, ERR_SESSION, FIRST_SESSION, SESSION_NULL
from pysmpi.mpi.group import Members, add_group
from pysmpi.mpi.info import add_info, copy_info
from pysmpi.mpi.texts import read_text
from pysmpi.native import ffi, lib

__all__ = ["find_session", "reset_sessions"]

_SETS = {"mpi://WORLD": COMM_WORLD, "mpi://SELF": COMM_SELF}

_sessions: dict[int, tuple[int, dict[str, str]]] = {}  # by handle: the rank that made it, and its hints
_next_handle = FIRST_SESSION


def find_session(handle: int) -> dict[str, str]:
    """The hints of a session.

    Raises:
        MpiError: the handle names none.
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
    """Forgets the sessions that ranks have made."""
    for handle in [handle for handle, (rank, _) in _sessions.items() if rank >= 0]:
        del _sessions[handle]


@mpi_function("Session_init")
def session_init(info: int, handler: int, session: Any) -> None:
    """A new one."""
    global _next_handle
    entries = copy_info(info)
    handle = _next_handle
    _next_handle += 1
    _sessions[handle] = running_rank(), {"thread_level": "MPI_THREAD_MULTIPLE", **entries}
    lib.pysmpi_set_error_handler(handle, handler)
    session[0] = handle
    leftovers.made("session", handle)


@mpi_function("Session_finalize")
def session_finalize(session: Any) -> None:
    """The handle names nothing from here on."""
    find_session(session[0])
    del _sessions[session[0]]
    leftovers.freed("session", session[0])
    lib.pysmpi_forget_error_handler(session[0])
    session[0] = SESSION_NULL


@mpi_function("Session_get_info")
def session_get_info(session: int, info: Any) -> None:
    """A new info object with its hints."""
    info[0] = add_info(dict(find_session(session)))


@mpi_function("Session_get_num_psets")
def session_get_num_psets(session: int, _info: int, count: Any) -> None:
    """How many process sets the rank knows."""
    find_session(session)
    count[0] = len(_SETS)


@mpi_function("Session_get_nth_pset")
def session_get_nth_pset(session: int, _info: int, n: int, length: Any, name: Any) -> None:
    """The name of a process set, cut to `length` characters with its final zero; and the length that it needs."""
    find_session(session)
    names = list(_SETS)
    if not 0 <= n < len(names):
        raise MpiError(ERR_ARG, f"invalid process set number {n}, valid are 0 to {len(names) - 1}", session)
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
    raise MpiError(ERR_ARG, f"no process set has the name {text!r}, valid are {' and '.join(_SETS)}", session)


@mpi_function("Session_get_pset_info")
def session_get_pset_info(session: int, name: Any, info: Any) -> None:
    """A new info object with the size of a process set."""
    info[0] = add_info({"mpi_size": str(len(_members(session, name)))})


@mpi_function("Group_from_session_pset")
def group_from_session_pset(session: int, name: Any, group: Any) -> None:
    """The group of a process set."""
    group[0] = add_group(_members(session, name))
