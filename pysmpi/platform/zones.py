"""Zones described in Python: hosts, routers, links and routes, or clusters and zones joined by routes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform.argument_units import Quantity, bandwidth_of, speeds_of, time_of, whole_number
from pysmpi.platform.builder import ROUTINGS, Builder
from pysmpi.platform.description import Description
from pysmpi.platform.routes import LinkInRoute
from pysmpi.platform.topologies import Cluster
from pysmpi.platform.units import written_bandwidth, written_speed, written_time

__all__ = ["Disk", "Host", "Link", "Route", "Router", "Zone", "ZoneRoute"]

POLICIES = ("SHARED", "SPLITDUPLEX", "FATPIPE")
ZONE_ROUTINGS = tuple(routing for routing in ROUTINGS if routing != "Cluster")


@dataclass(frozen=True)
class Disk:
    """A disk of a host. All reads share the read bandwidth, and all writes share the write bandwidth.

    Raises:
        PlatformError: on construction, naming the parameter and what is valid.
    """

    name: str
    read_bandwidth: Quantity = "2GBps"
    write_bandwidth: Quantity = "1GBps"
    mount: str | None = None
    """Folder whose files are on the disk, for all hosts; None for all files of the ranks on its host."""
    properties: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Check all parameters now, so that a traceback shows the line that passed them."""
        self._figures()

    def _figures(self) -> tuple[float, float]:
        what = f"bandwidth of Disk {self.name!r}"
        return bandwidth_of(self.read_bandwidth, f"read {what}"), bandwidth_of(self.write_bandwidth, f"write {what}")

    def _all_properties(self) -> dict[str, str]:
        return {**self.properties, **({} if self.mount is None else {"mount": self.mount})}

    def add_to(self, builder: Builder, host: str) -> None:
        """Add the disk to a host in a platform builder."""
        builder.add_disk(host, self.name, *self._figures(), self._all_properties())

    def element(self) -> ElementTree.Element:
        """Return the ``<disk>`` element of a platform file."""
        read, write = self._figures()
        element = ElementTree.Element(
            "disk", id=self.name, read_bw=written_bandwidth(read), write_bw=written_bandwidth(write)
        )
        return _with_properties(element, self._all_properties())


@dataclass(frozen=True)
class Host:
    """A host of a zone, whose ranks share its cores.

    Raises:
        PlatformError: on construction, naming the parameter and what is valid.
    """

    name: str
    speed: Quantity | Sequence[Quantity] = "30Gf"
    """Speed of a core in flop/s, or a sequence with one speed for each performance state."""
    cores: int = 1
    pstate: int = field(default=0, kw_only=True)
    """Performance state in which simulations begin."""
    coordinates: tuple[float, ...] = field(default=(), kw_only=True)
    """Coordinates in zones with routing Vivaldi: x, y and height in milliseconds of latency."""
    disks: Sequence[Disk] = field(default=(), kw_only=True)
    """Disks of the host."""
    properties: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Check all parameters now, so that a traceback shows the line that passed them."""
        self.speeds()
        whole_number(self.cores, f"cores of Host {self.name!r}")
        whole_number(self.pstate, f"pstate of Host {self.name!r}", least=0)

    def speeds(self) -> list[float]:
        """Return the speed of a core in each performance state, in flop/s."""
        return speeds_of(self.speed, f"speed of Host {self.name!r}")

    def add_to(self, builder: Builder) -> None:
        """Add the host to a platform builder."""
        builder.add_host(
            self.name,
            self.speeds(),
            cores=self.cores,
            pstate=self.pstate,
            coordinates=self.coordinates,
            properties=self.properties,
        )
        for disk in self.disks:
            disk.add_to(builder, self.name)

    def element(self) -> ElementTree.Element:
        """Return the ``<host>`` element of a platform file."""
        element = ElementTree.Element(
            "host",
            id=self.name,
            speed=",".join(map(written_speed, self.speeds())),
            core=str(self.cores),
            pstate=str(self.pstate),
        )
        if self.coordinates:
            element.set("coordinates", " ".join(map(repr, self.coordinates)))
        element.extend(disk.element() for disk in self.disks)
        return _with_properties(element, self.properties)


@dataclass(frozen=True)
class Router:
    """A point in a zone that is not a host, at which routes may begin or end."""

    name: str
    coordinates: tuple[float, ...] = field(default=(), kw_only=True)
    """Coordinates in zones with routing Vivaldi, as for `Host`."""

    def add_to(self, builder: Builder) -> None:
        """Add the router to a platform builder."""
        builder.add_router(self.name, self.coordinates)

    def element(self) -> ElementTree.Element:
        """Return the ``<router>`` element of a platform file."""
        element = ElementTree.Element("router", id=self.name)
        if self.coordinates:
            element.set("coordinates", " ".join(map(repr, self.coordinates)))
        return element


@dataclass(frozen=True)
class Link:
    """A link that routes may list.

    Raises:
        PlatformError: on construction, naming the parameter and what is valid.
    """

    name: str
    bandwidth: Quantity = "12.5GBps"
    latency: Quantity = "150ns"
    policy: str = "SHARED"
    """SHARED; SPLITDUPLEX (a link for each direction, `up` and `down`); FATPIPE (messages do not share it)."""
    properties: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Check all parameters now, so that a traceback shows the line that passed them."""
        self._figures()
        if self.policy not in POLICIES:
            raise PlatformError(unknown(f"policy of Link {self.name!r}", self.policy, POLICIES))

    @property
    def up(self) -> LinkInRoute:
        """Direction UP of a split link, for use in a route; the way back crosses direction DOWN."""
        return LinkInRoute(self.name, "UP")

    @property
    def down(self) -> LinkInRoute:
        """Direction DOWN of a split link, for use in a route; the way back crosses direction UP."""
        return LinkInRoute(self.name, "DOWN")

    def _figures(self) -> tuple[float, float]:
        what = f"of Link {self.name!r}"
        return bandwidth_of(self.bandwidth, f"bandwidth {what}"), time_of(self.latency, f"latency {what}")

    def add_to(self, builder: Builder) -> None:
        """Add the link to a platform builder."""
        builder.add_link(self.name, *self._figures(), self.policy, self.properties)

    def element(self) -> ElementTree.Element:
        """Return the ``<link>`` element of a platform file."""
        bandwidth, latency = self._figures()
        element = ElementTree.Element(
            "link",
            id=self.name,
            bandwidth=written_bandwidth(bandwidth),
            latency=written_time(latency),
            sharing_policy=self.policy,
        )
        return _with_properties(element, self.properties)


Crossed = str | Link | LinkInRoute
"""A link on a route: a `Link`, its name, or one direction (``link.up``, ``link.down``)."""


@dataclass(frozen=True)
class Route:
    """Links from one host or router of a zone to another.

    With `symmetrical`, the links also form the way back, with opposite directions of split links.
    """

    source: str | Host | Router
    destination: str | Host | Router
    links: Sequence[Crossed]
    symmetrical: bool = field(default=True, kw_only=True)

    def add_to(self, builder: Builder) -> None:
        """Add the route to a platform builder."""
        builder.add_route(
            _name(self.source), _name(self.destination), _crossed(self.links), symmetrical=self.symmetrical
        )

    def element(self) -> ElementTree.Element:
        """Return the ``<route>`` element of a platform file."""
        element = ElementTree.Element("route", src=_name(self.source), dst=_name(self.destination))
        return _with_links(element, self.links, self.symmetrical)


@dataclass(frozen=True)
class ZoneRoute:
    """Links between two zones that lie in the same zone. Gateways are the hosts or routers at the ends of the route.

    The gateway of a flat cluster may be omitted; its default is the cluster's router.
    """

    source: str | Description
    destination: str | Description
    links: Sequence[Crossed]
    source_gateway: str | Host | Router | None = field(default=None, kw_only=True)
    destination_gateway: str | Host | Router | None = field(default=None, kw_only=True)
    symmetrical: bool = field(default=True, kw_only=True)

    def gateways(self, members: Mapping[str, Description]) -> tuple[str, str]:
        """Return the names of both gateways (hosts or routers at the ends of the route).

        `members` maps the names of the zones that the route may join to their descriptions.
        """
        found = []
        for name, end, gateway in (
            ("source_gateway", self.source, self.source_gateway),
            ("destination_gateway", self.destination, self.destination_gateway),
        ):
            zone = members.get(_name(end))
            if zone is None:
                raise PlatformError(unknown(f"zone in a {type(self).__name__}", _name(end), members))
            if gateway is not None:
                found.append(_name(gateway))
            elif isinstance(zone, Cluster):
                found.append(zone.description().router_name)
            else:
                raise PlatformError(
                    f"ZoneRoute from {_name(self.source)!r} to {_name(self.destination)!r}: {name} is missing: "
                    f"name a host or router of {zone.name!r} (only a flat Cluster has a default)"
                )
        return found[0], found[1]

    def add_to(self, builder: Builder, members: Mapping[str, Description]) -> None:
        """Add the route to the zone that the builder is now filling.

        `members` maps the names of the zones inside it to their descriptions.
        """
        builder.add_zone_route(
            _name(self.source),
            _name(self.destination),
            *self.gateways(members),
            _crossed(self.links),
            symmetrical=self.symmetrical,
        )

    def element(self, members: Mapping[str, Description]) -> ElementTree.Element:
        """Return the ``<zoneRoute>`` element of a platform file."""
        source_gateway, destination_gateway = self.gateways(members)
        element = ElementTree.Element(
            "zoneRoute",
            src=_name(self.source),
            dst=_name(self.destination),
            gw_src=source_gateway,
            gw_dst=destination_gateway,
        )
        return _with_links(element, self.links, self.symmetrical)


Member = Description | Host | Router | Link | Route | ZoneRoute


@dataclass(frozen=True)
class Zone(Description):
    """A zone of hosts, routers, links and routes, or of clusters and zones with links and routes between them.

    Members may be in any order; hosts and zones get their numbers in that order.

    Raises:
        PlatformError: on construction, naming the parameter and what is valid. Conflicts between members are reported
            when the platform is built.
    """

    name: str
    members: Sequence[Member]
    routing: str = field(default="Full", kw_only=True)
    """Full (each route is listed); Floyd, Dijkstra or DijkstraCache (shortest paths over listed routes); Vivaldi
    (latencies by coordinates); None (no routes)."""
    properties: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Check all parameters now, so that a traceback shows the line that passed them."""
        if self.routing.lower() not in (routing.lower() for routing in ZONE_ROUTINGS):
            hint = "; hosts around a switch are a pysmpi.platform.Cluster" if self.routing.lower() == "cluster" else ""
            raise PlatformError(unknown(f"routing of Zone {self.name!r}", self.routing, ZONE_ROUTINGS) + hint)
        for member in self.members:
            if not isinstance(member, Member):
                raise PlatformError(
                    f"Zone {self.name!r} has a member {member!r}; members are hosts, routers, links, routes, zone "
                    "routes, clusters and zones"
                )

    def _zones(self) -> dict[str, Description]:
        return {member.name: member for member in self.members if isinstance(member, Description)}

    def _ordered(self) -> list[Member]:
        # Routes come last because they name other members.
        return sorted(self.members, key=lambda member: isinstance(member, Route | ZoneRoute))

    def add_to(self, builder: Builder) -> None:
        """Add the zone and its members to a platform builder."""
        builder.begin_zone(self.name, self.routing)
        for member in self._ordered():
            if isinstance(member, ZoneRoute):
                member.add_to(builder, self._zones())
            else:
                member.add_to(builder)
        builder.end_zone(self.properties)

    def element(self) -> ElementTree.Element:
        """Return the ``<zone>`` element of a platform file."""
        element = _with_properties(ElementTree.Element("zone", id=self.name, routing=self.routing), self.properties)
        for member in self._ordered():
            element.append(member.element(self._zones()) if isinstance(member, ZoneRoute) else member.element())
        return element


def _name(thing: str | Description | Host | Router) -> str:
    return thing if isinstance(thing, str) else thing.name


def _crossed(links: Sequence[Crossed]) -> list[LinkInRoute]:
    if isinstance(links, str):
        raise PlatformError(f"links of a route are a sequence, not {links!r}; write [{links!r}]")
    return [
        link if isinstance(link, LinkInRoute) else LinkInRoute(link if isinstance(link, str) else link.name)
        for link in links
    ]


def _with_links(element: ElementTree.Element, links: Sequence[Crossed], symmetrical: bool) -> ElementTree.Element:
    element.set("symmetrical", "YES" if symmetrical else "NO")
    for link in _crossed(links):
        child = ElementTree.SubElement(element, "link_ctn", id=link.name)
        if link.direction != "NONE":
            child.set("direction", link.direction)
    return element


def _with_properties(element: ElementTree.Element, properties: Mapping[str, str]) -> ElementTree.Element:
    for name, value in properties.items():
        ElementTree.SubElement(element, "prop", id=name, value=value)
    return element
