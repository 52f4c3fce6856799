"""Points of the study: one pattern on one machine under one model, and how it is simulated."""

import contextlib
import io
import json
import math
import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
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
_UNUSED = {"transposition": ("width",), "halo": ("algorithm",), "allreduce": ("grid", "width")}
"""Options that a pattern does not use."""
BINS = tuple(number * 1e-5 for number in range(11))
"""Begins of the bins of packets' delays, in seconds."""


@dataclass(frozen=True)
class Point:
    """One point. Fields have the names of the options of study.py.

    Two points with the same outcome are equal, because a point has no options that its pattern does not use. Values are
    those of a study's parameters: a grid is a text such as "720 14400 256".
    """

    pattern: str
    machine: str
    ranks: int
    cx: int
    cy: int
    model: str
    bandwidth: str
    latency: str
    message_cost: float
    grid: str | None = None
    width: int | None = None
    algorithm: str | None = None
    routing: str | None = None
    cfg: str = ""
    """Settings, separated by spaces."""
    delays: int | None = None
    """Number of groups of neighbouring ranks between which packets' delays are summed, or None for no such report."""
    global_cables: int = 1
    """Cables of each router of a dragonfly to other groups."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the point with these options, but for those that its pattern does not use. Lists become texts."""
        used = [each.name for each in fields(cls) if each.name not in _UNUSED[options["pattern"]]]
        given: dict[str, Any] = {name: options[name] for name in used if name in options}
        given |= {name: text(one) for name, one in given.items() if isinstance(one, list | tuple)}
        return cls(**given)

    @classmethod
    def stored(cls, outcome: Mapping[str, Any]) -> Self:
        """Return the point of a stored outcome."""
        return cls.of({name.replace("-", "_"): one for name, one in {**outcome, **outcome["settings"]}.items()})

    def options(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, by name."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        return {each.name: named[each.name] for each in fields(self) if named[each.name] != each.default}

    @property
    def description(self) -> dict[str, Any]:
        """Options of the point by their names, as they are stored."""
        lists = {"grid": list(self.sizes)} if self.grid is not None else {}
        named = self.options() | lists | {"cfg": self.cfg.split()}
        options = {name.replace("_", "-"): value for name, value in named.items()}
        return {name: options.pop(name) for name in [*options][:6]} | {"settings": options}

    @property
    def sizes(self) -> Grid:
        """Numbers of points of the grid along x, y and z."""
        x, y, z = map(int, (self.grid or text(GRID)).split())
        return x, y, z

    @property
    def scale(self) -> float:
        """Size of the whole grid divided by that of the simulated one."""
        return math.prod(GRID) / math.prod(self.sizes)

    @property
    def word(self) -> str:
        """The machine as a cluster in one word."""
        return machines.platform(self.machine, self.bandwidth, self.latency, self.global_cables)

    def configuration(self) -> list[str]:
        """Return the settings of the simulation."""
        cost = self.message_cost
        found = ["smpi/simulate-computation:no", "smpi/wtime:0", "smpi/barrier:ompi_bruck"]
        # Only communication is studied, as in the paper.
        found += ["smpi/reduction-bandwidth:0", "smpi/copy-bandwidth:0", "smpi/new-buffers:0"]
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
        return [*found, *self.cfg.split()]

    def simulate(self) -> pysmpi.Result:
        """Simulate the point in this process.

        Raises:
            PysmpiError: the simulation failed.
        """
        arguments = [] if self.grid is None else ["--cx", self.cx, "--cy", self.cy, "--grid", *self.sizes]
        arguments += [] if self.width is None else ["--width", self.width]
        with contextlib.redirect_stdout(io.StringIO()):
            return pysmpi.simulate(
                pathlib.Path(__file__).with_name(f"{self.pattern}.py"), np=self.ranks, platform=self.word,
                cfg=self.configuration(), smpi=False, args=arguments, network_report=self.delays is not None,
            )  # fmt: skip

    def floors(self) -> list[tuple[str, float]]:
        """Return the name and the floor of each transposition or sweep, in seconds; nothing for allreduces."""
        import floors

        platform = read(self.word)
        if self.routing is not None:
            platform.choose_routes(self.routing)
        if self.grid is None:
            return []
        if self.width is None:
            return floors.transposition_floors(platform, self.sizes, self.cx, self.cy)
        return floors.halo_floors(platform, self.sizes, self.cx, self.cy, self.width)

    def outcome(self) -> dict[str, Any]:
        """Simulate the point, and return its seconds and its floor, those of its parts, and reports of delays.

        Raises:
            PysmpiError: the simulation failed.
        """
        parts: list[dict[str, Any]] = [
            {"name": name, "seconds": None, "floor": floor} for name, floor in self.floors()
        ] or [{"name": "allreduce", "seconds": None, "floor": None}]
        floor = None if self.pattern == "allreduce" else sum(part["floor"] for part in parts)
        found: dict[str, Any] = {"seconds": None, "floor": floor, "parts": parts}
        if self.model != "floors":
            result = self.simulate()
            found["seconds"] = result.reported["seconds"]
            for part in parts:
                part["seconds"] = result.reported[part["name"].replace(" ", "_")]
            if self.delays is not None and result.network is not None and result.network.delays is not None:
                found |= delay_report(result.network.delays, self.delays)
        return found


def outcome(pattern: str, machine: str, ranks: int, cx: int, cy: int, model: str, bandwidth: str, latency: str,
            message_cost: float, grid: str | None = None, width: int | None = None, algorithm: str | None = None,
            routing: str | None = None, cfg: str = "", delays: int | None = None, global_cables: int = 1,
            ) -> dict[str, Any]:  # fmt: skip
    """Return the seconds and the floor of a point, and its whole outcome in JSON. The points' study calls this."""
    found = Point(pattern, machine, ranks, cx, cy, model, bandwidth, latency, message_cost, grid, width, algorithm,
                  routing, cfg, delays, global_cables).outcome()  # fmt: skip
    return {"seconds": found["seconds"], "floor": found["floor"], "outcome": json.dumps(found)}


def text(numbers: Iterable[object]) -> str:
    """Return numbers or words as a text, separated by spaces."""
    return " ".join(map(str, numbers))


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
