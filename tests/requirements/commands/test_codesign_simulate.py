"""The option ``--simulate`` of ``pysmpi codesign systems``: bounds beside simulated times."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main

JACOBI = pathlib.Path(__file__).parents[3] / "apps/jacobi/jacobi.py"
STUDY = f"""\
program = "{JACOBI}"
arguments = ["{{{{side}}}}", "10"]
platform = "flat:100"
fixed = {{ cfg = {{ "smpi/simulate-computation" = "no" }} }}
[factors]
ranks = [4, 16]
n = [100, 400]
[derived]
arguments.side = "round(sqrt(n * ranks))"
"""
MODELS = """\
[jacobi]
memory = "32*n + 104*sqrt(n) + 96"
flops = "46*n + sqrt(n) + 2"
accesses = "1160*n + 776*sqrt(n) - 336*sqrt(n)/sqrt(p) + 192 - 32/sqrt(p)"
sent.bytes = "320*sqrt(n) - 320*sqrt(n)/sqrt(p)"
"""
SYSTEMS = """\
[slow-memory]
processes = 1e6
memory = 3e6
flops = 1e12
accesses = 1e9
[slow-arithmetic]
processes = 1e6
memory = 3e6
flops = 1e6
accesses = 1e12
[slow-network]
processes = 1e6
memory = 3e6
accesses = 1e12
sent.bytes = 1e6
[tiny]
processes = 1e6
memory = 10
flops = 1e9
"""


@pytest.fixture
def files(tmp_path: pathlib.Path) -> list[str]:
    """Words of the command that name a model, whose study lies beside it, and systems."""
    for name, text in {"jacobi.toml": STUDY, "jacobi.models.toml": MODELS, "systems.toml": SYSTEMS}.items():
        (tmp_path / name).write_text(text)
    return ["codesign", "systems", str(tmp_path / "jacobi.models.toml"), "--systems", str(tmp_path / "systems.toml")]


def test_the_bound_is_nearly_reached(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Jacobi's time on a machine with slow memory is that of its memory traffic, and the memory of a rank is full."""
    assert main([*files, "--simulate", "4", "--simulate", "16", "--json"]) == 1  # it does not fit on one of the systems
    output = json.loads(capsys.readouterr().out)
    by_system = output["simulated"]["jacobi"]
    assert by_system["tiny"] == []
    slow = by_system["slow-memory"]
    assert [each["processes"] for each in slow] == [4, 16]
    for each in slow:
        assert each["bottleneck"] == "accesses"
        assert (
            32 * each["n"] + 104 * each["n"] ** 0.5 + 96
            <= 3e6
            < 32 * (each["n"] + 1) + 104 * (each["n"] + 1) ** 0.5 + 96
        )
        assert each["bound"] == pytest.approx(1160 * each["n"] / 1e9, rel=0.01)
        assert 1 <= each["ratio"] < 1.01
    assert {each["bottleneck"] for each in by_system["slow-network"]} == {"sent.bytes"}
    assert all(each["ratio"] >= 1 for each in by_system["slow-network"])
    assert {each["bottleneck"] for each in by_system["slow-arithmetic"]} == {"flops"}


def test_the_table_says_whether_the_gap_grows(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*files, "--simulate", "4", "--simulate", "16"])
    output = capsys.readouterr().out
    assert "jacobi: simulated on few processes of each system" in output
    assert "slow-memory: what the bound leaves out (waiting, latency, contention, set-up) does not grow" in output
    assert "does not fit, even with n = 1" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--simulate", "0"], "option --simulate: '0' is not valid; write a whole number of processes"),
        (["--simulate", "four"], "'four' is not valid"),
    ],
)
def test_errors(files: list[str], capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main([*files, *words]) != 0
    assert message in capsys.readouterr().err


def test_a_model_needs_its_study(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    pathlib.Path(files[2]).with_name("jacobi.toml").unlink()
    assert main([*files, "--simulate", "4"]) != 0
    assert "model 'jacobi' has no study; it needs jacobi.models.toml" in capsys.readouterr().err


def test_a_system_needs_a_rate(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    pathlib.Path(files[-1]).write_text("[a]\nprocesses = 4\nmemory = 3e6\n")
    assert main([*files, "--simulate", "4"]) != 0
    assert "a system needs a rate of flops, accesses or sent.bytes" in capsys.readouterr().err
