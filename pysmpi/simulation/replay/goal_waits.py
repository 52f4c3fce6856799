"""Operations of GOAL programs that wait for ever, for reports on deadlocks."""

from collections.abc import Callable

from pysmpi.native import ffi, lib
from pysmpi.simulation.launch.deadlock import Blocked, Unreceived
from pysmpi.simulation.replay.source import Goal

__all__ = ["goal_waits"]

_SEND, _RECEIVE, _COMPUTE = 0, 1, 2  # kinds of operations
_NAMES = {_SEND: "send", _RECEIVE: "recv"}
_OTHER = 6
_KINDS = {_SEND: 2, _RECEIVE: 1, _COMPUTE: _OTHER}  # values of `Blocked.kind`


def goal_waits(goal: Goal, host_name: Callable[[int], str]) -> tuple[list[Blocked], list[Unreceived]]:
    """Return the operation that blocks each blocked rank, and the messages that no receive has matched.

    Args:
        goal: the program, in a deadlock.
        host_name: function that returns the name of a rank's host, or an empty string in a model without hosts.
    """
    count = lib.pysmpi_replay_read_waits(0, ffi.NULL)
    found = ffi.new("pysmpi_goal_wait[]", max(count, 1))
    lib.pysmpi_replay_read_waits(count, found)
    waits = [found[i] for i in range(count)]
    blocked = [_blocked(goal, each, host_name(each.rank)) for each in waits if each.blocks]
    unreceived = [
        Unreceived(each.rank, each.peer, "", each.tag, each.size, goal.place(each.rank, each.line))
        for each in waits
        if not each.blocks
    ]
    return blocked, unreceived


def _blocked(goal: Goal, wait: "ffi.CData", host: str) -> Blocked:
    is_message = wait.kind in _NAMES
    if is_message:
        peer, tag = ("any" if number < 0 else number for number in (wait.peer, wait.tag))
        name = f"{_NAMES[wait.kind]} {wait.size}b {'to' if wait.kind == _SEND else 'from'} {peer} tag {tag}"
    else:
        name = f"calc {wait.size}"
    text = f"{name} at {goal.place(wait.rank, wait.line)}"
    if not wait.posted:
        text += ", which waits for other operations of its rank"
    if wait.left > 1:
        text += f" (the first of {wait.left:,} operations)"
    waits_for_peer = is_message and wait.posted and wait.peer >= 0
    return Blocked(
        rank=wait.rank,
        host=host,
        call=name,
        kind=_KINDS[wait.kind] if wait.posted else _OTHER,
        communicator="",
        peer=wait.peer if is_message else -1,
        peer_world=wait.peer if waits_for_peer else -1,
        tag=wait.tag,
        bytes=wait.size,
        requests=1,
        place=None,
        text=text,
    )
