"""Tests of plots of comparisons."""

import pathlib

import pytest

from pysmpi.errors import LaunchError
from pysmpi.simulation.experiments.compare_collectives import Comparison, Trial
from pysmpi.simulation.experiments.plot_comparison import plot_comparison

TRIALS = (Trial("ring", (1e-6, 2e-3), ()), Trial("tree", (2e-6, 1e-3), ()), Trial("broken", (), ("it failed",)))


@pytest.mark.parametrize("sizes", [1, 2])
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_bars_for_one_size_and_lines_for_several(tmp_path: pathlib.Path, sizes: int, ending: str) -> None:
    trials = tuple(Trial(trial.choice, trial.seconds[:sizes], trial.notes) for trial in TRIALS)
    comparison = Comparison("allgather", 4, (8, 65536)[:sizes], trials, (Trial("default", trials[0].seconds, ()),))
    file = tmp_path / f"picture.{ending}"
    plot_comparison(comparison, file)
    assert file.stat().st_size > 1000
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]
    if ending == "svg":
        text = file.read_text()
        assert "<!-- ring -->" in text or "ring" in text
        assert "broken" not in text


def test_no_such_format_or_folder(tmp_path: pathlib.Path) -> None:
    with pytest.raises(LaunchError, match=r"the folder .*missing.* does not exist"):
        plot_comparison(Comparison("bcast", 2, (8,), TRIALS, ()), tmp_path / "missing" / "picture.svg")
    with pytest.raises(LaunchError, match="svg"):
        plot_comparison(Comparison("bcast", 2, (8,), TRIALS, ()), tmp_path / "picture.bmp")
