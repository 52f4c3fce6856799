"""Predictions of Linpack on Dahu: the command's contract, models, and windows."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

from pysmpi.compute.blas import load_table

sys.path.insert(0, str(Path(__file__).parents[2] / "validation" / "dahu"))
sys.path.insert(0, str(Path(__file__).parents[2] / "validation" / "linpack"))

from prediction import Machine, predict

from models import STATES, STEPS, write_table

VALIDATION = Path(__file__).parents[2] / "validation"
SMALL = {"n": 8_000, "nb": 128, "p": 2, "q": 2, "pfact": 1, "rfact": 2, "bcast": 2, "depth": 1, "swap": 0}


def asked(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(VALIDATION / "dahu" / "predict.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", ["--swap 1 --bcast 4 --depth 0 --nb 100", "--state healthy --network improved"])
def test_the_command_prints_a_prediction(words: str) -> None:
    run = asked("--n", "2000", "--p", "2", "--q", "3", "--json", *words.split())
    assert (run.returncode, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    assert found["method"] == "whole"
    assert found["gflops"] * 1e9 * found["seconds"] == pytest.approx(2 / 3 * 2000**3 + 3 / 2 * 2000**2)
    assert 10 < found["gflops"] < 6 * 30  # a core makes 30 Gflop/s in dgemm


def test_too_many_processes() -> None:
    run = asked("--n", "2000", "--p", "33", "--q", "32")
    assert run.returncode == 2 and "33 x 32 = 1056 processes: Dahu has 1024 cores" in run.stderr


@pytest.mark.parametrize("state", STATES)
def test_each_processor_has_its_model(state: str, tmp_path: Path) -> None:
    """Even cores are on the first socket."""
    path = tmp_path / "blas.json"
    write_table(state, path)
    table = load_table(path)
    assert len(table.models) == 64
    assert [table.model_of("dahu-1", core) for core in (0, 1)] == [table.models["1.0"], table.models["1.1"]]
    assert table.model_of("dahu-32", 30) is table.models["32.0"]


def test_healthy_processors_differ_as_in_winter_and_have_the_mean_of_july(tmp_path: Path) -> None:
    path = tmp_path / "blas.json"
    write_table("healthy", path)
    models = json.loads(path.read_text())["models"]
    seconds = {cpu: model["dgemm"]["seconds"]["m*n*k"] for cpu, model in models.items()}
    assert seconds["25.0"] / seconds["7.1"] == pytest.approx(8.153278 / 6.882279)
    july = csv.DictReader((VALIDATION / "dahu" / "dgemm_july2019.csv").read_text().splitlines())
    assert fmean(seconds.values()) == pytest.approx(fmean(float(row["mnk"]) for row in july))


def machine(state: str, folder: Path, node: int, seed: int = 0) -> Machine:
    path = folder / "blas.json"
    write_table(state, path)
    return Machine(VALIDATION / "dahu" / "simple.xml", path, [f"dahu-{node}"] * 4, seed)


def test_windows_predict_the_whole(tmp_path: Path) -> None:
    whole, windows = (predict(machine("healthy", tmp_path, 1), SMALL, choice) for choice in (True, False))
    assert (whole.method, windows.method) == ("whole", "windows")
    assert windows.seconds == pytest.approx(whole.seconds, rel=0.06)


def test_a_node_without_cooling_is_slower(tmp_path: Path) -> None:
    small = {**SMALL, "n": 3_000}
    times = {node: predict(machine("march2019", tmp_path, node), small).seconds for node in (12, 15)}
    assert times[15] > 1.1 * times[12]


def test_parts_of_the_model_can_be_left_out(tmp_path: Path) -> None:
    """Averages hide the waiting for slow processors, slow calls and small routines."""
    path = tmp_path / "blas.json"
    small = {**SMALL, "n": 3_000}
    times = []
    for without in (STEPS, STEPS[1:], STEPS[2:], ()):
        write_table("march2019", path, without)
        hosts = [f"dahu-{node}" for node in (1, 5, 11, 15)]
        times.append(predict(Machine(VALIDATION / "dahu" / "simple.xml", path, hosts), small).seconds)
    assert times == sorted(times)


def test_noise_and_pivots_depend_on_the_seed(tmp_path: Path) -> None:
    small = {**SMALL, "n": 2_000}
    first, again, other = (predict(machine("healthy", tmp_path, 1, seed), small).seconds for seed in (1, 1, 2))
    assert first == again != other
