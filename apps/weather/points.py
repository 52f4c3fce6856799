"""Points of the study: one pattern on one machine under one model, and how it is simulated."""

import contextlib
import io
import json
import math
import pathlib
from dataclasses import dataclass, field
from typing import Any, Self

import machines
import numpy as np

import pysmpi
from pysmpi.platform import read
from pysmpi.simulation.instruments.network.packet_use import PacketDelays

Grid = tuple[int, int, int]
GRID: Grid = (28800, 14400, 256)

PATTERNS = ("transposition", "halo", "allreduce")
MODELS = {"packets": "Packets", "flows": "CM02", "loggps": "LogGPS"}
"""Names of the models, and of `network/model`. Under floors nothing is simulated."""
OUTCOMES = ("seconds", "floor", "parts", "delays", "pairs", "figures")
"""Keys of a stored point that do not describe what was simulated."""
BINS = tuple(number * 1e-5 for number in range(11))
"""Begins of the bins of packets' delays, in seconds."""


@dataclass(frozen=True)
class Point:
    """One point. Fields have the names of the options of study.py."""

    pattern: str
    machine: str
    ranks: int
    cx: int
    cy: int
    model: str
    grid: Grid
    width: int
    algorithm: str | None
    routing: str | None
    bandwidth: str
    latency: str
    message_cost: float
    cfg: tuple[str, ...] = field(default=())
    delays: int | None = None
    """Number of groups of neighbouring ranks between which packets' delays are summed, or None for no such report."""
    global_cables: int = 1
    """Cables of each router of a dragonfly to other groups."""

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Self:
        """Return the point of a stored outcome."""
        settings = stored["settings"]
        cfg = tuple(settings["cfg"])
        return cls(
            stored["pattern"], stored["machine"], stored["ranks"], stored["cx"], stored["cy"], stored["model"],
            tuple(settings.get("grid", GRID)), settings.get("width", 20), settings.get("algorithm"),
            settings.get("routing"), settings["bandwidth"], settings["latency"], settings["message-cost"], cfg,
            settings.get("delays"), settings.get("global-cables", 1),
        )  # fmt: skip

    @property
    def description(self) -> dict[str, Any]:
        """Options of the point by their names, as they are stored."""
        return {"pattern": self.pattern, "machine": self.machine, "ranks": self.ranks, "cx": self.cx, "cy": self.cy,
                "model": self.model, "settings": self.settings()}  # fmt: skip

    @property
    def key(self) -> str:
        """Text that tells the point from all others."""
        return key_of(self.description)

    @property
    def text(self) -> str:
        """The point in words."""
        words = [self.pattern, f"on {self.ranks:,} ranks of {self.machine},", self.model]
        words += [str(self.settings()[name]) for name in ("algorithm", "routing", "width") if name in self.settings()]
        return " ".join([*words, self.bandwidth, self.latency, *self.cfg])

    @property
    def scale(self) -> float:
        """Size of the whole grid divided by that of the simulated one."""
        return math.prod(GRID) / math.prod(self.grid)

    @property
    def word(self) -> str:
        """The machine as a cluster in one word."""
        return machines.platform(self.machine, self.bandwidth, self.latency, self.global_cables)

    def settings(self) -> dict[str, Any]:
        """Return the options that the point's pattern uses, by their names without dashes at the front."""
        found: dict[str, Any] = {"bandwidth": self.bandwidth, "latency": self.latency}
        found |= {"message-cost": self.message_cost, "cfg": list(self.cfg)}
        if self.pattern != "allreduce":
            found["grid"] = list(self.grid)
        if self.pattern == "halo":
            found["width"] = self.width
        if self.global_cables != 1:
            found["global-cables"] = self.global_cables
        for name in ("algorithm", "routing", "delays"):
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

    def simulate(self) -> pysmpi.Result:
        """Simulate the point in this process.

        Raises:
            PysmpiError: the simulation failed.
        """
        arguments = []
        if self.pattern != "allreduce":
            arguments = ["--cx", self.cx, "--cy", self.cy, "--grid", *self.grid]
        if self.pattern == "halo":
            arguments += ["--width", self.width]
        with contextlib.redirect_stdout(io.StringIO()):
            return pysmpi.simulate(
                pathlib.Path(__file__).with_name(f"{self.pattern}.py"), np=self.ranks, platform=self.word,
                cfg=self.configuration(), args=arguments, network_report=self.delays is not None,
            )  # fmt: skip

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
            PysmpiError: the simulation failed.
        """
        parts: list[dict[str, Any]] = [
            {"name": name, "seconds": None, "floor": floor} for name, floor in self.floors()
        ] or [{"name": "allreduce", "seconds": None, "floor": None}]
        floor = None if self.pattern == "allreduce" else sum(part["floor"] for part in parts)
        found = self.description | {"seconds": None, "floor": floor, "parts": parts}
        if self.model != "floors":
            result = self.simulate()
            found["seconds"] = result.reported["seconds"]
            for part in parts:
                part["seconds"] = result.reported[part["name"].replace(" ", "_")]
            if self.delays is not None and result.network is not None and result.network.delays is not None:
                found |= delay_report(result.network.delays, self.delays)
        return found


def key_of(stored: dict[str, Any]) -> str:
    """Return the text that tells a stored point from all others."""
    return json.dumps({name: value for name, value in stored.items() if name not in OUTCOMES}, sort_keys=True)


def delay_report(delays: PacketDelays, groups: int) -> dict[str, Any]:
    """Return the shares of packets by `BINS` of delay, and delays in seconds between groups of ranks."""
    shares = [delays.share(begin, end) for begin, end in zip(BINS, (*BINS[1:], math.inf), strict=True)]
    shares[0] += delays.share_without
    rows = np.arange(len(delays.by_ranks)) * groups // len(delays.by_ranks)
    pairs = np.zeros((groups, groups))
    np.add.at(pairs, (rows[:, None], rows[None, :]), delays.by_ranks)
    return {"delays": shares, "pairs": pairs.tolist()}


def split(pattern: str, ranks: int, grid: Grid) -> tuple[int, int]:
    """Return cx and cy by default.

    For transpositions cx is the largest divisor of the ranks that is at most nz and the root of the number of ranks.
    For halos parts are nearly square: cx is the largest divisor that is at most the root of ranks · nx / ny.
    """
    most = ranks * grid[0] / grid[1] if pattern == "halo" else ranks
    limit = min(math.isqrt(int(most)), ranks) if pattern == "halo" else min(grid[2], math.isqrt(ranks))
    cx = next(cx for cx in range(max(limit, 1), 0, -1) if ranks % cx == 0)
    return cx, ranks // cx
