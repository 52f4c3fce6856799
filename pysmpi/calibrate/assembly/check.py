"""Simulation of the calibration's ping-pongs on the assembled platform."""

import os
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pysmpi.calibrate.assembly.parts import Parts

__all__ = ["Check", "check_platform"]


@dataclass(frozen=True)
class Check:
    """Measured and simulated times of messages of several sizes, all inside a host or all between two hosts.

    Attributes:
        place: "intra" (inside a host) or "inter" (between two hosts).
        sizes: message sizes in bytes.
        measured: measured seconds per message.
        simulated: simulated seconds per message.
    """

    place: str
    sizes: tuple[int, ...]
    measured: tuple[float, ...]
    simulated: tuple[float, ...]

    @cached_property
    def errors(self) -> npt.NDArray[np.float64]:
        """Relative errors (simulated / measured - 1), one per size."""
        found: npt.NDArray[np.float64] = np.array(self.simulated) / np.array(self.measured) - 1
        return found


def check_platform(path: str | os.PathLike[str], parts: Parts) -> list[Check]:
    """Simulate the measured ping-pongs on a platform: inside its first host, and between its first two hosts."""
    from pysmpi.experiments.simulate import simulate
    from pysmpi.platform import read

    names = [host.name for host in read(os.fspath(path)).hosts[:2]]
    checks = []
    for place in ("inter", "intra"):
        if place not in parts.one_way or (place == "inter" and len(names) < 2):
            continue
        sizes = sorted(parts.one_way[place])
        result = simulate(
            _ping_pongs,
            np=2,
            platform=path,
            hosts=names if place == "inter" else [names[0], names[0]],
            cfg={"smpi/simulate-computation": False, "smpi/wtime": 0},
            args=(sizes,),
        )
        measured = tuple(parts.one_way[place][size] for size in sizes)
        checks.append(Check(place, tuple(sizes), measured, tuple(result.values[0])))
    return checks


def _ping_pongs(sizes: list[int]) -> list[float]:
    """Return half the time of a ping-pong for each size.

    An untimed ping-pong precedes each timed one, so that both ranks are ready.
    """
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    other = 1 - world.rank
    found = []
    for size in sizes:
        message = bytearray(size)
        start = 0.0
        for _ in range(2):
            start = MPI.Wtime()
            if world.rank == 0:
                world.Send(message, dest=other)
                world.Recv(message, source=other)
            else:
                world.Recv(message, source=other)
                world.Send(message, dest=other)
        found.append((MPI.Wtime() - start) / 2)
    return found
