"""Reports on deadlocks, endless polling and stops at ``--break-at``: the calls and cycles in which ranks wait."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pysmpi.util.quantities import counted, ranges

__all__ = [
    "Blocked",
    "Unreceived",
    "polling_report",
    "program_name",
    "report",
    "stop_report",
    "whereabouts_report",
]

_ANY_SOURCE = -2
_ANY_TAG = -1
_LISTED = 64  # largest number of blocked ranks that are listed one by one
_SHOWN = 12  # largest number of cycles, and of ranks of a cycle, that are printed

_RECEIVE, _SEND, _COLLECTIVE, _PROBE, _TIME, _LOCK = 1, 2, 3, 4, 5, 8
# Functions that end waits for another rank, by the function that waits.
_ENDS_WAIT = {"MPI_Win_start": "MPI_Win_post", "MPI_Win_wait": "MPI_Win_complete"}


@dataclass(frozen=True, slots=True)
class Blocked:
    """Blocked rank and what it waits for.

    Attributes:
        rank: rank in MPI_COMM_WORLD.
        host: name of its host, or empty in a model without hosts.
        call: MPI function, such as "MPI_Recv".
        kind: 1 receive, 2 send, 3 collective, 4 probe, 5 passing of time, 6 other, 7 another thread of the rank,
            8 lock of a window.
        communicator: name of the communicator or window, or empty.
        peer: rank of the other side in the communicator, or -2 for any source. For a lock: rank in the window whose
            memory is locked, or -1 for all ranks.
        peer_world: rank of the other side in MPI_COMM_WORLD, or a negative number. For a lock: rank that holds a
            conflicting lock.
        tag: tag of the message, or -1 for any tag.
        bytes: size of the message, or of the receive buffer.
        requests: number of requests that the call waits for.
        place: position in the program as ``file:line``, or None if unknown.
        collective: nonblocking collective that the call waits for, such as "MPI_Ibcast", or empty.
        name: name of the call in the program, such as "comm.recv", if it is not that of the MPI function; or empty.
        partitioned: True if the message is a partitioned send or receive.
        not_ready: number of partitions of a send that the program has not marked ready.
        partition: number of the first partition that is not ready.
        text: description of the call that replaces the one made of its parts, or empty.
    """

    rank: int
    host: str
    call: str
    kind: int
    communicator: str
    peer: int
    peer_world: int
    tag: int
    bytes: int
    requests: int
    place: str | None
    collective: str = ""
    name: str = ""
    partitioned: bool = False
    not_ready: int = 0
    partition: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unreceived:
    """Message that was sent but not received, for reports on deadlocks.

    Attributes:
        sender: rank in MPI_COMM_WORLD.
        receiver: rank in MPI_COMM_WORLD.
        communicator: name of the communicator, or empty.
        tag: tag of the message.
        bytes: size of the message.
        place: position of the send as ``file:line``, or None if unknown.
    """

    sender: int
    receiver: int
    communicator: str
    tag: int
    bytes: int
    place: str | None = None


def program_name(written: str | None, call: str) -> str:
    """Return the name of a call as the program writes it, or "" if it is only another spelling of the MPI function.

    Example: "comm.recv" for a call of MPI_Mprobe, but "" for "comm.Recv" and MPI_Recv.

    Args:
        written: name as in the source, such as "comm.recv", or None if unknown.
        call: MPI function that was called, such as "MPI_Mprobe".
    """
    last = (written or "").rpartition(".")[2].lower()
    if written is None or not call.startswith("MPI_") or last == call.lower().removeprefix("mpi_"):
        return ""
    return written


def report(
    blocked: Sequence[Blocked],
    ranks: int,
    simulated_time: float,
    *,
    all_sends_wait: bool = False,
    unreceived: Sequence[Unreceived] = (),
) -> str:
    """Return the text of a report on a deadlock.

    Args:
        blocked: blocked ranks in rank order, with one entry for each thread that waits.
        ranks: number of all ranks; ranks that are not blocked have ended.
        simulated_time: time of the deadlock in seconds.
        all_sends_wait: True if a setting lets standard sends wait for their receives.
        unreceived: messages that no receive has matched; messages that nearly match a blocked receive are listed.
    """
    waiting, others, threads = _numbers(blocked, ranks)
    many = f"ranks{threads} are" if waiting != 1 else f"rank{threads} is"
    first = f"deadlock at {simulated_time:.9g} s: {waiting} {many} blocked and no event is pending{others}"
    hints = _hints_on_sends(blocked) if all_sends_wait else []
    return "\n".join([first, *_lines(blocked, ranks), *_near_matches(blocked, unreceived), *_causes(blocked), *hints])


def polling_report(blocked: Sequence[Blocked], ranks: int, simulated_time: float) -> str:
    """Return the text of a report on ranks that poll without success while no event is pending.

    Args:
        blocked: call of each rank that polls or waits, in rank order.
        ranks: number of all ranks; ranks that are not in `blocked` have ended.
        simulated_time: current simulated time in seconds.
    """
    waiting, others, threads = _numbers(blocked, ranks)
    many = f"ranks{threads} have" if waiting != 1 else f"rank{threads} has"
    first = (
        f"the program may wait forever: at {simulated_time:.9g} s two million polls were unsuccessful and no event is "
        f"pending; {waiting} {many} not ended{others}"
    )
    return "\n".join([first, *_lines(blocked, ranks)])


def stop_report(
    blocked: Sequence[Blocked], ranks: int, simulated_time: float, following: int, unbegun: Sequence[int]
) -> str:
    """Return the text of a report on a simulation that has stopped at a given time (``--break-at``).

    Args:
        blocked: call in which each rank waits, or has waited until now, in rank order.
        ranks: number of all ranks.
        simulated_time: time of the stop in seconds.
        following: rank that continues next.
        unbegun: ranks that have not begun, in order.
    """
    ended = ranks - len({each.rank for each in blocked}) - len(unbegun)
    others = f"; {ended} rank{'s have' if ended != 1 else ' has'} ended" if ended else ""
    first = f"stopped at {simulated_time:.9g} s, before rank {following} continues{others}"
    begun = [f"  rank{'s' if len(unbegun) > 1 else ''} {ranges(unbegun)}: not begun"] if unbegun else []
    return "\n".join([first, *_lines(blocked, ranks), *begun])


def whereabouts_report(
    blocked: Sequence[Blocked],
    computing: str,
    ranks: int,
    simulated_time: float,
    ready: Sequence[int],
    unbegun: Sequence[int],
) -> str:
    """Return the text of a report on where each rank of a running simulation is.

    Args:
        blocked: call in which each rank waits, in rank order.
        computing: sentence on the rank that computes, or on the engine if none does.
        ranks: number of all ranks.
        simulated_time: current simulated time in seconds.
        ready: ranks that can continue when their turn comes, in order.
        unbegun: ranks that have not begun, in order.
    """
    others = [
        f"  rank{'s' if len(which) > 1 else ''} {ranges(which)}: {what}"
        for which, what in ((ready, "ready to continue"), (unbegun, "not begun"))
        if which
    ]
    return "\n".join([f"at {simulated_time:.9g} s of simulated time {computing}", *_lines(blocked, ranks), *others])


def _numbers(blocked: Sequence[Blocked], ranks: int) -> tuple[int, str, str]:
    """Return the parts of a report's first line.

    Returns:
        Number of waiting ranks; text such as "; 2 others have ended", or ""; and text such as " (5 threads)" if more
        threads than ranks wait, or "".
    """
    waiting = len({each.rank for each in blocked})
    ended = ranks - waiting
    others = f"; {ended} other{'s have' if ended != 1 else ' has'} ended" if ended else ""
    threads = f" ({counted(len(blocked), 'thread')})" if len(blocked) != waiting else ""
    return waiting, others, threads


def _lines(blocked: Sequence[Blocked], ranks: int) -> list[str]:
    if len(blocked) <= _LISTED:
        return [f"  {_rank(each)}: {_describe(each, _peer(each))}" for each in blocked]
    return [f"  {_group_line(group, ranks)}" for group in _groups(blocked)]


def _rank(each: Blocked) -> str:
    return f"rank {each.rank} ({each.host})" if each.host else f"rank {each.rank}"


def _describe(each: Blocked, peer: str) -> str:
    if each.text:
        return each.text
    parts = [f"{each.call} for {each.collective}" if each.collective else each.name or each.call]
    if each.communicator:
        parts.append(f"on {each.communicator}")
    if each.kind in {_RECEIVE, _PROBE}:
        parts.append(f"from {peer}")
    elif each.kind == _SEND:
        parts.append(f"to {peer}")
    text = " ".join(parts)
    if each.kind in {_RECEIVE, _SEND, _PROBE}:
        text += f", tag {'any' if each.tag == _ANY_TAG else each.tag}"
    if each.kind in {_RECEIVE, _SEND}:
        text += f", {_message(each)}"
    if each.kind == _LOCK:
        text += f" of rank {each.peer}" if each.peer >= 0 else ""
        text += f", which rank {each.peer_world} holds" if each.peer_world >= 0 else ", behind other waiting ranks"
    if each.requests > 1:
        text += f" (the first of {counted(each.requests, 'request')})"
    if each.kind == _COLLECTIVE and each.peer >= 0:
        text += f", waiting for {peer}"
        text += f" to call {_ENDS_WAIT[each.call]}" if each.call in _ENDS_WAIT else ""
    if each.place is not None:
        text += f", at {each.place}"
    return text


def _message(each: Blocked) -> str:
    size = counted(each.bytes, "byte")
    if not each.partitioned:
        return f"up to {size}" if each.kind == _RECEIVE else size
    if each.kind == _RECEIVE:
        return f"partitioned receive of {size}"
    text = f"partitioned send of {size}"
    if each.not_ready == 1:
        text += f", partition {each.partition} is not ready"
    elif each.not_ready > 1:
        text += f", {each.not_ready} partitions are not ready, the first is {each.partition}"
    return text


def _peer(each: Blocked) -> str:
    if each.peer == _ANY_SOURCE:
        return "any source"
    if each.peer_world in {each.peer, -1}:
        return f"rank {each.peer}"
    return f"rank {each.peer} (rank {each.peer_world} of MPI_COMM_WORLD)"


def _groups(blocked: Iterable[Blocked]) -> list[list[Blocked]]:
    alike: dict[tuple[object, ...], list[Blocked]] = {}
    for each in blocked:
        # The peer, tag and bytes of a collective are those of one of its inner messages, and differ between ranks that
        # wait in the same call.
        any_source = each.peer == _ANY_SOURCE
        partitions = (each.partitioned, each.not_ready, each.partition)
        message = None if each.kind in {_COLLECTIVE, _LOCK} else (each.tag, each.bytes, any_source, partitions)
        call = (each.call, each.name, each.collective, each.text)
        key = (call, each.kind, each.communicator, each.requests, each.place, message)
        alike.setdefault(key, []).append(each)
    return list(alike.values())


def _group_line(group: Sequence[Blocked], ranks: int) -> str:
    first = group[0]
    if len(group) == 1:
        return f"{_rank(first)}: {_describe(first, _peer(first))}"
    return (
        f"{len(group)} ranks ({ranges([each.rank for each in group])}): {_describe(first, _common_peer(group, ranks))}"
    )


def _common_peer(group: Sequence[Blocked], ranks: int) -> str:
    first = group[0]
    if first.peer == _ANY_SOURCE or all(each.peer_world == first.peer_world for each in group):
        return _peer(first)
    if all(each.peer == first.peer for each in group):
        return f"rank {first.peer}"
    offset = (first.peer_world - first.rank) % ranks
    if all((each.peer_world - each.rank) % ranks == offset for each in group):
        signed = offset if offset <= ranks // 2 else offset - ranks
        return f"rank {'+' if signed > 0 else '-'} {abs(signed)} (modulo {ranks})"
    return "various ranks"


def _causes(blocked: Sequence[Blocked]) -> list[str]:
    """Return lines on cycles of ranks that wait for each other, and on ranks that wait for ended ranks."""
    waits_for = {each.rank: each.peer_world for each in blocked if each.peer_world >= 0}
    lines = [f"wait-for cycle: {_circle(cycle)}" for cycle in _cycles(waits_for) if len(cycle) > 1]
    lines += [f"rank {rank} waits for itself" for rank, peer in waits_for.items() if rank == peer]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"… and {len(lines) - _SHOWN} more"]
    waiting = {each.rank for each in blocked}
    gone = [(rank, peer) for rank, peer in waits_for.items() if peer not in waiting]
    if gone:
        rank, peer = gone[0]
        more = f" (and {len(gone) - 1} more wait for ranks that have ended)" if len(gone) > 1 else ""
        lines.append(f"rank {rank} waits for rank {peer}, which has ended{more}")
    return lines


def _near_matches(blocked: Sequence[Blocked], unreceived: Sequence[Unreceived]) -> list[str]:
    """Return a line for each message that nearly matches a blocked receive.

    It comes from a rank from which the receive accepts messages, but with another tag or communicator.
    """
    messages: dict[int, list[Unreceived]] = {}
    for message in unreceived:
        messages.setdefault(message.receiver, []).append(message)
    lines = []
    for each in blocked:
        if each.kind not in {_RECEIVE, _PROBE} or each.partitioned:
            continue
        for message in messages.get(each.rank, ()):
            if each.peer_world not in (message.sender, _ANY_SOURCE, -1):
                continue
            wanted = []
            if each.tag not in (message.tag, _ANY_TAG):
                wanted.append(f"tag {each.tag}")
            if message.communicator != each.communicator:
                wanted.append(each.communicator)
            if wanted:
                on = f" on {message.communicator}" if message.communicator else ""
                at = f" at {message.place}" if message.place is not None else ""
                lines.append(
                    f"unreceived: rank {message.sender} -> {message.receiver}, tag {message.tag}, "
                    f"{counted(message.bytes, 'byte')}{on}{at}; rank {each.rank} wanted {' on '.join(wanted)}"
                )
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"… and {len(lines) - _SHOWN} more unreceived messages"]
    return lines


def _hints_on_sends(blocked: Sequence[Blocked]) -> list[str]:
    """Return a list with one hint for programs that rely on buffered sends, or an empty list if no such send waits."""
    waiting = {each.rank for each in blocked if each.kind == _SEND and each.call != "MPI_Ssend"}
    if not waiting:
        return []
    many = f"{len(waiting)} ranks wait" if len(waiting) > 1 else f"rank {min(waiting)} waits"
    return [
        f"{many} for a send that an MPI library may have buffered: here all standard sends are synchronous "
        "(--all-sends-synchronous, smpi/buffering:zero). A program must not rely on buffering: with larger messages "
        "it hangs. Let one side receive first, or use MPI_Sendrecv, or MPI_Irecv before the send and MPI_Wait after it"
    ]


def _cycles(waits_for: dict[int, int]) -> list[list[int]]:
    """Return the cycles of ranks that wait for each other, each beginning with its lowest rank.

    Args:
        waits_for: for each waiting rank, the rank that it waits for.
    """
    visited: dict[int, int] = {}  # start of the walk that visited the rank, by rank
    found: list[list[int]] = []
    for start in waits_for:
        rank: int = start
        while rank in waits_for and rank not in visited:
            visited[rank] = start
            rank = waits_for[rank]
        if visited.get(rank) == start and rank in waits_for:
            cycle = [rank]
            while waits_for[cycle[-1]] != rank:
                cycle.append(waits_for[cycle[-1]])
            lowest = cycle.index(min(cycle))
            found.append(cycle[lowest:] + cycle[:lowest])
    return found


def _circle(cycle: Sequence[int]) -> str:
    names: list[str] = [str(rank) for rank in cycle]
    if len(names) > _SHOWN:
        names = [*names[: _SHOWN // 2], "…", *names[-_SHOWN // 2 + 1 :]]
    return " -> ".join(["rank " + names[0], *names[1:], str(cycle[0])]) + f" ({counted(len(cycle), 'rank')})"
