"""Counting of a run's requirements. The C++ engine counts; the counts are read at the end of the run."""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from pysmpi.native import ffi, lib
from pysmpi.requirements.counting.requirements import Amounts, Requirements
from pysmpi.requirements.counting.requirements_text import requirements_lines, write_requirements
from pysmpi.simulation.collectives import OPERATIONS
from pysmpi.simulation.compute.blas.watching import unwatched_calls
from pysmpi.simulation.compute.numpy_counting import counting
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result

__all__ = ["Counting"]

_COUNTS = ("sent.bytes", "sent.messages", "received.bytes", "received.messages", "asked.bytes")
# These types must equal the structures in native/instrumentation/c_api.h and native/counting/c_api.h.
_ROW = np.dtype([("kind", "u4"), ("rank", "u4"), *((name, "i8") for name in _COUNTS)])
_DISTANCES = ("distance", "distance.low", "distance.high")  # the order of pysmpi_read_distances
_PLACE = np.dtype([("site", "u4"), ("operand", "u4"), ("rank", "u4"), ("unused", "u4"), ("quantiles", "f8", 3)])
_COUNTED = np.dtype([("flops", "f8"), ("flops.special", "f8"), ("accesses", "f8"), ("operations", "u8")])

# The order must equal that of FirstKind in native/instrumentation/requirements/requirements.hpp.
_FIRST_KINDS = ("point-to-point", "one-sided", "files")
_FILES = _FIRST_KINDS.index("files")
_SCHEDULE = "pysmpi.Schedule.run"


class Counting(Instrument):
    """Instrument that counts what the ranks ask of the machine (``--requirements``).

    Args:
        file: path of the JSON file to write with all amounts, or None for no file.
    """

    def __init__(self, file: str | os.PathLike[str] | None) -> None:
        self._file = file
        self._counting = ExitStack()

    def begin(self, run: Run) -> None:
        threshold = int(run.configuration["smpi/auto-shared-malloc-thresh"])
        self._counting.enter_context(counting(threshold))
        lib.pysmpi_begin_requirements()

    def end(self, run: Run, result: Result) -> None:
        rows = np.zeros(lib.pysmpi_requirement_rows(), _ROW)
        lib.pysmpi_read_requirements(ffi.from_buffer("pysmpi_requirement_row[]", rows))
        ranks = len(run.program_of)
        kinds: dict[str, list[Any]] = {}
        for number in np.unique(rows["kind"]).tolist():
            kinds.setdefault(_kind(number), []).append(rows[rows["kind"] == number])
        spent = result.time_spent
        result.parts["requirements"] = Requirements(
            {**_by_rank(rows[rows["kind"] != _FILES], ranks), **_computation(ranks)},
            {name: Amounts(_by_rank(np.concatenate(parts), ranks)) for name, parts in sorted(kinds.items())},
            lib.pysmpi_unseen_computation() * spent.measured / spent.total if spent.total > 0 else 0.0,
            _places(ranks),
            _algorithms(kinds),
        )
        result.parts["unwatched_calls"] = tuple(unwatched_calls())
        self._counting.close()  # before FoldedMemory ends, which restores the allocator that was there before both

    def lines(self, result: Result) -> list[str]:
        return requirements_lines(result.requirements)

    def write(self, result: Result) -> None:
        if self._file is not None:
            write_requirements(result.requirements, self._file)

    def close(self) -> None:
        lib.pysmpi_end_requirements()
        self._counting.close()


def _computation(ranks: int) -> dict[str, Any]:
    counts, peaks = np.zeros(ranks, _COUNTED), np.zeros(ranks, np.int64)
    lib.pysmpi_read_counts(ranks, ffi.from_buffer("pysmpi_counts[]", counts))
    lib.pysmpi_read_memory(ranks, ffi.from_buffer("int64_t[]", peaks))
    objects = np.zeros(ranks, np.int64)
    lib.pysmpi_read_objects(ranks, ffi.from_buffer("int64_t[]", objects))
    distances = np.zeros((ranks, len(_DISTANCES)))
    lib.pysmpi_read_distances(ranks, ffi.from_buffer("double[]", distances))
    counted = {name: counts[name].copy() for name in ("flops", "flops.special", "accesses")}
    return {
        "memory": peaks,
        "memory.other": objects,
        **counted,
        **dict(zip(_DISTANCES, distances.T.copy(), strict=True)),
    }


def _places(ranks: int) -> dict[str, Amounts]:
    """Return bytes and messages sent by source line, and stack distances by source line and operand."""
    found: dict[str, dict[str, Any]] = {}
    sent = np.zeros(lib.pysmpi_requirement_places(), _ROW)
    lib.pysmpi_read_requirement_places(ffi.from_buffer("pysmpi_requirement_row[]", sent))
    for site in np.unique(sent["kind"]).tolist():
        amounts = _by_rank(sent[sent["kind"] == site], ranks)
        found[_site(site)] = {name: amounts[name] for name in ("sent.bytes", "sent.messages")}
    rows = np.zeros(lib.pysmpi_distance_places(), _PLACE)
    lib.pysmpi_read_distance_places(ffi.from_buffer("pysmpi_distance_place[]", rows))
    for site, operand, rank, _, quantiles in rows.tolist():
        place = f"{_site(site)}, operand {operand}" if operand else f"{_site(site)}, result"
        distances = found.setdefault(place, {name: np.zeros(ranks) for name in _DISTANCES})
        for name, value in zip(_DISTANCES, quantiles, strict=True):
            distances[name][rank] = value
    return {place: Amounts(amounts) for place, amounts in sorted(found.items())}


def _algorithms(kinds: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the algorithms that selectors have chosen, in order of first use, by kind of communication."""
    found: dict[str, list[str]] = {}
    for number in range(lib.pysmpi_requirement_choices()):
        operation = ffi.string(lib.pysmpi_requirement_operation(number)).decode()
        found.setdefault(operation, []).append(ffi.string(lib.pysmpi_requirement_algorithm(number)).decode())
    return {kind: tuple(names) for kind in sorted(kinds) if (names := found.get(kind.lower())) is not None}


def _site(number: int) -> str:
    """Return the text of a call site, with the path from the working folder if the file is below it."""
    text: str = ffi.string(lib.pysmpi_call_site(number)).decode()
    return text.removeprefix(f"{Path.cwd()}{os.sep}") or "outside the program"


def _by_rank(rows: Any, ranks: int) -> dict[str, Any]:
    sums = {name: np.zeros(ranks, np.int64) for name in _COUNTS}
    for name, array in sums.items():
        np.add.at(array, rows["rank"], rows[name])
    return sums


def _kind(number: int) -> str:
    """Return the name of a kind of communication; nonblocking and persistent collectives count as the blocking one."""
    if number < len(_FIRST_KINDS):
        return _FIRST_KINDS[number]
    function: str = ffi.string(lib.pysmpi_requirement_function(number)).decode()
    if function == _SCHEDULE:
        return "schedule"
    name = function.removeprefix("MPI_").removesuffix("_init")
    return name[1:].capitalize() if name.startswith("I") and _is_operation(name[1:]) else name


def _is_operation(name: str) -> bool:
    return name.removesuffix("_block") in OPERATIONS
