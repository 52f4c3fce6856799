"""A builder of platforms, which checks each part against the parts added before.

Readers of files (such as the XML reader) set ``place`` before each call. If a name is used twice, the error then
reports where the name was first described.
"""

import math
from collections.abc import Mapping, Sequence

from pysmpi.errors import PlatformError, unknown
from pysmpi.native import ffi, lib
from pysmpi.platform.cluster import MAX_HOSTS, MAX_LINKS, ClusterDescription
from pysmpi.platform.host_interior import Node, node_of
from pysmpi.platform.machine import NO_PROPERTIES, Changes, Disk, HostGroup, Platform, Zone
from pysmpi.platform.names import MAX_NAME, NOWHERE, Cabinet, OpenZone
from pysmpi.platform.profiles import Kind, Profile
from pysmpi.platform.routes import Routes
from pysmpi.platform.topology import TOPOLOGIES, native_routing, shape_of

__all__ = ["Builder"]

ROUTINGS = {
    "Full": lib.PYSMPI_FULL,
    "Floyd": lib.PYSMPI_FLOYD,
    "Dijkstra": lib.PYSMPI_DIJKSTRA,
    "DijkstraCache": lib.PYSMPI_DIJKSTRA_CACHE,
    "Cluster": lib.PYSMPI_STAR,
    "Vivaldi": lib.PYSMPI_VIVALDI,
    "None": lib.PYSMPI_NONE,
}
POLICIES = {"SHARED": lib.PYSMPI_SHARED, "FATPIPE": lib.PYSMPI_FATPIPE}
MAX_DEPTH = 64
MAX_FLOYD_MEMBERS = 4096  # the algorithm of Floyd and Warshall takes members³ steps: a minute for 4096
MAX_CABINET_HOSTS = 200_000
MAX_PROFILE_EVENTS = 10_000_000


class Builder(Routes):
    """A builder of one platform, in the order of its description. Methods raise PlatformError for invalid parts."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[HostGroup] = []
        self._clusters: list[tuple[int, ClusterDescription]] = []
        self._zone_list: list[Zone] = []
        self._link_properties: dict[int, Mapping[str, str]] = {}
        self._cabinet_hosts = 0
        self._profiles: set[tuple[int, int]] = set()  # C++ number of the quantity, index of the link or host
        self._profile_events = 0
        self._changes: list[Changes] = []
        self._disks: list[Disk] = []
        self._disks_by_host: dict[int, list[Disk]] = {}

    @property
    def has_zones(self) -> bool:
        """True if a zone or cluster has been added."""
        return bool(self._zone_names)

    # Zones

    def begin_zone(self, name: str, routing: str) -> None:
        """Open a zone, to which later calls add elements.

        ``routing`` is SimGrid's name of the routing, in upper or lower case.
        """
        by_folded = {known.lower(): known for known in ROUTINGS}
        known = by_folded.get(routing.lower())
        if known is None:
            hint = "; for hosts with their own links use a zone of routing Full or Cluster"
            raise PlatformError(
                f"routing Wifi is not simulated{hint}"
                if routing.lower() == "wifi"
                else unknown("routing", routing, ROUTINGS)
            )
        if len(self._open) >= MAX_DEPTH:
            raise PlatformError(f"zone {name!r} is nested too deeply; the limit is {MAX_DEPTH} levels")
        self._enter_zone(name)
        index = lib.pysmpi_platform_begin_zone(self._handle, name.encode(), ROUTINGS[known])
        self._zone_list.append(Zone(name, self._open[-1].name if self._open else None, known, NO_PROPERTIES))
        self._open.append(OpenZone(index, name, known))

    def end_zone(self, properties: Mapping[str, str] = NO_PROPERTIES) -> None:
        """Close the innermost open zone, and set its properties."""
        zone = self._open[-1]
        if zone.routing == "Floyd" and zone.members > MAX_FLOYD_MEMBERS:
            raise PlatformError(
                f"zone {zone.name!r} of routing Floyd has {zone.members} members; the limit is "
                f"{MAX_FLOYD_MEMBERS}, because Floyd stores all pairs; use Dijkstra, whose paths have the same lengths"
            )
        backbone = [] if zone.backbone is None else [zone.backbone]
        for host, up, down in zone.host_links:
            self._set_ways(host, [up, *backbone], [*backbone, down])
        for cabinet in zone.cabinets:
            self._add_cabinet_hosts(cabinet, backbone)
        if properties:
            described = self._zone_list[zone.index]
            self._zone_list[zone.index] = Zone(zone.name, described.parent, zone.routing, dict(properties))
        self._open.pop()
        lib.pysmpi_platform_end_zone(self._handle)

    def add_cluster(self, cluster: ClusterDescription) -> None:
        """Add a zone of equal hosts, which are connected by the cluster's topology."""
        if cluster.speeds[0] == 0:
            raise PlatformError(
                f"cluster {cluster.name!r}: hosts begin in pstate 0, whose speed is 0; give a speed above 0"
            )
        for affix, kind in ((cluster.prefix, "prefix"), (cluster.suffix, "suffix")):
            if len(affix) > MAX_NAME:
                raise PlatformError(f"the {kind} of a cluster has {len(affix)} characters; the limit is {MAX_NAME}")
        node = node_of(cluster.properties, cluster.cores, f"cluster {cluster.name!r}")
        shape = shape_of(cluster)
        routing = native_routing(cluster.topology, cluster.parameters, cluster.routing, f"cluster {cluster.name!r}")
        self._reserve(cluster.host_count, cluster.link_count(shape))
        if TOPOLOGIES[cluster.topology].has_router:
            self._enter_name(self._nodes, cluster.router_name, "host or router")
        self._enter_zone(cluster.name)
        parent = self._open[-1].name if self._open else None
        self._zone_list.append(Zone(cluster.name, parent, cluster.topology, cluster.properties))
        strings = [
            ffi.new("char[]", text.encode())
            for text in (cluster.name, cluster.prefix, cluster.suffix, cluster.router_name)
        ]
        firsts = ffi.new("int64_t[]", [first for first, _ in cluster.radical])
        counts = ffi.new("uint32_t[]", [count for _, count in cluster.radical])
        parameters = ffi.new("uint32_t[]", shape.values)
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
        topology = ffi.new("char[]", cluster.topology.encode())
        native.topology, native.routing = topology, routing
        native.parameter_count, native.parameters = len(shape.values), parameters
        first = lib.pysmpi_platform_host_count(self._handle)
        if lib.pysmpi_platform_add_cluster(self._handle, native) == NOWHERE:
            raise PlatformError(f"topology {cluster.topology} is missing in native/platform/topologies")
        self._note_hosts(first, cluster.host_count, cluster.speeds, 0, cluster.properties)
        self._add_node(first, cluster.host_count, node)
        self._clusters.append((first, cluster))

    # Hosts, routers and links

    def add_host(
        self,
        name: str,
        speeds: Sequence[float],
        *,
        cores: int = 1,
        pstate: int = 0,
        coordinates: Sequence[float] = (),
        properties: Mapping[str, str] = NO_PROPERTIES,
    ) -> None:
        """Add a host.

        Args:
            name: name of the host.
            speeds: speed of a core in each performance state, flop/s.
            cores: number of cores.
            pstate: performance state in which simulations begin.
            coordinates: in zones with routing Vivaldi, x, y and height in milliseconds of latency.
            properties: properties of the host.
        """
        if not 0 <= pstate < len(speeds):
            raise PlatformError(
                f"host {name!r} begins in pstate {pstate}, but it has speeds for pstates 0 to {len(speeds) - 1} only"
            )
        if speeds[pstate] == 0:
            raise PlatformError(f"host {name!r} begins in pstate {pstate}, whose speed is 0; choose another pstate")
        node = node_of(properties, cores, f"host {name!r}")
        self._reserve(1, 0)
        self._enter_node(name)
        index = lib.pysmpi_platform_add_host(self._handle, name.encode(), speeds[pstate], cores)
        self._note_hosts(index, 1, speeds, pstate, properties)
        self._add_node(index, 1, node)
        self._set_coordinates(name, coordinates)

    def add_disk(
        self,
        host: str,
        name: str,
        read_bandwidth: float,
        write_bandwidth: float,
        properties: Mapping[str, str] = NO_PROPERTIES,
    ) -> None:
        """Add a disk to a host (bandwidths in bytes/s). The property ``mount`` is the folder whose files are on it."""
        index = self._find_host(host)
        disk = Disk(len(self._disks), name, index, read_bandwidth, write_bandwidth, dict(properties))
        if not disk.mount.startswith("/"):
            raise PlatformError(
                f"disk {name!r} of host {host!r} is mounted at {disk.mount!r}; give an absolute path such as /scratch"
            )
        beside = self._disks_by_host.setdefault(index, [])
        for other in beside:
            if other.name == name:
                raise PlatformError(f"host {host!r} has two disks {name!r}")
            if other.mount.rstrip("/") == disk.mount.rstrip("/"):
                raise PlatformError(
                    f"disks {other.name!r} and {name!r} of host {host!r} are both mounted at {disk.mount!r}; "
                    "give them different values of the property mount"
                )
        beside.append(disk)
        self._disks.append(disk)
        lib.pysmpi_platform_add_disk(self._handle, index, read_bandwidth, write_bandwidth)

    def add_peer(
        self, name: str, speed: float, bandwidth_in: float, bandwidth_out: float, coordinates: Sequence[float]
    ) -> None:
        """Add a host to a zone with routing Vivaldi, with one link for sending and one for receiving (bytes/s)."""
        self._zone_of_routing("Vivaldi", "peer")
        self.add_host(name, [speed], coordinates=coordinates)
        links = []
        for direction, bandwidth in (("UP", bandwidth_out), ("DOWN", bandwidth_in)):
            self.add_link(f"link_{name}_{direction}", bandwidth, 0.0)
            links.append(self._find_link(f"link_{name}_{direction}"))
        self._set_ways(name, links[:1], links[1:])

    def add_router(self, name: str, coordinates: Sequence[float] = ()) -> None:
        """Add a router: a point, not a host, at which routes may begin or end; `add_host` explains coordinates."""
        self._enter_node(name)
        lib.pysmpi_platform_add_router(self._handle, name.encode())
        self._set_coordinates(name, coordinates)

    def add_link(
        self,
        name: str,
        bandwidth: float,
        latency: float,
        policy: str = "SHARED",
        properties: Mapping[str, str] = NO_PROPERTIES,
    ) -> None:
        """Add a link (bytes/s, s); policy SPLITDUPLEX adds two links, named with ``_UP`` and ``_DOWN`` at the end."""
        self._zone_for(f"link {name!r}")
        names = [f"{name}_UP", f"{name}_DOWN"] if policy == "SPLITDUPLEX" else [name]
        self._reserve(0, len(names))
        if name in self._split_links or (policy == "SPLITDUPLEX" and name in self._links):
            raise PlatformError(f"link {name!r} is described twice")
        for each in names:
            self._enter_name(self._links, each, "link")
            native_policy = POLICIES.get(policy, lib.PYSMPI_SHARED)
            index = lib.pysmpi_platform_add_link(self._handle, each.encode(), bandwidth, latency, native_policy)
            if properties:
                self._link_properties[index] = dict(properties)
        if policy == "SPLITDUPLEX":
            self._split_links.add(name)

    def add_profile(self, kind: Kind, name: str, profile: Profile) -> None:
        """Let a profile (values with dates) change one quantity of a host or of a link, in both directions if it is
        split."""
        targets = list(self._profile_targets(kind, name))
        values = profile.values_for(kind)
        for target in targets:
            if (kind.native, target) in self._profiles:
                raise PlatformError(
                    f"{'link' if kind.of_link else 'host'} {name!r} has two profiles of its {kind.what}"
                )
            self._profiles.add((kind.native, target))
            self._profile_events += len(values)
            if self._profile_events > MAX_PROFILE_EVENTS:
                raise PlatformError(f"all profiles together have more than {MAX_PROFILE_EVENTS} events; shorten them")
            lib.pysmpi_platform_add_profile(
                self._handle,
                kind.native,
                target,
                len(values),
                ffi.from_buffer("double[]", profile.dates),
                ffi.from_buffer("double[]", values),
                profile.loop_after,
            )
        self._changes.append(Changes(name, kind.what, profile.dates, values, profile.loop_after))

    def _profile_targets(self, kind: Kind, name: str) -> tuple[int, ...]:
        if not kind.of_link:
            return (self._find_host(name),)
        return (self._find_directions(name) if name in self._split_links else None) or (self._find_link(name),)

    # Zones with routing Cluster

    def add_host_link(self, host: str, up: str, down: str) -> None:
        """Set a host's links in a zone with routing Cluster: `up` to the middle of the zone, `down` back to the
        host."""
        zone = self._zone_of_routing("Cluster", "host_link")
        self._node_in_zone(host)
        zone.host_links.append((host, self._find_link(up), self._find_link(down)))

    def add_backbone(self, name: str, bandwidth: float, latency: float) -> None:
        """Add the backbone: the link that all messages between hosts of a zone with routing Cluster cross."""
        zone = self._zone_of_routing("Cluster", "backbone")
        if zone.backbone is not None:
            raise PlatformError(f"zone {zone.name!r} has two backbones")
        self.add_link(name, bandwidth, latency)
        zone.backbone = self._find_link(name)

    def add_cabinet(self, cabinet: Cabinet) -> None:
        """Add equal hosts to a zone with routing Cluster, each with a link up and a link down."""
        self._cabinet_hosts += sum(count for _, count in cabinet.radical)
        if self._cabinet_hosts > MAX_CABINET_HOSTS:
            raise PlatformError(
                f"with cabinet {cabinet.name!r} the cabinets have {self._cabinet_hosts} hosts; the limit is "
                f"{MAX_CABINET_HOSTS}. Use a cluster, which may have many more hosts"
            )
        self._zone_of_routing("Cluster", "cabinet").cabinets.append(cabinet)

    def finish(
        self, source: str, config: Mapping[str, str] = NO_PROPERTIES, config_places: Mapping[str, str] = NO_PROPERTIES
    ) -> Platform:
        """Return the platform that consists of all added parts.

        Args:
            source: name of the description, for errors and reports.
            config: options that the description sets.
            config_places: place of each option, as file:line.
        """
        if lib.pysmpi_platform_host_count(self._handle) == 0:
            raise PlatformError("the platform has no hosts")
        zones = ffi.new("uint32_t[2]")
        room = 1024
        buffer = ffi.new("char[]", room)
        sealed = lib.pysmpi_platform_seal(self._handle, zones, buffer, room)
        name = ffi.string(buffer).decode(errors="replace")
        if sealed == -1:
            known = sorted(place for place in (self._place_of(name, zone) for zone in zones) if place is not None)
            self.place = known[-1] if known else None
            raise PlatformError(f"host {name!r} is described twice{self._first_at(known[0] if known else None)}")
        if sealed == -2:
            cluster = self._zone_names[zones[0]]
            self.place = self._zones[cluster]
            raise PlatformError(
                f"cluster {cluster!r}: its prefix ends or its suffix begins with a digit, and it has too many hosts to "
                "compare their names with those of other clusters; put a letter or a dash there"
            )
        return Platform(
            self._handle,
            source,
            groups=self._groups,
            clusters=self._clusters,
            link_properties=self._link_properties,
            zones=self._zone_list,
            changes=self._changes,
            disks=self._disks,
            config=config,
            config_places=config_places,
        )

    def _note_hosts(
        self, first: int, count: int, speeds: Sequence[float], pstate: int, properties: Mapping[str, str]
    ) -> None:
        if len(speeds) > 1 or properties:
            self._groups.append(HostGroup(first, count, tuple(speeds), pstate, dict(properties)))

    def _add_node(self, first: int, count: int, node: Node | None) -> None:
        if node is None:
            return
        lib.pysmpi_platform_add_node_group(
            self._handle,
            first,
            count,
            node.sockets,
            node.shared_queue,
            node.polling,
            node.card_gap,
            node.waiting_cost,
        )
        for capacity in node.memory:
            lib.pysmpi_platform_add_memory_step(self._handle, capacity.messages, capacity.bandwidth)
        for above, share in node.shares:
            lib.pysmpi_platform_add_share_step(self._handle, above, share)
        for level, bandwidth in enumerate(node.forwarding):
            lib.pysmpi_platform_set_forwarding(self._handle, level, bandwidth)
        lib.pysmpi_platform_set_cards(self._handle, node.cards)
        lib.pysmpi_platform_set_rack(self._handle, node.rack, node.rack_latency)
        for capacity in node.card:
            lib.pysmpi_platform_add_card_step(self._handle, capacity.messages, capacity.bandwidth)
        for level, steps in enumerate(node.levels):
            for step in steps:
                lib.pysmpi_platform_add_node_step(self._handle, level, step.above, step.latency, step.bandwidth)

    def _reserve(self, hosts: int, links: int) -> None:
        hosts += lib.pysmpi_platform_host_count(self._handle)
        links += lib.pysmpi_platform_link_count(self._handle)
        if hosts > MAX_HOSTS or links > MAX_LINKS:
            raise PlatformError(
                f"the platform has {hosts} hosts and {links} links; the limits are {MAX_HOSTS} and {MAX_LINKS}"
            )

    def _set_coordinates(self, name: str, coordinates: Sequence[float]) -> None:
        zone = self._open[-1]
        if zone.routing != "Vivaldi":
            return
        if not coordinates:
            raise PlatformError(f"{name!r} is in zone {zone.name!r} of routing Vivaldi, but has no coordinates")
        if len(coordinates) != 3 or not all(map(math.isfinite, coordinates)):
            raise PlatformError(f"coordinates {coordinates!r} of {name!r} are not three numbers")
        lib.pysmpi_platform_set_coordinates(self._handle, self._find_node(name), *coordinates)

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
