"""What a call of a routine is charged in the simulation that runs: the time of the model, with its noise."""

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
    """How often a routine was called.

    Attributes:
        name: its name.
        modelled: it took the time of the model.
        calls: by all ranks.
        seconds: on the model's machine, where modelled; else as timed here.
        extrapolated: how many of the calls had sizes beyond those that the model was fitted to.
        free: how many of the calls took no time, for they were made in code that takes none by declaration.
    """

    name: str
    modelled: bool
    calls: int = 0
    seconds: float = 0.0
    extrapolated: int = 0
    free: int = 0


@dataclass(slots=True)
class _Active:
    """The model of the simulation that runs."""

    model: BlasModel
    seed: int
    first: int
    uses: dict[tuple[str, bool], RoutineUse] = field(default_factory=dict)
    generators: dict[int, "_Normal"] = field(default_factory=dict)

    def use(self, routine: str, *, modelled: bool) -> RoutineUse:
        """The count of such calls."""
        key = (routine, modelled)
        found = self.uses.get(key)
        if found is None:
            found = self.uses[key] = RoutineUse(routine, modelled)
        return found


class _Normal:
    """Numbers from the standard normal distribution: splitmix64 (Steele, Lea and Flood, 2014) and Box and Muller.

    A rank's generator is a few bytes, where one of Python's is 2.5 KB.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, rank: int) -> None:
        text = f"{seed} {rank} blas"
        self._state = int.from_bytes(hashlib.shake_128(text.encode()).digest(8), "little")

    def _uniform(self) -> float:
        """In (0, 1]."""
        self._state = (self._state + _GOLDEN) & _WORD
        word = self._state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        return (((word ^ (word >> 31)) >> 11) + 1) * 2.0**-53

    def draw(self) -> float:
        """The next one."""
        radius = math.sqrt(-2 * math.log(self._uniform()))
        return radius * math.cos(2 * math.pi * self._uniform())


_active: _Active | None = None


def activate(model: BlasModel, seed: int, first: int) -> None:
    """Calls made in ranks take the model's time from now on, with noise that depends on the seed and the rank.

    Args:
        model: the model.
        seed: of the noise.
        first: as which rank the first one has it.
    """
    global _active
    _active = _Active(model, seed, first)


def deactivate() -> tuple[RoutineUse, ...]:
    """They no longer do; what has been called meanwhile, in the order of the first calls."""
    global _active
    uses = () if _active is None else tuple(_active.uses.values())
    _active = None
    return uses


def is_active() -> bool:
    """The caller is a rank, and there is a model."""
    return _active is not None and is_simulated()


def knows(routine: str) -> bool:
    """There is a model, which has the routine."""
    return _active is not None and routine in _active.model.routines


def charge(routine: str, sizes: dict[str, int], times: int = 1) -> None:
    """The running rank computes as long as the model has it, which knows the routine.

    Args:
        routine: a name of `ROUTINES`.
        sizes: of the call, all that `ROUTINES` names.
        times: so many calls of these sizes, one after the other.
    """
    assert _active is not None
    model = _active.model.routines[routine]
    seconds = model.seconds(sizes)
    if model.distribution is not None:
        rank = lib.pysmpi_running_rank()
        generator = _active.generators.get(rank)
        if generator is None:
            generator = _active.generators[rank] = _Normal(_active.seed, _active.first + rank)
        # The sum of so many calls: its mean, and its deviation.
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
    """A routine without a model has been called, and took so many seconds here."""
    assert _active is not None
    use = _active.use(routine, modelled=False)
    use.calls += 1
    use.seconds += seconds
    use.free += free
