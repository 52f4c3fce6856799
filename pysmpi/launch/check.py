"""What a program has left behind when it has ended (``--check``): messages that nobody has received, requests that have
not been completed, and objects that have not been freed. Such programs work, but waste memory, or are not what their
authors mean.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pysmpi.launch.deadlock import ranges
from pysmpi.launch.traceback_text import place_of
from pysmpi.mpi import leftovers
from pysmpi.native import ffi, lib

__all__ = ["findings", "observed"]

_PREDEFINED = {0x44000000: "MPI_COMM_WORLD", 0x44000001: "MPI_COMM_SELF"}
_KINDS = {
    "communicator": "communicators",
    "group": "groups",
    "datatype": "datatypes",
    "operation": "operations",
    "window": "windows",
    "file": "files",
    "info": "info objects",
    "session": "sessions",
}
_LISTED = 20  # lines of one kind


@contextmanager
def observed() -> Iterator[None]:
    """What ranks make meanwhile is noted, with its place."""
    leftovers.observe(lambda: place_of(sys._getframe()))
    try:
        yield
    finally:
        leftovers.stop_observing()


def findings() -> list[str]:
    """A line for each kind that something is left of, followed by indented ones that say what; while it is observed."""
    count = lib.pysmpi_read_leftovers(0, ffi.NULL)
    found = ffi.new("pysmpi_leftover[]", max(count, 1))
    lib.pysmpi_read_leftovers(count, found)
    messages = [_message(found[i]) for i in range(count) if found[i].is_message]
    requests = [_request(found[i]) for i in range(count) if not found[i].is_message]
    lines = [*_section("message", "messages", "never received", messages)]
    lines += _section("request", "requests", "never completed", requests)
    unfreed = leftovers.unfreed()
    for kind, plural in _KINDS.items():
        of_kind = [(rank, _at("made", place)) for each, rank, place in unfreed if each == kind]
        lines += _section(kind if kind != "info" else "info object", plural, "never freed", of_kind)
    return lines


def _section(one: str, many: str, what: str, found: list[tuple[int, str]]) -> list[str]:
    if not found:
        return []
    lines = [f"{len(found):,} {many} were {what}" if len(found) != 1 else f"1 {one} was {what}"]
    alike: dict[str, list[int]] = {}
    for rank, text in found:
        alike.setdefault(text, []).append(rank)
    lines += [f"  {_ranks(ranks)}: {text}{_times(ranks)}" for text, ranks in alike.items()]
    if len(lines) > _LISTED + 1:
        lines[_LISTED + 1 :] = [f"  … and {len(lines) - _LISTED - 1:,} more such lines"]
    return lines


def _ranks(ranks: Iterable[int]) -> str:
    different = sorted(set(ranks))
    return f"rank{'s' if len(different) > 1 else ''} {ranges(different)}"


def _times(ranks: list[int]) -> str:
    different = len(set(ranks))
    return f" ({len(ranks):,} in all)" if len(ranks) > different else ""


def _at(done: str, place: str | None) -> str:
    return f"{done} at {place}" if place else f"{done} at an unknown place"


def _on(found: "ffi.CData") -> str:
    handle = found.communicator & 0xFFFFFFFF
    return _PREDEFINED.get(handle, f"communicator {handle:#x}")


def _message(found: "ffi.CData") -> tuple[int, str]:
    place = leftovers.request_place(found.id, found.rank)
    text = f"to rank {found.peer}, tag {found.tag}, {found.bytes:,} bytes, on {_on(found)}, {_at('sent', place)}"
    return found.rank, text


def _request(found: "ffi.CData") -> tuple[int, str]:
    call = ffi.string(found.call).decode()
    return found.rank, f"{call}, {_at('begun', leftovers.request_place(found.id, found.rank))}"
