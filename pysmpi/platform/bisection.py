"""Bisection bandwidth: the bandwidth between two halves of a machine's hosts in one direction, in bytes per second.

For a cluster, the halves are chosen so that the bandwidth is least, and each topology has a formula. For another
platform, the halves are the first and the second half of its hosts. The value is then the maximum flow over the links
of their routes, which equals the minimum cut (Ford and Fulkerson 1956).
"""

import math
from collections.abc import Sequence
from itertools import pairwise, permutations

from pysmpi.errors import PlatformError
from pysmpi.platform.machine import Host, Platform
from pysmpi.platform.topology import TOPOLOGIES

__all__ = ["bandwidth_between", "bisection_bandwidth"]

MOST_HOSTS = 64  # largest number of hosts between which all routes are examined
LARGEST_FLOW = 2**30  # scipy's solver adds capacities in 32-bit integers


def bisection_bandwidth(platform: Platform) -> float | None:
    """Return the bisection bandwidth of a platform.

    Returns:
        Bytes per second; infinite if no link limits the flow; None if the platform has one host, or if no formula
        applies and it is too large to examine all routes.
    """
    count = len(platform.hosts)
    if count < 2:
        return None
    if len(platform.clusters) == 1 and platform.clusters[0][1].host_count == count:
        cluster = platform.clusters[0][1]
        found = TOPOLOGIES[cluster.topology].bisection(cluster)
        if found is not None:
            return found
    if count > MOST_HOSTS:
        return None
    hosts = list(platform.hosts)
    return bandwidth_between(platform, hosts[: count // 2], hosts[count // 2 :])


def bandwidth_between(platform: Platform, first: Sequence[Host], second: Sequence[Host]) -> float:
    """Return the maximum flow from some hosts to others, over all links on routes between any two of them.

    Returns:
        Bytes per second; infinite if no link limits the flow.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    # Each link is an edge with its bandwidth between two vertices of its own. Where one link follows another on a
    # route, an infinite edge joins the end of the first to the start of the second.
    edges: dict[tuple[int, int], float] = {}
    numbers: dict[int, int] = {}
    source, sink = 0, 1
    starts, ends = {host.index for host in first}, {host.index for host in second}
    for one, other in permutations([*first, *second], 2):
        try:
            links = platform.route(one, other).links
        except PlatformError:  # no route
            continue
        places = []
        for link in links:
            place = numbers.setdefault(link.index, 2 * len(numbers) + 2)
            edges[place, place + 1] = math.inf if link.policy == "FATPIPE" else link.bandwidth
            places.append(place)
        for before, after in pairwise(places):
            edges[before + 1, after] = math.inf
        if one.index in starts:
            edges[source, places[0]] = math.inf
        if other.index in ends:
            edges[places[-1] + 1, sink] = math.inf
    if not edges:
        return 0.0
    scale = LARGEST_FLOW / max(sum(each for each in edges.values() if each < math.inf), 1.0)
    rows, columns = np.array(list(edges)).T
    limits = np.array([2 * LARGEST_FLOW - 1 if each == math.inf else round(each * scale) for each in edges.values()])
    size = 2 * len(numbers) + 2
    graph = csr_array((limits.astype(np.int32), (rows, columns)), shape=(size, size))
    result = maximum_flow(graph, source, sink)
    residual = csr_array(graph - result.flow)
    residual.eliminate_zeros()
    reached = set(breadth_first_order(residual, source, return_predecessors=False).tolist())
    if sink in reached:
        return math.inf
    return sum(each for (before, after), each in edges.items() if before in reached and after not in reached)
