"""Points of the sweep: algorithms, machines, ranks and settings."""

import json
import math
import pathlib
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import machines

PROGRAM = pathlib.Path(__file__).with_name("transposition.py")
GRID = (28800, 14400, 256)
PARTS = {1024: (32, 32), 2048: (32, 64), 4096: (64, 64)}
"""cx and cy by ranks: they divide the grid, so that all blocks are equal, as Bruck's algorithm requires."""
SMALLER = ((1, 1, 1), (2, 2, 2), (4, 4, 4), (8, 8, 8), (300, 150, 8))
"""Smaller grids, in points of x, y and z for each of 32 parts."""
RADICES = (2, 3, 4, 6, 8, 16, 32)
ALLREDUCES = 5
OVERHEADS = (0.5e-6, 0.1e-6)
"""Seconds that a rank spends on each message that it sends or receives."""
LONG = 2**20
"""Message size in bytes at which overheads are negligible."""
MODEL = "network/model:CM02"
"""Settings without factors, so that bandwidths and latencies are those of the machines."""


def overhead_settings(seconds: float) -> list[str]:
    """Return settings for overheads, and for a barrier with few messages per rank, so that ranks start together."""
    return [*(f"smpi/{option}:0:{seconds}:0" for option in ("os", "ois", "or")), "smpi/barrier:ompi_bruck"]


@dataclass(frozen=True)
class Point:
    """One run: transpositions by an algorithm for alltoallv (or Bruck's for alltoall), or allreduces."""

    machine: str
    ranks: int
    algorithm: str
    grid: tuple[int, int, int] | None = GRID
    """Algorithm of the transpositions, or None for allreduces."""
    routing: str | None = None
    """Routing, or None for the machine's default."""
    overhead: float = OVERHEADS[0]

    def settings(self) -> list[str]:
        """Return the settings of the simulation."""
        operation = "allreduce" if self.grid is None else "alltoall" if self.algorithm == "bruck" else "alltoallv"
        settings = [MODEL]
        # With overheads, ranks are no longer synchronous, and a simulation has many more events.
        if self.grid is None or min(block_bytes(self.grid, self.ranks)) < LONG:
            settings += overhead_settings(self.overhead)
        if self.routing is not None:
            settings.append(f"platform/routing:{self.routing}")
        return [*settings, f"smpi/{operation}:{self.algorithm}"]

    def key(self) -> str:
        """Return a text of everything that the outcome depends on."""
        return json.dumps({**asdict(self), "settings": self.settings(), "machines": machines.FIGURES})

    def command(self, platform: str) -> list[str]:
        """Return the command of the run."""
        cx, cy = PARTS[self.ranks]
        arguments = [str(PROGRAM), "--cx", str(cx), "--cy", str(cy), "--json"]
        if self.grid is None:
            arguments += ["--no-transpositions", "--allreduces", str(ALLREDUCES)]
        else:
            arguments += ["--grid", *map(str, self.grid), *(["--alltoall"] if self.algorithm == "bruck" else [])]
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "-np", str(self.ranks)]
        command += ["--platform", platform]
        return [*command, *(f"--cfg={setting}" for setting in self.settings()), *arguments]


def points() -> Iterator[Point]:
    """Yield the points of the sweep."""
    for machine in machines.MACHINES:
        for algorithm in (
            "two-sided-ring-1",
            "two-sided-ring-2",
            "two-sided-ring-4",
            "two-sided-ring-8",
            "burst",
            "bruck",
        ):
            yield Point(machine, 1024, algorithm)
        for radix in RADICES:
            yield Point(machine, 1024, f"recursive-{radix}", grid=None)
    for algorithm in ("two-sided-ring-1", "two-sided-ring-2", "two-sided-ring-4", "two-sided-ring-8", "burst", "bruck"):
        yield Point("dragonfly", 1024, algorithm, routing="valiant")
    for algorithm in ("two-sided-ring-1", "two-sided-ring-4"):
        yield Point("fat tree", 1024, algorithm, routing="random")
    for machine, routing in (("fat tree", "random"), ("dragonfly", "valiant")):
        yield Point(machine, 1024, "recursive-4", grid=None, routing=routing)
    for x, y, z in SMALLER:
        for algorithm in ("two-sided-ring-1", "two-sided-ring-4", "burst", "bruck"):
            yield Point("fat tree", 1024, algorithm, (x * 32, y * 32, z * 32))
    for radix in RADICES:
        yield Point("fat tree", 1024, f"recursive-{radix}", grid=None, overhead=OVERHEADS[1])
    for overhead, radices in zip(OVERHEADS, (RADICES[:5], RADICES[:6]), strict=True):
        for radix in radices:
            yield Point("fat tree", 4096, f"recursive-{radix}", grid=None, overhead=overhead)
    for algorithm in ("two-sided-ring-1", "two-sided-ring-4"):
        yield Point("fat tree", 2048, algorithm)


def block_bytes(grid: tuple[int, int, int], ranks: int) -> tuple[float, float]:
    """Return the bytes that a rank sends to another in the first and in the second transposition."""
    mine = 8 * math.prod(grid) / ranks
    return mine / PARTS[ranks][0], mine / PARTS[ranks][1]
