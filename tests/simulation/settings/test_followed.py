"""The MPI library that MPI calls outside ranks follow."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import PlatformError

OPEN_MPI = "openmpi-5.0"


def explain(_: pathlib.Path) -> None:
    pysmpi.explain("flat:2", "node-0", "node-1", 100, mpi=OPEN_MPI)


def replay(folder: pathlib.Path) -> None:
    (folder / "trace").write_text("0 init\n0 finalize\n")
    pysmpi.simulate_replay(folder / "trace", np=1, platform="flat:1", mpi=OPEN_MPI)


def simulate(_: pathlib.Path) -> None:
    pysmpi.simulate(lambda: None, np=1, platform="flat:1", mpi=OPEN_MPI)


def fail_to_begin(_: pathlib.Path) -> None:
    with pytest.raises(PlatformError, match="routing 'minimal' has no effect"):
        pysmpi.simulate(lambda: None, np=1, platform="flat:1", mpi=OPEN_MPI, cfg=["platform/routing:minimal"])


@pytest.mark.parametrize("use_open_mpi", [explain, replay, simulate, fail_to_begin])
def test_error_classes_are_those_of_mpich(
    use_open_mpi: Callable[[pathlib.Path], None], MPI: Any, tmp_path: pathlib.Path
) -> None:
    """Ranks have followed Open MPI before, whose class is MPI_ERR_OTHER."""
    use_open_mpi(tmp_path)
    file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_WRONLY | MPI.MODE_CREATE)
    with pytest.raises(MPI.Exception) as caught:
        file.Write_at(-1, bytearray(8))
    file.Close()
    assert caught.value.Get_error_class() == MPI.ERR_ARG
