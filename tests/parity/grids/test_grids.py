"""Grids of MPI_Dims_create against those that MPI libraries choose."""

import json
import lzma
import pathlib
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
    """Of 6,525 calls, each returns the library's extents or fails where the library does."""

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
