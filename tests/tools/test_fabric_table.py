"""Fabrics against published OSU micro-benchmarks."""

from collections.abc import Callable
from types import ModuleType

import pytest

from pysmpi.platform.fabrics import FABRICS


@pytest.fixture(scope="module")
def tool(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return the tool as a module."""
    return load_tool("fabric_table")


def test_fabrics_reach_what_they_are_computed_from(tool: ModuleType) -> None:
    """osu_latency and osu_bw are within 10 % for each fabric that has published figures."""
    found = {(name, measurement.benchmark): points for name, measurement, points in tool.rows()}
    for name, fabric in FABRICS.items():
        if fabric.bandwidth is None or fabric.derived_from is not None:
            continue
        for benchmark in ("osu_latency", "osu_bw"):
            points = found[name, benchmark]
            assert len(points) >= 4
            for size, published, simulated in points:
                assert simulated == pytest.approx(published, rel=tool.CLOSE), (name, benchmark, size)
    for key in (("ethernet-25g", "osu_mbw_mr"), ("infiniband-edr", "osu_mbw_mr")):
        assert all(simulated == pytest.approx(published, rel=tool.CLOSE) for _, published, simulated in found[key])


def test_the_page_is_up_to_date(tool: ModuleType) -> None:
    assert tool.BEGIN in tool.PAGE.read_text()
    assert f"{tool.BEGIN}\n\n{tool.table()}\n\n{tool.END}" in tool.PAGE.read_text()
