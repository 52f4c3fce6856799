"""Clusters described in Python: equal hosts in one of several topologies.

What the topologies are, with pictures in words and sources, is in docs/topologies.md.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar
from xml.etree import ElementTree

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform.builder import Builder
from pysmpi.platform.cluster import ClusterDescription, parse_radical
from pysmpi.platform.description import Description
from pysmpi.platform.quantities import (
    Quantity,
    bandwidth_of,
    optional_bandwidth_of,
    speeds_of,
    time_of,
    whole_number,
    whole_numbers,
)
from pysmpi.platform.shape import native_routing, parse_shape, slim_fly_hosts

__all__ = [
    "Cluster",
    "ClusterOfHosts",
    "Dragonfly",
    "DragonflyPlus",
    "FatTree",
    "FullMesh",
    "HyperX",
    "Hypercube",
    "SlimFly",
    "Torus",
]

IN_XML = ("FLAT", "FAT_TREE", "TORUS", "DRAGONFLY")


@dataclass(frozen=True, kw_only=True)
class ClusterOfHosts(Description):
    """What all clusters have. Defaults stand for hosts of one core on 100 Gb/s InfiniBand, as platforms/fattree.xml.

    Raises:
        PlatformError: on construction, naming the parameter and what is valid.
    """

    topology: ClassVar[str]

    name: str = "cluster"
    prefix: str | None = None
    """Of host names; by default the cluster's name and a dash, ``node-`` when the cluster has been given no name."""
    suffix: str = ""
    radical: str | None = None
    """The numbers in host names, such as ``0-7,9``; by default they count from 0."""
    speed: Quantity | Sequence[Quantity] = "30Gf"
    """Of a core, flop/s; a sequence for several performance states, of which simulations begin in the first."""
    cores: int = 1
    bandwidth: Quantity = "12.5GBps"
    """Of each cable, bytes/s; in each direction when split."""
    latency: Quantity = "150ns"
    """Of each cable, with the switch or adapter at its end, seconds."""
    split_duplex: bool = True
    """The two directions of a cable do not share its bandwidth."""
    loopback_bandwidth: Quantity | None = "10GBps"
    """Of a host's link to itself, for each message; None: a host reaches itself by its own cable."""
    loopback_latency: Quantity = "200ns"
    limiter: Quantity | None = None
    """What each host and switch can pass on in all, bytes/s; None: no limit."""
    routing: str | None = None
    """How one of several ways is chosen; None: the topology's default."""
    properties: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check everything now, where whoever wrote it sees it."""
        native_routing(self.topology, self.routing, type(self).__name__)
        self.description()

    @abstractmethod
    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` has them."""

    def host_count(self) -> int:
        """How many hosts there are."""
        return parse_shape(self.topology, self.parameters(), type(self).__name__).hosts

    def description(self) -> ClusterDescription:
        """The cluster as the builder takes it."""
        what = f"of {type(self).__name__} {self.name!r}"
        hosts = self.host_count()
        loopback = optional_bandwidth_of(self.loopback_bandwidth, f"loopback_bandwidth {what}")
        loopback_latency = time_of(self.loopback_latency, f"loopback_latency {what}")
        radical = [(0, hosts)] if self.radical is None else parse_radical(self.radical)
        named = sum(count for _, count in radical)
        if named != hosts:
            raise PlatformError(f"radical {what}: {self.radical!r} names {named} hosts, but there are {hosts}")
        prefix = self.prefix
        if prefix is None:
            prefix = "node-" if self.name == "cluster" else f"{self.name}-"
        routing = {} if self.routing is None else {"routing": self.routing}
        return ClusterDescription(
            self.name,
            prefix,
            self.suffix,
            radical,
            speeds_of(self.speed, f"speed {what}"),
            bandwidth_of(self.bandwidth, f"bandwidth {what}"),
            time_of(self.latency, f"latency {what}"),
            cores=whole_number(self.cores, f"cores {what}"),
            split_duplex=self.split_duplex,
            topology=self.topology,
            parameters=self.parameters(),
            loopback=(loopback, loopback_latency) if loopback else None,
            limiter=optional_bandwidth_of(self.limiter, f"limiter {what}"),
            properties={**self.properties, **routing},
        )

    def add_to(self, builder: Builder) -> None:
        """Describe this to a builder."""
        builder.add_cluster(self.description())

    def element(self) -> ElementTree.Element:
        """The ``<cluster>`` of SimGrid's XML."""
        if self.topology not in IN_XML:
            raise PlatformError(
                f"SimGrid's XML has no {self.topology} clusters (it has {', '.join(IN_XML)}); "
                f"{type(self).__name__} {self.name!r} cannot be written"
            )
        cluster = self.description()
        runs = (f"{first}-{first + count - 1}" if count > 1 else f"{first}" for first, count in cluster.radical)
        attributes = {
            "id": cluster.name,
            "prefix": cluster.prefix,
            "suffix": cluster.suffix,
            "radical": ",".join(runs),
            "speed": ",".join(f"{speed!r}f" for speed in cluster.speeds),
            "core": str(cluster.cores),
            "bw": f"{cluster.bandwidth!r}Bps",
            "lat": f"{cluster.latency!r}s",
            "sharing_policy": "SPLITDUPLEX" if cluster.split_duplex else "SHARED",
            "topology": cluster.topology,
            "topo_parameters": cluster.parameters,
        }
        if cluster.loopback is not None:
            attributes |= {"loopback_bw": f"{cluster.loopback[0]!r}Bps", "loopback_lat": f"{cluster.loopback[1]!r}s"}
        if cluster.limiter:
            attributes["limiter_link"] = f"{cluster.limiter!r}Bps"
        if cluster.backbone is not None:
            bandwidth, latency, policy = cluster.backbone
            attributes |= {"bb_bw": f"{bandwidth!r}Bps", "bb_lat": f"{latency!r}s", "bb_sharing_policy": policy}
        if cluster.router:
            attributes["router_id"] = cluster.router
        element = ElementTree.Element(
            "cluster", {name: value for name, value in attributes.items() if value or name == "suffix"}
        )
        for name, value in cluster.properties.items():
            ElementTree.SubElement(element, "prop", id=name, value=value)
        return element

    def _count(self, name: str) -> int:
        return whole_number(getattr(self, name), f"{name} of {type(self).__name__} {self.name!r}")

    def _counts(self, name: str, like: str | None = None) -> list[int]:
        """The numbers of a parameter; as many as another one has, and 1 each when they are not given."""
        values = getattr(self, name)
        other = None if like is None else self._counts(like)
        if values is None and other is not None:
            return [1] * len(other)
        return whole_numbers(
            values, f"{name} of {type(self).__name__} {self.name!r}", like=other, other="" if like is None else like
        )


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


@dataclass(frozen=True)
class Cluster(ClusterOfHosts):
    """Hosts on one switch, each with a cable of its own; ``backbone_…`` is the inside of the switch, if it limits."""

    topology = "FLAT"

    hosts: int
    backbone_bandwidth: Quantity | None = field(default=None, kw_only=True)
    """Of what all messages cross, bytes/s; None: the switch does not limit."""
    backbone_latency: Quantity = field(default=0.0, kw_only=True)
    backbone_policy: str = field(default="SHARED", kw_only=True)
    """SHARED, or FATPIPE: each message may have all of the backbone."""
    router: str = field(default="", kw_only=True)
    """The name of the way out, by default prefix + name + ``_router`` + suffix."""

    def parameters(self) -> str:
        """There are none."""
        return ""

    def host_count(self) -> int:
        """How many hosts there are."""
        return self._count("hosts")

    def description(self) -> ClusterDescription:
        """The cluster as the builder takes it."""
        what = f"of Cluster {self.name!r}"
        cluster = super().description()
        bandwidth = optional_bandwidth_of(self.backbone_bandwidth, f"backbone_bandwidth {what}")
        latency = time_of(self.backbone_latency, f"backbone_latency {what}")
        if latency > 0 and bandwidth == 0:
            raise PlatformError(f"backbone_latency {what} is given without a backbone_bandwidth")
        if self.backbone_policy not in ("SHARED", "FATPIPE"):
            raise PlatformError(unknown(f"backbone_policy {what}", self.backbone_policy, ("SHARED", "FATPIPE")))
        cluster.backbone = (bandwidth, latency, self.backbone_policy) if bandwidth else None
        cluster.router = self.router
        return cluster


@dataclass(frozen=True)
class FatTree(ClusterOfHosts):
    """A tree of switches, described level by level from the hosts up. ``routing``: d-mod-k or random."""

    topology = "FAT_TREE"

    children: Sequence[int]
    """Nodes below each switch."""
    parents: Sequence[int]
    """Switches above each node."""
    cables: Sequence[int] | None = None
    """Parallel ones between a node and a switch above it; by default one."""

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` has them."""
        levels = [self._counts("children"), self._counts("parents", "children"), self._counts("cables", "children")]
        return ";".join([str(len(levels[0])), *map(_joined, levels)])


@dataclass(frozen=True)
class Torus(ClusterOfHosts):
    """Hosts in a lattice that is closed in each dimension. ``routing``: minimal, valiant, ugal or ugal-l."""

    topology = "TORUS"

    sizes: Sequence[int]

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` has them."""
        return _joined(self._counts("sizes"))


@dataclass(frozen=True)
class Dragonfly(ClusterOfHosts):
    """A Cray Cascade: groups of chassis of blades of hosts. ``routing``: minimal, valiant, ugal or ugal-l."""

    topology = "DRAGONFLY"

    groups: int
    """At most as many as there are blades in a chassis."""
    chassis: int
    """Of a group."""
    blades: int
    """Of a chassis; each is a router."""
    hosts: int
    """Of a blade."""
    blue_cables: int = field(default=1, kw_only=True)
    """Bundled into the link between two groups."""
    black_cables: int = field(default=1, kw_only=True)
    """Bundled into the link between two chassis of a group, for each blade."""
    green_cables: int = field(default=1, kw_only=True)
    """Bundled into the link between two blades of a chassis."""

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` has them."""
        groups, chassis, blades, hosts = map(self._count, ("groups", "chassis", "blades", "hosts"))
        blue, black, green = map(self._count, ("blue_cables", "black_cables", "green_cables"))
        return f"{groups},{blue};{chassis},{black};{blades},{green};{hosts}"


@dataclass(frozen=True)
class DragonflyPlus(ClusterOfHosts):
    """Groups of leaf and spine switches, each spine with cables to other groups.

    ``routing``: minimal, valiant, ugal or ugal-l.
    """

    topology = "DRAGONFLY_PLUS"

    groups: int
    spines: int
    """Of a group."""
    leaves: int
    """Of a group; each has a cable to each spine of it."""
    hosts: int
    """Of a leaf."""
    cables: int = 1
    """Between any two groups."""

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` would have them."""
        groups, cables, spines, leaves, hosts = map(self._count, ("groups", "cables", "spines", "leaves", "hosts"))
        return f"{groups},{cables};{spines};{leaves};{hosts}"


@dataclass(frozen=True)
class HyperX(ClusterOfHosts):
    """Switches in a lattice, each joined to all others in its lines. ``routing``: minimal, valiant, ugal or ugal-l."""

    topology = "HYPERX"

    sizes: Sequence[int]
    """Switches in a line of each dimension."""
    hosts: int
    """Of a switch."""
    cables: Sequence[int] | None = None
    """Bundled into each link of a dimension; by default one."""

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` would have them."""
        sizes, cables = self._counts("sizes"), self._counts("cables", "sizes")
        return f"{_joined(sizes)};{_joined(cables)};{self._count('hosts')}"


@dataclass(frozen=True)
class SlimFly(ClusterOfHosts):
    """2q² switches, any two of them at most two steps apart. ``routing``: minimal, valiant, ugal or ugal-l."""

    topology = "SLIM_FLY"

    q: int
    """A power of a prime, from 3."""
    hosts: int | None = None
    """Of a switch; by default half the switch's degree, rounded up."""

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` would have them."""
        order = self._count("q")
        if self.hosts is None:
            parse_shape(self.topology, f"{order};1", type(self).__name__)
            return f"{order};{slim_fly_hosts(order)}"
        return f"{order};{self._count('hosts')}"


@dataclass(frozen=True)
class Hypercube(ClusterOfHosts):
    """2 to the power of ``dimensions`` hosts. ``routing``: minimal (e-cube), valiant, ugal or ugal-l."""

    topology = "HYPERCUBE"

    dimensions: int

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` would have them."""
        return str(self._count("dimensions"))


@dataclass(frozen=True)
class FullMesh(ClusterOfHosts):
    """A cable between any two hosts. ``routing``: minimal, valiant, ugal or ugal-l."""

    topology = "FULL_MESH"

    hosts: int

    def parameters(self) -> str:
        """The topology's parameters as ``topo_parameters`` would have them."""
        return str(self._count("hosts"))
