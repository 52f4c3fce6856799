"""The graph behind a platform: which hosts and switches its links join, found out from the routes between hosts.

Descriptions name links and routes; switches they hardly ever name. But two links that follow each other on a route meet
somewhere, and what meets in one place is one vertex. So the graph of any platform comes out of its routes, whatever it
was described with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from pysmpi.errors import PlatformError
from pysmpi.platform.machine import Link, Platform
from pysmpi.platform.topology import TOPOLOGIES

__all__ = ["Edge", "Graph", "Vertex", "find_graph", "representative_hosts"]

LIMITER = "_limiter"  # the end of such links' names: they limit one host or switch, and lead nowhere


@dataclass(frozen=True, slots=True)
class Vertex:
    """A host, a switch, or a link that several meet at, such as a backbone."""

    host: int | None
    """The host's index; None for all else."""
    name: str
    """Of the host, or of the links that are shared by all that meets here; empty for a switch."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One or several equal links between two vertices."""

    ends: tuple[int, int]
    """Indices of vertices, the smaller one first."""
    bandwidth: float
    """Of one link and direction, bytes per second."""
    latency: float
    """Of one link, seconds."""
    cables: tuple[str, ...]
    """The names of these links; of split ones without the direction."""

    @property
    def count(self) -> int:
        """How many such links lie side by side."""
        return len(self.cables)


@dataclass
class Graph:
    """Hosts come first among the vertices, in the order in which they were asked for."""

    vertices: list[Vertex] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def neighbours(self) -> list[list[int]]:
        """Of each vertex, in order."""
        found: list[set[int]] = [set() for _ in self.vertices]
        for edge in self.edges:
            first, second = edge.ends
            found[first].add(second)
            found[second].add(first)
        return [sorted(each) for each in found]


def representative_hosts(platform: Platform, most: int, block: int = 8) -> list[int]:
    """All hosts, or when there are more than `most`, blocks of neighbours spread evenly."""
    count = len(platform.hosts)
    if count <= most:
        return list(range(count))
    blocks = max(1, most // block)
    return [place * count // blocks + i for place in range(blocks) for i in range(block)]


def find_graph(platform: Platform, hosts: Sequence[int]) -> Graph:
    """The vertices and edges on the routes from each of the hosts (given by index) to those after it. Pairs without a
    route are passed over."""
    finder = _Finder(platform, hosts)
    chassis = [_chassis(platform, host) for host in hosts]
    for source, destination in combinations(range(len(hosts)), 2):
        # Routes of SimGrid's dragonflies (3.32) from a chassis to a later one of its group use the cable of the first
        # chassis or none. Following them would merge two routers into one.
        cut_short = chassis[source].number != 0 and chassis[source] != chassis[destination]
        if not cut_short:
            finder.walk(source, destination)
    return finder.graph()


class _Chassis(NamedTuple):
    """Chassis of a host (see `Topology.chassis_of`); the default is for hosts outside clusters."""

    cluster: int = -1
    group: int = 0
    number: int = 0


def _chassis(platform: Platform, host: int) -> _Chassis:
    for first, cluster in platform.clusters:
        if first <= host < first + cluster.host_count:
            return _Chassis(first, *TOPOLOGIES[cluster.topology].chassis_of(cluster.shape(), host - first))
    return _Chassis()


class _Finder:
    """Vertices are sets of link ends, joined when a route shows that they meet (union-find)."""

    def __init__(self, platform: Platform, hosts: Sequence[int]) -> None:
        self._platform = platform
        self._hosts = [platform.hosts[index] for index in hosts]
        self._parent = list(range(len(hosts)))  # the first ones are the hosts
        self._ends: dict[str, tuple[int, int]] = {}  # of each cable, in its direction UP or in that first met
        self._links: dict[str, Link] = {}
        self._buses: dict[str, int] = {}  # links that more than two vertices meet at

    def walk(self, source: int, destination: int) -> None:
        """Follow the route between two hosts."""
        try:
            links = self._platform.route(self._hosts[source], self._hosts[destination]).links
        except PlatformError:  # there is none
            return
        links = tuple(link for link in links if not link.name.endswith(LIMITER))
        here = source
        for place, link in enumerate(links):
            following = links[place + 1] if place + 1 < len(links) else None
            here = self._cross(link, here, following, destination)

    def _cross(self, link: Link, entry: int, following: Link | None, destination: int) -> int:
        """Cross a link from a vertex; returns the vertex behind it."""
        cable, down = _cable(link)
        self._links.setdefault(cable, link)
        if cable in self._buses:
            return self._cross_bus(cable, entry, following, destination)
        if cable not in self._ends:
            ends = (entry, destination if following is None else self._new_vertex())
            self._ends[cable] = ends[::-1] if down else ends
            return ends[1]
        ends = self._ends[cable][::-1] if down else self._ends[cable]
        if cable == link.name and self._leaves_backwards(ends, entry, following, destination):
            ends = ends[::-1]
        pairs = [(entry, ends[0]), *([(destination, ends[1])] if following is None else [])]
        if not all(self._may_join(*pair) for pair in pairs):
            self._make_bus(cable)
            return self._cross_bus(cable, entry, following, destination)
        for pair in pairs:
            self._join(*pair)
        return self._find(ends[1])

    def _leaves_backwards(self, ends: tuple[int, int], entry: int, following: Link | None, destination: int) -> bool:
        """Whether a link that is not split is crossed against the direction in which it was first met."""
        first, second, entry = self._find(ends[0]), self._find(ends[1]), self._find(entry)
        if entry in (first, second):
            return entry == second
        if following is None:
            behind = {self._find(destination)}
        else:
            behind = {self._find(end) for end in self._ends.get(_cable(following)[0], ())}
        return first in behind and second not in behind

    def _make_bus(self, cable: str) -> None:
        self._buses[cable] = self._new_vertex()
        for end in self._ends.pop(cable):
            self._attach(cable, end)

    def _cross_bus(self, cable: str, entry: int, following: Link | None, destination: int) -> int:
        self._attach(cable, entry)
        if following is None:
            self._attach(cable, destination)
        return self._find(self._buses[cable])

    def _attach(self, cable: str, vertex: int) -> None:
        """A host gets an edge to the bus; any other vertex is the bus itself."""
        vertex = self._find(vertex)
        if vertex >= len(self._hosts):
            self._join(self._buses[cable], vertex)
        else:
            self._ends[f"{cable} of {vertex}"] = (vertex, self._buses[cable])
            self._links[f"{cable} of {vertex}"] = self._links[cable]

    def _new_vertex(self) -> int:
        self._parent.append(len(self._parent))
        return len(self._parent) - 1

    def _find(self, vertex: int) -> int:
        while self._parent[vertex] != vertex:
            self._parent[vertex] = vertex = self._parent[self._parent[vertex]]
        return vertex

    def _may_join(self, first: int, second: int) -> bool:
        first, second = self._find(first), self._find(second)
        return first == second or max(first, second) >= len(self._hosts)

    def _join(self, first: int, second: int) -> None:
        first, second = self._find(first), self._find(second)
        self._parent[max(first, second)] = min(first, second)  # so that hosts stay themselves

    def graph(self) -> Graph:
        """What has been found out."""
        graph = Graph([Vertex(host.index, host.name) for host in self._hosts])
        places = {vertex: vertex for vertex in range(len(self._hosts))}
        shared: dict[int, list[str]] = {}
        cables: dict[tuple[int, int, float, float], list[str]] = {}
        for cable, bus in self._buses.items():
            shared.setdefault(self._find(bus), []).append(cable)
        for cable, ends in self._ends.items():
            first, second = (self._find(end) for end in ends)
            if first == second:
                shared.setdefault(first, []).append(cable)
        for cable, ends in self._ends.items():
            link = self._links[cable]
            vertices = []
            for end in map(self._find, ends):
                if end not in places:
                    places[end] = len(graph.vertices)
                    graph.vertices.append(Vertex(None, ", ".join(shared.get(end, ()))))
                vertices.append(places[end])
            if vertices[0] != vertices[1]:
                key = (min(vertices), max(vertices), link.bandwidth, link.latency)
                cables.setdefault(key, []).append(_cable(link)[0])
        graph.edges = [Edge(key[:2], key[2], key[3], tuple(names)) for key, names in cables.items()]
        return graph


def _cable(link: Link) -> tuple[str, bool]:
    """The cable of which a link is one direction, and whether it is the direction DOWN; a link that is not split is its
    own cable."""
    for ending, down in (("_UP", False), ("_DOWN", True)):
        if link.name.endswith(ending):
            return link.name.removesuffix(ending), down
    return link.name, False
