"""Whether ranks call the same function, and give it the same, where they make something of a communicator together.

What does not agree is kept where a run is to be checked (``pysmpirun --check``), and not looked for otherwise.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from pysmpi.mpi.bindings import running_rank
from pysmpi.native import ffi, lib

__all__ = ["Disagreement", "called", "called_on", "disagreements", "gave", "gave_group", "observe", "stop_observing"]


@dataclass(frozen=True, slots=True)
class Call:
    """What a rank has said, and where."""

    rank: int
    place: str | None
    said: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two ranks have not said the same of one thing.

    Attributes:
        kind: "mismatched-collective" or "mismatched-arguments".
        own, other: what they said; the other rank came before.
    """

    kind: str
    own: Call
    other: Call


@dataclass(slots=True)
class _Meeting:
    left: int  # ranks that have yet to come
    calls: list[Call]  # that differ
    groups: list[frozenset[int]] = field(default_factory=list)


_find_place: Callable[[], str | None] | None = None
_meetings: dict[Hashable, _Meeting] = {}
_numbers: dict[tuple[Hashable, int], int] = {}  # of calls, by identity and rank
_found: list[Disagreement] = []


def observe(find_place: Callable[[], str | None]) -> None:
    """Begins to look.

    Args:
        find_place: ``file:line`` of what the running rank does; None when unknown.
    """
    global _find_place
    stop_observing()
    _find_place = find_place


def stop_observing() -> None:
    """Ends it, and forgets what was found."""
    global _find_place
    _find_place = None
    _meetings.clear()
    _numbers.clear()
    _found.clear()


def disagreements() -> list[Disagreement]:
    """What has been found, in that order."""
    return list(_found)


def called(name: Hashable, population: int) -> None:
    """The running rank makes what has this name, as `population` ranks do, by the MPI function that it is in."""
    if _find_place is not None and population > 1:
        _compare("mismatched-collective", (name, "function"), population, _function())


def called_on(identity: Hashable, population: int) -> None:
    """The running rank calls a collective function on what has this identity: its next one."""
    if _find_place is not None and population > 1:
        rank = running_rank()
        number = _numbers[identity, rank] = _numbers.get((identity, rank), 0) + 1
        called((identity, "call", number), population)


def gave(name: Hashable, population: int, argument: Callable[[], str]) -> None:
    """It gives this argument, which is the same for all."""
    if _find_place is not None and population > 1:
        _compare("mismatched-arguments", (name, "argument"), population, f"{_function()} with {argument()}")


def gave_group(name: Hashable, population: int, ranks: Sequence[int]) -> None:
    """It gives this group, which is the same for all of its members."""
    if _find_place is None or population == 1:
        return
    meeting = _meetings.setdefault((name, "group"), _Meeting(population, []))
    said = f"{_function()} with a group of ranks {', '.join(map(str, ranks))}"
    call, group = Call(running_rank(), _find_place(), said), frozenset(ranks)
    for other, known in zip(meeting.calls, meeting.groups, strict=True):
        if not group.isdisjoint(known) and other.said != said:
            _found.append(Disagreement("mismatched-arguments", call, other))
            break
    if all(other.said != said for other in meeting.calls):
        meeting.calls.append(call)
        meeting.groups.append(group)
    _leave((name, "group"), meeting)


def _function() -> str:
    return str(ffi.string(lib.pysmpi_function_under_way()).decode())


def _compare(kind: str, name: Hashable, population: int, said: str) -> None:
    assert _find_place is not None
    meeting = _meetings.get(name)
    if meeting is None:
        _meetings[name] = meeting = _Meeting(population, [Call(running_rank(), _find_place(), said)])
    elif meeting.calls[0].said != said:
        _found.append(Disagreement(kind, Call(running_rank(), _find_place(), said), meeting.calls[0]))
    _leave(name, meeting)


def _leave(name: Hashable, meeting: _Meeting) -> None:
    meeting.left -= 1
    if meeting.left == 0:
        del _meetings[name]
