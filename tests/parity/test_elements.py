"""Results of MPI_Reduce_local for each type, against those of real libraries: `openmpi/`, whose README tells more."""

import dataclasses
import json
import lzma
import pathlib
import sys
from typing import Any

import pytest

import pysmpi
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.mpi_libraries.behaviour import Reductions

HERE = pathlib.Path(__file__).parent / "openmpi"
sys.path.insert(0, str(HERE))  # openmpi_elements, which a real MPI library runs, too

NAMELESS = {"LOGICAL1", "LOGICAL2", "LOGICAL4", "LOGICAL8"}  # mpi4py for MPICH's ABI does not name them


def read(library: str) -> dict[str, dict[str, Any]]:
    """Return the recorded results of a library by datatype and operation."""
    lines = lzma.decompress((HERE / f"{library}-elements.jsonl.xz").read_bytes()).decode().splitlines()
    recorded = {line.pop("type"): line for line in map(json.loads, lines)}
    for name, results in recorded.items():
        for op in results:
            # Intel MPI does nothing in some undefined reductions; here they are errors.
            if library == "impi" and op in ("LAND", "LOR") and name in FLOATING:
                results[op] = "ERR_OP"
    return recorded


FLOATING = {"FLOAT", "REAL", "REAL4", "DOUBLE", "DOUBLE_PRECISION", "REAL8", "LONG_DOUBLE", "REAL16"}


@pytest.mark.parametrize(
    ("library", "rules"),
    [
        ("openmpi", Reductions.OPEN_MPI),
        ("mpich", Reductions.MPICH_5),
        ("mpich4", Reductions.MPICH_4),
        ("impi", Reductions.INTEL_MPI),
    ],
)
def test_elements_equal_those_of_real_libraries(
    library: str, rules: Reductions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All predefined operations on all predefined datatypes, with NaN, zeros of both signs, infinities and overflow."""
    followed = MPI_LIBRARIES["mpich-4"]
    behaviour = dataclasses.replace(followed.behaviour, reductions=rules)
    monkeypatch.setitem(MPI_LIBRARIES, "mpich-4", dataclasses.replace(followed, behaviour=behaviour))

    def program() -> Any:
        from openmpi_elements import all_results

        return all_results()

    ours = pysmpi.simulate(program, np=1, platform="flat:1", mpi="mpich-4").values[0]
    theirs = read(library)
    assert theirs.keys() - ours.keys() <= NAMELESS
    common = sorted(theirs.keys() & ours.keys())
    different = {f"{name} {op}" for name in common for op in theirs[name] if ours[name][op] != theirs[name][op]}
    assert different == set()
