"""Grids of MPI_Dims_create against those that MPI libraries choose, and times of a program that asks for its grid."""

import json
import lzma
import pathlib
import re
import sys
from typing import Any

import pytest

import pysmpi

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))  # grid_cases, which a real MPI library's program imports, too

from grid_cases import cases  # noqa: E402

RECORDS = {
    "openmpi-5.0": "openmpi",
    "openmpi-4.1": "openmpi",
    "mpich-4": "mpich",
    "mvapich2": "mvapich2",
    "smpi": "smpi",
}


@pytest.mark.parametrize("library", RECORDS)
def test_grids_are_those_of_the_library(library: str) -> None:
    """Each of 6,525 calls returns the library's extents or fails where the library does."""

    def program() -> list[Any]:
        from mpi4py import MPI

        found: list[Any] = []
        for nodes, extents in cases():
            try:
                found.append(MPI.Compute_dims(nodes, extents))
            except MPI.Exception as error:
                found.append({MPI.ERR_DIMS: "ERR_DIMS", MPI.ERR_ARG: "ERR_ARG"}[error.Get_error_class()])
        return found

    ours = pysmpi.simulate(program, np=1, mpi=library).values[0]
    recorded = lzma.decompress((HERE / f"{RECORDS[library]}.json.xz").read_bytes())
    theirs = [json.loads(line) for line in recorded.splitlines()]
    differing = [each for each in zip(cases(), theirs, ours, strict=True) if each[1] != each[2]]
    assert not differing


EVERY = 7  # of how many cases one runs with the other tests; all of them with `make parity`
HALO = [json.loads(line) for line in lzma.decompress((HERE / "halo.jsonl.xz").read_bytes()).splitlines()]


@pytest.mark.smpi
@pytest.mark.filterwarnings("ignore::pysmpi.errors.PlatformWarning")  # several ranks on a core
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id="-".join(str(case[key]) for key in ("platform", "np", "dimensions", "size")),
            marks=[pytest.mark.parity] if index % EVERY else [],
        )
        for index, case in enumerate(HALO)
    ],
)
def test_times_on_grids_equal_those_of_smpi(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Exchanges with neighbours take SMPI's time, because the neighbours are those in SMPI's grid."""
    platform = HERE.parent / "platforms" / f"{case['platform']}.xml"
    pysmpi.simulate(
        HERE / "halo.py",
        np=case["np"],
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=["smpi/simulate-computation:no"],
        args=[case["dimensions"], case["size"], 3],
    )
    times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", capsys.readouterr().out, re.M)}
    assert [times[rank] for rank in range(case["np"])] == pytest.approx(case["times"], rel=1e-6)
