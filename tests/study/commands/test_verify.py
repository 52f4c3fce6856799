"""Requirements in studies, and the command ``pysmpi study verify``."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main
from pysmpi.study import Study

PROGRAM = """\
import sys
import numpy as np
from mpi4py import MPI
n, world = int(sys.argv[1]), MPI.COMM_WORLD
numbers = np.ones(n)
numbers *= 2
world.Sendrecv(numbers, (world.rank + 1) % world.size, recvbuf=np.empty(n))
if world.rank == 0:
    world.Send(np.empty(world.size // 3, np.uint8), 1)
elif world.rank == 1:
    world.Recv(np.empty(world.size, np.uint8), 0)
"""
STUDY = """\
program = "program.py"
platform = "flat:64:bw=1GBps:lat=1us"
arguments = ["{{length}}"]
requirements = true
fixed = { cfg = { "smpi/simulate-computation" = "no" } }
[factors]
ranks = [2, 4, 8, 16]
n = [1, 2, 4]
[derived]
arguments.length = "100*n"
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("study")
    (folder / "program.py").write_text(PROGRAM)
    path = folder / "needs.toml"
    path.write_text(STUDY)
    assert main(["study", "run", str(path), "--quiet"]) == 0
    return path


def metric_of(output: str, metric: str, of: str = "mean", kind: str = "all", key: str = "models") -> dict:
    (found,) = [
        each
        for each in json.loads(output)[key]
        if (each["metric"], each["of"], each["kind"]) == (metric, of, kind)
    ]  # fmt: skip
    return found


def test_columns(study: pathlib.Path) -> None:
    table = Study.read(study).run(study.with_suffix(".results"))
    row = next(iter(table.where(ranks=4, n=2)))
    assert row["requirement.flops"] == row["requirement.flops.max"] == 200
    assert row["requirement.flops.sum"] == 800
    assert row["requirement.sent.bytes"] == 1600 + 1 / 4
    assert row["requirement.sent.bytes.max"] == 1601
    assert row["requirement.sent.messages.point-to-point"] == 1.25
    assert row["arguments.length"] == 200


def test_models(study: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "model", str(study), "--json"]) == 0
    output = capsys.readouterr().out
    flops = metric_of(output, "flops")
    assert flops["formula"] == "100*n"
    assert flops["exact"]
    assert flops["unit"] == "operations"
    assert metric_of(output, "sent.messages")["formula"] == "1 + 1/p"
    assert not metric_of(output, "sent.bytes")["exact"]
    assert main(["study", "model", str(study), "--of", "flops"]) == 0
    titles = {line.split("  ")[0] for line in capsys.readouterr().out.splitlines()}
    assert titles == {"flops", "flops, max", "flops, sum"}


def test_models_for_codesign_are_means_of_all_kinds(study: pathlib.Path) -> None:
    assert main(["study", "model", str(study)]) == 0
    text = study.with_suffix(".models.toml").read_text()
    assert "flops = " in text
    assert '"sent.bytes" = ' in text
    assert "max" not in text
    assert "point-to-point" not in text


def test_verify(study: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["study", "verify", str(study), "--ranks", "64", "--set", "n=10"]
    assert main([*command, "--json"]) == 0
    output = capsys.readouterr().out
    assert json.loads(output)["point"] == {"p": 64, "n": 10}
    flops = metric_of(output, "flops", key="metrics")
    assert flops == {"metric": "flops", "of": "mean", "kind": "all", "formula": "100*n", "exact": True,
                     "error": flops["error"], "model": 1000, "simulated": 1000, "difference": 0}  # fmt: skip
    sent = metric_of(output, "sent.bytes", key="metrics")
    assert sent["simulated"] == 8000 + 21 / 64
    assert sent["difference"] == (sent["model"] - sent["simulated"]) / sent["simulated"] != 0
    assert main([*command, "--json"]) == 0
    assert capsys.readouterr().out == output

    assert main([*command, "--of", "sent.bytes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "at p = 64, n = 10"
    assert "with this point, the error" in lines[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ranks", "64"], "factor 'n' has no value; write --set n=VALUE"),
        (["--set", "n=3"], "factor 'ranks' has no value; write --ranks N"),
        (["--ranks", "64", "--set", "m=3"], "unknown factor 'm' (valid: ranks, n)"),
        (["--ranks", "64", "--set", "n"], "option --set: 'n' is not valid; write NAME=VALUE"),
        (["--ranks", "64", "--set", "n=2", "--set", "n=3"], "n has two values"),
        (["--ranks", "64", "--set", "n=-1"], "the simulation of the point failed"),
    ],
)
def test_errors(study: pathlib.Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["study", "verify", str(study), *words]) != 0
    assert message in capsys.readouterr().err
