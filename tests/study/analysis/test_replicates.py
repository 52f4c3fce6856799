"""Spread of a metric over replicates."""

import pathlib

import pytest

from pysmpi.cli.main import main
from pysmpi.errors import StudyError
from pysmpi.study import Table
from pysmpi.study.analysis import spreads

PROGRAM = "import random\nimport pysmpi\npysmpi.execute(random.random())\n"
STUDY = """\
program = "program.py"
platform = "flat:{{hosts}}"
fixed = { ranks = 1, cfg = { "smpi/simulate-computation" = "no" } }
factors.platform.hosts = [2, 1]
design = { replicates = 3, replicated = "REPLICATED" }
"""


def row(number: int, factor: int, time: float | None, status: str = "done") -> dict[str, str | int | float | None]:
    return {"point": number, "platform.roots": factor, "status": status, "simulated_time": time}


def test_each_combination_has_its_spread() -> None:
    """Failed points are left out."""
    rows = [row(1, 2, 3.0), row(2, 2, 1.0), row(3, 2, None, "failed"), row(4, 1, 7.0)]
    first, second = spreads(Table(rows, ("platform.roots",)), "simulated_time")
    assert (first.values, first.spread.values) == ({"platform.roots": 2}, (3.0, 1.0))
    assert (second.values, second.spread.values) == ({"platform.roots": 1}, (7.0,))
    with pytest.raises(StudyError, match="did you mean 'simulated_time'"):
        spreads(Table(rows, ("platform.roots",)), "simulated_tim")


@pytest.mark.parametrize("replicated", ["all", "random"])
def test_on_the_command_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], replicated: str) -> None:
    """The replicates of a study are replicas; without any, the table shows single values."""
    (tmp_path / "program.py").write_text(PROGRAM)
    study = tmp_path / "study.toml"
    study.write_text(STUDY.replace("REPLICATED", replicated))
    assert main(["study", "run", str(study), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["study", "spread", str(study)]) == 0
    title, header, *rows = capsys.readouterr().out.splitlines()
    assert title == "simulated_time: a further replicate lies in the interval with the probability"
    assert header.split() == ["replicates", "median", "interval", "probability", "platform.hosts"]
    first, second = (line.split() for line in rows)
    assert first[:-1] == second[:-1] and (first[-1], second[-1]) == ("2", "1")
    if replicated == "all":
        assert (first[0], first[-2]) == ("3", "50%") and float(first[2]) <= float(first[1]) <= float(first[4])
    else:
        assert len(first) == 3 and first[0] == "1"
