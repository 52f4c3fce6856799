"""Info objects: ordered tables of strings. MPI 4.1, chapter 10."""

import sys
from typing import Any

from pysmpi.simulation.mpi import unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.constants import (
    ERR_ARG,
    ERR_INFO,
    ERR_INFO_KEY,
    ERR_INFO_NOKEY,
    ERR_INFO_VALUE,
    FIRST_INFO,
    INFO_ENV,
    INFO_NULL,
    MAX_INFO_KEY,
    MAX_INFO_VAL,
)
from pysmpi.simulation.mpi.texts import read_text, write_text

__all__ = ["add_info", "copy_info", "find_info", "reset_infos"]

_infos: dict[int, tuple[int, dict[str, str]]] = {}  # the rank that made the object, and its entries, by handle
_next_handle = FIRST_INFO


def add_info(entries: dict[str, str]) -> int:
    """Return a new handle for an info object with these entries."""
    global _next_handle
    handle = _next_handle
    _next_handle += 1
    _infos[handle] = (running_rank(), entries)
    unfreed_objects.made("info", handle)
    return handle


def find_info(handle: int) -> dict[str, str]:
    """Return the entries of the info object with this handle.

    Raises:
        MpiError: the handle is invalid.
    """
    found = _infos.get(handle)
    if found is not None:
        return found[1]
    if handle == INFO_ENV:
        return {
            "command": sys.argv[0] if sys.argv else "",
            "argv": " ".join(sys.argv[1:]),
            "thread_level": "MPI_THREAD_MULTIPLE",
        }
    if handle == INFO_NULL:
        raise MpiError(ERR_INFO, "the info object is MPI_INFO_NULL")
    raise MpiError(ERR_INFO, f"unknown info object {handle & 0xFFFFFFFF:#x}; was it freed?")


def _changeable(handle: int) -> dict[str, str]:
    entries = find_info(handle)
    if handle == INFO_ENV:
        raise MpiError(ERR_INFO, "MPI_INFO_ENV cannot be changed or freed")
    return entries


def copy_info(handle: int) -> dict[str, str]:
    """Return a copy of the entries; for MPI_INFO_NULL an empty table."""
    return {} if handle == INFO_NULL else dict(find_info(handle))


def reset_infos() -> None:
    """Discard the info objects that ranks have made."""
    for handle in [handle for handle, (rank, _) in _infos.items() if rank >= 0]:
        del _infos[handle]


def _text(pointer: Any, longest: int, error_class: int, what: str) -> str:
    text = read_text(pointer)
    if not text and what == "key":
        raise MpiError(error_class, "the key is empty")
    if len(text) > longest:
        raise MpiError(error_class, f"the {what} has {len(text)} characters; at most {longest} are allowed")
    return text


def _key(pointer: Any) -> str:
    return _text(pointer, MAX_INFO_KEY, ERR_INFO_KEY, "key")


@mpi_function("Info_create")
def info_create(info: Any) -> None:
    """Create an empty info object."""
    info[0] = add_info({})


@mpi_function("Info_create_env")
def info_create_env(_argc: int, _argv: Any, info: Any) -> None:
    """Create an info object with the entries of MPI_INFO_ENV for the rank's command line.

    The arguments argc and argv are ignored.
    """
    info[0] = add_info(dict(find_info(INFO_ENV)))


@mpi_function("Info_dup")
def info_dup(info: int, newinfo: Any) -> None:
    """Create an info object with the same entries in the same order."""
    newinfo[0] = add_info(dict(find_info(info)))


@mpi_function("Info_free")
def info_free(info: Any) -> None:
    """Free the info object's handle."""
    _changeable(info[0])
    del _infos[info[0]]
    unfreed_objects.freed("info", info[0])
    info[0] = INFO_NULL


@mpi_function("Info_set")
def info_set(info: int, key: Any, value: Any) -> None:
    """Add an entry, or replace its value."""
    _changeable(info)[_key(key)] = _text(value, MAX_INFO_VAL, ERR_INFO_VALUE, "value")


@mpi_function("Info_delete")
def info_delete(info: int, key: Any) -> None:
    """Remove the entry with this key."""
    entries, name = _changeable(info), _key(key)
    if name not in entries:
        raise MpiError(ERR_INFO_NOKEY, f"unknown key {name!r}")
    del entries[name]


@mpi_function("Info_get")
def info_get(info: int, key: Any, length: int, value: Any, flag: Any) -> None:
    """Return the value of an entry, truncated to `length` characters."""
    found = find_info(info).get(_key(key))
    flag[0] = found is not None
    if found is not None:
        write_text(value, found, length + 1)


@mpi_function("Info_get_string")
def info_get_string(info: int, key: Any, room: Any, value: Any, flag: Any) -> None:
    """Return the value of an entry, truncated to `room` bytes with the final null, and set `room` to the full size."""
    found = find_info(info).get(_key(key))
    flag[0] = found is not None
    if found is not None:
        if room[0] > 0:
            write_text(value, found, room[0])
        room[0] = len(found.encode(errors="surrogateescape")) + 1


@mpi_function("Info_get_valuelen")
def info_get_valuelen(info: int, key: Any, length: Any, flag: Any) -> None:
    """Return the length of an entry's value."""
    found = find_info(info).get(_key(key))
    flag[0] = found is not None
    if found is not None:
        length[0] = len(found.encode(errors="surrogateescape"))


@mpi_function("Info_get_nkeys")
def info_get_nkeys(info: int, count: Any) -> None:
    """Return the number of entries of the info object."""
    count[0] = len(find_info(info))


@mpi_function("Info_get_nthkey")
def info_get_nthkey(info: int, n: int, key: Any) -> None:
    """Return the n-th key in the order of creation."""
    keys = list(find_info(info))
    if not 0 <= n < len(keys):
        raise MpiError(ERR_ARG, f"invalid key number {n}; valid: 0 to {len(keys) - 1}")
    write_text(key, keys[n], MAX_INFO_KEY + 1)
