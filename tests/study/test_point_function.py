"""Tests of studies of a function: its arguments, what makes its points run again, and what it may return."""

import pathlib
import sys

import pytest

from pysmpi.errors import StudyError
from pysmpi.study import Study
from pysmpi.study.commands.study import main
from pysmpi.study.point_function import PointFunction, call

FUNCTIONS = """\
import numpy
import pysmpi
from sizes import unit

def area(side: int, name: str = "x", *, depth: int, colour=None) -> dict[str, object]:
    return {"area": numpy.float64(side * side * unit), "name": name, "depth": depth, "colour": colour}

def simulated(ranks):
    return pysmpi.simulate(_ring, np=ranks, platform=f"torus:{ranks}", cfg={"smpi/simulate-computation": "no"})

def _ring():
    pysmpi.report(better="more", ranks=7)

def failing(side):
    return side if side < 2 else {"matrix": [side]} if side < 3 else len(side)

class Side: pass
"""
STUDY = """\
function = "functions.py:area"

[fixed.arguments]
depth = 5

[factors.arguments]
side = [1, 2]
"""


@pytest.fixture
def functions(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder with functions in functions.py and a study of two points in study.toml."""
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "sizes.py").write_text("unit = 10\n")
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "sizes", raising=False)
    return tmp_path


def test_arguments(functions: pathlib.Path) -> None:
    found = PointFunction.find("functions.py:area", functions)
    assert (found.required, found.optional) == (("side", "depth"), ("name", "colour"))


def test_calls(functions: pathlib.Path) -> None:
    path = str(functions / "functions.py")
    assert call(path, "area", {"side": 3, "depth": 5}) == {"area": 90.0, "name": "x", "depth": 5}
    with pytest.raises(StudyError, match=r"functions.py: the function 'failing' returned 1; return a dictionary"):
        call(path, "failing", {"side": 1})
    with pytest.raises(StudyError, match=r"functions.py: the function 'failing' returned {'matrix': \[2\]}; return"):
        call(path, "failing", {"side": 2})
    with pytest.raises(StudyError, match=r"functions.py:15: TypeError: object of type 'int' has no len"):
        call(path, "failing", {"side": 3})
    with pytest.raises(StudyError, match=r"functions.py: TypeError: .*unexpected keyword argument 'sid'"):
        call(path, "failing", {"sid": 3})


def test_a_study_of_a_function(functions: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One function returns figures, another one the result of a simulation."""
    study = Study.read(functions / "study.toml")
    table = study.run(functions / "results")
    assert [(row["arguments.side"], row["metric.area"]) for row in table] == [(1, 10.0), (2, 40.0)]
    assert table.metrics == ["metric.area", "metric.name", "metric.depth"]
    words = [str(functions / "study.toml"), "--results", str(functions / "results"), "--of", "metric.area"]
    assert main(["verify", *words, "--set", "arguments.side=3"]) == 0
    assert capsys.readouterr().out.startswith("at arguments.side = 3\n")
    simulated = Study(function="functions.py:simulated", fixed={"arguments.ranks": 3}, folder=functions)
    (row,) = table = simulated.run(functions / "results")
    assert (row["status"], row["simulated_time"], row["metric.ranks"]) == ("done", 0.0, 7)
    assert table.better == {"metric.ranks": ("more",)}
    with pytest.raises(StudyError, match="a function chooses its platforms itself, so its study cannot have prices"):
        _ = study.platform_text


def test_formulas_and_changed_files(functions: pathlib.Path) -> None:
    text = STUDY.replace("[factors.arguments]\nside = [1, 2]", "name = 'data.txt'\n[factors]\nn = [3]")
    (functions / "study.toml").write_text(text + "[derived]\narguments.side = 'n * 2'\n")
    (point,) = Study.read(functions / "study.toml").plan()
    assert point.values == {"arguments.depth": 5, "arguments.name": "data.txt", "n": 3, "arguments.side": 6}
    assert point.task.call_arguments == {"depth": 5, "name": "data.txt", "side": 6}
    assert point.computation == ""
    key = point.key
    for name, content in (("data.txt", "1"), ("sizes.py", "unit = 11\n"), ("functions.py", FUNCTIONS + "\n")):
        (functions / name).write_text(content)
        (changed,) = Study.read(functions / "study.toml").plan()
        assert changed.key != key, name
        key = changed.key


def test_scripts_among_the_inputs_bring_their_modules(functions: pathlib.Path) -> None:
    (functions / "script.py").write_text("import module\n")
    keys = set()
    for content in ("1", "2"):
        (functions / "module.py").write_text(content)
        study = Study(
            function="functions.py:failing", fixed={"arguments.side": 1}, inputs=["script.py"], folder=functions
        )
        keys |= {point.key for point in study.plan()}
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("functions.py:area", "functions.py", r":1: 'functions.py' is not valid; write FILE.py:NAME"),
        ("functions.py", "function.py", r":1: file '.*/function.py' does not exist"),
        (":area", ":are", r":1: '.*functions.py': unknown function 'are'; did you mean 'area'\?"),
        (":area", ":Side", r":1: '.*functions.py': unknown function 'Side'"),
        ("side =", "sid =", r":7: unknown argument 'sid'; did you mean 'side'\? \(valid: side, depth, name, colour\)"),
        ("side =", "name =", r":1: argument 'side' has no value; write arguments.side in \[fixed\], or make it"),
        (
            "[factors.",
            "[factors]\nranks = [2]\n[factors.",
            r":7: a function has no parameters but its arguments; write a",
        ),
        ("\n[fix", "platform = 'flat:2'\n[fix", r":2: platform is not valid with function, .*; remove one"),
        ("\n[fix", "requirements = true\n[fix", r":2: requirements is not valid with function"),
        ("\n[fix", "design = { replicates = 2 }\n[fix", r":2: not valid with function; make the seed an argument"),
    ],
)
def test_errors(functions: pathlib.Path, old: str, new: str, message: str) -> None:
    (functions / "study.toml").write_text(STUDY.replace(old, new, 1))
    with pytest.raises(StudyError, match=message):
        Study.read(functions / "study.toml")
