"""Rooflines: the highest flop/s of a socket at each intensity (operations per byte), and what kernels reach on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.aspen.amounts import amounts_of, plain_json
from pysmpi.aspen.application import Application
from pysmpi.aspen.cost import MEMORY, cost_of
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_info import SocketInfo, ceilings_of, sockets_of
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.references import find_flow
from pysmpi.aspen.syntax_tree import Kernel
from pysmpi.errors import unknown

__all__ = ["Point", "Roof", "Roofline", "roofline"]


@dataclass(frozen=True)
class Roof:
    """Limits of a socket: the bandwidth of its memory and its peaks.

    Attributes:
        bandwidth: bytes/s of the memory, for loads or for stores, whichever is greater.
        ceilings: different peaks in flop/s by traits, such as "dp, simd", in the order of the machine's file.
    """

    bandwidth: float
    ceilings: dict[str, float]

    @property
    def peak(self) -> float:
        """Highest peak in flop/s."""
        return max(self.ceilings.values())

    def attainable(self, intensity: float) -> float:
        """Return the highest flop/s at an intensity, which is given in operations for each byte of memory."""
        return min(self.peak, self.bandwidth * intensity)


@dataclass(frozen=True)
class Point:
    """Point of a kernel in the roofline of a socket.

    Attributes:
        kernel: name of the kernel.
        socket: name of the socket.
        intensity: operations for each byte of memory.
        attained: predicted flop/s of the kernel on one socket.
        bound: what limits this speed: "flops", or the memory's resource that takes most time, such as "loads".
    """

    kernel: str
    socket: str
    intensity: float
    attained: float
    bound: str


@dataclass(frozen=True)
class Roofline:
    """Rooflines of sockets with kernels.

    Attributes:
        roofs: limits of each kind of sockets, by its name.
        points: each kernel that has operations and bytes, on each socket.
        left_out: kernels without operations or without bytes.
    """

    roofs: dict[str, Roof]
    points: list[Point]
    left_out: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return sockets and kernels as a dict for JSON."""
        kernels: dict[str, dict[str, Any]] = {}
        for each in self.points:
            found = {"intensity": each.intensity, "attained": each.attained, "bound": each.bound}
            kernels.setdefault(each.kernel, {})[each.socket] = found
        answer: dict[str, Any] = plain_json({"sockets": {name: vars(each) for name, each in self.roofs.items()},
                                             "kernels": kernels})  # fmt: skip
        return answer


def roofline(
    application: Application, machine: Machine, sockets: Sequence[str] = (), kernels: Sequence[str] = ()
) -> Roofline:
    """Return the rooflines of sockets, with the kernels of an application.

    Args:
        application: the application, with the values of its parameters.
        machine: the machine.
        sockets: names of sockets; by default all kinds.
        kernels: names of kernels; by default all that have no arguments.

    Raises:
        AspenError: a name is unknown, a socket has no operations or no memory, or a value does not exist.
    """
    kinds = sockets_of(machine, machine.scope(application.processors))
    for each in sockets:
        if each not in kinds:
            raise AspenError(f"{machine.place}: {unknown('socket', each, kinds)}")
    roofs = {name: _roof(machine, name, kinds[name]) for name in dict.fromkeys(sockets or kinds)}
    module = application.module
    flows = {name: find_flow(module, name) for name in module.all_names()}
    own = [name for name, each in flows.items() if isinstance(each, Kernel) and not each.arguments]
    points: list[Point] = []
    left_out = []
    for kernel in kernels or own:
        found = [_point(application, machine, kernel, socket) for socket in roofs]
        points += [each for each in found if each is not None]
        if None in found:
            left_out.append(kernel)
    return Roofline(roofs, points, left_out)


def _roof(machine: Machine, name: str, socket: SocketInfo) -> Roof:
    for figures, what in ((socket.peaks, "resource 'flops'"), (socket.bandwidths, "memory with loads or stores")):
        if not figures:
            raise AspenError(f"{machine.place}: socket {name!r} has no {what}, so it has no roofline")
    return Roof(float(max(socket.bandwidths.values())), ceilings_of(socket))


def _point(application: Application, machine: Machine, kernel: str, socket: str) -> Point | None:
    """Return the point of a kernel in the roofline of a socket, or None if the kernel has no operations or no bytes.

    Args:
        application: the application, with the values of its parameters.
        machine: the machine.
        kernel: name of the kernel.
        socket: name of the socket.
    """
    chosen = machine.choose_socket(machine.scope(application.processors), socket)
    whole = chosen.total() if chosen else 1.0
    entry = application.entry(kernel=kernel)
    amounts = amounts_of(application.flow(entry, application.names(whole)))
    flops, intensity = amounts.resources.get("flops", 0.0), amounts.intensity
    if not flops or not intensity:
        return None
    cost = cost_of(application, machine, socket=socket, kernel=kernel, ceilings=False, warnings=False)
    times = {name: each for name, each in cost.rows[0].by_resource.items() if name == "flops" or name in MEMORY}
    memory = {name: each for name, each in times.items() if name != "flops"}
    moved = sum(memory.values())
    slowest = "flops" if times["flops"] >= moved else max(memory, key=lambda name: memory[name])
    seconds = max(float(times["flops"]), float(moved))
    return Point(kernel, socket, float(intensity), float(flops) / seconds / float(cost.processors), slowest)
