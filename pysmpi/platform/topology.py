"""The interface of a topology, and the registry of all topologies.

A topology is one module of `pysmpi.platform.topologies` and one source file in native/platform/topologies, which
computes its routes. Parameters are written as SimGrid writes ``topo_parameters``; topologies that SimGrid lacks follow
the same pattern. docs/topologies.md describes each topology and names its source.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pysmpi.errors import PlatformError, unknown
from pysmpi.native import lib
from pysmpi.platform.cluster import MAX_DIGITS, MAX_NUMBER, ClusterDescription, Shape

__all__ = [
    "AS_IN_SST",
    "BY_UPWARD_PORT",
    "ROUTINGS",
    "TOPOLOGIES",
    "WITH_DETOURS",
    "Shape",
    "Topology",
    "native_routing",
    "pair_count",
    "parse_numbers",
    "parse_parts",
    "shape_of",
]

WITH_DETOURS: Mapping[str, int] = {
    "minimal": lib.PYSMPI_ROUTING_ONE,
    "valiant": lib.PYSMPI_ROUTING_VALIANT,
    "ugal": lib.PYSMPI_ROUTING_UGAL,
    "ugal-l": lib.PYSMPI_ROUTING_UGAL_LOCAL,
}
"""Routings of topologies with one minimal way between two nodes and detours around it."""

BY_UPWARD_PORT: Mapping[str, int] = {
    "d-mod-k": lib.PYSMPI_ROUTING_ONE,
    "random": lib.PYSMPI_ROUTING_RANDOM,
    "turns": lib.PYSMPI_ROUTING_TURNS,
}
"""Routings of trees: the port upwards is computed from the destination, drawn at random, or the next in turn."""

AS_IN_SST: Mapping[str, int] = {"ugal-sst7": lib.PYSMPI_ROUTING_UGAL_SST7}
"""Routings of dragonflies whose routers have cables to other groups as in SST/macro."""

ROUTINGS = (*WITH_DETOURS, *AS_IN_SST, *BY_UPWARD_PORT)
"""Names of all routings."""


class Topology(ABC):
    """A kind of cluster. Subclasses that set `topology` are registered in `TOPOLOGIES` when they are defined."""

    topology: ClassVar[str]
    """Name in ``topology`` attributes of platform files; the C++ code of the topology is registered under this name."""
    short_name: ClassVar[str]
    """Name in one-word clusters such as ``torus:4,4,4``."""
    syntax: ClassVar[str] = ""
    """Pattern of the parameters, for errors; empty if platform files give none."""
    example: ClassVar[str]
    """Valid parameters of a one-word cluster, with semicolons."""
    spec_settings: ClassVar[tuple[str, ...]] = ()
    """Settings of one-word clusters that only this topology has."""
    routings: ClassVar[Mapping[str, int]] = {}
    """Numbers of the routings in the C++ engine by name, the default first; empty if there is only one routing."""
    in_simgrid: ClassVar[bool] = False
    """True if SimGrid's platform files can express the topology."""
    has_router: ClassVar[bool] = False
    """True if the cluster has a named router, at which it is joined to other zones, and may have a backbone."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Register the class as the kind of cluster that its attribute `topology` names."""
        super().__init_subclass__(**arguments)
        if "topology" in vars(cls):
            TOPOLOGIES[cls.topology] = cls

    @classmethod
    @abstractmethod
    def parse(cls, text: str, what: str) -> Shape:
        """Return the size of the cluster that the parameters describe.

        Args:
            text: parameters as in ``topo_parameters``.
            what: place of the parameters, for errors.

        Raises:
            PlatformError: the parameters are not valid.
        """

    @classmethod
    @abstractmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        """Return the description of a cluster, given its ``topo_parameters`` and the other arguments of the class.

        Raises:
            PlatformError: the parameters or settings are not valid.
        """

    @classmethod
    def routings_of(cls, parameters: str) -> Mapping[str, int]:
        """Return the routings of clusters with these parameters."""
        return cls.routings

    @classmethod
    def shape_of(cls, cluster: ClusterDescription) -> Shape:
        """Return the size (`Shape`) of a described cluster.

        Raises:
            PlatformError: the parameters are not valid, or do not give the number of hosts that the radical names.
        """
        what = f"topo_parameters {cluster.parameters!r}"
        shape = cls.parse(cluster.parameters, what)
        if shape.hosts != cluster.host_count:
            product = " x ".join(map(str, shape.factors))
            raise PlatformError(
                f"{what}: {product} makes {shape.hosts} hosts, but the radical names {cluster.host_count}"
            )
        return shape

    @classmethod
    def bisection(cls, cluster: ClusterDescription) -> float | None:
        """Return the bisection bandwidth of a cluster in bytes/s, or None if no formula applies."""
        if cluster.limiter:
            return None
        cables = cls.bisection_cables(cls.shape_of(cluster))
        return None if cables is None else cables * cluster.bandwidth

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the bisection bandwidth in units of a cable's bandwidth, or None if no formula applies."""
        return None

    @classmethod
    def lattice(cls, shape: Shape) -> Sequence[int] | None:
        """Return the size of each dimension if drawings place the hosts on a grid; None for other topologies."""
        return None

    @classmethod
    def chassis_of(cls, shape: Shape, host: int) -> tuple[int, int]:
        """Return the numbers of a host's group and of its chassis in the group; 0, 0 for topologies without chassis.

        SimGrid's routes between chassis may omit a cable if they begin in a chassis other than 0.
        """
        return 0, 0


TOPOLOGIES: dict[str, type[Topology]] = {}
"""All topologies by name, in the order of `pysmpi.platform.topologies`."""


def parse_numbers(text: str, what: str) -> list[int]:
    """Return the numbers, each 1 or more, in a text separated by commas.

    Raises:
        PlatformError: a part is not a number of 1 or more, or is too large.
    """
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not (part.isascii() and part.isdecimal()) or len(part) > MAX_DIGITS or not 0 < int(part) <= MAX_NUMBER:
            raise PlatformError(f"{what}: {part!r} is not a number from 1 to {MAX_NUMBER}")
    return [int(part) for part in parts]


def parse_parts(
    topology: type[Topology], text: str, what: str, kinds: Sequence[str], counts: Sequence[int | None]
) -> list[list[int]]:
    """Return the numbers of each part of a topology's parameters; semicolons separate parts.

    Args:
        topology: class of the topology, for errors.
        text: the parameters.
        what: place of the parameters in the file or text, for errors.
        kinds: noun for each part in errors, such as "hosts of a switch".
        counts: number of values in each part, or None for any number.

    Raises:
        PlatformError: a part is missing or not valid.
    """
    parts = text.split(";")
    if len(parts) != len(kinds):
        raise PlatformError(
            f"{what}: a {topology.topology} takes {len(kinds)} parts, {topology.syntax!r}, such as "
            f"{topology.example!r}; there are {len(parts)}"
        )
    lists = []
    for part, kind, count in zip(parts, kinds, counts, strict=True):
        numbers = parse_numbers(part, f"{what}, {kind}")
        if count is not None and len(numbers) != count:
            takes = f"{kind} take {count} numbers" if count > 1 else f"{kind} is one number"
            raise PlatformError(f"{what}: {takes}, not {part!r}")
        lists.append(numbers)
    return lists


def pair_count(things: int) -> int:
    """Return the number of unordered pairs of `things` different things."""
    return things * (things - 1) // 2


def shape_of(cluster: ClusterDescription) -> Shape:
    """Return the size (`Shape`) of a cluster, computed from the parameters of its topology.

    Raises:
        PlatformError: the parameters are not valid, or their product is not the number of hosts.
    """
    return TOPOLOGIES[cluster.topology].shape_of(cluster)


def native_routing(topology: str, parameters: str, routing: str | None, what: str) -> int:
    """Return the C++ engine's number of a routing, or of the topology's default routing if `routing` is None.

    Raises:
        PlatformError: clusters of this topology and these parameters have no routing of that name.
    """
    valid = TOPOLOGIES[topology].routings_of(parameters)
    if routing is None:
        return next(iter(valid.values()), lib.PYSMPI_ROUTING_ONE)
    if not valid:
        raise PlatformError(
            f"{what} has routing {routing!r}, but a {topology} cluster has only one route between two hosts; "
            "remove the routing"
        )
    if routing not in valid:
        raise PlatformError(f"{what}: {unknown(f'routing of a {topology}', routing, valid)}")
    return valid[routing]
