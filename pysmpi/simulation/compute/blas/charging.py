"""Simulated time of BLAS calls in the running simulation, drawn from the model with its noise."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pysmpi.errors import ConfigurationError, unknown
from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.blas.blas_table import BlasTable
from pysmpi.simulation.compute.blas.model import BlasModel
from pysmpi.simulation.compute.blas.normal_draws import Normal
from pysmpi.simulation.compute.blas.routines import ROUTINES
from pysmpi.simulation.compute.blas.watching import unwatch, watch
from pysmpi.simulation.compute.current_host import host
from pysmpi.simulation.compute.execution import is_simulated

Seconds = np.ndarray[Any, np.dtype[np.float64]]
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
        free: number of calls that took no simulated time, because they were made in an `untimed` block or because no
            computation is measured.
        flops: number of floating-point operations of all calls if `modelled` is False, or 0 if they are unknown.
    """

    name: str
    modelled: bool
    calls: int = 0
    seconds: float = 0.0
    extrapolated: int = 0
    free: int = 0
    flops: float = 0.0


@dataclass(slots=True)
class _Active:
    table: BlasTable
    seed: int
    first: int
    uses: dict[tuple[str, bool], RoutineUse] = field(default_factory=dict)
    generators: dict[int, Normal] = field(default_factory=dict)
    models: dict[int, BlasModel] = field(default_factory=dict)  # models of cores, by rank
    cores: dict[int, int] = field(default_factory=dict)  # number of each rank's core on its host, by rank

    def use(self, routine: str, *, modelled: bool) -> RoutineUse:
        key = (routine, modelled)
        found = self.uses.get(key)
        if found is None:
            found = self.uses[key] = RoutineUse(routine, modelled)
        return found

    def model(self, rank: int) -> BlasModel:
        """Return the BLAS model of the core of a rank, which must be the running rank."""
        found = self.models.get(rank)
        if found is None:
            if self.table.has_one_model:
                found = next(iter(self.table.models.values()))
            else:
                here = host()
                found = self.table.model_of(here.name, self.core(rank) % here.cores)
            self.models[rank] = found
        return found

    def core(self, rank: int) -> int:
        """Return the core of a rank: the number of lower ranks on its host, because ranks take the cores in order."""
        if rank not in self.cores:
            before: Counter[int] = Counter()
            for each in range(lib.pysmpi_rank_count()):
                self.cores[each] = before[number := lib.pysmpi_rank_host(each)]
                before[number] += 1
        return self.cores[rank]

    def generator(self, rank: int) -> Normal:
        """Return the generator of the rank's noise."""
        found = self.generators.get(rank)
        if found is None:
            found = self.generators[rank] = Normal(self.seed, self.first + rank)
        return found


_active: _Active | None = None


def activate(table: BlasTable, seed: int, first: int) -> None:
    """Let BLAS and LAPACK calls of ranks take the time that the model of their core predicts, from now on.

    Args:
        table: the models.
        seed: seed of the noise; each rank's noise depends on it and on the rank's number.
        first: number added to each rank for its noise, so that several jobs in one simulation have different noise.
    """
    global _active
    _active = _Active(table, seed, first)
    for routine in sorted(table.routines):
        lib.pysmpi_model_routine(routine.encode())
    watch("charge", _charge_call, _count_repeated)


def deactivate() -> tuple[RoutineUse, ...]:
    """Stop charging model times for BLAS calls; return the use of each called routine, in order of first call."""
    global _active
    if _active is None:
        return ()
    out = ffi.new("pysmpi_blas_use *")
    for number in range(lib.pysmpi_blas_uses()):
        name = ffi.string(lib.pysmpi_blas_use_of(number, out)).decode()
        use = _active.use(name, modelled=False)
        use.calls += out.calls
        use.free += out.free
        use.seconds += out.seconds
        use.flops += out.flops
    unwatch("charge")
    uses = tuple(_active.uses.values())
    _active = None
    return uses


def is_active() -> bool:
    """Return whether the caller is a simulated rank and a BLAS model is active."""
    return _active is not None and is_simulated()


def knows(routine: str) -> bool:
    """Return whether a BLAS model is active and describes the routine."""
    return _active is not None and routine in _active.table.routines


def modelled_routines() -> frozenset[str]:
    """Return the names of the routines that the model of ``--blas`` describes; without a model, no names."""
    return _active.table.routines if _active is not None and is_simulated() else frozenset()


def routine_seconds(routine: str, **sizes: Size) -> Any:
    """Return the seconds that calls of a BLAS or LAPACK routine take on the rank's host, by the model of ``--blas``.

    This is for programs that skip the arithmetic and inject its time. The duration is that of the model's machine,
    multiplied by that machine's speed and divided by the speed of the simulated host, with the model's noise. The
    summary counts the calls.

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
    scale = _active.table.speed / float(lib.pysmpi_speed(lib.pysmpi_running_rank()))
    if not any(hasattr(size, "shape") for size in sizes.values()):
        return _seconds_of_one(routine, sizes, 1) * scale if all(sizes.values()) else 0.0
    names, arrays = list(sizes), np.broadcast_arrays(*sizes.values())
    seconds = np.zeros(arrays[0].shape)
    made = np.logical_and.reduce([array != 0 for array in arrays])
    calls = {name: array[made] for name, array in zip(names, arrays, strict=True)}
    seconds[made] = _seconds_of_several(routine, calls, int(np.count_nonzero(made)))
    return seconds * scale


def charge(routine: str, sizes: dict[str, int], times: int = 1) -> None:
    """Let the running rank compute for the time that the active model predicts; the model must know the routine.

    Args:
        routine: name in `ROUTINES`.
        sizes: sizes of the call, by the names that `ROUTINES` lists.
        times: number of consecutive calls with these sizes.
    """
    assert _active is not None
    lib.pysmpi_execute_modelled_flops(_seconds_of_one(routine, sizes, times) * _active.table.speed)


def _charge_call(name: str, m: int, n: int, k: int, nrhs: int) -> float:
    """Return the flops to charge for a call of a library. If the model has noise, charge them here, and return -1.

    The flops are the predicted seconds multiplied by the speed of a core of the model's machine.
    """
    assert _active is not None
    seconds = _seconds_of_one(name, _named_sizes(name, m, n, k, nrhs), 1)
    flops = seconds * _active.table.speed
    if _active.model(lib.pysmpi_running_rank()).routines[name].distribution is None:
        return flops
    lib.pysmpi_execute_modelled_flops(flops)
    return -1.0


def _count_repeated(name: str, m: int, n: int, k: int, nrhs: int, times: int) -> None:
    """Count `times` calls equal to the one before them, which the engine has charged without calling `_charge_call`."""
    _seconds_of_one(name, _named_sizes(name, m, n, k, nrhs), times)


def _named_sizes(name: str, *sizes: int) -> dict[str, int]:
    by_name = dict(zip(("m", "n", "k", "nrhs"), sizes, strict=True))
    return {size: by_name[size] for size in ROUTINES[name]}


def _seconds_of_one(routine: str, sizes: dict[str, Any], times: int) -> float:
    """Return the seconds of `times` equal calls on the model's machine, with noise, and count them."""
    assert _active is not None
    rank = lib.pysmpi_running_rank()
    model = _active.model(rank).routines[routine]
    seconds = times * max(0.0, float(model.seconds(sizes)))
    if model.distribution is not None:
        # The sum of `times` independent calls: its deviation grows with the square root of `times`.
        deviation = math.sqrt(times) * max(0.0, float(model.deviation(sizes)))
        seconds = max(0.0, seconds + deviation * float(model.shaped(_active.generator(rank).draw())))
    use = _active.use(routine, modelled=True)
    use.calls += times
    use.seconds += seconds
    if not all(low <= sizes[size] <= high for size, (low, high) in model.fitted.items()):
        use.extrapolated += times
    return seconds


def _seconds_of_several(routine: str, sizes: dict[str, Any], count: int) -> Seconds:
    """Return the seconds of `count` calls on the model's machine, with noise, and count them."""
    assert _active is not None
    rank = lib.pysmpi_running_rank()
    model = _active.model(rank).routines[routine]
    seconds: Seconds = np.maximum(0.0, np.broadcast_to(model.seconds(sizes), count))
    if model.distribution is not None:
        normal = model.shaped(_active.generator(rank).draw_several(count))
        seconds = np.maximum(0.0, seconds + np.maximum(0.0, model.deviation(sizes)) * normal)
    use = _active.use(routine, modelled=True)
    use.calls += count
    use.seconds += float(seconds.sum())
    beyond = [(sizes[size] < low) | (sizes[size] > high) for size, (low, high) in model.fitted.items()]
    if beyond:
        use.extrapolated += int(np.count_nonzero(np.logical_or.reduce(beyond)))
    return seconds


def count_unmodelled(routine: str, seconds: float, *, free: bool) -> None:
    """Count a call of a routine that the model lacks, with its measured seconds on this machine.

    `free` is True if the call took no simulated time because it was made in an `untimed` block.
    """
    assert _active is not None
    use = _active.use(routine, modelled=False)
    use.calls += 1
    use.seconds += seconds
    use.free += free
