"""Campaigns of SimGrid's tool platform-calibration: a made one is fitted, and mistakes are named."""

import json
from pathlib import Path

import pytest

from pysmpi.calibrate.commands.main import main
from pysmpi.calibrate.network import fit_table, read_public_campaign
from pysmpi.errors import CalibrationError

SIZES = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000]
WAITS = 50_000


def sent(size: int) -> float:
    return 2e-6 + 1e-10 * size


def received(size: int) -> float:
    return 3e-6 + 2e-10 * size


def one_way(size: int) -> float:
    transfer = 2e-5 + (size + 16) * 1e-9
    return transfer + (sent(size) + received(size) if size < WAITS else 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tables: dict[str, list[str]] = {
        "PingPong": [
            line
            for size in SIZES
            for line in (
                f"MPI_Send,{size},1.0,{sent(size) if size < WAITS else one_way(size) / 2}",
                f"MPI_Recv,{size},1.0,{2 * one_way(size) - (sent(size) if size < WAITS else one_way(size) / 2)}",
            )
        ],
        "Isend": [f"MPI_Isend,{size},1.0,{sent(size)}" for size in SIZES],
        "Recv": [f"MPI_Recv,{size},1.0,{received(size) if size < WAITS else one_way(size)}" for size in SIZES],
        "Wtime": ["MPI_Wtime,0,39.8,0.4"],
        "Iprobe": ["MPI_Iprobe,1,40.2,3e-07", "MPI_Iprobe,10,40.2,3e-07"],
        "Test": ["MPI_Test,1,40.2,2e-07"],
    }
    for name, lines in tables.items():
        (tmp_path / f"site_{name}.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "site.xml").write_text(f'<config><prefix value="site"/><detached_threshold value="{WAITS}"/></config>')
    (tmp_path / "site_output.xml").write_text('<config id="General"/>')
    return tmp_path


def test_a_campaign_gives_back_what_it_was_made_of(folder: Path) -> None:
    table, waits_from = read_public_campaign(folder)
    assert waits_from == WAITS and table.provenance["campaign"] == "site"
    (fit,) = fit_table(table, waits_from=waits_from)
    clock = 0.4 / 1e7
    assert fit.place == "inter" and fit.waits_from == WAITS
    assert fit.polls == pytest.approx({"wtime": clock, "iprobe": 3e-7, "test": 2e-7})
    assert fit.sent[0].startup == pytest.approx(2e-6 - clock, rel=1e-6)
    assert max(abs(error) for error in fit.errors.values()) < 0.01
    assert fit.bandwidth == pytest.approx(1e9, rel=0.01)


def test_the_command_reads_a_folder(folder: Path, tmp_path: Path) -> None:
    assert main(["network", "--from", str(folder), "--output", str(tmp_path / "network.json")]) == 0
    document = json.loads((tmp_path / "network.json").read_text())
    assert document["settings"]["smpi/send-is-detached-thresh"] == str(WAITS)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("site_Isend.csv", "MPI_Isend,1,2.0\n", r"site_Isend.csv:1: 'MPI_Isend,1,2.0' is not FUNCTION,SIZE,START,SEC"),
        ("site_Isend.csv", "MPI_Isend,1,2.0,-1\n", "site_Isend.csv:1: size and seconds must be finite"),
        ("site_Isend.csv", "MPI_Isend,1,2.0,nan\n", "site_Isend.csv:1: size and seconds must be finite"),
        ("site_PingPong.csv", "MPI_Recv,1,2.0,1\n", "site_PingPong.csv:1: MPI_Recv instead of the MPI_Send of a round"),
        ("site_PingPong.csv", "MPI_Send,1,2,1\nMPI_Recv,2,2,1\n", "csv:2: MPI_Recv instead of the MPI_Recv of 1 bytes"),
        ("site_PingPong.csv", "MPI_Send,1,2,0\nMPI_Recv,1,2,0\n", "csv:2: a round trip takes 0 seconds"),
        ("site_PingPong.csv", "MPI_Send,1,2.0,1\n", "csv:1: the file ends after an MPI_Send"),
        ("site.xml", "<config>", "site.xml:1: not XML"),
        ("site.xml", '<config><detached_threshold value="x"/></config>', "detached_threshold 'x' is not a number"),
        ("other_PingPong.csv", "", "has other_PingPong.csv, site_PingPong.csv; a campaign of"),
    ],
)
def test_mistakes_are_named(folder: Path, name: str, text: str, message: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(CalibrationError, match=message):
        read_public_campaign(folder)


def test_missing_tables_are_named(folder: Path) -> None:
    (folder / "site_Test.csv").unlink()
    with pytest.raises(CalibrationError, match=r"the campaign lacks site_Test\.csv"):
        read_public_campaign(folder)
    (folder / "site_PingPong.csv").unlink()
    with pytest.raises(CalibrationError, match=r"has no file PREFIX_PingPong\.csv"):
        read_public_campaign(folder)
