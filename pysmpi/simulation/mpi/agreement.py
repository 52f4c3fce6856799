"""Check that ranks pass the same arguments when they create an object together.

Disagreements are recorded only in checked runs (``pysmpirun --check``); other runs do not look for them.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.bindings import running_rank

__all__ = ["Disagreement", "disagreements", "gave", "gave_group", "observe", "stop_observing"]


@dataclass(frozen=True, slots=True)
class Call:
    """Call of an MPI function by a rank.

    Attributes:
        rank: number of the rank that makes the call.
        place: ``file:line`` of the call, or None if it is unknown.
        said: function and argument as text.
    """

    rank: int
    place: str | None
    said: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two calls with different arguments although they belong to one collective operation.

    Attributes:
        own: the later call.
        other: the earlier call.
    """

    own: Call
    other: Call


@dataclass(slots=True)
class _Meeting:
    left: int  # ranks that have not arrived yet
    calls: list[Call]  # calls that differ from each other
    groups: list[frozenset[int]] = field(default_factory=list)


_find_place: Callable[[], str | None] | None = None
_meetings: dict[Hashable, _Meeting] = {}
_found: list[Disagreement] = []


def observe(find_place: Callable[[], str | None]) -> None:
    """Start recording disagreements.

    Args:
        find_place: function that returns ``file:line`` of the running rank's code, or None if it is unknown.
    """
    global _find_place
    stop_observing()
    _find_place = find_place


def stop_observing() -> None:
    """Stop recording, and discard the recorded disagreements."""
    global _find_place
    _find_place = None
    _meetings.clear()
    _found.clear()


def disagreements() -> list[Disagreement]:
    """Return the disagreements, in order of detection."""
    return list(_found)


def gave(name: Hashable, population: int, argument: Callable[[], str]) -> None:
    """Record an argument of the running rank's call that must be the same in all ranks of the collective operation.

    Args:
        name: identity of the operation.
        population: number of ranks that take part.
        argument: function that returns the argument as text.
    """
    if _find_place is not None and population > 1:
        _compare((name, "argument"), population, f"{_function()} with {argument()}")


def gave_group(name: Hashable, population: int, ranks: Sequence[int]) -> None:
    """Record the group of ranks that the running rank passes to a collective operation.

    All members of the group must pass the same group.

    Args:
        name: identity of the operation.
        population: number of ranks that take part.
        ranks: world ranks of the group.
    """
    if _find_place is None or population == 1:
        return
    meeting = _meetings.setdefault((name, "group"), _Meeting(population, []))
    said = f"{_function()} with a group of ranks {', '.join(map(str, ranks))}"
    call, group = Call(running_rank(), _find_place(), said), frozenset(ranks)
    for other, known in zip(meeting.calls, meeting.groups, strict=True):
        if not group.isdisjoint(known) and other.said != said:
            _found.append(Disagreement(call, other))
            break
    if all(other.said != said for other in meeting.calls):
        meeting.calls.append(call)
        meeting.groups.append(group)
    _leave((name, "group"), meeting)


def _function() -> str:
    return str(ffi.string(lib.pysmpi_function_under_way()).decode())


def _compare(name: Hashable, population: int, said: str) -> None:
    assert _find_place is not None
    meeting = _meetings.get(name)
    if meeting is None:
        _meetings[name] = meeting = _Meeting(population, [Call(running_rank(), _find_place(), said)])
    elif meeting.calls[0].said != said:
        _found.append(Disagreement(Call(running_rank(), _find_place(), said), meeting.calls[0]))
    _leave(name, meeting)


def _leave(name: Hashable, meeting: _Meeting) -> None:
    meeting.left -= 1
    if meeting.left == 0:
        del _meetings[name]
