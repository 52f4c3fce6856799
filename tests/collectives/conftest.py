"""Programs on a small simulated cluster, whose computation takes no time."""

import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pysmpi.simulation.experiments.simulate import simulate

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # collective_choices, which test files share

HOSTS = 64
CLUSTER = f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{HOSTS - 1}" speed="1Gf" core="32" bw="1GBps" lat="1us"
           loopback_bw="1GBps" loopback_lat="1us"/>
</platform>
"""


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Run a function on `ranks` ranks, with arguments, settings and options, and return the result of `simulate`.

    `nodes`: number of each rank's host; by default each rank has its own.
    """
    platform = tmp_path_factory.mktemp("platform") / "cluster.xml"
    platform.write_text(CLUSTER)

    def run(
        function: Callable[..., Any],
        ranks: int,
        *args: Any,
        cfg: dict[str, Any] | None = None,
        nodes: Sequence[int] | None = None,
        **options: Any,
    ) -> Any:
        settings = {"smpi/simulate-computation": "no", "smpi/wtime": 0, **(cfg or {})}
        hosts = [f"node-{node % HOSTS}" for node in (range(ranks) if nodes is None else nodes)]
        return simulate(function, np=ranks, platform=platform, cfg=settings, args=args, hosts=hosts, **options)

    return run
