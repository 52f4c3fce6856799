"""Derived parameters of studies: formulas of other parameters."""

import pathlib

import pytest

from pysmpi.errors import ModelError, StudyError
from pysmpi.study import Study

STUDY = """\
program = "program.py"
platform = "flat:64"
arguments = ["{{side}}"]
[factors]
ranks = [4, 16]
n = [100, 400]
[derived]
arguments.side = "round(sqrt(n * ranks))"
"""


@pytest.fixture
def study(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "program.py").write_text("")
    return tmp_path / "study.toml"


def read(path: pathlib.Path, text: str) -> Study:
    path.write_text(text)
    return Study.read(path)


def test_a_factor_of_the_studys_own_fills_an_argument(study: pathlib.Path) -> None:
    found = read(study, STUDY)
    assert found.varied() == ["ranks", "n"]
    assert [point.task.arguments for point in found.plan()] == [("20",), ("40",), ("40",), ("80",)]
    assert found.plan()[3].values == {"mapping": "sequential", "ranks": 16, "n": 400, "arguments.side": 80}


def test_ranks_and_further_formulas_can_be_derived(study: pathlib.Path) -> None:
    text = STUDY.replace("ranks = [4, 16]", "s = [2, 3]").replace("[derived]", '[derived]\nranks = "s*s"')
    points = read(study, text).plan()
    assert [point.task.ranks for point in points] == [4, 4, 9, 9]
    assert [point.task.arguments for point in points] == [("20",), ("40",), ("30",), ("60",)]


def test_in_python(study: pathlib.Path) -> None:
    given = Study(
        program="program.py", platform="flat:64", arguments=["{{side}}"], factors={"ranks": [4, 16], "n": [100, 400]},
        derived={"arguments.side": "round(sqrt(n * ranks))"}, folder=study.parent,
    )  # fmt: skip
    assert [point.key for point in given.plan()] == [point.key for point in read(study, STUDY).plan()]


def test_old_results_stay_valid(study: pathlib.Path) -> None:
    """Counting is an input of the outcome; a study that does not count keeps its keys."""
    plain = read(study, STUDY).plan()
    counted = read(study, f"requirements = true\n{STUDY}").plan()
    assert counted[0].task.instruments == ("requirements",)
    assert not plain[0].task.instruments
    assert plain[0].key != counted[0].key


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sqrt(n", "sqr(n", r"study.toml:8:25: unknown function 'sqr'; did you mean 'sqrt'\?"),
        ("n * ranks", "m * ranks", r"study.toml:8:30: unknown parameter 'm'"),
        ("n * ranks", "n * ", r"study.toml:8:34: "),
    ],
)
def test_mistakes_in_formulas(study: pathlib.Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read(study, STUDY.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("arguments.side =", "arguments.sid =", "study.toml:8: unknown field 'sid'; did you mean 'side'"),
        ("[derived]", "[fixed]\narguments.side = 5\n[derived]", "this parameter also has a value"),
        ('"round(sqrt(n * ranks))"', "5", r"study.toml:8: 5 is not a formula in quotes"),
        ("[derived]", "m = [1]\n[derived]", r"study.toml:7: unknown parameter 'm'"),
        ("[derived]\n", "[unknown]\n", "unknown key 'unknown'"),
    ],
)
def test_mistakes_in_files(study: pathlib.Path, old: str, new: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        read(study, STUDY.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[100, 400]", '["100", 400]', r"study.toml:8: n is '100', but formulas need numbers"),
        ("n * ranks", "n - 500", r"study.toml:8: .*the formula has no value at n = 100: sqrt of -400 is not a number"),
        ("ranks = [4, 16]", "s = [0.5]\n", "'ranks' has no value|unknown parameter"),
    ],
)
def test_values_without_a_result(study: pathlib.Path, old: str, new: str, message: str) -> None:
    with pytest.raises((StudyError, ModelError), match=message):
        read(study, STUDY.replace(old, new)).plan()


def test_a_derived_value_must_be_valid(study: pathlib.Path) -> None:
    text = STUDY.replace("ranks = [4, 16]", "s = [0.5]").replace("[derived]", '[derived]\nranks = "s"')
    with pytest.raises(StudyError, match=r"study.toml:8: 's': 0\.5 is not a valid number of ranks"):
        read(study, text)
