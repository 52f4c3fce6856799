"""Leftovers of a finished program: messages not received, requests not completed, and objects not freed.

Programs with leftovers work, but waste memory, or contain a mistake such as a missing receive.
"""

from collections.abc import Collection, Iterator

from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.check.finding import Finding, rank_names
from pysmpi.simulation.mpi import unfreed_objects
from pysmpi.util.quantities import counted

__all__ = ["left_behind"]

_OBJECTS = {
    "communicator": ("unfreed-communicator", "freed a communicator"),
    "group": ("unfreed-group", "freed a group"),
    "datatype": ("unfreed-datatype", "freed a datatype"),
    "operation": ("unfreed-operation", "freed an operation"),
    "window": ("unfreed-window", "freed a window"),
    "file": ("unclosed-file", "closed a file"),
    "info": ("unfreed-info", "freed an info object"),
    "session": ("unfinalized-session", "finalized a session"),
}
_PROBED = 2  # value of is_message for messages found by a matched probe

_Left = tuple[str, int, str, str | None]  # kind, rank, text, source line


def left_behind(failed: Collection[int] = ()) -> Iterator[Finding]:
    """Yield findings on messages not received, requests not completed and objects not freed in a checked run.

    If several ranks have left the same kind of thing at the same source line, they share one finding.

    Args:
        failed: ranks whose hosts failed; their leftovers are ignored, because they could not clean up.
    """
    alike: dict[tuple[str, str, str | None], list[int]] = {}
    for kind, rank, text, place in (*_messages_and_requests(failed), *_objects()):
        if rank in failed:
            continue
        alike.setdefault((kind, text, place), []).append(rank)
    for (kind, text, place), ranks in alike.items():
        different = tuple(sorted(set(ranks)))
        has = "have" if len(different) > 1 else "has"
        more = f" ({len(ranks):,} in all)" if len(ranks) > len(different) else ""
        at = f"at {place}" if place else "at an unknown place"
        sentence = f"{rank_names(different)} {has} {text.format(at=at)}{more}"
        yield Finding(kind, sentence, different, (place,) if place else (), len(ranks))


def _objects() -> Iterator[_Left]:
    unfreed = unfreed_objects.unfreed()
    for kind, (name, freed) in _OBJECTS.items():
        for each, rank, place in unfreed:
            if each == kind:
                yield name, rank, f"never {freed} made {{at}}", place


def _messages_and_requests(failed: Collection[int]) -> Iterator[_Left]:
    count = lib.pysmpi_read_leftovers(0, ffi.NULL)
    found = ffi.new("pysmpi_leftover[]", max(count, 1))
    lib.pysmpi_read_leftovers(count, found)
    everything = [found[i] for i in range(count)]
    for each in everything:
        if each.is_message and each.peer_world not in failed:
            probed = each.is_message == _PROBED
            kind = "unreceived-probed-message" if probed else "unreceived-message"
            what = "that a matched probe found and nobody received" if probed else "that nobody received"
            text = f"sent a message {{at}} {what}: to rank {each.peer}, tag {each.tag}, {counted(each.bytes, 'byte')}, "
            yield kind, each.rank, text + f"on {_communicator(each)}", _place(each)
    for each in everything:
        if not each.is_message:
            call = ffi.string(each.call).decode()
            yield "unfinished-request", each.rank, f"never completed the request of {call} {{at}}", _place(each)


def _place(left: "ffi.CData") -> str | None:
    return ffi.string(lib.pysmpi_request_place(left.id)).decode() or None


def _communicator(left: "ffi.CData") -> str:
    title = lib.pysmpi_communicator_title(left.communicator, left.rank)
    return "a freed communicator" if title == ffi.NULL else str(ffi.string(title).decode())
