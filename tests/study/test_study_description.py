"""Tests of study files: their meaning, and errors in them."""

import pathlib

import pytest
from small_study import STUDY

from pysmpi.errors import StudyError
from pysmpi.study import Study


def test_crossed(folder: pathlib.Path) -> None:
    (folder / "study.toml").write_text(STUDY + "\n[factors]\nmapping = ['sequential', 'round-robin', 'random']\n")
    study = Study.read(folder / "study.toml")
    points = study.plan()
    assert len(points) == 6
    assert [(point.values["platform.bandwidth"], point.values["mapping"]) for point in points[:4]] == [
        ("1GBps", "sequential"), ("1GBps", "round-robin"), ("1GBps", "random"), ("10GBps", "sequential"),
    ]  # fmt: skip
    assert {point.task.ranks for point in points} == {4}
    assert points[0].task.cfg == ("smpi/simulate-computation:no",)
    assert 'bw="10GBps"' in points[3].task.platform
    assert len({point.key for point in points}) == 6


def test_python_and_toml_are_the_same(folder: pathlib.Path) -> None:
    study = Study(
        program="program.py",
        platform="machine.xml",
        fixed={"ranks": 4, "cfg.smpi/simulate-computation": False},
        factors={"platform.bandwidth": ["1GBps", "10GBps"]},
        folder=folder,
    )
    assert [point.key for point in study.plan()] == [point.key for point in Study.read(folder / "study.toml").plan()]


def test_listed_points(folder: pathlib.Path) -> None:
    text = (
        STUDY.partition("[factors")[0]
        + """
[[points]]
platform.bandwidth = "1GBps"

[[points]]
platform.bandwidth = "2GBps"
ranks = 2
"""
    )
    (folder / "study.toml").write_text(text)
    points = Study.read(folder / "study.toml").plan()
    assert [(point.task.ranks, point.values["platform.bandwidth"]) for point in points] == [(4, "1GBps"), (2, "2GBps")]


def test_replicates_are_of_what_is_random(folder: pathlib.Path) -> None:
    """Random mappings are repeated with other seeds; other points are repeated only on request."""
    text = STUDY + "\n[factors]\nmapping = ['sequential', 'random']\n[design]\nreplicates = 3\n"
    (folder / "study.toml").write_text(text)
    points = Study.read(folder / "study.toml").plan()
    seeds = [point.task.seed for point in points]
    assert [point.values["mapping"] for point in points] == ["sequential", "random", "random", "random"] * 2
    assert seeds == [0, 0, 1, 2] * 2
    (folder / "study.toml").write_text(text + "replicated = 'all'\nseed = 1\n".replace("seed = 1\n", ""))
    assert len(Study.read(folder / "study.toml").plan()) == 12


def test_options_fill_fields_of_arguments(folder: pathlib.Path) -> None:
    study = Study("program.py", "torus:2,2:bw={{bw}}GBps", folder=folder, arguments=["--n={{n}}", "{{check}}"],
                  fixed={"ranks": 4, "arguments.check": True},
                  factors={"arguments.n": [10, 20], "platform.bw": {"low": 1, "high": 3, "steps": 2}})  # fmt: skip
    tasks = [point.task for point in study.plan()]
    assert [task.arguments for task in tasks[::2]] == [("--n=10", "yes"), ("--n=20", "yes")]
    assert [task.platform for task in tasks[:2]] == ["torus:2,2:bw=1GBps", "torus:2,2:bw=3GBps"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ranks = 4", "ranks = 4.5", r"study.toml:5: 4.5 is not a valid number of ranks"),
        ("ranks = 4", "ranks = = 4", r"study.toml:5: not valid TOML: "),
        ("ranks = 4", "rnaks = 4", r"study.toml:5: unknown parameter 'rnaks'; did you mean 'ranks'\?"),
        ("ranks = 4\n", "", r"study.toml:4: ranks is missing"),
        ("bandwidth =", "bandwith =", r"study.toml:9: unknown field 'bandwith'; did you mean 'bandwidth'\?"),
        ('["1GBps", "10GBps"]', "[]", r"study.toml:9: the list of values is empty"),
        ('["1GBps", "10GBps"]', '["1GBps", "1GBps"]', r"study.toml:9: '1GBps' is listed twice"),
        ('["1GBps", "10GBps"]', "[1, 1.0]", r"study.toml:9: 1 and 1.0 are equal numbers in a table"),
        ('["1GBps", "10GBps"]', '{ low = "1GBps", high = "2Gbps" }', r"study.toml:9: low has GBps, high has Gbps"),
        ('["1GBps", "10GBps"]', '{ low = "1GBps", hihg = 1 }', r"study.toml:9: unknown part of a range 'hihg'"),
        ('["1GBps", "10GBps"]', '{ low = "1GBps", high = "2GBps" }', "without steps is valid only in a sampled design"),
        ("[factors.platform]\nbandwidth", "[factors]\n#", r"machine.xml|line 4, has no value"),
        ("smpi/simulate-computation", "smpi/simulate-compilation", r"study.toml:6: .*did you mean"),
        ('= "no"', '= "perhaps"', r"study.toml:6: .*is not valid"),
        ('"program.py"', '"progam.py"', r"study.toml:1: script '.*progam.py' does not exist"),
        ('"machine.xml"', '"machine.xlm"', r"study.toml:2: file '.*machine.xlm' does not exist"),
        ("[fixed]", "[fixt]", r"study.toml:4: unknown key 'fixt'; did you mean 'fixed'\?"),
        ("[fixed]", "[design]\nkind = 'crosed'\n[fixed]", r"study.toml:5: unknown design 'crosed'; did you mean"),
        ("[fixed]", "[design]\nkind = 'sampled'\n[fixed]", r"a sampled design needs samples"),
        ("[fixed]", "[design]\nreplicates = 0\n[fixed]", r"study.toml:5: 0 is too small; the least valid value is 1"),
        ("[fixed]", "inputs = ['no*.csv']\n[fixed]", r"study.toml:4: no file in '.*' matches 'no\*.csv'"),
        ('program = "program.py"\n', "", r"program is missing: the path of a script, a job file under jobs, or a f"),
        ('program = "program.py"\n', 'jobs = "none.toml"\n', r"study.toml:1: file '.*none.toml' does not exist"),
        ("[fixed]", "jobs = 'study.toml'\n[fixed]", r"study.toml:1: program is not valid with jobs"),
        ("[fixed]", "[fixed]\nmapping = 'randm'", r"study.toml:5: unknown mapping 'randm'; did you mean 'random'\?"),
        ("[fixed]", "[fixed]\nalgorithms = { bcst = 'x' }", r"study.toml:5: unknown option 'smpi/bcst'"),
        (
            "cfg = { ",
            "algorithms.bcast = 'flattree'\ncfg = { 'smpi/bcast' = 'ompi', ",
            r"study.toml:7: sets smpi/bcast, which algorithms.bcast sets too",
        ),
        (
            "[factors.platform]",
            "[factors]\nselector = ['ompi']\ncfg.'smpi/coll-selector' = ['mpich']\n[factors.platform]",
            r"study.toml:10: sets smpi/coll-selector, which selector sets too",
        ),
        ("[fixed]", "[fixed]\nselector = 'openmpi'", r"study.toml:5: unknown smpi/coll-selector 'openmpi'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(folder: pathlib.Path, old: str, new: str, message: str) -> None:
    """Each error names file and line, valid values, and the nearest match."""
    assert old in STUDY
    (folder / "study.toml").write_text(STUDY.replace(old, new))
    with pytest.raises(StudyError, match=message):
        Study.read(folder / "study.toml").plan()


def test_both_fixed_and_varied(folder: pathlib.Path) -> None:
    (folder / "study.toml").write_text(STUDY + "[factors]\nranks = [1, 2]\n")
    with pytest.raises(StudyError, match=r"study.toml:5: this parameter is also a factor"):
        Study.read(folder / "study.toml")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("timeout = nan", "nan is not valid; write a number of seconds above 0"),
        ("timeout = 1" + "0" * 400, "is not valid; write a number of seconds above 0"),
        ("seed = 99999999999999999999", "is too large"),
        (f'blas = "{"a" * 5000}"', "model .* does not exist"),
        ("design = { replicates = 1000000000000 }", "is too large; the largest valid value is 1,000,000"),
    ],
)
def test_numbers_and_names_without_measure(folder: pathlib.Path, line: str, said: str) -> None:
    (folder / "study.toml").write_text(f"{line}\n{STUDY}")
    with pytest.raises(StudyError, match=f"study.toml:1: .*{said}"):
        Study.read(folder / "study.toml")


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = 1" + "0" * 10_000])
def test_toml_beyond_what_is_read(folder: pathlib.Path, text: str) -> None:
    (folder / "study.toml").write_text(text)
    with pytest.raises(StudyError, match=r"study\.toml"):
        Study.read(folder / "study.toml")


def test_patterns_of_inputs_that_are_none(folder: pathlib.Path) -> None:
    (folder / "study.toml").write_text("inputs = ['a**b']\n" + STUDY)
    # From Python 3.13 on, such a pattern is valid.
    with pytest.raises(StudyError, match=r"'a\*\*b' is not a valid file pattern|no file in .* matches 'a\*\*b'"):
        Study.read(folder / "study.toml").plan()


def test_lines_of_listed_points(folder: pathlib.Path) -> None:
    """Each point is a separate table, and an error names the table that contains it."""
    points = "".join(f"[[points]]\nranks = {ranks}\nplatform.bandwidth = '1GBps'\n" for ranks in (1, 2, 0))
    (folder / "study.toml").write_text("program = 'program.py'\nplatform = 'machine.xml'\n" + points)
    with pytest.raises(StudyError, match=r"study.toml:10: 0 is not a valid number of ranks"):
        Study.read(folder / "study.toml")


def test_parameters_of_jobs(folder: pathlib.Path) -> None:
    (folder / "jobs.toml").write_text("[[jobs]]\nprogram = 'program.py'\nranks = {{ranks}}\n")
    head = "jobs = 'jobs.toml'\nplatform = 'flat:4'\n"
    for text, said in (
        ("[fixed]\nranks = 4", r"study.toml:4: jobs set their own ranks; write ranks = {{ranks}} in the job file"),
        ("[fixed]\nmapping = 'random'", r"study.toml:4: jobs set their own mapping"),
        ("[fixed]\njobs.rank = 4", r"study.toml:4: unknown field 'rank'; did you mean 'ranks'.*.*in the job file"),
        ("", r"study.toml:1: field {{ranks}}, line 3, has no value; write jobs.ranks in \[fixed\]"),
    ):
        (folder / "study.toml").write_text(f"{head}{text}\n")
        with pytest.raises(StudyError, match=said):
            Study.read(folder / "study.toml")


def test_names_that_are_no_texts(folder: pathlib.Path) -> None:
    with pytest.raises(StudyError, match="factors: 1 is not the name of a parameter"):
        Study("program.py", "flat:4", factors={1: [2]}, folder=folder)  # type: ignore[dict-item]
