"""Functions and macros of SMPI's header."""

import subprocess
from collections.abc import Callable
from pathlib import Path

Compile = Callable[..., Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]


def test_computation_and_memory(compiled: Compile, execute: Execute) -> None:
    """smpirun 3.32 takes the same times: smpi_execute scales by smpi/host-speed, and smpi_execute_benched does not."""
    # What is computed between two readings of the clock is below the threshold, also when it is sanitized code.
    cfg = ["--cfg=smpi/host-speed:3Gf", "--cfg=smpi/cpu-threshold:0.01"]
    run = execute("--smpi", "-np", 3, "--platform", "flat:4:speed=1Gf", *cfg, compiled("smpi.c"))
    lines = sorted(run.stdout.splitlines())
    # One rank measures the global loop for all, as often as five times; each measures its own local loop three times.
    assert sorted(int(line.split()[2]) for line in lines) == [30, 30, 35]
    assert [line.split(maxsplit=3)[3] for line in lines] == [
        f"delay 0.7500 flops 2.0000 benched 0.6250 own {rank}" for rank in range(3)
    ]


def test_memory_is_ordinary_if_it_is_not_folded(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 1, "--cfg=smpi/shared-malloc:no", compiled("smpi.c"))
    assert run.stdout.startswith("0 ran 35")
