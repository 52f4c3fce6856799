"""Predictions of Linpack on Dahu: the command's contract, models, and windows."""

import csv
import json
import subprocess
import sys
from math import sqrt
from pathlib import Path
from statistics import fmean, median
from xml.etree import ElementTree

import pytest

from pysmpi.calibrate.network.segments import line_at, segments
from pysmpi.simulation.compute.blas import load_table

sys.path.insert(0, str(Path(__file__).parents[2] / "validation" / "dahu"))
sys.path.insert(0, str(Path(__file__).parents[2] / "validation" / "linpack"))

from prediction import Machine, predict

from models import STATES, STEPS, write_table

VALIDATION = Path(__file__).parents[2] / "validation"
SMALL = {"n": 22_000, "nb": 128, "p": 2, "q": 2, "pfact": 1, "rfact": 2, "bcast": 2, "depth": 1, "swap": 0}


PING_PONG = """
import random
import numpy as np
import pysmpi
from mpi4py import MPI

world, buffer, draw = MPI.COMM_WORLD, np.zeros(100_000, "b"), random.Random(1)
sends = messages = 0.0
for _ in range(200):
    world.Barrier()
    if world.rank == 0:
        pysmpi.sleep(0.01 * draw.random())
        started = MPI.Wtime()
        world.Send(buffer, 1)
        sends += MPI.Wtime() - started
        world.Recv(buffer, 1)
        messages += (MPI.Wtime() - started) / 2
    else:
        while not world.Iprobe(0):
            pysmpi.sleep(0.65e-3)
        world.Recv(buffer, 0)
        world.Send(buffer, 0)
if world.rank == 0:
    print(sends / 200, messages / 200)
"""


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


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((VALIDATION / "dahu" / name).read_text().splitlines()))


def test_healthy_processors_differ_as_in_winter_and_have_the_mean_of_july(tmp_path: Path) -> None:
    path = tmp_path / "blas.json"
    write_table("healthy", path)
    models = json.loads(path.read_text())["models"]
    seconds = {cpu: model["dgemm"]["seconds"]["m*n*k"] for cpu, model in models.items()}
    assert seconds["25.0"] / seconds["7.1"] == pytest.approx(8.153278 / 6.882279)
    july = rows("dgemm_july2019.csv")
    assert fmean(seconds.values()) == pytest.approx(fmean(float(row["mnk"]) for row in july))


@pytest.mark.parametrize("level", ["node", "core"])
def test_the_improved_network_has_the_published_ping_pongs(level: str) -> None:
    """The tables have the segments of `pysmpi-calibrate network` through them, without the wait for a poll."""
    own = [row for row in rows("ping_pongs.csv") if row["level"] == level]
    sizes, seconds = [int(float(row["bytes"])) for row in own], [float(row["seconds"]) for row in own]
    wait = segments(sizes, seconds)[0].startup
    lines = segments(sizes, [each - wait for each in seconds])
    platform = ElementTree.parse(VALIDATION / "dahu" / "improved.xml")
    table = next(each.attrib["value"] for each in platform.iter("prop") if each.attrib["id"] == f"intra_{level}")
    steps = [step.split(":") for step in table.split(";")][-len(lines) :]
    for before, line, (above, _, _) in zip(lines, lines[1:], steps[1:], strict=False):
        assert float(above) == pytest.approx(sqrt(before.last * line.first), rel=5e-3)
    for (_, latency, bandwidth), line in zip(steps, lines, strict=True):
        assert float(latency.removesuffix("us")) == pytest.approx(line.startup * 1e6, rel=1e-3)
        assert float(bandwidth.removesuffix("GBps")) == pytest.approx(1e-9 / line.per_byte, rel=1e-3)
    errors = [
        abs((line_at(lines, size)(size) + wait) / measured - 1) for size, measured in zip(sizes, seconds, strict=True)
    ]
    assert median(errors) < 0.03 and max(errors) < 0.25


def test_polls_of_the_calibration_come_back(tmp_path: Path) -> None:
    """A rank that looks for its message every 0.65 ms: MPI_Send takes the published 380 us for 100 kB, and the mean
    message of the ping-pong the measured 207 us."""
    program, hosts = tmp_path / "loop.py", tmp_path / "hosts"
    program.write_text(PING_PONG)
    hosts.write_text("dahu-1\ndahu-2\n")
    platform = str(VALIDATION / "dahu" / "improved.xml")
    command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "--quiet", "-np", "2", "--platform", platform,
               "--hostfile", str(hosts), "--cfg=smpi/simulate-computation:no", str(program)]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    send, one_way = map(float, run.stdout.split())
    assert send == pytest.approx(380e-6, rel=0.1)
    assert one_way == pytest.approx(207e-6, rel=0.1)


def machine(state: str, folder: Path, node: int, seed: int = 0) -> Machine:
    path = folder / "blas.json"
    write_table(state, path)
    return Machine(VALIDATION / "dahu" / "simple.xml", path, [f"dahu-{node}"] * 4, seed)


@pytest.mark.parametrize("network", ["simple", "improved"])
def test_windows_predict_the_whole(network: str, tmp_path: Path) -> None:
    on = machine("healthy", tmp_path, 1)._replace(platform=VALIDATION / "dahu" / f"{network}.xml")
    whole, windows = (predict(on, SMALL, choice) for choice in (True, False))
    assert (whole.method, windows.method) == ("whole", "windows")
    assert windows.seconds == pytest.approx(whole.seconds, rel=0.06)


def test_a_node_without_cooling_is_slower(tmp_path: Path) -> None:
    small = {**SMALL, "n": 3_000}
    times = {node: predict(machine("march2019", tmp_path, node), small).seconds for node in (12, 15)}
    assert times[15] > 1.1 * times[12]


def test_parts_of_the_model_can_be_left_out(tmp_path: Path) -> None:
    """Averages hide the waiting for slow processors, slow calls and small routines."""
    path = tmp_path / "blas.json"
    small = {**SMALL, "n": 3_000, "nb": 256}
    times = []
    for without in (STEPS, STEPS[1:], STEPS[2:], STEPS[3:], ()):
        write_table("march2019", path, without)
        hosts = [f"dahu-{node}" for node in (1, 5, 11, 15)]
        times.append(predict(Machine(VALIDATION / "dahu" / "simple.xml", path, hosts), small).seconds)
    assert times == sorted(times)


@pytest.mark.parametrize("state", STATES)
def test_products_of_blocks_of_256_take_longer(state: str, tmp_path: Path) -> None:
    """A series of calls with k = 256 takes 5 % longer than calls of random sizes near it (December 2020)."""
    path = tmp_path / "blas.json"
    found = []
    for without in ((), ("exact-k",)):
        write_table(state, path, without)
        dgemm = load_table(path).models["5.0"].routines["dgemm"]
        found.append([polynomial({"m": 6_000, "n": 4_000, "k": k}) for k in (255, 256, 257)
                      for polynomial in (dgemm.seconds, dgemm.deviation)])  # fmt: skip
    ratios = [with_factor / as_fitted for with_factor, as_fitted in zip(*found, strict=True)]
    assert ratios == pytest.approx([1, 1, 1.05035, 1.05035, 1, 1])


def test_noise_and_pivots_depend_on_the_seed(tmp_path: Path) -> None:
    small = {**SMALL, "n": 2_000}
    first, again, other = (predict(machine("healthy", tmp_path, 1, seed), small).seconds for seed in (1, 1, 2))
    assert first == again != other
