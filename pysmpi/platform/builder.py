"""Building a platform piece by piece, each piece checked against what is there already.

What reads a description (such as the XML reader) sets ``line`` before each call, so that a later error can tell where
the first of two things with the same name was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pysmpi.errors import PlatformError, nearest, unknown
from pysmpi.native import ffi, lib
from pysmpi.platform.cluster import MAX_HOSTS, MAX_LINKS, ClusterDescription, Radical
from pysmpi.platform.machine import NO_PROPERTIES, HostGroup, Platform

__all__ = ["Builder", "Cabinet", "LinkInRoute"]

ROUTINGS = {
    "Full": lib.PYSMPI_FULL,
    "Floyd": lib.PYSMPI_FLOYD,
    "Dijkstra": lib.PYSMPI_DIJKSTRA,
    "DijkstraCache": lib.PYSMPI_DIJKSTRA_CACHE,
    "Cluster": lib.PYSMPI_STAR,
    "None": lib.PYSMPI_NONE,
}
ROUTINGS_NOT_YET = ("Vivaldi", "Wifi")
TOPOLOGIES = {
    "FLAT": lib.PYSMPI_FLAT,
    "FAT_TREE": lib.PYSMPI_FAT_TREE,
    "TORUS": lib.PYSMPI_TORUS,
    "DRAGONFLY": lib.PYSMPI_DRAGONFLY,
}
POLICIES = {"SHARED": lib.PYSMPI_SHARED, "FATPIPE": lib.PYSMPI_FATPIPE}
MAX_DEPTH = 64
MAX_FLOYD_MEMBERS = 16384  # its table of all pairs takes 8 bytes each while it is made
MAX_CABINET_HOSTS = 1_000_000
NOWHERE = 2**32 - 1

Points = Literal["hosts and routers", "zones"]


@dataclass(frozen=True, slots=True)
class LinkInRoute:
    """A link of a listed route by its name; a split one with the direction in which it is crossed."""

    name: str
    direction: str = "NONE"
    """UP, DOWN or NONE."""


@dataclass
class OpenZone:
    """A zone that is being described."""

    name: str
    routing: str
    holds: Points | None = None
    members: int = 0
    backbone: int | None = None
    cabinets: list["Cabinet"] = field(default_factory=list)
    host_links: list[tuple[str, int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cabinet:
    """Equal hosts of a zone of routing Cluster, each with a link up and one down of its own."""

    name: str
    prefix: str
    suffix: str
    radical: Radical
    speed: float
    bandwidth: float
    latency: float


class Builder:
    """Builds one platform, in the order of its description. Each method raises PlatformError for what cannot be."""

    def __init__(self) -> None:
        self.line: int | None = None
        """Where the description of what comes next is."""
        self._handle = ffi.gc(lib.pysmpi_platform_new(), lib.pysmpi_platform_free)
        self._open: list[OpenZone] = []
        self._zones: dict[str, int | None] = {}  # names, and the lines they were described in
        self._zone_lines: list[int | None] = []  # by zone id
        self._nodes: dict[str, int | None] = {}
        self._links: dict[str, int | None] = {}
        self._split_links: set[str] = set()
        self._groups: list[HostGroup] = []
        self._clusters: list[tuple[int, ClusterDescription]] = []

    @property
    def has_zones(self) -> bool:
        """A zone or cluster has been described."""
        return bool(self._zone_lines)

    # Zones

    def begin_zone(self, name: str, routing: str) -> None:
        """Open a zone; what follows belongs to it. ``routing`` is written as SimGrid does, in any case."""
        by_folded = {known.lower(): known for known in (*ROUTINGS, *ROUTINGS_NOT_YET)}
        known = by_folded.get(routing.lower())
        if known is None:
            raise PlatformError(unknown("routing", routing, ROUTINGS))
        if known in ROUTINGS_NOT_YET:
            raise PlatformError(f"routing {known!r} is not implemented yet (valid: {', '.join(ROUTINGS)})")
        if len(self._open) >= MAX_DEPTH:
            raise PlatformError(f"zone {name!r} is nested too deeply; {MAX_DEPTH} zones may lie in each other")
        self._enter_zone(name)
        lib.pysmpi_platform_begin_zone(self._handle, name.encode(), ROUTINGS[known])
        self._open.append(OpenZone(name, known))

    def end_zone(self) -> None:
        """Close the innermost zone."""
        zone = self._open[-1]
        if zone.routing == "Floyd" and zone.members > MAX_FLOYD_MEMBERS:
            raise PlatformError(
                f"zone {zone.name!r} of routing Floyd has {zone.members} members; as it keeps a table of all pairs, "
                f"at most {MAX_FLOYD_MEMBERS} are possible (Dijkstra finds paths of the same lengths without one)"
            )
        backbone = [] if zone.backbone is None else [zone.backbone]
        for host, up, down in zone.host_links:
            self._set_ways(host, [up, *backbone], [*backbone, down])
        for cabinet in zone.cabinets:
            self._add_cabinet_hosts(cabinet, backbone)
        self._open.pop()
        lib.pysmpi_platform_end_zone(self._handle)

    def add_cluster(self, cluster: ClusterDescription) -> None:
        """Add a zone of equal hosts."""
        values, links = cluster.native_parameters()
        self._reserve(cluster.host_count, links)
        if cluster.topology == "FLAT":
            self._enter_name(self._nodes, cluster.router_name, "host or router")
        self._enter_zone(cluster.name)
        strings = [
            ffi.new("char[]", text.encode())
            for text in (cluster.name, cluster.prefix, cluster.suffix, cluster.router_name)
        ]
        firsts = ffi.new("int64_t[]", [first for first, _ in cluster.radical])
        counts = ffi.new("uint32_t[]", [count for _, count in cluster.radical])
        parameters = ffi.new("uint32_t[]", values)
        native = ffi.new("pysmpi_cluster*")
        native.name, native.prefix, native.suffix, native.router = strings
        native.range_count, native.firsts, native.counts = len(cluster.radical), firsts, counts
        native.speed, native.cores = cluster.speeds[0], cluster.cores
        native.bandwidth, native.latency = cluster.bandwidth, cluster.latency
        native.split_duplex = cluster.split_duplex
        if cluster.loopback is not None:
            native.has_loopback = 1
            native.loopback_bandwidth, native.loopback_latency = cluster.loopback
        native.limiter_bandwidth = cluster.limiter
        if cluster.backbone is not None:
            native.has_backbone = 1
            native.backbone_bandwidth, native.backbone_latency = cluster.backbone[:2]
            native.backbone_policy = POLICIES[cluster.backbone[2]]
        native.topology = TOPOLOGIES[cluster.topology]
        native.parameter_count, native.parameters = len(values), parameters
        first = lib.pysmpi_platform_host_count(self._handle)
        lib.pysmpi_platform_add_cluster(self._handle, native)
        self._note_hosts(first, cluster.host_count, cluster.speeds, cluster.properties)
        self._clusters.append((first, cluster))

    # Hosts, routers and links

    def add_host(
        self,
        name: str,
        speeds: Sequence[float],
        *,
        cores: int = 1,
        pstate: int = 0,
        properties: Mapping[str, str] = NO_PROPERTIES,
    ) -> None:
        """Add a host with its speeds in each performance state (flop/s of a core); it begins in state ``pstate``."""
        if not 0 <= pstate < len(speeds):
            raise PlatformError(
                f"host {name!r} begins in pstate {pstate}, but its speeds are for pstates 0 to {len(speeds) - 1}"
            )
        self._reserve(1, 0)
        self._enter_node(name)
        index = lib.pysmpi_platform_add_host(self._handle, name.encode(), speeds[pstate], cores)
        self._note_hosts(index, 1, speeds, properties)

    def add_router(self, name: str) -> None:
        """Add a router: a point that routes may begin or end at, without a host."""
        self._enter_node(name)
        lib.pysmpi_platform_add_router(self._handle, name.encode())

    def add_link(self, name: str, bandwidth: float, latency: float, policy: str = "SHARED") -> None:
        """Add a link (bytes/s, s). SPLITDUPLEX ones are two links, with ``_UP`` and ``_DOWN`` behind the name."""
        self._zone_for(f"link {name!r}")
        names = [f"{name}_UP", f"{name}_DOWN"] if policy == "SPLITDUPLEX" else [name]
        self._reserve(0, len(names))
        if name in self._split_links or (policy == "SPLITDUPLEX" and name in self._links):
            raise PlatformError(f"link {name!r} is described twice")
        for each in names:
            self._enter_name(self._links, each, "link")
            native_policy = POLICIES.get(policy, lib.PYSMPI_SHARED)
            lib.pysmpi_platform_add_link(self._handle, each.encode(), bandwidth, latency, native_policy)
        if policy == "SPLITDUPLEX":
            self._split_links.add(name)

    # Zones of routing Cluster

    def add_host_link(self, host: str, up: str, down: str) -> None:
        """Tell the links by which a host of a zone of routing Cluster reaches the zone's middle and is reached."""
        zone = self._star_zone("host_link")
        self._node_in_zone(host)
        zone.host_links.append((host, self._find_link(up), self._find_link(down)))

    def add_backbone(self, name: str, bandwidth: float, latency: float) -> None:
        """Add the link that all messages of a zone of routing Cluster cross."""
        zone = self._star_zone("backbone")
        if zone.backbone is not None:
            raise PlatformError(f"zone {zone.name!r} has two backbones")
        self.add_link(name, bandwidth, latency)
        zone.backbone = self._find_link(name)

    def add_cabinet(self, cabinet: Cabinet) -> None:
        """Add equal hosts to a zone of routing Cluster, each with a link up and a link down."""
        hosts = sum(count for _, count in cabinet.radical)
        if hosts > MAX_CABINET_HOSTS:
            raise PlatformError(
                f"cabinet {cabinet.name!r} has {hosts} hosts, each kept on its own; at most {MAX_CABINET_HOSTS} are "
                "possible (a cluster may have many more)"
            )
        self._star_zone("cabinet").cabinets.append(cabinet)

    # Routes

    def add_route(
        self, source: str, destination: str, links: Sequence[LinkInRoute], *, symmetrical: bool = True
    ) -> None:
        """List the route between two hosts or routers of the open zone, and by default the way back."""
        zone = self._zone_for("route", "hosts and routers")
        what = f"route from {source!r} to {destination!r}"
        if zone.routing == "None":
            raise PlatformError(f"zone {zone.name!r} has routing None and takes no routes")
        if zone.routing == "Cluster" and source != destination:
            raise PlatformError(
                f"{what}: in zone {zone.name!r} of routing Cluster only a route from a host to itself can be listed; "
                "use host_link for the others"
            )
        ends = self._node_in_zone(source), self._node_in_zone(destination)
        self._list_route(what, ends, (ends[0], ends[1]), links, symmetrical)

    def add_zone_route(
        self,
        source: str,
        destination: str,
        source_gateway: str,
        destination_gateway: str,
        links: Sequence[LinkInRoute],
        *,
        symmetrical: bool = True,
    ) -> None:
        """List the route between two zones of the open zone, from a host or router in the one to one in the other."""
        zone = self._zone_for("zoneRoute", "zones")
        what = f"zoneRoute from {source!r} to {destination!r}"
        if zone.routing in ("None", "Cluster"):
            raise PlatformError(f"zone {zone.name!r} has routing {zone.routing} and takes no zoneRoutes")
        if source_gateway == destination_gateway:
            raise PlatformError(f"{what}: both gateways are {source_gateway!r}")
        ends = []
        gateways = []
        for name, gateway in ((source, source_gateway), (destination, destination_gateway)):
            inner = lib.pysmpi_platform_find_zone(self._handle, name.encode())
            if inner < 0:
                raise PlatformError(f"{what}: {unknown('zone', name, self._zones)}")
            point = lib.pysmpi_platform_zone_point(self._handle, inner)
            if point >> 32 != lib.pysmpi_platform_open_zone(self._handle):
                raise PlatformError(f"{what}: zone {name!r} is not in zone {zone.name!r}, to which the route belongs")
            gateway_point = self._find_node(gateway)
            if not lib.pysmpi_platform_zone_holds(self._handle, inner, gateway_point):
                raise PlatformError(f"{what}: gateway {gateway!r} is not in zone {name!r}")
            ends.append(point)
            gateways.append(gateway_point)
        self._list_route(what, (ends[0], ends[1]), (gateways[0], gateways[1]), links, symmetrical)

    def finish(self, source: str, config: Mapping[str, str] = NO_PROPERTIES) -> Platform:
        """Close the description, which came from ``source`` and sets the options in ``config``."""
        if lib.pysmpi_platform_host_count(self._handle) == 0:
            raise PlatformError("the platform has no hosts")
        zones = ffi.new("uint32_t[2]")
        name = ffi.new("char[256]")
        if lib.pysmpi_platform_seal(self._handle, zones, name, 256) < 0:
            text = ffi.string(name).decode(errors="replace")
            lines = [
                self._nodes.get(text) if zone == NOWHERE else self._zone_lines[zone] for zone in (zones[0], zones[1])
            ]
            known = sorted(line for line in lines if line is not None)
            self.line = known[-1] if known else None
            raise PlatformError(f"host {text!r} is described twice{self._first_at(known[0] if known else None)}")
        return Platform(self._handle, source, groups=self._groups, clusters=self._clusters, config=config)

    # Names

    @staticmethod
    def _first_at(line: int | None) -> str:
        return "" if line is None else f"; first in line {line}"

    def _enter_name(self, names: dict[str, int | None], name: str, kind: str) -> None:
        if not name:
            raise PlatformError(f"the name of a {kind} is empty")
        if name in names:
            raise PlatformError(f"{kind} {name!r} is described twice{self._first_at(names[name])}")
        names[name] = self.line

    def _enter_zone(self, name: str) -> None:
        if self._open:
            self._zone_for(f"zone {name!r}", "zones").members += 1
        elif self.has_zones:
            raise PlatformError(f"zone {name!r} is a second root; put all zones into one, with zoneRoutes between them")
        self._enter_name(self._zones, name, "zone")
        self._zone_lines.append(self.line)

    def _enter_node(self, name: str) -> None:
        self._zone_for(f"{name!r}", "hosts and routers").members += 1
        self._enter_name(self._nodes, name, "host or router")

    def _note_hosts(self, first: int, count: int, speeds: Sequence[float], properties: Mapping[str, str]) -> None:
        if len(speeds) > 1 or properties:
            self._groups.append(HostGroup(first, count, tuple(speeds), dict(properties)))

    def _reserve(self, hosts: int, links: int) -> None:
        hosts += lib.pysmpi_platform_host_count(self._handle)
        links += lib.pysmpi_platform_link_count(self._handle)
        if hosts > MAX_HOSTS or links > MAX_LINKS:
            raise PlatformError(
                f"the platform has {hosts} hosts and {links} links; at most {MAX_HOSTS} and {MAX_LINKS} are possible"
            )

    def _zone_for(self, what: str, points: Points | None = None) -> OpenZone:
        if not self._open:
            raise PlatformError(f"{what} is outside any zone")
        zone = self._open[-1]
        if points is not None:
            if zone.holds not in (None, points):
                raise PlatformError(
                    f"{what}: zone {zone.name!r} holds {zone.holds}, so it cannot hold {points} as well"
                )
            zone.holds = points
        return zone

    def _star_zone(self, what: str) -> OpenZone:
        zone = self._zone_for(what, "hosts and routers")
        if zone.routing != "Cluster":
            raise PlatformError(
                f"{what} belongs in a zone of routing Cluster; {zone.name!r} has routing {zone.routing}"
            )
        return zone

    def _find_node(self, name: str) -> int:
        point: int = lib.pysmpi_platform_find_node(self._handle, name.encode())
        if point < 0:
            raise PlatformError(self._unknown_node(name))
        return point

    def _node_in_zone(self, name: str) -> int:
        point = self._find_node(name)
        if point >> 32 != lib.pysmpi_platform_open_zone(self._handle):
            raise PlatformError(f"{name!r} is not in zone {self._open[-1].name!r}, to which the route belongs")
        return point

    def _unknown_node(self, name: str) -> str:
        similar = nearest(name, self._nodes)
        hint = f"; did you mean {similar!r}?" if similar else ""
        return f"unknown host or router {name!r}{hint}"

    def _find_link(self, name: str) -> int:
        if name in self._split_links:
            raise PlatformError(f"link {name!r} is split (SPLITDUPLEX); say direction UP or DOWN, or name a direction "
                                f"of it: '{name}_UP', '{name}_DOWN'")  # fmt: skip
        link: int = lib.pysmpi_platform_find_link(self._handle, name.encode())
        if link < 0:
            raise PlatformError(unknown("link", name, self._links))
        return link

    def _find_both_ways(self, link: LinkInRoute) -> tuple[int, int]:
        """The link to cross on the route, and the one to cross on its way back."""
        if link.direction == "NONE":
            index = self._find_link(link.name)
            return index, index
        if link.name in self._links:
            raise PlatformError(
                f"link {link.name!r} is not split (SPLITDUPLEX), so it has no direction {link.direction}"
            )
        up, down = (
            lib.pysmpi_platform_find_link(self._handle, f"{link.name}_{direction}".encode())
            for direction in ("UP", "DOWN")
        )
        if up < 0 or down < 0:
            raise PlatformError(unknown("link", link.name, sorted(self._split_links) or self._links))
        return (up, down) if link.direction == "UP" else (down, up)

    def _list_route(
        self,
        what: str,
        ends: tuple[int, int],
        gateways: tuple[int, int],
        links: Iterable[LinkInRoute],
        symmetrical: bool,
    ) -> None:
        both_ways = [self._find_both_ways(link) for link in links]
        if not both_ways:
            raise PlatformError(f"{what} has no links; list them with link_ctn")
        forth = ffi.new("uint32_t[]", [link for link, _ in both_ways])
        if lib.pysmpi_platform_add_route(self._handle, *ends, *gateways, len(both_ways), forth) < 0:
            raise PlatformError(
                f"{what} is listed twice (a route stands for the way back too, unless symmetrical is NO)"
            )
        if symmetrical and ends[0] != ends[1]:
            back = ffi.new("uint32_t[]", [link for _, link in reversed(both_ways)])
            if lib.pysmpi_platform_add_route(self._handle, *ends[::-1], *gateways[::-1], len(both_ways), back) < 0:
                raise PlatformError(f'{what}: the way back is listed already; say symmetrical="NO"')

    # Hosts of zones of routing Cluster

    def _set_ways(self, host: str, up: Sequence[int], down: Sequence[int]) -> None:
        lib.pysmpi_platform_set_ways(
            self._handle,
            self._find_node(host),
            len(up),
            ffi.new("uint32_t[]", up),
            len(down),
            ffi.new("uint32_t[]", down),
        )

    def _add_cabinet_hosts(self, cabinet: Cabinet, backbone: list[int]) -> None:
        for first, count in cabinet.radical:
            for number in range(first, first + count):
                host = f"{cabinet.prefix}{number}{cabinet.suffix}"
                self.add_host(host, [cabinet.speed])
                links = []
                for direction in ("UP", "DOWN"):
                    name = f"link_{host}_{direction}"
                    self.add_link(name, cabinet.bandwidth, cabinet.latency)
                    links.append(self._find_link(name))
                self._set_ways(host, [links[0], *backbone], [*backbone, links[1]])
