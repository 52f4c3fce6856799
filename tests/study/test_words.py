"""Words of a study that choose the MPI library and the fabric."""

import pathlib

import pytest

from pysmpi.errors import StudyError
from pysmpi.simulation.settings.layers import SMPI_VARIABLE
from pysmpi.study import Study

PROGRAM = """
from mpi4py import MPI
MPI.COMM_WORLD.Allreduce(bytearray(8), bytearray(8))
"""
STUDY = """
program = "program.py"
platform = "flat:4"
[fixed]
ranks = 4
cfg."smpi/simulate-computation" = "no"
"""


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder with a program, outside which no variable asks for SMPI."""
    monkeypatch.delenv(SMPI_VARIABLE, raising=False)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def _times(folder: pathlib.Path, words: str) -> list[float]:
    (folder / "study.toml").write_text(STUDY + words)
    return [row["simulated_time"] for row in Study.read(folder / "study.toml").run(folder / "results")]


def test_words_choose_defaults(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words and the environment are part of a point's identity, so that no stored outcome is taken for another."""
    (plain,) = _times(folder, "")
    (smpi,) = _times(folder, "smpi = true\n")
    assert plain != smpi
    neutral, omni_path = _times(folder, 'mpi = "mpich-4"\n[factors]\nfabric = ["neutral", "omni-path"]\n')
    assert neutral < omni_path
    monkeypatch.setenv(SMPI_VARIABLE, "yes")
    assert _times(folder, "") == [smpi]


def test_words_are_checked(folder: pathlib.Path) -> None:
    for words, expected in (
        ('smpi = "SMPI"\n', "'SMPI' is not valid for smpi; write true"),
        ('fabric = "ndrr"\n', "unknown fabric 'ndrr'; did you mean 'ndr'"),
    ):
        with pytest.raises(StudyError, match=expected):
            _times(folder, words)
