"""Directions of metrics, by their names."""

import pytest

from pysmpi.util.directions import direction_of_name


@pytest.mark.parametrize(
    "name",
    ["metric.hpl_gflops", "GFLOPS", "Gflop/s", "gflops_per_watt", "steps_per_second", "iterations_a_s",
     "energy_efficiency", "time_speedup", "memory_bandwidth", "readThroughput", "messages/s", "bandwidth_gbps"],
)  # fmt: skip
def test_more_is_better(name: str) -> None:
    assert direction_of_name(name) == "more"


@pytest.mark.parametrize(
    "name",
    ["metric.hpl_seconds", "time", "wallTime", "seconds_a_step", "time_to_solution", "energy", "joules_per_flop",
     "cost", "total_price", "latency_us", "relative_error", "bandwidth_loss", "energy_per_second", "left.slowdown",
     "co2"],
)  # fmt: skip
def test_less_is_better(name: str) -> None:
    assert direction_of_name(name) == "less"


@pytest.mark.parametrize("name", ["x", "iterations", "ranks", "rate_of_x_per_y", "n_per_m", "flow", "per", ""])
def test_unknown(name: str) -> None:
    assert direction_of_name(name) is None
