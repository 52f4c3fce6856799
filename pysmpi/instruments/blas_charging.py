"""Simulated time of BLAS and LAPACK calls by a model, in place of their measured time."""

import os

from pysmpi.compute.blas import load_table
from pysmpi.compute.blas.charging import activate, deactivate
from pysmpi.compute.blas.watching import unwatched_calls
from pysmpi.instruments.instrument import Instrument, Run
from pysmpi.instruments.outcome import Result

__all__ = ["BlasCharging"]


class BlasCharging(Instrument):
    """Instrument that gives calls of BLAS and LAPACK the simulated time of a model, and reports the called routines.

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
        result.unwatched_calls = tuple(unwatched_calls())
        result.routines = deactivate()
        result.blas_error = self._table.fit_error(use.name for use in result.routines if use.modelled)
        result.forced += [f"{self._table.source}: {reason}" for reason in self._table.forced]
        if not any(use.modelled for use in result.routines):
            result.without_effect.append(
                f"--blas {self._table.source}: no call of a routine that the model describes was made"
            )

    def close(self) -> None:
        deactivate()
