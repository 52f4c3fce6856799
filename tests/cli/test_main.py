"""The command pysmpi: which commands there are, and what it says when it cannot run one."""

import importlib
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from pysmpi.cli import main as command_line
from pysmpi.errors import LaunchError
from pysmpi.util.commands.parser import Parser


@pytest.fixture
def greet(monkeypatch: pytest.MonkeyPatch) -> None:

    def run(words: list[str]) -> int:
        parser = Parser(prog="pysmpi greet")
        parser.add_argument("whom", choices=["world", "moon"])
        parser.add_argument("--times", type=int, default=1)
        arguments = parser.parse_args(words)
        if arguments.times == 0:
            raise KeyboardInterrupt
        print(f"hello {arguments.whom}" * arguments.times)
        return 3

    monkeypatch.setitem(command_line._COMMANDS, "greet", "says hello")
    load = importlib.import_module
    monkeypatch.setattr(
        importlib,
        "import_module",
        lambda name: SimpleNamespace(main=run) if name == "pysmpi.cli.greet" else load(name),
    )


def test_every_command_can_be_loaded() -> None:
    """Each listed command has its module and its own help."""
    for name, (meaning, place) in command_line.commands().items():
        module = importlib.import_module(place)
        assert meaning and callable(module.main)
        with pytest.raises(SystemExit) as ended:
            command_line.main([name, "--help"])
        assert ended.value.code == 0


@pytest.mark.usefixtures("greet")
def test_a_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The words after the command are its own, and so is the exit status; Ctrl-C ends with 130."""
    assert command_line.main(["greet", "moon"]) == 3
    assert capsys.readouterr().out == "hello moon\n"
    assert command_line.main(["greet", "moon", "--times", "0"]) == 130


@pytest.mark.usefixtures("greet")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["gret"], "pysmpi: error: unknown command 'gret'; did you mean 'greet'? (valid: "),
        (["--verison"], "pysmpi: error: unknown option '--verison'; did you mean '--version'? (valid: "),
        (["greet", "wold"], "pysmpi greet: error: unknown whom 'wold'; did you mean 'world'? (valid: world, moon)"),
        (["greet", "world", "--tims=2"], "pysmpi greet: error: unknown option '--tims'; did you mean --times?"),
        (["greet", "world", "--times", "x"], "pysmpi greet: error: argument --times: invalid int value: 'x'"),
        (["greet", "world", "again"], "pysmpi greet: error: unexpected argument 'again' (usage: pysmpi greet"),
    ],
)
def test_errors(capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    assert command_line.main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(expected)


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["-h"], ["help"]):
        assert command_line.main(words) == 0
        listed = capsys.readouterr().out
        assert listed.startswith("usage: pysmpi COMMAND")
        assert all(f"  {name} " in listed for name in command_line.commands())
    assert command_line.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("pysmpi ")


def test_options_are_not_abbreviated() -> None:
    """Half an option is an unknown one: scripts keep working when there are more options."""
    parser = Parser()
    parser.add_argument("--platform")
    with pytest.raises(LaunchError, match="did you mean --platform"):
        parser.parse_args(["--plat", "x"])


def test_as_a_process() -> None:
    """`python -m pysmpi.cli.main` is the same command; help loads neither numpy nor the launcher."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    code = (
        "import sys; from pysmpi.cli.main import main; main(['--help']); "
        "heavy = ('numpy', 'argparse', 'mpi4py', 'pysmpi.simulation.launch.run'); "
        "print(sorted(name for name in heavy if name in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.endswith("[]\n")
    run = subprocess.run(
        [sys.executable, "-m", "pysmpi.cli.main", "nonsense"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2 and run.stderr.startswith("pysmpi: error: unknown command 'nonsense'")
