"""Bisection bandwidth: what can pass between two halves of a machine's hosts, in one direction, in bytes per second.

For clusters the halves are those with the least between them, and the formula is the topology's; for other platforms
they are the first and the second half of the hosts, and the figure is a maximum flow over the links of their routes
(which, by the theorem of Ford and Fulkerson 1956, is the least that must be cut).
"""

import math
from collections.abc import Sequence
from itertools import pairwise, permutations

from pysmpi.errors import PlatformError
from pysmpi.platform.cluster import ClusterDescription
from pysmpi.platform.machine import Host, Platform

__all__ = ["bandwidth_between", "bisection_bandwidth"]

MOST_HOSTS = 64  # whose routes to each other are all looked at
LARGEST_FLOW = 2**30  # of integers that scipy's solver adds up in 32 bits


def bisection_bandwidth(platform: Platform) -> float | None:
    """The bisection bandwidth of a platform.

    Returns:
        Bytes per second; infinite when nothing limits; None when there is no formula and the platform is too large to
        look at all routes, or has one host.
    """
    count = len(platform.hosts)
    if count < 2:
        return None
    if len(platform.clusters) == 1 and platform.clusters[0][1].host_count == count:
        found = _of_cluster(platform.clusters[0][1])
        if found is not None:
            return found
    if count > MOST_HOSTS:
        return None
    hosts = list(platform.hosts)
    return bandwidth_between(platform, hosts[: count // 2], hosts[count // 2 :])


def _of_cluster(cluster: ClusterDescription) -> float | None:
    values, hosts = cluster.shape().values, cluster.host_count
    if cluster.topology == "FLAT":
        bandwidth = min(cluster.bandwidth, cluster.limiter or math.inf)
        whole = cluster.backbone[0] if cluster.backbone and cluster.backbone[2] == "SHARED" else math.inf
        return min(hosts // 2 * bandwidth, whole)
    if cluster.limiter:
        return None
    match cluster.topology:
        case "FAT_TREE":
            cables = _fat_tree(values)
        case "TORUS":
            cables = _torus(values)
        case "DRAGONFLY":
            cables = _dragonfly(values)
        case "DRAGONFLY_PLUS":
            cables = _dragonfly_plus(values)
        case "HYPERX":
            cables = _hyperx(values)
        case "HYPERCUBE":
            cables = hosts / 2
        case "FULL_MESH":
            cables = (hosts // 2) * (hosts - hosts // 2)
        case _:  # Slim Fly: Besta and Hoefler (SC 2014) approximate it with a partitioner
            cables = None
    return None if cables is None else cables * cluster.bandwidth


def _fat_tree(values: Sequence[int]) -> float | None:
    """Half the cables of the narrowest storey (C. E. Leiserson, "Fat-trees", IEEE Transactions on Computers 34, 1985),
    where the top switches have an even number of subtrees."""
    levels = len(values) // 3
    while levels > 1 and values[levels - 1] == 1:  # a level that joins nothing
        levels -= 1
    if values[levels - 1] % 2:
        return None
    storeys = zip(*(values[part * (len(values) // 3) :][:levels] for part in range(3)), strict=True)
    nodes, narrowest = math.prod(values[:levels]), math.inf
    for children, parents, cables in storeys:
        narrowest = min(narrowest, nodes * parents * cables / 2)
        nodes = nodes // children * parents
    return narrowest


def _torus(values: Sequence[int]) -> float | None:
    """Two cuts across the longest dimension (W. J. Dally, B. Towles, "Principles and practices of interconnection
    networks", 2004, section 5.2.1). Of the two cables between hosts of a dimension of two, SimGrid's routing uses
    one."""
    longest = max(values)
    return min(longest // 2, 2) * math.prod(values) / longest if longest % 2 == 0 else None


def _dragonfly(values: Sequence[int]) -> float | None:
    """The links between two halves of the groups (J. Kim et al., ISCA 2008), or what their hosts send, where the links
    inside groups can bring as much to the routers that hold those between groups, and on from there."""
    groups, blue, chassis, black, blades, green, hosts = values
    if groups % 2:
        return None
    across = groups // 2
    rate = min(blue, chassis * blades * hosts / across)
    wide = rate / blades <= green and (chassis == 1 or max(rate, across * rate / blades) / chassis <= black)
    return across * across * rate if wide else None


def _dragonfly_plus(values: Sequence[int]) -> float | None:
    """The same for dragonfly+, where what a spine passes on comes from all leaves of its group."""
    groups, cables, spines, leaves, hosts = values
    if groups % 2:
        return None
    across = groups // 2
    rate = min(cables, leaves * hosts / across)
    ports = -(-cables * (groups - 1) // spines)
    return across * across * rate if ports * rate / cables <= leaves else None


def _hyperx(values: Sequence[int]) -> float | None:
    """The links across the dimension where they are fewest, or what the hosts send (J. H. Ahn et al., SC 2009)."""
    dimensions = len(values) // 2
    sizes, cables, hosts = values[:dimensions], values[dimensions:-1], values[-1]
    switches = math.prod(sizes)
    joined = [(size * width, size) for size, width in zip(sizes, cables, strict=True) if size > 1]
    if not joined:
        return switches * hosts // 2
    narrowest, size = min(joined)
    return min(switches * narrowest / 4, switches * hosts / 2) if size % 2 == 0 else None


def bandwidth_between(platform: Platform, first: Sequence[Host], second: Sequence[Host]) -> float:
    """What can pass from some hosts to others, over all links that routes between any two of them use.

    Returns:
        Bytes per second; infinite when nothing limits.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    # Each link is an edge from one vertex to another; where one link follows another on a route, what is behind the
    # first is joined to what is before the second.
    edges: dict[tuple[int, int], float] = {}
    numbers: dict[int, int] = {}
    source, sink = 0, 1
    starts, ends = {host.index for host in first}, {host.index for host in second}
    for one, other in permutations([*first, *second], 2):
        try:
            links = platform.route(one, other).links
        except PlatformError:  # there is none
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
