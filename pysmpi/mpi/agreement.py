"""Check that ranks call the same function with the same arguments when they create an object together.

Disagreements are recorded only in checked runs (``pysmpirun --check``); other runs do not look for them.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from pysmpi.mpi.bindings import running_rank
from pysmpi.native import ffi, lib

__all__ = ["Disagreement", "called", "called_on", "disagreements", "gave", "gave_group", "observe", "stop_observing"]


@dataclass(frozen=True, slots=True)
class Call:
    """Call of an MPI function by a rank: its ``file:line`` (or None), and the function and arguments as text
    (`said`)."""

    rank: int
    place: str | None
    said: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two calls that differ although they belong to one collective operation.

    Attributes:
        kind: "mismatched-collective" or "mismatched-arguments".
        own: the later call.
        other: the earlier call.
    """

    kind: str
    own: Call
    other: Call


@dataclass(slots=True)
class _Meeting:
    left: int  # ranks that have not arrived yet
    calls: list[Call]  # calls that differ from each other
    groups: list[frozenset[int]] = field(default_factory=list)


_find_place: Callable[[], str | None] | None = None
_meetings: dict[Hashable, _Meeting] = {}
_numbers: dict[tuple[Hashable, int], int] = {}  # number of calls so far, by identity and rank
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
    _numbers.clear()
    _found.clear()


def disagreements() -> list[Disagreement]:
    """Return the disagreements, in order of detection."""
    return list(_found)


def called(name: Hashable, population: int) -> None:
    """Record that the running rank takes part in a collective operation.

    Args:
        name: identity of the operation, equal in all its ranks, which must call the same MPI function.
        population: number of ranks that take part.
    """
    if _find_place is not None and population > 1:
        _compare("mismatched-collective", (name, "function"), population, _function())


def called_on(identity: Hashable, population: int) -> None:
    """Record that the running rank makes a collective call on an object, such as a file.

    The n-th calls of all ranks on the object must be calls of the same MPI function.

    Args:
        identity: identity of the object, equal in all its ranks.
        population: number of ranks that take part.
    """
    if _find_place is not None and population > 1:
        rank = running_rank()
        number = _numbers[identity, rank] = _numbers.get((identity, rank), 0) + 1
        called((identity, "call", number), population)


def gave(name: Hashable, population: int, argument: Callable[[], str]) -> None:
    """Record an argument of the running rank's call that must be the same in all ranks of the collective operation.

    Args:
        name: identity of the operation.
        population: number of ranks that take part.
        argument: function that returns the argument as text.
    """
    if _find_place is not None and population > 1:
        _compare("mismatched-arguments", (name, "argument"), population, f"{_function()} with {argument()}")


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
