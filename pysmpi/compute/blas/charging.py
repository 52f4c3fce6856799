"""Simulated time of BLAS calls in the running simulation, drawn from the model with its noise."""

import hashlib
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pysmpi.compute.blas.model import BlasModel
from pysmpi.compute.execution import is_simulated
from pysmpi.errors import ConfigurationError, unknown
from pysmpi.native import lib

if TYPE_CHECKING:
    import numpy as np

    Size = int | np.ndarray[Any, np.dtype[np.int_]]

__all__ = [
    "RoutineUse",
    "activate",
    "charge",
    "count_unmodelled",
    "deactivate",
    "is_active",
    "knows",
    "modelled_routines",
    "routine_seconds",
]

_GOLDEN, _WORD = 0x9E3779B97F4A7C15, (1 << 64) - 1


@dataclass(slots=True)
class RoutineUse:
    """Calls of one routine during a simulation.

    Attributes:
        name: routine, such as "dgemm".
        modelled: whether the model knows the routine and sets its time.
        calls: number of calls by all ranks.
        seconds: total duration in seconds: the model's prediction for its machine if `modelled`, otherwise measured on
            this machine.
        extrapolated: number of calls whose sizes lie outside the range that the model was fitted to.
        free: number of calls that took no simulated time because they were made in an `untimed` block.
    """

    name: str
    modelled: bool
    calls: int = 0
    seconds: float = 0.0
    extrapolated: int = 0
    free: int = 0


@dataclass(slots=True)
class _Active:
    model: BlasModel
    seed: int
    first: int
    uses: dict[tuple[str, bool], RoutineUse] = field(default_factory=dict)
    generators: dict[int, "_Normal"] = field(default_factory=dict)

    def use(self, routine: str, *, modelled: bool) -> RoutineUse:
        key = (routine, modelled)
        found = self.uses.get(key)
        if found is None:
            found = self.uses[key] = RoutineUse(routine, modelled)
        return found


class _Normal:
    """Generator of standard normal numbers: splitmix64 (Steele, Lea and Flood, 2014) with the Box-Muller transform.

    Each rank has its own generator. Its state is a few bytes, whereas a generator of Python's `random` takes 2.5 KB.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, rank: int) -> None:
        text = f"{seed} {rank} blas"
        self._state = int.from_bytes(hashlib.shake_128(text.encode()).digest(8), "little")

    def _uniform(self) -> float:
        """Return the next random number, uniform in (0, 1]."""
        self._state = (self._state + _GOLDEN) & _WORD
        word = self._state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        return (((word ^ (word >> 31)) >> 11) + 1) * 2.0**-53

    def draw(self) -> float:
        radius = math.sqrt(-2 * math.log(self._uniform()))
        return radius * math.cos(2 * math.pi * self._uniform())


_active: _Active | None = None


def activate(model: BlasModel, seed: int, first: int) -> None:
    """From now on, let BLAS and LAPACK calls of ranks take the time that the model predicts.

    Args:
        model: the model.
        seed: seed of the noise; each rank's noise depends on it and on the rank's number.
        first: number added to each rank for its noise, so that several jobs in one simulation have different noise.
    """
    global _active
    _active = _Active(model, seed, first)


def deactivate() -> tuple[RoutineUse, ...]:
    """Stop charging model times; return the routines used, in order of first call."""
    global _active
    uses = () if _active is None else tuple(_active.uses.values())
    _active = None
    return uses


def is_active() -> bool:
    """Return whether the caller is a simulated rank and a BLAS model is active."""
    return _active is not None and is_simulated()


def knows(routine: str) -> bool:
    """Return whether a BLAS model is active and describes the routine."""
    return _active is not None and routine in _active.model.routines


def modelled_routines() -> frozenset[str]:
    """Return the names of the routines that the model of ``--blas`` describes; without a model, no names."""
    return frozenset(_active.model.routines) if _active is not None and is_simulated() else frozenset()


def routine_seconds(routine: str, **sizes: "Size") -> Any:
    """Return the seconds that calls of a BLAS or LAPACK routine take on the rank's host, by the model of ``--blas``.

    This is for programs that skip the arithmetic and inject its time. The duration is that of the model's machine,
    multiplied by its speed over the speed of the simulated host, with the model's noise. The summary counts the calls.

    Args:
        routine: a name in `modelled_routines()`, such as "dgemm".
        sizes: sizes of the call by the names of the model (m, n, k …), each a whole number or an array with one entry
            for each of several calls. A call in which a size is 0 takes no time.

    Returns:
        A number, or an array if a size is an array.

    Raises:
        ConfigurationError: no model is active, or it does not describe the routine.
    """
    described = modelled_routines()
    if routine not in described:
        why = unknown("routine", routine, described) if described else "the run has no BLAS model (--blas)"
        raise ConfigurationError(f"routine_seconds({routine!r}): {why}")
    assert _active is not None
    scale = _active.model.speed / float(lib.pysmpi_speed(lib.pysmpi_running_rank()))
    if any(hasattr(size, "shape") for size in sizes.values()):
        import numpy as np

        arrays = np.broadcast_arrays(*sizes.values())
        calls = zip(*(array.tolist() for array in arrays), strict=True)
        return np.array([_predicted(routine, dict(zip(sizes, call, strict=True))) for call in calls]) * scale
    return _predicted(routine, sizes) * scale


def _predicted(routine: str, sizes: dict[str, Any]) -> float:
    """Return the seconds of a call on the model's machine, and count the call."""
    if not all(sizes.values()):
        return 0.0
    assert _active is not None
    seconds = _drawn(routine, sizes, 1)
    _count(routine, sizes, 1, seconds)
    return seconds


def charge(routine: str, sizes: dict[str, int], times: int = 1) -> None:
    """Let the running rank compute for the time that the active model predicts; the model must know the routine.

    Args:
        routine: name in `ROUTINES`.
        sizes: sizes of the call, by the names that `ROUTINES` lists.
        times: number of consecutive calls with these sizes.
    """
    assert _active is not None
    seconds = _drawn(routine, sizes, times)
    lib.pysmpi_execute_modelled_flops(seconds * _active.model.speed)
    _count(routine, sizes, times, seconds)


def _drawn(routine: str, sizes: dict[str, int], times: int) -> float:
    """Return the seconds of `times` calls on the model's machine, with noise."""
    assert _active is not None
    model = _active.model.routines[routine]
    seconds = model.seconds(sizes)
    if model.distribution is None:
        return seconds * times
    rank = lib.pysmpi_running_rank()
    generator = _active.generators.get(rank)
    if generator is None:
        generator = _active.generators[rank] = _Normal(_active.seed, _active.first + rank)
    # The sum of `times` independent calls: its deviation grows with the square root of `times`.
    noise = math.sqrt(times) * (model.spread(sizes, seconds, generator.draw()) - seconds)
    return max(0.0, times * seconds + noise)


def _count(routine: str, sizes: dict[str, int], times: int, seconds: float) -> None:
    assert _active is not None
    use = _active.use(routine, modelled=True)
    use.calls += times
    use.seconds += seconds
    fitted = _active.model.routines[routine].fitted
    if not all(low <= sizes[size] <= high for size, (low, high) in fitted.items()):
        use.extrapolated += times


def count_unmodelled(routine: str, seconds: float, *, free: bool) -> None:
    """Count a call of a routine that the model lacks, with its measured seconds on this machine.

    `free` is True if the call took no simulated time because it was made in an `untimed` block.
    """
    assert _active is not None
    use = _active.use(routine, modelled=False)
    use.calls += 1
    use.seconds += seconds
    use.free += free
