"""Simulation of the calibration's ping-pongs on the assembled platform."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pysmpi.calibrate.assembly.parts import Parts

__all__ = ["TOLERANCE", "Check", "check_platform", "inside_of_nodes"]

_LEVELS = {"inter": "node", "intra": "core"}

TOLERANCE = 0.25
"""Largest relative error of simulated ping-pongs beyond the error of the network's fit."""


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

    def beyond(self, of_fit: float) -> str:
        """Return a text if simulated times are too far from the measured ones, else an empty text.

        Args:
            of_fit: largest relative error of the network's fit, which no platform can undercut.
        """
        largest = float(np.abs(self.errors).max())
        tolerance = of_fit + TOLERANCE
        if largest <= tolerance:  # false for NaN
            return ""
        return (
            f"{self.place}: simulated ping-pongs differ from the measured ones by up to {100 * largest:.3g} % (the "
            f"tolerance is {100 * tolerance:.3g} %, of which {100 * of_fit:.3g} % are the error of the network's fit)"
        )


def inside_of_nodes(parts: Parts) -> dict[str, dict[int, float]]:
    """Return the message times from the model of ``pysmpi-calibrate node``, in the form of `Parts.one_way`.

    If there is such a model, a platform simulates these messages with it, not with the model of the network.
    """
    curves = {} if parts.node is None else parts.node.one_way
    return {place: curves[level] for place, level in _LEVELS.items() if level in curves}


def check_platform(
    path: str | os.PathLike[str], parts: Parts, one_way: Mapping[str, Mapping[int, float]] | None = None
) -> list[Check]:
    """Simulate the measured ping-pongs on a platform: inside its first host, and between its first two hosts.

    Args:
        path: path of the platform file.
        parts: the measured values from which the platform was made.
        one_way: measured seconds in the form of `Parts.one_way`, or None for those of the network.
    """
    from pysmpi.platform import read
    from pysmpi.simulation.experiments.simulate import simulate

    names = [host.name for host in read(os.fspath(path)).hosts[:2]]
    checks = []
    given = parts.one_way if one_way is None else one_way
    for place in ("inter", "intra"):
        if place not in given or (place == "inter" and len(names) < 2):
            continue
        sizes = sorted(given[place])
        result = simulate(
            _ping_pongs,
            np=2,
            platform=path,
            hosts=names if place == "inter" else [names[0], names[0]],
            cfg={"smpi/simulate-computation": False, "smpi/wtime": 0},
            args=(sizes,),
        )
        measured = tuple(given[place][size] for size in sizes)
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
