"""Saved runs that somebody else has made, or changed."""

import json
import pathlib
import re
from collections.abc import Callable

import pytest

from pysmpi.cli.main import main
from pysmpi.simulation.instruments.saved_run.saved_run import SavedRunError, read_run

SOURCE = """
from mpi4py import MPI
MPI.COMM_WORLD.Barrier()  # the barrier
MPI.COMM_WORLD.allreduce(1)  # the sum
"""
Command = Callable[..., object]


@pytest.fixture
def saved(pysmpirun: Command, tmp_path: pathlib.Path) -> pathlib.Path:
    pysmpirun("-np", "2", "--cfg=smpi/simulate-computation:no", "--save-run", "run", "program.py", source=SOURCE)
    return tmp_path / "run"


def test_the_page_is_not_written_through_links(saved: pathlib.Path) -> None:
    victim = saved.parent / "victim"
    victim.write_text("precious")
    for name in ("report.html", "report.html.part"):
        (saved / name).symlink_to(victim)
    assert main(["report", str(saved)]) == 0
    assert victim.read_text() == "precious" and not (saved / "report.html").is_symlink()


def test_source_lines_are_those_of_the_saved_run(saved: pathlib.Path) -> None:
    """The program may be gone, and a place that names another file shows nothing of it."""
    secret = saved.parent / "secret"
    secret.write_text("a line of somebody's file\n")
    (saved.parent / "program.py").unlink()
    profile = json.loads((saved / "profile.json").read_text())
    del profile["places"][0]["source"]
    profile["places"][0]["place"] = f"{secret}:1"
    (saved / "profile.json").write_text(json.dumps(profile))
    assert main(["report", str(saved)]) == 0
    page = (saved / "report.html").read_text()
    assert "a line of somebody's file" not in page
    assert "# the barrier" in page or "# the sum" in page


@pytest.mark.parametrize(
    "name",
    ["result.json", "settings.json", "profile.json", "overview.json", "network/matrix.json", "network/links.svg"],
)
def test_links_in_a_saved_run_are_refused(saved: pathlib.Path, name: str) -> None:
    secret = saved.parent / "secret"
    secret.write_text((saved / "result.json").read_text())
    (saved / name).unlink(missing_ok=True)
    (saved / name).symlink_to(secret)
    with pytest.raises(SavedRunError, match=re.escape(name) + ": cannot read the file: is a symbolic link"):
        read_run(saved)


def test_deep_json_is_refused(saved: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    for depth in (500, 900, 1_000, 100_000):
        (saved / "settings.json").write_text("[" * depth + "]" * depth)
        status = main(["report", str(saved)])
        assert status == 0 or (status == 2 and re.search("nested too deeply|damaged", capsys.readouterr().err))
    assert status == 2


def test_names_in_braces_are_no_parts_of_the_page(saved: pathlib.Path) -> None:
    result = json.loads((saved / "result.json").read_text())
    (saved / "result.json").write_text(json.dumps(result | {"program": "{{script}}", "platform": "{{data}}"}))
    assert main(["report", str(saved)]) == 0
    assert "<title>{{script}} on {{data}}</title>" in (saved / "report.html").read_text()
