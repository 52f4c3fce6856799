"""Noise of the operating system in a run, by a model (``smpi/noise``)."""

import hashlib
from array import array

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.noise_model import load_noise
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.notes import Importance, Note
from pysmpi.simulation.instruments.outcome import Detours, Result
from pysmpi.util.quantities import counted, human_seconds

__all__ = ["SystemNoise"]


class SystemNoise(Instrument):
    """Modifier that lets ranks meet detours of the operating system while they compute.

    Args:
        path: file with the model.
        seed: seed of the detours.
        first_seeded: number of the random sequence of rank 0; rank r draws from sequence `first_seeded` + r.

    Raises:
        ConfigurationError: the model file is not valid.
    """

    def __init__(self, path: str, seed: int, first_seeded: int) -> None:
        self._model = load_noise(path)
        self._seed = int.from_bytes(hashlib.shake_128(f"{seed} detours".encode()).digest(8), "little")
        self._first_seeded = first_seeded

    def begin(self, run: Run) -> None:
        lengths = array("d", self._model.lengths)
        lib.pysmpi_set_detours(
            self._model.rate, len(lengths), ffi.from_buffer("double[]", lengths), self._seed, self._first_seeded
        )

    def end(self, run: Run, result: Result) -> None:
        result.parts["detours"] = Detours(lib.pysmpi_detour_count(), lib.pysmpi_detour_seconds())
        result.forced += [f"{self._model.source}: {reason}" for reason in self._model.forced]
        count, seconds = result.detours.count, result.detours.seconds
        if count:
            text = f"noise: {counted(count, 'detour')} of {human_seconds(seconds)} in all"
            result.notes.append(Note(Importance.DETAIL, "", text))
        else:
            result.without_effect.append(f"smpi/noise:{self._model.source}: no computation met a detour")
