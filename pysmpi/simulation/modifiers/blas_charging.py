"""Simulated time of BLAS and LAPACK calls by a model, in place of their measured time."""

import os
from collections.abc import Iterator, Sequence

from pysmpi.simulation.compute.blas import load_table
from pysmpi.simulation.compute.blas.charging import RoutineUse, activate, deactivate
from pysmpi.simulation.compute.blas.watching import unwatched_calls
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.notes import Importance, Note, listed
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.util.quantities import human_seconds, scaled

__all__ = ["BlasCharging"]


class BlasCharging(Instrument):
    """Modifier that gives calls of BLAS and LAPACK the simulated time of a model, and reports the called routines.

    Args:
        path: file with the model, or with a table of models.
        seed: seed of the model's noise.
        first_seeded: number of the noise sequence that rank 0 draws from; rank r draws from `first_seeded` + r.

    Raises:
        ConfigurationError: the model file is not valid.
    """

    def __init__(self, path: str | os.PathLike[str], seed: int, first_seeded: int) -> None:
        self._table = load_table(path)
        self._seed = seed
        self._first_seeded = first_seeded

    def begin(self, run: Run) -> None:
        activate(self._table, self._seed, self._first_seeded)

    def end(self, run: Run, result: Result) -> None:
        result.parts["unwatched_calls"] = tuple(unwatched_calls())
        result.parts["routines"] = deactivate()
        result.notes += _routine_notes(result.routines)
        result.parts["blas_error"] = self._table.fit_error(use.name for use in result.routines if use.modelled)
        result.forced += [f"{self._table.source}: {reason}" for reason in self._table.forced]
        if not any(use.modelled for use in result.routines):
            result.without_effect.append(
                f"--blas {self._table.source}: no call of a routine that the model describes was made"
            )

    def close(self) -> None:
        deactivate()


def _routine_notes(routines: Sequence[RoutineUse]) -> Iterator[Note]:
    modelled = [use for use in routines if use.modelled]
    timed = [use for use in routines if not use.modelled and use.free < use.calls]
    free = [use for use in routines if not use.modelled and use.free == use.calls]
    beyond = any(use.extrapolated for use in modelled)
    if modelled:
        importance, headline = (Importance.DOUBT, "BLAS beyond the fitted sizes") if beyond else (Importance.DETAIL, "")
        yield Note(importance, headline, f"calls that took the model's time: {_listed(modelled)}")
    if timed:
        some = sum(use.free for use in timed)
        untimed = f"; {some:,} of them in code that takes no time" if some else ""
        text = f"calls that have no model and were timed: {_listed(timed)}{untimed}"
        yield Note(Importance.LIMIT, "BLAS without a model was timed", text)
    if free:
        text = f"calls that have no model and took no time: {_listed(free, timed=False)}"
        yield Note(Importance.DOUBT, "BLAS without a model took no time", text)


def _listed(uses: Sequence[RoutineUse], *, timed: bool = True) -> str:
    uses = sorted(uses, key=lambda use: (-use.seconds if timed else -use.flops, use.name))
    return ", ".join(listed([f"{use.name} ({', '.join(_figures(use, timed=timed))})" for use in uses]))


def _figures(use: RoutineUse, *, timed: bool) -> Iterator[str]:
    yield f"{use.calls:,}×"
    if timed:
        yield human_seconds(use.seconds)
    if use.flops:
        yield f"{scaled(use.flops)}flop"
    if use.extrapolated:
        yield f"{use.extrapolated:,}× beyond the sizes that the model was fitted to"
