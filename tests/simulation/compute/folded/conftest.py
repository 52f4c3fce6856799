"""Functions on simulated ranks, each on a host with one core."""

from collections.abc import Callable
from typing import Any

import pytest

import pysmpi

CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-4095" speed="1Gf" bw="1GBps" lat="10us"/>
</platform>
"""


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., pysmpi.Result]:
    """Run a function on `ranks` ranks, with arguments and settings, and return the result of `simulate`."""
    platform = tmp_path_factory.mktemp("platform") / "cluster.xml"
    platform.write_text(CLUSTER)

    def run(function: Callable[..., Any], ranks: int, *args: Any, cfg: dict[str, Any] | None = None) -> pysmpi.Result:
        settings = {"smpi/simulate-computation": "no", "smpi/wtime": 0, **(cfg or {})}
        return pysmpi.simulate(function, np=ranks, platform=platform, args=args, cfg=settings)

    return run
