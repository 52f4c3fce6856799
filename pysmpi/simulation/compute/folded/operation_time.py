"""Simulated time of operations on folded arrays, whose contents do not matter and are not computed.

An operation takes the time that its operands' bytes take to pass through memory, each read or written once. If its
floating-point operations take longer at the speed of the host's core, that time counts instead (roofline model: S.
Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore architectures",
Communications of the ACM 52(4), 2009).
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from pysmpi.native import lib
from pysmpi.simulation.compute import operations, speed_independent
from pysmpi.simulation.compute.flops import weight_of
from pysmpi.simulation.compute.folded.bandwidth import Bandwidth
from pysmpi.simulation.compute.folded.recency import Recency, whole_of

__all__ = [
    "Machine",
    "charge_elsewhere",
    "count_elements",
    "counts_buffers",
    "seconds_in_memory",
    "set_machine",
    "spend",
    "spend_on",
    "unmeasured",
]

_Parameters = ParamSpec("_Parameters")
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Machine:
    """Bandwidths that determine the time of operations on folded arrays.

    Attributes:
        bandwidth: bandwidth of memory and caches, for ranks on hosts that `bandwidth_of` lacks.
        bandwidth_of: bandwidths of individual hosts, by host number.
        buffering: bandwidth in bytes/s of NumPy's copies through buffers
            (`pysmpi.simulation.compute.folded.buffering`), or 0 if copies take no time.
        new_memory: bandwidth at which the kernel provides memory for large results, by their size, or None if that
            takes no time.
        stretches: factor by which a what-if run multiplies the time of memory traffic, by host number; hosts that are
            not listed have factor 1.
    """

    bandwidth: Bandwidth = field(default_factory=lambda: Bandwidth([(0.0, 10e9)]))
    bandwidth_of: Mapping[int, Bandwidth] = field(default_factory=dict)
    buffering: float = 0.0
    new_memory: Bandwidth | None = None
    stretches: Mapping[int, float] = field(default_factory=dict)


_machine = Machine()
_recencies: dict[int, Recency] = {}  # arrays that ranks have touched, by rank
_charged_elsewhere = False
_inside = False  # whether an operation on folded arrays is running; ranks do not switch within one


def set_machine(machine: Machine) -> None:
    """Set the bandwidths for all later operations, and forget which arrays ranks have touched."""
    global _machine
    _machine = machine
    _recencies.clear()


def charge_elsewhere(on: bool) -> None:
    """Stop charging the memory traffic of operations on folded arrays if `on` is True; charge it again if False.

    While a BLAS model charges the time of a routine, the operations inside the routine must not be charged again.
    """
    global _charged_elsewhere
    _charged_elsewhere = on


def counts_buffers() -> bool:
    """Return whether the host model charges time for NumPy's copies through buffers."""
    return _machine.buffering > 0.0


def count_elements(ufunc: Any, kind: str, elements: int) -> None:
    """Count the floating-point operations of a universal function on folded arrays, which take no time of their own.

    Args:
        ufunc: the function.
        kind: kind of the result's numbers, such as "f" or "c".
        elements: number of elements.
    """
    if operations.counted and kind in "fc":
        weight = weight_of(ufunc.__name__)
        each = weight.complex if kind == "c" else weight.real
        lib.pysmpi_count(elements * each, elements * weight.special, 0.0)


def spend(moved: float, flops: float = 0.0) -> None:
    """Let the running rank take the time to move `moved` bytes and to do `flops` operations at the same time.

    The reuse distance of the data is assumed to equal `moved`. In a `pysmpi.untimed` block nothing is charged.
    """
    if operations.counted:
        lib.pysmpi_count(flops, 0.0, moved)
    rank = lib.pysmpi_running_rank()
    bandwidth = _bandwidth(rank)
    _spend(rank, moved * bandwidth.seconds_per_byte(moved), flops, 0.0, 0.0, moved * bandwidth.memory_share(moved))


def spend_on(
    read: Iterable[Any], written: Iterable[Any], made: Iterable[Any] = (), flops: float = 0.0, buffered: float = 0.0
) -> None:
    """Let the running rank take the time of an operation that reads and writes arrays.

    Args:
        read: arrays that are read.
        written: existing arrays that are written.
        made: results in new memory.
        flops: number of floating-point operations.
        buffered: bytes that NumPy copies through buffers.
    """
    if operations.counted:
        accesses = sum(each.nbytes for part in (read, written, made) for each in part if each.ndim > 0)
        lib.pysmpi_count(flops, 0.0, accesses)
        operations.access(read, [*written, *made])
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
    far = 0.0  # bytes in no cache
    near: list[Any] = []  # arrays touched by this operation: a second use finds them in the cache
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


def seconds_in_memory(moved: float, rank: int) -> float:
    """Return the seconds that a rank takes to move `moved` bytes that are in no cache, if it has the memory alone."""
    seconds = moved / _bandwidth(rank).of_memory
    return seconds * _machine.stretches.get(lib.pysmpi_rank_host(rank), 1.0) if _machine.stretches else seconds


def _bandwidth(rank: int) -> Bandwidth:
    if not _machine.bandwidth_of:
        return _machine.bandwidth
    return _machine.bandwidth_of.get(lib.pysmpi_rank_host(rank), _machine.bandwidth)


def _spend(rank: int, seconds: float, flops: float, buffered: float, given: float, far: float) -> None:
    if _charged_elsewhere or not lib.pysmpi_is_measured():
        return
    copying = buffered / _machine.buffering if buffered > 0.0 else 0.0
    if _machine.stretches:
        stretch = _machine.stretches.get(lib.pysmpi_rank_host(rank), 1.0)
        seconds, copying, given = seconds * stretch, copying * stretch, given * stretch
    computing = flops / lib.pysmpi_speed(rank) if flops > 0.0 else 0.0
    speed_independent.total.operations += 1
    speed_independent.total.memory += given + copying + (seconds if seconds >= computing else 0.0)
    seconds = max(seconds, computing) + copying
    lib.pysmpi_execute_modelled_bytes(far, seconds + given)


def unmeasured(function: Callable[_Parameters, _Value]) -> Callable[_Parameters, _Value]:
    """Exclude the function's own run time on this machine from the rank's computation (decorator)."""

    @functools.wraps(function)
    def call(*positional: _Parameters.args, **named: _Parameters.kwargs) -> _Value:
        global _inside
        if _inside or lib.pysmpi_running_rank() < 0:
            return function(*positional, **named)
        _inside = True
        begun = lib.pysmpi_begin_exclusion()
        if operations.counted:
            lib.pysmpi_pause_counting(True)
        try:
            return function(*positional, **named)
        finally:
            _inside = False
            if operations.counted:
                lib.pysmpi_pause_counting(False)
            lib.pysmpi_end_exclusion(begun)

    return call
