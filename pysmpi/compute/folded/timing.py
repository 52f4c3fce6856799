"""How long operations on folded arrays take, and that nothing else of them counts.

An operation takes as long as its operands' bytes take to pass through memory, each read or written once. One that does
many operations on each number takes as long as these do at the speed of the host's core, where that is longer (the
roofline model: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
architectures", Communications of the ACM 52(4), 2009).
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from pysmpi.compute.folded.bandwidth import Bandwidth
from pysmpi.compute.folded.recency import Recency, whole_of
from pysmpi.native import lib

__all__ = ["Machine", "charge_elsewhere", "counts_buffers", "set_machine", "spend", "spend_on", "unmeasured"]

_Parameters = ParamSpec("_Parameters")
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Machine:
    """What operations on arrays take time for.

    Attributes:
        bandwidth: of memory and caches, for a rank on any host.
        bandwidth_of: the same of hosts that have their own, by number.
        buffering: what NumPy copies of operands on their way (`pysmpi.compute.folded.buffering`), bytes/s; 0: no time.
        new_memory: what the kernel gives to large results, by their size; None: no time.
        shares_memory: ranks of one host that move bytes through its memory at once share its bandwidth.
    """

    bandwidth: Bandwidth = field(default_factory=lambda: Bandwidth([(0.0, 10e9)]))
    bandwidth_of: Mapping[int, Bandwidth] = field(default_factory=dict)
    buffering: float = 0.0
    new_memory: Bandwidth | None = None
    shares_memory: bool = False


_machine = Machine()
_recencies: dict[int, Recency] = {}  # by rank
_charged_elsewhere = False
_inside = False  # an operation on folded arrays; ranks do not switch within one


def set_machine(machine: Machine) -> None:
    """From here on operations take the time that they take on this machine; no rank has touched anything yet."""
    global _machine
    _machine = machine
    _recencies.clear()


def charge_elsewhere(on: bool) -> None:
    """Until it is off again operations take no time here: a model of the routines that they call has it."""
    global _charged_elsewhere
    _charged_elsewhere = on


def counts_buffers() -> bool:
    """Whether what NumPy copies of operands on their way takes time."""
    return _machine.buffering > 0.0


def spend(moved: float, flops: float = 0.0) -> None:
    """The running rank moves so many bytes, and does so many floating-point operations with them meanwhile.

    They are as far away as they are many. Nothing in a block that the program has declared `pysmpi.untimed`.
    """
    rank = lib.pysmpi_running_rank()
    bandwidth = _bandwidth(rank)
    _spend(rank, moved * bandwidth.seconds_per_byte(moved), flops, 0.0, 0.0, moved * bandwidth.memory_share(moved))


def spend_on(
    read: Iterable[Any], written: Iterable[Any], made: Iterable[Any] = (), flops: float = 0.0, buffered: float = 0.0
) -> None:
    """The running rank reads arrays, and writes others.

    Args:
        read: what it reads.
        written: what it writes, of arrays that were there.
        made: results that take new memory.
        flops: floating-point operations.
        buffered: bytes that NumPy copies on the way.
    """
    rank = lib.pysmpi_running_rank()
    bandwidth = _bandwidth(rank)
    if bandwidth.is_flat and _machine.new_memory is None:
        moved = sum(each.nbytes for part in (read, written, made) for each in part)
        _spend(rank, bandwidth.seconds_per_byte(0.0) * moved, flops, buffered, 0.0, moved)
        return
    recency = _recencies.get(rank)
    if recency is None:
        recency = _recencies[rank] = Recency()
    seconds = 0.0
    given = 0.0
    far = 0.0  # bytes that are in no cache
    near: list[Any] = []  # what the operation has touched already passes by once
    for array in (*read, *written):
        if array.ndim == 0:
            continue
        whole = whole_of(array)
        distance = 0.0 if any(whole is each for each in near) else recency.touch(array)
        near.append(whole)
        seconds += array.nbytes * bandwidth.seconds_per_byte(distance)
        far += array.nbytes * bandwidth.memory_share(distance)
    for array in made:
        if array.ndim == 0:
            continue
        distance, new = recency.make(array)
        seconds += array.nbytes * bandwidth.seconds_per_byte(distance)
        far += array.nbytes * bandwidth.memory_share(distance)
        if new and _machine.new_memory is not None:
            given += array.nbytes * _machine.new_memory.seconds_per_byte(array.nbytes)
    _spend(rank, seconds, flops, buffered, given, far)


def _bandwidth(rank: int) -> Bandwidth:
    if not _machine.bandwidth_of:
        return _machine.bandwidth
    return _machine.bandwidth_of.get(lib.pysmpi_rank_host(rank), _machine.bandwidth)


def _spend(rank: int, seconds: float, flops: float, buffered: float, given: float, far: float) -> None:
    if _charged_elsewhere or not lib.pysmpi_is_measured():
        return
    if flops > 0.0:
        seconds = max(seconds, flops / lib.pysmpi_speed(rank))
    if buffered > 0.0:
        seconds += buffered / _machine.buffering
    if _machine.shares_memory:
        lib.pysmpi_execute_modelled_bytes(far, seconds + given)
    else:
        lib.pysmpi_execute_modelled_seconds(seconds + given)


def unmeasured(function: Callable[_Parameters, _Value]) -> Callable[_Parameters, _Value]:
    """The function's own time is not the rank's computation."""

    @functools.wraps(function)
    def call(*positional: _Parameters.args, **named: _Parameters.kwargs) -> _Value:
        global _inside
        if _inside or lib.pysmpi_running_rank() < 0:
            return function(*positional, **named)
        _inside = True
        begun = lib.pysmpi_begin_exclusion()
        try:
            return function(*positional, **named)
        finally:
            _inside = False
            lib.pysmpi_end_exclusion(begun)

    return call
