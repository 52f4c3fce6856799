"""Tests of the inputs that make a point run again."""

import pathlib
from dataclasses import replace
from importlib.machinery import EXTENSION_SUFFIXES

import pytest
from small_study import PLATFORM, STUDY

from pysmpi.errors import StudyError
from pysmpi.simulation.experiments.jobs_file import parse_jobs
from pysmpi.study import Study
from pysmpi.study.inputs import program_files


def keys(folder: pathlib.Path) -> list[str]:
    return [point.key for point in Study.read(folder / "study.toml").plan()]


@pytest.mark.parametrize("name", ["program.py", "helper.py", "data.txt", "profile.txt"])
def test_changed_files(folder: pathlib.Path, name: str) -> None:
    """Points depend on the program, imported modules, files among the arguments, and files named by the platform."""
    (folder / "data.txt").write_text("1")
    (folder / "profile.txt").write_text("0 1\n")
    (folder / "machine.xml").write_text(
        PLATFORM.replace("</platform>", '<trace id="t" file="profile.txt"/></platform>')
    )
    (folder / "study.toml").write_text('arguments = ["data.txt"]\n' + STUDY)
    before = keys(folder)
    (folder / name).write_text((folder / name).read_text() + "\n# other\n")
    after = keys(folder)
    assert not set(before) & set(after)
    assert len(set(after)) == 2


def test_what_changes_nothing(folder: pathlib.Path) -> None:
    before = keys(folder)
    (folder / "other.py").write_text("x = 1\n")
    text = STUDY.replace('"10GBps"]', '"10GBps", "100GBps"]')
    (folder / "study.toml").write_text("timeout = 5\n" + text)
    elsewhere = folder.rename(folder.with_name(folder.name + "-moved"))
    assert keys(elsewhere)[:2] == before
    elsewhere.rename(folder)


def test_jobs_and_what_they_read(folder: pathlib.Path) -> None:
    """Points depend on the job file, the jobs' programs, hostfiles, and files among their arguments."""
    (folder / "places").write_text("node-0\nnode-1\n")
    (folder / "data.txt").write_text("1")
    (folder / "jobs.toml").write_text(
        "[[jobs]]\nprogram = 'program.py'\nranks = {{ranks}}\nhostfile = 'places'\narguments = ['data.txt']\n"
    )
    head = "jobs = 'jobs.toml'\nplatform = 'flat:4'\n"
    (folder / "study.toml").write_text(f"{head}[factors]\njobs.ranks = [1, 2]\n")
    seen = set(keys(folder))
    assert len(seen) == 2
    for name in ("helper.py", "places", "data.txt", "jobs.toml"):
        (folder / name).write_text((folder / name).read_text() + "\n# other\n")
        found = set(keys(folder))
        assert len(found) == 2 and not found & seen
        seen |= found
    (folder / "study.toml").write_text(f"{head}[factors]\njobs.ranks = [1, 0]\n")
    with pytest.raises(
        StudyError, match=r"jobs.toml:3: job 1 \(program.py\): ranks = 0 is .*; jobs.ranks is 0 in this " r"point"
    ):
        keys(folder)
    (folder / "jobs.toml").write_text("[[jobs]]\nprogram = 'none.py'\nranks = {{ranks}}\n")
    with pytest.raises(StudyError, match=r"job none: script '.*none.py' does not exist"):
        keys(folder)


def test_jobs_at_random_are_replicated(folder: pathlib.Path) -> None:
    (folder / "jobs.toml").write_text("[[jobs]]\nprogram = 'program.py'\nranks = 2\nmapping = '{{mapping}}'\n")
    (folder / "study.toml").write_text(
        "jobs = 'jobs.toml'\nplatform = 'flat:4'\n[factors]\njobs.mapping = ['random', 'sequential']\n"
        "[design]\nreplicates = 3\n"
    )
    points = Study.read(folder / "study.toml").plan()
    assert [(point.values["jobs.mapping"], point.task.seed) for point in points] == [
        ("random", 0), ("random", 1), ("random", 2), ("sequential", 0)
    ]  # fmt: skip


def test_values_of_jobs_are_what_they_are(folder: pathlib.Path) -> None:
    (folder / "jobs.toml").write_text(
        "[[jobs]]\nprogram = 'program.py'\nname = \"it's {{name}}\"\narguments = ['#', \"a\\\"{{ x }}\", '{{x}}']\n"
        'ranks = {{ranks}} # "{{ranks}}"\n'
    )
    values = {"jobs.name": 'a"b', "jobs.x": r"c:\new", "jobs.ranks": 3}
    study = Study(jobs="jobs.toml", platform="flat:4", points=[values], design="listed", folder=folder)
    (point,) = study.plan()
    assert point.task.jobs is not None
    (job,) = parse_jobs(point.task.jobs, folder / "jobs.toml")
    assert (job.name, job.arguments, job.ranks) == ("it's a\"b", ["#", r'a"c:\new', r"c:\new"], 3)


def test_files_that_platforms_include(folder: pathlib.Path) -> None:
    (folder / "machines").mkdir()
    for name, text in {
        "top": '<include file="{{which}}.xml"/>',
        "first": '<include file="inner.xml"/>',
        "inner": '<cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us"/>',
    }.items():
        (folder / "machines" / f"{name}.xml").write_text(f'<platform version="4.1">{text}</platform>\n')
    (folder / "machines" / "second.xml").write_bytes((folder / "machines" / "first.xml").read_bytes() + b" ")
    study = STUDY.replace("machine.xml", "machines/top.xml").replace(
        'bandwidth = ["1GBps", "10GBps"]', 'which = ["first", "second"]'
    )
    (folder / "study.toml").write_text(study)
    first, second = keys(folder)
    assert len(Study.read(folder / "study.toml").run(folder / "results").done()) == 2
    (folder / "machines" / "second.xml").write_bytes((folder / "machines" / "first.xml").read_bytes())
    assert [key in (first, second) for key in keys(folder)] == [True, False]
    (folder / "machines" / "inner.xml").write_text((folder / "machines" / "inner.xml").read_text() + "\n")
    assert not {first, second} & set(keys(folder))


def test_which_of_the_inputs_is_the_program(folder: pathlib.Path) -> None:
    """Another program, model or option file among the same inputs is another point."""
    (folder / "other.py").write_text("print(1)\n")
    (folder / "data.txt").write_text("1")
    (folder / "study.toml").write_text('inputs = ["*.py"]\narguments = ["--data=data.txt"]\n' + STUDY)
    seen = set(keys(folder))
    (folder / "data.txt").write_text("2")
    seen |= set(keys(folder))
    study = Study.read(folder / "study.toml")
    seen |= {point.key for point in replace(study, program="other.py").plan()}
    seen |= {point.key for point in replace(study, blas="other.py").plan()}
    assert len(seen) == 8


def test_a_study_from_another_folder(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "jobs.toml").write_text("[[jobs]]\nprogram = 'program.py'\nranks = 2\n")
    (folder / "study.toml").write_text("jobs = 'jobs.toml'\nblas = 'jobs.toml'\nplatform = 'flat:4'\n")
    before = keys(folder)
    monkeypatch.chdir(folder.parent)
    assert keys(pathlib.Path(folder.name)) == before
    (pathlib.Path(folder.name) / "study.toml").write_text(STUDY)
    assert keys(pathlib.Path(folder.name)) == keys(folder)


def test_modules_in_packages_and_in_c(folder: pathlib.Path) -> None:
    (folder / "parts" / "inner").mkdir(parents=True)
    for name, text in {
        "program.py": "def late():\n    import parts.inner.first\n",
        "parts/__init__.py": "",
        "parts/inner/__init__.py": "",
        "parts/inner/first.py": "from ..second import x\nimport fast\n",
        "parts/second.py": "x = 1\n",
        "parts/third.py": "",
        f"fast{EXTENSION_SUFFIXES[0]}": "",
    }.items():
        (folder / name).write_text(text)
    found = {path.relative_to(folder).as_posix() for path in program_files(folder / "program.py")}
    assert found == {"program.py", "parts/__init__.py", "parts/inner/__init__.py", "parts/inner/first.py",
                     "parts/second.py", f"fast{EXTENSION_SUFFIXES[0]}"}  # fmt: skip


def test_models_in_aspen(folder: pathlib.Path) -> None:
    """An application runs on a machine with values; points depend on all files of both."""
    (folder / "part.aspen").write_text("param rate = 1e9\ncore pe { flops [rate] }\n")
    (folder / "m.aspen").write_text(
        "include part.aspen\nparam nodes = 2\nsocket cpu { [1] pe core }\nmachine m { [nodes] board nodes }\n"
        "interconnect net { latency [1e-6] bandwidth [1e9] }\n"
        "node board { [2] cpu sockets connected with [1] of net as fatTree }\n"
    )
    (folder / "other.aspen").write_text("kernel work { exposes parallelism [n] requires flops [1e6] }\n")
    (folder / "a.aspen").write_text('import o from "other.aspen"\nkernel main { o.work }\n')
    (folder / "study.toml").write_text(
        "program = 'a.aspen'\narguments = ['n={{n}}']\nplatform = 'm.aspen:nodes={{nodes}}'\n"
        "[fixed]\nranks = 4\n[factors]\narguments.n = [4, 8]\nplatform.nodes = [2, 3]\n"
    )
    found = keys(folder)
    assert len(set(found)) == 4
    for name in ("part.aspen", "m.aspen", "other.aspen", "a.aspen"):
        (folder / name).write_text((folder / name).read_text() + "// other\n")
        assert not {*keys(folder)} & {*found}
        found = keys(folder)
    table = Study.read(folder / "study.toml").run(folder / "results", parallel=1)
    assert table.column("simulated_time") == pytest.approx([1e-3, 1e-3, 2e-3, 2e-3])
    (folder / "study.toml").write_text("program = 'a.aspen'\nplatform = 'n.aspen:nodes=2'\n[fixed]\nranks = 2\n")
    with pytest.raises(StudyError, match=r"study.toml:2: file '.*n.aspen' does not exist"):
        keys(folder)
