"""Predictions of the public campaign on LUMI, MareNostrum 5 and Fugaku: series, program, and effects of the terms."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "validation" / "pico"


def module(name: str) -> Any:
    """Import a module of the folder as pico_NAME. Other folders have modules of the same names."""
    specification = importlib.util.spec_from_file_location(f"pico_{name}", FOLDER / f"{name}.py")
    assert specification is not None and specification.loader is not None
    found = importlib.util.module_from_spec(specification)
    sys.modules[f"pico_{name}"] = found
    specification.loader.exec_module(found)
    return found


pico = module("predict")
SERIES = {tuple(one[:4]): one for one in pico.series()}


def errors(machine: str, nodes: str, collective: str, algorithm: str, sizes: list[int], *options: str) -> list[float]:
    one = SERIES[machine, nodes, collective, algorithm]
    asked = one._replace(times={size: one.times[size] for size in sizes})
    return [seconds / one.times[size] - 1 for size, seconds in pico.predict(asked, options).items()]


def test_the_open_part() -> None:
    assert sum(len(one.times) for one in SERIES.values()) == 760
    assert {one.machine for one in SERIES.values()} == pico.MACHINES.keys()


@pytest.mark.parametrize(
    ("machine", "nodes", "collective", "algorithm", "sizes", "most"),
    [
        ("lumi", "16", "allgather", "NTSLR", [256, 131072, 67108864], 0.16),
        ("lumi", "8", "allreduce", "lr", [1048576, 67108864], 0.3),
        ("mare_nostrum", "32", "bcast", "openmpi_binomial", [8388608, 536870912], 0.1),
        ("mare_nostrum", "32", "allreduce", "rdb", [8388608, 67108864, 536870912], 0.35),
        ("fugaku", "2x2x2", "allreduce", "rdb", [1048576, 67108864], 0.35),
    ],
)
def test_errors(machine: str, nodes: str, collective: str, algorithm: str, sizes: list[int], most: float) -> None:
    assert max(map(abs, errors(machine, nodes, collective, algorithm, sizes))) < most


def test_without_arithmetic_large_allreduces_are_too_fast() -> None:
    terms = ["--cfg=smpi/reduction-bandwidth:0", "--cfg=smpi/copy-bandwidth:0"]
    with_terms = errors("lumi", "8", "allreduce", "rdb", [67108864])
    without = errors("lumi", "8", "allreduce", "rdb", [67108864], *terms)
    assert without[0] < -0.5 < with_terms[0]


def test_a_failed_prediction_shows_its_output() -> None:
    one = next(iter(SERIES.values()))
    with pytest.raises(RuntimeError, match="unknown collective 'none'"):
        pico.predict(one._replace(collective="none", algorithm="default"))
