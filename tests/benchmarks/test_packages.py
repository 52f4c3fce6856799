"""Tests of `make packages`: environments, runs under both launchers, verdicts, and the table, without the network."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "packages"
PAGE = FOLDER.parents[1] / "docs" / "packages.md"
MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"
TABLE = """
[unavailable]
nothing = "needs what nobody has"

[[program]]
name = "good"
package = "tiny"
environment = ""
exercises = "a sum | of ranks"
command = "good.py"

[[program]]
name = "bad"
package = "tiny"
environment = ""
exercises = "an exception"
command = "bad.py"
ranks = 2
"""
GOOD = """
from mpi4py import MPI
print("rank", MPI.COMM_WORLD.rank, "of", MPI.COMM_WORLD.allreduce(1))
"""
BAD = """
from mpi4py import MPI
if MPI.Get_library_version().startswith("pysmpi"):
    raise ValueError("only here")
"""


@pytest.fixture
def load(suite: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    return suite


@pytest.fixture
def table(tmp_path: pathlib.Path) -> pathlib.Path:
    """A corpus of two programs, in a folder of its own."""
    (tmp_path / "programs").mkdir()
    (tmp_path / "corpus.toml").write_text(TABLE)
    (tmp_path / "programs" / "good.py").write_text(GOOD)
    (tmp_path / "programs" / "bad.py").write_text(BAD)
    (tmp_path / "page.md").write_text("# Page\n\n<!-- table: make packages -->\nold\n<!-- end of table -->\n\nend\n")
    return tmp_path


def run(table: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, FOLDER / "run.py", "--table", table, "--build", table / "build", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not MPIEXEC.exists(), reason="no mpiexec beside this interpreter: pip install mpich")
def test_programs_run_under_both_and_results_are_kept(table: pathlib.Path) -> None:
    done = run(table, "--page", str(table / "page.md"))
    assert done.returncode == 1, done.stderr
    assert re.search(r"\[1/2\] good +same \(", done.stdout)
    assert re.search(r"\[2/2\] bad +fails .*ValueError: only here \(expected: same\)", done.stdout)
    page = (table / "page.md").read_text()
    assert "| good | tiny | a sum \\| of ranks | same |" in page and "| nothing | needs what nobody has |" in page
    assert page.startswith("# Page") and page.endswith("end\n") and "old" not in page

    store = table / "build" / "results.json"
    first = json.loads(store.read_text())
    assert run(table).returncode == 1
    assert json.loads(store.read_text()) == first  # nothing ran again
    (table / "programs" / "bad.py").write_text(GOOD)
    assert run(table).returncode == 0
    second = json.loads(store.read_text())
    assert second["good"] == first["good"] and second["bad"] != first["bad"]
    assert run(table, "good").returncode == 0
    assert json.loads(store.read_text())["good"]["pysmpi"] != first["good"]["pysmpi"]

    bad = next(line for line in page.splitlines() if line.startswith("| bad |"))
    store.unlink()  # as on another machine: the page keeps the row of the program that does not run
    assert run(table, "--page", str(table / "page.md"), "good").returncode == 0
    page = (table / "page.md").read_text()
    assert bad in page and "2 programs: 1 same, 1 fails." in page


def test_unknown_names_are_refused(table: pathlib.Path) -> None:
    done = run(table, "god")
    assert done.returncode == 2 and "no program is called god; --list prints the names" in done.stderr


def test_environment_is_made_once(load: Callable[[str], Any], tmp_path: pathlib.Path) -> None:
    """A package from a local wheel, without the index."""
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "value = 7\n")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    requirements = tmp_path / "some.txt"
    requirements.write_text(f"--no-index\n--find-links {tmp_path}\ntiny==1.0\n")
    environments = load("environments")
    python = environments.prepare(requirements, tmp_path / "build")
    done = subprocess.run([python, "-I", "-c", "import tiny; print(tiny.value)"], capture_output=True, check=True)
    assert done.stdout == b"7\n"
    assert list((tmp_path / "build" / "some").glob("lib/python3.*/site-packages/pysmpi/native/_native*.so"))
    environments.prepare.cache_clear()
    (tmp_path / "build" / "some" / "kept").touch()
    environments.prepare(requirements, tmp_path / "build")
    assert (tmp_path / "build" / "some" / "kept").exists()
    environments.prepare.cache_clear()
    requirements.write_text("--no-index\nnone==1.0\n")
    with pytest.raises(OSError, match=r"pip install failed.*No matching distribution found for none"):
        environments.prepare(requirements, tmp_path / "build")


@pytest.mark.parametrize(
    ("row", "here", "there", "expected"),
    [
        ({}, (0, "b 1\na\n"), (0, "a\nb 1\n"), ("same", "")),
        ({}, (0, "a\n"), (0, "b\n"), ("differs", "prints 'a', not 'b'")),
        ({}, (0, "a\na\n"), (0, "a\n"), ("differs", "prints 2 lines, not 1")),
        ({"compare": "status"}, (0, "a\n"), (0, "b\n"), ("same", "")),
        ({"keep": "^a"}, (0, "a\nx\n"), (0, "a\ny\n"), ("same", "")),
        ({"drop": r" in \d+ s"}, (0, "a in 1 s\n"), (0, "a in 2 s\n"), ("same", "")),
        ({"tolerance": 1e-3}, (0, "pi 3.1415\n"), (0, "pi 3.1416\n"), ("same", "")),
        ({"tolerance": 1e-5}, (0, "pi 3.141\n"), (0, "pi 3.142\n"), ("differs", "prints 'pi 3.141', not 'pi 3.142'")),
        ({"tolerance": 1e-3}, (0, "pi 3.141\n"), (0, "po 3.141\n"), ("differs", "prints 'pi 3.141', not 'po 3.141'")),
        ({}, (1, "x\nOSError: no\nend\n"), (0, ""), ("fails", "exit status 1: OSError: no")),
        ({}, (0, ""), (-11, "x\n"), ("runs", "under MPICH: exit status -11: x")),
        ({}, (1, ""), (1, ""), ("as MPICH", "exit status 1: ")),
        ({}, (124, ""), (0, ""), ("fails", "did not end within 9 s")),
    ],
)  # fmt: skip
def test_verdicts(load: Callable[[str], Any], row: dict[str, Any], here: Any, there: Any, expected: Any) -> None:
    corpus, runs, compare = load("corpus"), load("runs"), load("compare")
    program = corpus.Program("name", "package", "", "", "", **row)
    both = [runs.Run(status, output, "", 9.0, 1) for status, output in (here, there)]
    assert compare.verdict(program, *both) == expected


def test_mistakes_in_the_table_are_named(load: Callable[[str], Any], table: pathlib.Path) -> None:
    corpus = load("corpus")
    (table / "corpus.toml").write_text(TABLE + "sizes = [1]\n")
    with pytest.raises(SystemExit, match=r"'bad': .*unexpected keyword argument 'sizes'"):
        corpus.read(table)
    (table / "corpus.toml").write_text(TABLE + 'compare = "times"\n')
    with pytest.raises(SystemExit, match="compare is 'times'; valid are 'lines' and 'status'"):
        corpus.read(table)


def test_our_table(load: Callable[[str], Any]) -> None:
    """Every row has a pinned version, a program that exists, and a reason if it does not run as under MPICH."""
    corpus = load("corpus").read()
    assert len(corpus.programs) >= 40
    page = PAGE.read_text()
    for program in corpus.programs.values():
        assert corpus.version(program), program.name
        assert program.exercises and (program.reason or program.expected == "same"), program.name
        first = program.command.split()[0]
        assert first == "-m" or (FOLDER / "programs" / first).is_file() or program.source, program.name
        assert f"| {program.name} |" in page
    uses = tomllib.loads((FOLDER / "programs" / "imports.toml").read_text())
    assert len(uses) >= 60
