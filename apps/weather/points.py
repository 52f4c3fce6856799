"""Points of the study: one pattern on one machine under one model, and how it is simulated."""

import json
import math
import pathlib
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import machines

from pysmpi.platform import read

PATTERNS = ("transposition", "halo", "allreduce")
MODELS = {"packets": "Packets", "flows": "CM02", "loggps": "LogGPS"}
"""Names of the models, and of `network/model`. Under floors nothing is simulated."""


@dataclass(frozen=True)
class Point:
    """One point. Fields have the names of the options of study.py."""

    pattern: str
    machine: str
    ranks: int
    cx: int
    cy: int
    model: str
    grid: tuple[int, int, int]
    width: int
    algorithm: str | None
    routing: str | None
    bandwidth: str
    latency: str
    message_cost: float
    cfg: tuple[str, ...] = field(default=())

    @property
    def word(self) -> str:
        """The machine as a cluster in one word."""
        return machines.platform(self.machine, self.bandwidth, self.latency)

    def settings(self) -> dict[str, Any]:
        """Return the options that the point's pattern uses, by their names without dashes at the front."""
        found: dict[str, Any] = {"bandwidth": self.bandwidth, "latency": self.latency}
        found |= {"message-cost": self.message_cost, "cfg": list(self.cfg)}
        if self.pattern != "allreduce":
            found["grid"] = list(self.grid)
        if self.pattern == "halo":
            found["width"] = self.width
        for name in ("algorithm", "routing"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        return found

    def configuration(self) -> list[str]:
        """Return the settings of the simulation."""
        cost = self.message_cost
        found = ["smpi/simulate-computation:no", "smpi/wtime:0", "smpi/barrier:ompi_bruck"]
        found.append(f"network/model:{MODELS[self.model]}")
        if self.model == "flows":
            found.append("network/crosstraffic:no")  # acknowledgements, which the other models do not have
        if self.model == "loggps":
            platform = read(self.word)
            way = platform.route(platform.hosts[0], platform.hosts[self.ranks - 1])
            rate = min(link.bandwidth for link in way.links)
            found += [f"loggps/L:{way.latency!r}", f"loggps/o:{cost!r}", "loggps/g:0", f"loggps/G:{1 / rate!r}"]
        else:
            found += [f"smpi/{name}:0:{cost!r}:0" for name in ("os", "ois", "or")]
            if self.routing is not None:
                found.append(f"platform/routing:{self.routing}")
        if self.algorithm is not None:
            if self.pattern == "allreduce":
                found.append(f"smpi/allreduce:{self.algorithm}")
            else:  # SMPI's alltoallv of the name bruck is another algorithm
                found.append(f"smpi/alltoallv:{'two-phase-bruck' if self.algorithm == 'bruck' else self.algorithm}")
        return [*found, *self.cfg]

    def command(self) -> list[str]:
        """Return the command that simulates the point."""
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "-np", str(self.ranks)]
        command += ["--platform", self.word, *(f"--cfg={setting}" for setting in self.configuration())]
        command += [str(pathlib.Path(__file__).with_name(f"{self.pattern}.py")), "--json"]
        if self.pattern != "allreduce":
            command += ["--cx", str(self.cx), "--cy", str(self.cy), "--grid", *map(str, self.grid)]
        if self.pattern == "halo":
            command += ["--width", str(self.width)]
        return command

    def floors(self) -> list[tuple[str, float]]:
        """Return the name and the floor of each transposition or sweep, in seconds; nothing for allreduces."""
        import floors

        platform = read(self.word)
        if self.routing is not None:
            platform.choose_routes(self.routing)
        if self.pattern == "transposition":
            return floors.transposition_floors(platform, self.grid, self.cx, self.cy)
        if self.pattern == "halo":
            return floors.halo_floors(platform, self.grid, self.cx, self.cy, self.width)
        return []

    def outcome(self) -> dict[str, Any]:
        """Simulate the point, and return it with its seconds and floors.

        Raises:
            subprocess.CalledProcessError: the simulation failed; its errors are on standard error.
        """
        parts: list[dict[str, Any]] = [
            {"name": name, "seconds": None, "floor": floor} for name, floor in self.floors()
        ] or [{"name": "allreduce", "seconds": None, "floor": None}]
        seconds = None
        if self.model != "floors":
            done = subprocess.run(self.command(), stdout=subprocess.PIPE, text=True, check=True)
            found = json.loads(done.stdout)
            seconds = found["seconds"]
            for part, simulated in zip(parts, found["parts"], strict=True):
                part["seconds"] = simulated["seconds"]
        floor = None if self.pattern == "allreduce" else sum(part["floor"] for part in parts)
        return {"pattern": self.pattern, "machine": self.machine, "ranks": self.ranks, "cx": self.cx, "cy": self.cy,
                "model": self.model, "settings": self.settings(), "seconds": seconds, "floor": floor,
                "parts": parts}  # fmt: skip


def split(pattern: str, ranks: int, grid: tuple[int, int, int]) -> tuple[int, int]:
    """Return cx and cy by default.

    For transpositions cx is the largest divisor of the ranks that is at most nz and the root of the number of ranks.
    For halos parts are nearly square: cx is the largest divisor that is at most the root of ranks · nx / ny.
    """
    most = ranks * grid[0] / grid[1] if pattern == "halo" else ranks
    limit = min(math.isqrt(int(most)), ranks) if pattern == "halo" else min(grid[2], math.isqrt(ranks))
    cx = next(cx for cx in range(max(limit, 1), 0, -1) if ranks % cx == 0)
    return cx, ranks // cx
