"""Simulated time of BLAS calls in the running simulation, drawn from the model with its noise."""

import hashlib
import math
from dataclasses import dataclass, field

from pysmpi.compute.blas.model import BlasModel
from pysmpi.compute.execution import is_simulated
from pysmpi.native import lib

__all__ = ["RoutineUse", "activate", "charge", "count_unmodelled", "deactivate", "is_active", "knows"]

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
        """Return a number in (0, 1]."""
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
    """Return whether the caller is a rank and a model is active."""
    return _active is not None and is_simulated()


def knows(routine: str) -> bool:
    """Return whether a model is active and covers the routine."""
    return _active is not None and routine in _active.model.routines


def charge(routine: str, sizes: dict[str, int], times: int = 1) -> None:
    """Let the running rank compute for the time that the active model predicts; the model must know the routine.

    Args:
        routine: name in `ROUTINES`.
        sizes: sizes of the call, by the names that `ROUTINES` lists.
        times: number of consecutive calls with these sizes.
    """
    assert _active is not None
    model = _active.model.routines[routine]
    seconds = model.seconds(sizes)
    if model.distribution is not None:
        rank = lib.pysmpi_running_rank()
        generator = _active.generators.get(rank)
        if generator is None:
            generator = _active.generators[rank] = _Normal(_active.seed, _active.first + rank)
        # The sum of `times` independent calls: its deviation grows with the square root of `times`.
        noise = math.sqrt(times) * (model.spread(sizes, seconds, generator.draw()) - seconds)
        seconds = max(0.0, times * seconds + noise)
    else:
        seconds *= times
    lib.pysmpi_execute_modelled_flops(seconds * _active.model.speed)
    use = _active.use(routine, modelled=True)
    use.calls += times
    use.seconds += seconds
    if not all(low <= sizes[size] <= high for size, (low, high) in model.fitted.items()):
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
