"""Built platforms: hosts, links, and the route between any two hosts."""

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from pysmpi.errors import PlatformError, did_you_mean
from pysmpi.native import ffi, lib
from pysmpi.platform.cables import with_cables
from pysmpi.platform.cluster import ClusterDescription
from pysmpi.platform.fabrics import Fabric
from pysmpi.platform.topology import TOPOLOGIES, native_routing
from pysmpi.util.quantities import counted

if TYPE_CHECKING:  # a platform alone needs no numpy
    import numpy as np
    import numpy.typing as npt

__all__ = ["Changes", "Disk", "Host", "Link", "Platform", "Route", "Zone"]

Item = TypeVar("Item")
NO_PROPERTIES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Host:
    """A host, whose ranks share its cores."""

    index: int
    """Number in the order of the description, from 0."""
    name: str
    speed: float
    """Speed of one core in performance state `pstate`, flop per second."""
    cores: int
    speeds: tuple[float, ...]
    """Speed of one core in each performance state, flop per second."""
    pstate: int
    """Performance state in which simulations begin."""
    properties: Mapping[str, str]
    """Properties from ``prop`` elements."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk of a host. All reads share the read bandwidth, and all writes share the write bandwidth."""

    index: int
    """Number in the order of the description, from 0."""
    name: str
    host: int
    """Number of the host to which the disk belongs."""
    read_bandwidth: float
    """Bandwidth of all reads together, bytes per second."""
    write_bandwidth: float
    """Bandwidth of all writes together, bytes per second."""
    properties: Mapping[str, str]
    """Properties from ``prop`` elements."""

    @property
    def mount(self) -> str:
        """Folder whose files are on the disk: the property ``mount``, by default "/"."""
        return self.properties.get("mount", "/")


@dataclass(frozen=True, slots=True)
class Link:
    """A link, or one direction of a split link. Bandwidth in bytes per second, latency in seconds."""

    index: int
    name: str
    bandwidth: float
    latency: float
    policy: str
    """SHARED if messages share the bandwidth, FATPIPE if each message may use all of it."""
    properties: Mapping[str, str]
    """Properties from ``prop`` elements."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of one quantity of a host or link during simulations, read from a profile."""

    name: str
    """Name of the host or link; of a split link, both directions change."""
    what: str
    """Changed quantity: "speed" or "state" of a host; "bandwidth", "latency" or "state" of a link."""
    dates: Sequence[float]
    """Dates of the changes in seconds from the beginning of the simulation, ascending."""
    values: Sequence[float]
    """Value from each date on: a factor on the speed, bytes per second, seconds, or 1 for on and 0 for off."""
    loop_after: float
    """Seconds from the last date until the list repeats; negative if it does not repeat."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone (a part of the platform with its own routing) or a cluster."""

    name: str
    parent: str | None
    """Name of the enclosing zone, or None for the outermost."""
    routing: str
    """Routing of a zone, topology of a cluster."""
    properties: Mapping[str, str]
    """Properties from ``prop`` elements."""


@dataclass(frozen=True, slots=True)
class Route:
    """The links from one host to another, in order, and the sum of their latencies in seconds."""

    links: tuple[Link, ...]
    latency: float


@dataclass(frozen=True, slots=True)
class HostGroup:
    """Consecutive hosts that have several speeds or properties, which the C++ engine does not store."""

    first: int
    count: int
    speeds: tuple[float, ...]
    pstate: int
    properties: Mapping[str, str]


class LazySequence(Sequence[Item]):
    """A sequence whose items are made on access."""

    def __init__(self, count: int, make: Callable[[int], Item]) -> None:
        self._indices = range(count)
        self._make = make

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self._make(i) for i in self._indices[index]]
        return self._make(self._indices[index])

    def __iter__(self) -> Iterator[Item]:
        return map(self._make, self._indices)


class Platform:
    """A simulated machine, made by `pysmpi.platform.load` or from a description.

    Any number of platforms may exist. The next simulation runs on the current one.
    """

    _installed: ClassVar["Platform | None"] = None
    _SEARCHED_NAMES = 5000  # number of host names among which the nearest match for an unknown name is searched

    def __init__(
        self,
        handle: Any,
        source: str,
        *,
        groups: Sequence[HostGroup] = (),
        clusters: Sequence[tuple[int, ClusterDescription]] = (),
        link_properties: Mapping[int, Mapping[str, str]] = MappingProxyType({}),
        zones: Sequence[Zone] = (),
        changes: Sequence[Changes] = (),
        disks: Sequence[Disk] = (),
        config: Mapping[str, str] = NO_PROPERTIES,
        config_places: Mapping[str, str] = NO_PROPERTIES,
    ) -> None:
        self._handle = handle
        self._link_properties = link_properties
        self._groups = groups
        self._group_firsts = [group.first for group in groups]
        self.source = source
        """Origin of the description, such as the name of its file."""
        self.config = MappingProxyType(dict(config))
        """Options that the description sets, by SimGrid's names; the command line takes precedence."""
        self.config_places = MappingProxyType(dict(config_places))
        """Place of each option in `config` as file:line, if the description is a file."""
        self.clusters = tuple(clusters)
        """Clusters, each with the index of its first host."""
        self.hosts: Sequence[Host] = LazySequence(lib.pysmpi_platform_host_count(handle), self._host)
        """All hosts, in the order of the description."""
        self.links: Sequence[Link] = LazySequence(lib.pysmpi_platform_link_count(handle), self._link)
        """All links; a split link counts as two."""
        self.zones = tuple(zones)
        """All zones and clusters, in the order of the description."""
        self.changes = tuple(changes)
        """Changes of hosts and links during simulations."""
        self.disks = tuple(disks)
        """All disks, in the order of the description."""
        self._disks_of_hosts = {(disk.host, disk.mount.rstrip("/")): disk for disk in self.disks}
        self._shared_disks = {
            disk.mount.rstrip("/"): disk for disk in reversed(self.disks) if "mount" in disk.properties
        }

    def __repr__(self) -> str:
        return f"<Platform {self.source!r}: {counted(len(self.hosts), 'host')}, {counted(len(self.links), 'link')}>"

    def install(self) -> None:
        """Make this the platform of later simulations."""
        lib.pysmpi_platform_install(self._handle)
        Platform._installed = self  # keeps the platform alive, because the C++ engine refers to it

    @classmethod
    def current(cls) -> "Platform | None":
        """Return the platform of the next simulation, or None if no platform has been installed yet."""
        return cls._installed

    def find_number(self, name: str) -> int | None:
        """Return the number of the host of that name, or None if it is unknown."""
        index = int(lib.pysmpi_platform_find_host(self._handle, name.encode(errors="surrogateescape")))
        return None if index < 0 else index

    def find_link_number(self, name: str) -> int | None:
        """Return the number of the link of that name, or None if it is unknown."""
        index = int(lib.pysmpi_platform_find_link(self._handle, name.encode(errors="surrogateescape")))
        return None if index < 0 else index

    def host(self, name: str) -> Host:
        """Return the host of that name.

        Raises:
            PlatformError: the name is unknown; the message includes the nearest match.
        """
        index = self.find_number(name)
        if index is None:
            hint = did_you_mean(name, (host.name for host in islice(self.hosts, self._SEARCHED_NAMES)))
            names = f"{self.hosts[0].name} to {self.hosts[-1].name}" if self.hosts else "none"
            raise PlatformError(f"{self.source}: unknown host {name!r}{hint} (there are {len(self.hosts)}: {names})")
        return self._host(index)

    def host_with(self, name: str) -> Host | None:
        """Return the first host that has a property of this name, or None."""
        return next((self._host(group.first) for group in self._groups if name in group.properties), None)

    def hosts_with(self, name: str) -> "list[tuple[range, str]]":
        """Return pairs: a range of numbers of hosts that have a property of this name, and the property's value."""
        return [
            (range(group.first, group.first + group.count), group.properties[name])
            for group in self._groups
            if name in group.properties
        ]

    def links_with(self, name: str) -> "list[Link]":
        """Return the links that have a property of this name, in platform order."""
        return [self._link(index) for index, given in sorted(self._link_properties.items()) if name in given]

    def disk_of(self, path: str, host: int) -> Disk | None:
        """Return the disk on which a host finds a file, or None for the simulation's file system.

        The result is the host's own disk with the longest mount point that contains the path. If no mount point of the
        host contains the path, it is the first disk of another host whose property ``mount`` contains the path.

        Args:
            path: absolute path of the file.
            host: number of the host.
        """
        folders = [path.rstrip("/")]
        while folders[-1]:
            folders.append(folders[-1].rpartition("/")[0])
        own = (self._disks_of_hosts.get((host, folder)) for folder in folders)
        shared = (self._shared_disks.get(folder) for folder in folders)
        return next((disk for disk in chain(own, shared) if disk is not None), None)

    def route(self, source: Host | str, destination: Host | str, *, message: int = 0) -> Route:
        """Return the links that a message from one host to another crosses.

        Routings that depend on the load choose as in an idle network.

        Args:
            source: sending host, or its name.
            destination: receiving host, or its name.
            message: number of the message, on which random routings depend.

        Raises:
            PlatformError: a host is unknown, or the description has no route between them.
        """
        ends = [end if isinstance(end, Host) else self.host(end) for end in (source, destination)]
        latency = ffi.new("double*")
        room = 64
        while True:
            indices = ffi.new("uint32_t[]", room)
            count = lib.pysmpi_platform_route(
                self._handle, ends[0].index, ends[1].index, message, indices, room, latency
            )
            if count <= room:
                break
            room = count
        if count < 0:
            raise PlatformError(f"{self.source}: no route from {ends[0].name!r} to {ends[1].name!r}")
        return Route(tuple(self._link(index) for index in indices[0:count]), latency[0])

    @property
    def channels(self) -> int:
        """Number of virtual channels that packets need on the machine's routes, or 0 if it is not known."""
        return int(lib.pysmpi_platform_channels(self._handle))

    @property
    def routes_vary(self) -> bool:
        """True if the route between two hosts may depend on the message or packet."""
        return bool(lib.pysmpi_platform_routes_vary(self._handle))

    def channels_of_route(self, source: Host, destination: Host, *, message: int = 0) -> tuple[int, ...]:
        """Return the virtual channel of each link of a route, in order.

        Args:
            source: host at the beginning.
            destination: host at the end.
            message: number of the message, on which random routings depend.

        Raises:
            PlatformError: no route joins the hosts.
        """
        room = len(self.route(source, destination, message=message).links)
        channels = ffi.new("uint32_t[]", max(room, 1))
        lib.pysmpi_platform_route_channels(self._handle, source.index, destination.index, message, channels, room)
        return tuple(channels[0:room])

    def add_link_bytes(
        self,
        sources: "npt.NDArray[np.uint32]",
        destinations: "npt.NDArray[np.uint32]",
        sizes: "npt.NDArray[np.float64]",
        first_message: int,
        draws: int,
        link_bytes: "npt.NDArray[np.float64]",
    ) -> int:
        """Add the bytes of messages to `link_bytes`, by index of the link; see `pysmpi.platform.lower_bound`.

        Return the index of the first message whose hosts are not connected, or the number of messages. Arrays are
        contiguous, and `sizes` has one element or as many as `sources`.
        """
        source, destination = (ffi.from_buffer("uint32_t[]", each) for each in (sources, destinations))
        size, total = (ffi.from_buffer("double[]", each) for each in (sizes, link_bytes))
        done = lib.pysmpi_platform_add_link_bytes(
            self._handle, sources.size, source, destination, sizes.size, size, first_message, draws, total
        )
        return int(done)

    def busiest_link(self, link_bytes: "npt.NDArray[np.float64]") -> tuple[int | None, float]:
        """Return the index of the link that needs longest for its bytes, and the seconds that it needs.

        The index is None if no link that messages share carries any bytes.
        """
        seconds = ffi.new("double*")
        link = lib.pysmpi_platform_busiest_link(self._handle, ffi.from_buffer("double[]", link_bytes), seconds)
        return (None if link == 2**32 - 1 else int(link)), seconds[0]

    def choose_routes(self, routing: str | None, seed: int = 0) -> None:
        """Choose the routing of clusters for later simulations.

        Args:
            routing: name of the routing for all clusters with several routings, or None for the one that each cluster
                specifies.
            seed: seed of random routings.

        Raises:
            PlatformError: a cluster with several routings lacks the chosen one, or no cluster has several routings.
        """
        number = -1
        if routing is not None:
            choices = [cluster for _, cluster in self.clusters if TOPOLOGIES[cluster.topology].routings]
            if not choices:
                raise PlatformError(
                    f"{self.source}: routing {routing!r} has no effect: no cluster of this platform offers a choice"
                )
            for cluster in choices:
                what = f"{self.source}: cluster {cluster.name!r}"
                number = native_routing(cluster.topology, cluster.parameters, routing, what)
        lib.pysmpi_platform_choose_routes(self._handle, number, seed & 2**64 - 1)

    def choose_cables(self, fabric: Fabric | None) -> None:
        """Set the cables of clusters whose description leaves them to the fabric, for later simulations.

        Args:
            fabric: fabric of the simulation, or None for the one that each cluster names.
        """
        self.clusters = tuple((first, with_cables(cluster, fabric)) for first, cluster in self.clusters)
        for number, (_, cluster) in enumerate(self.clusters):
            loopback = cluster.loopback[1] if cluster.loopback else 0.0
            lib.pysmpi_platform_set_cables(self._handle, number, cluster.bandwidth, cluster.latency, loopback)

    def scale(self, quantity: int, item: int | None, factor: float) -> None:
        """Multiply a quantity of the link or host number `item`, or of all links or hosts if None, by a factor.

        The module `pysmpi.platform.scaling` lists the quantities.
        """
        lib.pysmpi_platform_scale(self._handle, quantity, 2**32 - 1 if item is None else item, factor)

    def scale_back(self) -> None:
        """Remove all factors that `scale` has set."""
        lib.pysmpi_platform_scale_back(self._handle)

    def _host(self, index: int) -> Host:
        speed = lib.pysmpi_platform_host_speed(self._handle, index)
        cores = lib.pysmpi_platform_host_cores(self._handle, index)
        speeds: tuple[float, ...] = (speed,)
        pstate = 0
        properties = NO_PROPERTIES
        place = bisect_right(self._group_firsts, index) - 1
        if place >= 0 and index < self._groups[place].first + self._groups[place].count:
            group = self._groups[place]
            speeds, pstate, properties = group.speeds, group.pstate, group.properties
        name = self._name(lib.pysmpi_platform_host_name, index)
        return Host(index, name, speed, cores, speeds, pstate, properties)

    def bandwidths(self) -> Iterator[float]:
        """Yield the bandwidth of each link in bytes per second, in order; faster than iterating over `links`."""
        return (lib.pysmpi_platform_link_bandwidth(self._handle, index) for index in range(len(self.links)))

    def cores_and_speeds(self) -> Iterator[tuple[int, float]]:
        """Yield cores and speed of a core (flop per second) of each host; faster than iterating over `hosts`."""
        for index in range(len(self.hosts)):
            cores = lib.pysmpi_platform_host_cores(self._handle, index)
            yield cores, lib.pysmpi_platform_host_speed(self._handle, index)

    def _link(self, index: int) -> Link:
        return Link(
            index,
            self._name(lib.pysmpi_platform_link_name, index),
            lib.pysmpi_platform_link_bandwidth(self._handle, index),
            lib.pysmpi_platform_link_latency(self._handle, index),
            "FATPIPE" if lib.pysmpi_platform_link_policy(self._handle, index) == lib.PYSMPI_FATPIPE else "SHARED",
            self._link_properties.get(index, NO_PROPERTIES),
        )

    def _name(self, function: Callable[[Any, int, Any, int], int], index: int) -> str:
        room = 128
        while True:
            buffer = ffi.new("char[]", room)
            length = function(self._handle, index, buffer, room)
            if length < room:
                return sys.intern(bytes(ffi.buffer(buffer, length)).decode())
            room = length + 1
