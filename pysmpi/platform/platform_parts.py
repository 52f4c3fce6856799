"""Parts of a platform: hosts, cables, switches."""

from dataclasses import dataclass

from pysmpi.errors import PlatformError
from pysmpi.platform.graph import find_graph
from pysmpi.platform.machine import Platform
from pysmpi.platform.topology import TOPOLOGIES, shape_of

__all__ = ["Parts", "parts_of"]

_MOST_HOSTS = 256  # limit for platforms whose switches are found from their routes


@dataclass(frozen=True)
class Parts:
    """Numbers of a platform's parts.

    Attributes:
        nodes: number of hosts.
        links: number of cables; a pair of links in opposite directions is one cable.
        switches: number of switches: vertices other than hosts at which cables meet.
    """

    nodes: int
    links: int
    switches: int


def parts_of(platform: Platform) -> Parts:
    """Count a platform's parts.

    The parts of a single cluster come from its description, with one switch in a flat cluster. Cables and switches of
    other platforms are derived from the routes between hosts.

    Raises:
        PlatformError: if the platform has several zones and too many hosts.
    """
    hosts = len(platform.hosts)
    if len(platform.clusters) == 1 and platform.clusters[0][1].host_count == hosts:
        cluster = platform.clusters[0][1]
        shape = shape_of(cluster)
        return Parts(hosts, shape.cables, 1 if TOPOLOGIES[cluster.topology].has_router else shape.switches)
    if hosts > _MOST_HOSTS:
        raise PlatformError(
            f"{platform.source}: cannot count the parts of {hosts} hosts in several zones; the limit is {_MOST_HOSTS} "
            "hosts, or a single cluster of any size"
        )
    graph = find_graph(platform, range(hosts))
    return Parts(hosts, sum(edge.count for edge in graph.edges), len(graph.vertices) - hosts)
