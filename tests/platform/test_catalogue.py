"""Platforms that come with pysmpi, by name."""

import pathlib

import pytest

import pysmpi
from pysmpi.errors import PlatformError
from pysmpi.platform import catalogue, read


@pytest.mark.parametrize("name", sorted(catalogue.named()))
def test_each_is_read_and_described(name: str) -> None:
    entry = catalogue.describe(name, catalogue.named()[name])
    assert entry.hosts == len(read(name).hosts)
    assert entry.cores >= entry.hosts
    assert entry.speed > 0
    assert entry.about
    assert "\n" not in entry.about


def test_a_name_is_the_platforms_source() -> None:
    assert read("fattree").source == "fattree"
    assert len(read("fattree").hosts) == 4096


def test_a_file_takes_precedence(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fattree").mkdir()  # a directory is not a platform
    assert len(read("fattree").hosts) == 4096
    (tmp_path / "laptop").write_text(catalogue.named()["cluster"].read_text())
    assert len(read("laptop").hosts) == 32


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fatree", "did you mean 'fattree'?"),
        ("nowhere", "'nowhere' is neither a file nor a platform that comes with pysmpi ("),
        ("nowhere.xml", "cannot read the platform file"),
        ("folder/fattree", "cannot read the platform file"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(PlatformError) as caught:
        read(name)
    assert message in str(caught.value)


def test_a_simulation(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n")
    times = [
        pysmpi.simulate(program, np=4, platform=platform, cfg=["smpi/simulate-computation:no"]).simulated_time
        for platform in ("cluster", catalogue.named()["cluster"])
    ]
    assert times[0] == times[1] > 0
