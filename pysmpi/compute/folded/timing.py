"""How long operations on folded arrays take, and that nothing else of them counts.

An operation takes as long as its operands' bytes take to pass through memory, each read or written once. One that does
many operations on each number takes as long as these do at the speed of the host's core, where that is longer (the
roofline model: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
architectures", Communications of the ACM 52(4), 2009).
"""

import functools
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from pysmpi.native import lib

__all__ = ["DEFAULT_BANDWIDTH", "charge_elsewhere", "set_bandwidth", "spend", "unmeasured"]

DEFAULT_BANDWIDTH = 10e9  # bytes/s

_Parameters = ParamSpec("_Parameters")
_Value = TypeVar("_Value")

_bandwidth = DEFAULT_BANDWIDTH
_bandwidth_of: Mapping[int, float] = {}  # of hosts that have their own, by number
_charged_elsewhere = False
_inside = False  # an operation on folded arrays; ranks do not switch within one


def set_bandwidth(of_all: float, of_hosts: Mapping[int, float]) -> None:
    """What a rank reads and writes in a second, bytes/s: on hosts by number where they have their own, else on all."""
    global _bandwidth, _bandwidth_of
    _bandwidth, _bandwidth_of = of_all, of_hosts


def charge_elsewhere(on: bool) -> None:
    """Until it is off again operations take no time here: a model of the routines that they call has it."""
    global _charged_elsewhere
    _charged_elsewhere = on


def spend(moved: float, flops: float = 0.0) -> None:
    """The running rank moves so many bytes, and does so many floating-point operations with them meanwhile.

    Nothing in a block that the program has declared `pysmpi.untimed`.
    """
    if _charged_elsewhere or not lib.pysmpi_is_measured():
        return
    rank = lib.pysmpi_running_rank()
    bandwidth = _bandwidth_of.get(lib.pysmpi_rank_host(rank), _bandwidth) if _bandwidth_of else _bandwidth
    seconds = moved / bandwidth
    if flops > 0.0:
        seconds = max(seconds, flops / lib.pysmpi_speed(rank))
    lib.pysmpi_execute_modelled_seconds(seconds)


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
