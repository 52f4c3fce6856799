"""Base class of the classes that describe clusters, such as `Torus`: the parameters that all topologies share."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self
from xml.etree import ElementTree

from pysmpi.errors import PlatformError
from pysmpi.platform.argument_units import (
    Quantity,
    bandwidth_of,
    optional_bandwidth_of,
    speeds_of,
    time_of,
    whole_number,
    whole_numbers,
)
from pysmpi.platform.builder import Builder
from pysmpi.platform.cables import with_cables
from pysmpi.platform.cluster import ClusterDescription, parse_radical
from pysmpi.platform.description import Description
from pysmpi.platform.fabrics import find_fabric
from pysmpi.platform.topology import TOPOLOGIES, Topology, native_routing
from pysmpi.platform.units import written_bandwidth, written_speed, written_time

__all__ = ["ClusterOfHosts", "joined", "multiplied", "near_cube"]


@dataclass(frozen=True, kw_only=True)
class ClusterOfHosts(Topology, Description):
    """Cluster: equal hosts in one topology. This base class has the parameters that all topologies share.

    Defaults describe hosts of one core on 100 Gb/s InfiniBand, as in platforms/fattree.xml.

    Raises:
        PlatformError: on construction, naming the parameter and what is valid.
    """

    name: str = "cluster"
    prefix: str | None = None
    """Prefix of host names; by default ``NAME-``, or ``node-`` if the cluster has no name of its own."""
    suffix: str = ""
    """Suffix of host names."""
    radical: str | None = None
    """Numbers in host names, such as ``0-7,9``; by default they count from 0."""
    speed: Quantity | Sequence[Quantity] = "30Gf"
    """Speed of a core in flop/s, or a sequence with one speed for each performance state; simulations use the first."""
    cores: int = 1
    """Number of cores of a host."""
    bandwidth: Quantity | None = None
    """Bandwidth of each cable in bytes/s, in each direction if `split_duplex`; by default that of the fabric, or 12.5
    GB/s without fabric."""
    latency: Quantity | None = None
    """Latency of each cable in seconds, including the switch or adapter at its end; by default that of the fabric, or
    150 ns without fabric."""
    split_duplex: bool = True
    """True if the two directions of a cable do not share its bandwidth."""
    loopback_bandwidth: Quantity | None = "10GBps"
    """Bandwidth for each message of a host to itself in bytes/s, or None if such messages use the host's cable."""
    loopback_latency: Quantity | None = None
    """Latency of a host's messages to itself in seconds; by default 200 ns, or 0 if the fabric's own latency inside a
    host contains it."""
    limiter: Quantity | None = None
    """Bandwidth that each host and switch forwards in total, in bytes/s, or None for no limit."""
    routing: str | None = None
    """Name of the algorithm that chooses the path of a message, or None for the topology's default."""
    fabric: str | None = None
    """Network technology, such as ``infiniband-hdr`` (docs/fabrics.md), which also brings the cables' bandwidth and
    latency; None if the platform names none."""
    memory_bandwidth: Quantity | None = None
    """Bandwidth of a host's memory in bytes/s, of which each core has an equal share, or None if it is not given."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties (names with values, as in ``<prop>`` elements of platform files) of all hosts."""

    def __post_init__(self) -> None:
        """Check all parameters now, so that a traceback shows the line that passed them."""
        native_routing(self.topology, self.parameters(), self.routing, type(self).__name__)
        self.description()

    @abstractmethod
    def parameters(self) -> str:
        """Return the topology's parameters in the form of the attribute ``topo_parameters`` of platform files.

        Example: "4,4,4" for a torus with 4 hosts in each of 3 dimensions.
        """

    @abstractmethod
    def grown(self, factor: Fraction) -> Self:
        """Return a cluster of the same kind with `factor` times as many hosts.

        Raises:
            PlatformError: the topology has no cluster of that size, or `radical` lists the numbers in host names.
        """

    def host_count(self) -> int:
        """Return the number of hosts."""
        return self.parse(self.parameters(), type(self).__name__).hosts

    def description(self) -> ClusterDescription:
        """Return the cluster as a `ClusterDescription`, which platform builders accept.

        Raises:
            PlatformError: a parameter is not valid; the message names it.
        """
        what = f"of {type(self).__name__} {self.name!r}"
        hosts = self.host_count()
        loopback = optional_bandwidth_of(self.loopback_bandwidth, f"loopback_bandwidth {what}")
        latencies = {
            name: 0.0 if value is None else time_of(value, f"{name} {what}")
            for name, value in (("latency", self.latency), ("loopback_latency", self.loopback_latency))
        }
        if latencies["loopback_latency"] > 0 and not loopback:
            raise PlatformError(f"loopback_latency {what} is given without a loopback_bandwidth")
        radical = [(0, hosts)] if self.radical is None else parse_radical(self.radical)
        named = sum(count for _, count in radical)
        if named != hosts:
            raise PlatformError(f"radical {what}: {self.radical!r} names {named} hosts, but there are {hosts}")
        prefix = self.prefix
        if prefix is None:
            prefix = "node-" if self.name == "cluster" else f"{self.name}-"
        cores = whole_number(self.cores, f"cores {what}")
        described = ClusterDescription(
            self.name,
            prefix,
            self.suffix,
            radical,
            speeds_of(self.speed, f"speed {what}"),
            0.0 if self.bandwidth is None else bandwidth_of(self.bandwidth, f"bandwidth {what}"),
            latencies["latency"],
            cores=cores,
            split_duplex=self.split_duplex,
            topology=self.topology,
            parameters=self.parameters(),
            loopback=(loopback, latencies["loopback_latency"]) if loopback else None,
            limiter=optional_bandwidth_of(self.limiter, f"limiter {what}"),
            properties=self._all_properties(cores, what),
            from_fabric=frozenset(
                name for name in ("bandwidth", "latency", "loopback_latency") if getattr(self, name) is None
            ),
        )
        return with_cables(described)

    def _all_properties(self, cores: int, what: str) -> dict[str, str]:
        """Return the properties of the cluster: `properties`, and those for `routing`, `fabric`, `memory_bandwidth`.

        Args:
            cores: number of cores of a host.
            what: phrase that names the cluster in errors.

        Raises:
            PlatformError: `properties` contradicts one of the other parameters.
        """
        own = dict(self.properties)
        if "fabric" in own:
            own["fabric"] = find_fabric(own["fabric"], f"property fabric {what}").name
        chosen = {"routing": self.routing, "fabric": self.fabric and find_fabric(self.fabric, f"fabric {what}").name}
        memory = optional_bandwidth_of(self.memory_bandwidth, f"memory_bandwidth {what}")
        if memory:
            chosen |= {"memory-bandwidth": f"{memory / cores!r}", "host-memory-bandwidth": f"{memory!r}"}
        for name, value in chosen.items():
            if value is not None and own.get(name, value) != value:
                raise PlatformError(
                    f"{name} {what} is {value!r}, but properties has {name!r}: {self.properties[name]!r}; remove one"
                )
        return {**own, **{name: value for name, value in chosen.items() if value is not None}}

    def add_to(self, builder: Builder) -> None:
        """Add the cluster to the platform that a builder constructs."""
        builder.add_cluster(self.description())

    def element(self) -> ElementTree.Element:
        """Return the cluster as a ``<cluster>`` element of a platform file of SimGrid.

        Raises:
            PlatformError: SimGrid's platform files cannot express the topology.
        """
        if not self.in_simgrid:
            valid = ", ".join(name for name, kind in TOPOLOGIES.items() if kind.in_simgrid)
            raise PlatformError(
                f"SimGrid's XML has no {self.topology} clusters (it has {valid}); "
                f"{type(self).__name__} {self.name!r} cannot be written"
            )
        cluster = self.description()
        runs = (f"{first}-{first + count - 1}" if count > 1 else f"{first}" for first, count in cluster.radical)
        attributes = {
            "id": cluster.name,
            "prefix": cluster.prefix,
            "suffix": cluster.suffix,
            "radical": ",".join(runs),
            "speed": ",".join(map(written_speed, cluster.speeds)),
            "core": str(cluster.cores),
            "bw": written_bandwidth(cluster.bandwidth),
            "lat": written_time(cluster.latency),
            "sharing_policy": "SPLITDUPLEX" if cluster.split_duplex else "SHARED",
            "topology": cluster.topology,
            "topo_parameters": cluster.parameters,
        }
        if cluster.loopback is not None:
            attributes |= {
                "loopback_bw": written_bandwidth(cluster.loopback[0]),
                "loopback_lat": written_time(cluster.loopback[1]),
            }
        if cluster.limiter:
            attributes["limiter_link"] = written_bandwidth(cluster.limiter)
        if cluster.backbone is not None:
            bandwidth, latency, policy = cluster.backbone
            attributes |= {
                "bb_bw": written_bandwidth(bandwidth),
                "bb_lat": written_time(latency),
                "bb_sharing_policy": policy,
            }
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
        """Return the whole numbers of a parameter that is a sequence, such as ``sizes`` of a torus.

        Args:
            name: name of the parameter.
            like: name of another parameter that must have as many numbers, or None. If it is given and the parameter
                `name` is None, a 1 is returned for each of its numbers.

        Raises:
            PlatformError: a parameter is not a sequence of whole numbers, or the lengths differ.
        """
        values = getattr(self, name)
        other = None if like is None else self._counts(like)
        if values is None and other is not None:
            return [1] * len(other)
        return whole_numbers(
            values, f"{name} of {type(self).__name__} {self.name!r}", like=other, other="" if like is None else like
        )


def joined(numbers: Sequence[int]) -> str:
    """Return numbers as text with commas between them, such as "4,4,2"."""
    return ",".join(map(str, numbers))


def multiplied(count: int, factor: Fraction, what: str) -> int:
    """Return `count` times `factor` as a whole number, for a topology that grows.

    Args:
        count: number of groups, switches or hosts.
        factor: factor by which the number grows or shrinks.
        what: noun for what is counted, for errors, such as "groups".

    Raises:
        PlatformError: the product is not a whole number.
    """
    product = count * factor
    if product.denominator != 1:
        raise PlatformError(
            f"{count} {what} times {float(factor):g} is not a whole number (valid factors: multiples of 1/{count})"
        )
    return product.numerator


def near_cube(sizes: Sequence[int], factor: Fraction) -> list[int]:
    """Return the sizes of a lattice with `factor` times as many points: one dimension changes.

    The shortest dimension grows, or the longest shrinks, among those whose new size is a whole number. If
    several have the same size, the last of them changes. Example: 4, 2 and 2 times 2 give 4, 2 and 4.

    Args:
        sizes: number of points in each dimension.
        factor: factor on the number of all points.

    Raises:
        PlatformError: no dimension has a whole number as its new size.
    """
    places = [place for place, size in enumerate(sizes) if (size * factor).denominator == 1]
    if not places:
        raise PlatformError(
            f"none of the sizes {joined(sizes)} times {float(factor):g} is a whole number, but one of them must be"
        )
    place = min(reversed(places), key=lambda place: sizes[place] if factor > 1 else -sizes[place])
    return [*sizes[:place], int(sizes[place] * factor), *sizes[place + 1 :]]
