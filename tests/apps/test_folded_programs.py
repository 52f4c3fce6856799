"""Tests of apps/jacobi and apps/matmul: correct with real data, and the same times with folded arrays."""

import pathlib
import re
import subprocess
import sys

import pytest

import pysmpi

APPS = pathlib.Path(__file__).parents[2] / "apps"
CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-4095" speed="{}f" bw="1GBps" lat="10us"/>
</platform>
"""


@pytest.fixture
def run(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]):
    def simulate(name: str, ranks: int, *arguments: int, speed: float = 1e9, **cfg) -> tuple[float, str]:
        platform = tmp_path / "platform.xml"
        platform.write_text(CLUSTER.format(speed))
        settings = {f"smpi/{option.replace('_', '-')}": value for option, value in cfg.items()}
        settings = {"smpi/simulate-computation": "no", "smpi/wtime": 0} | settings
        pysmpi.simulate(APPS / name / f"{name}.py", np=ranks, platform=platform, args=arguments, cfg=settings)
        text = capsys.readouterr().out
        return float(re.search(r"ranks: ([-+.e\d]+) s", text)[1]), text

    return simulate


def _number_after(word: str, text: str) -> float:
    return float(re.search(word + r" ([-+.e\d]+)", text)[1])


@pytest.mark.parametrize(("ranks", "side"), [(1, 12), (2, 13), (6, 17), (9, 20)])
def test_jacobi_converges(run, ranks: int, side: int) -> None:
    _, text = run("jacobi", ranks, side, 3000, shared_malloc="no")
    assert _number_after("error", text) < 1e-9


@pytest.mark.parametrize(("ranks", "order"), [(1, 5), (4, 20), (9, 30), (25, 50)])
def test_product_is_right(run, ranks: int, order: int) -> None:
    _, text = run("matmul", ranks, order, shared_malloc="no")
    assert _number_after("error", text) < 1e-10


@pytest.mark.parametrize(("name", "arguments"), [("jacobi", (1003, 7)), ("matmul", (800,))])
def test_messages_take_the_same_time(run, name: str, arguments: tuple[int, ...]) -> None:
    real, _ = run(name, 16, *arguments, shared_malloc="no")
    folded, text = run(name, 16, *arguments, speed=1e30, memory_bandwidth="1e30")
    assert folded == pytest.approx(real, rel=1e-5)
    assert "error" not in text


def test_jacobi_takes_its_sweeps_time(run) -> None:
    """A sweep of n points moves 13 numbers a point: three sums, a product and an assignment. Then two extremes."""
    seconds, _ = run("jacobi", 1, 10_000, 5, memory_bandwidth="1e9")
    moved = 5 * (3 * 24 + 16 + 16) * 10_000**2 + (48 + 40) * 10_000**2
    assert seconds == pytest.approx(moved / 1e9, rel=1e-3)


@pytest.mark.memory
@pytest.mark.parametrize(
    ("name", "ranks", "argument"), [("jacobi", 4096, (2_000_000, 2)), ("matmul", 1024, (320_000,))]
)
def test_terabytes_fit_into_little(tmp_path: pathlib.Path, name: str, ranks: int, argument: tuple[int, ...]) -> None:
    (tmp_path / "platform.xml").write_text(CLUSTER.format(1e9))
    code = f"""
import pathlib, re, pysmpi
pysmpi.simulate({str(APPS / name / name)!r} + ".py", np={ranks}, platform="platform.xml", args={argument!r},
                cfg={{"smpi/simulate-computation": "no"}})
print(len(pathlib.Path("/proc/self/maps").read_text().splitlines()))
peak = re.search(r"VmHWM:\\s*(\\d+) kB", pathlib.Path("/proc/self/status").read_text())  # not of what forked this
print(peak[1])
"""
    command = [sys.executable, "-c", code]
    text = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    mappings, kibibytes = map(int, text[-2:])
    assert mappings < 10_000
    assert kibibytes < 300 << 10
