"""Cables of clusters: the values that a description gives, else those of the fabric, else pysmpi's defaults.

`with_cables` applies to all forms of a cluster (one word, Python class, platform file), and to all ways to name a
fabric.

>>> FatTree([4, 4], [1, 2], fabric="infiniband-hdr")  # cables of 25 GB/s and 70 ns
>>> FatTree([4, 4], [1, 2], fabric="infiniband-hdr", bandwidth="10GBps")  # 10 GB/s and 70 ns
>>> simulate(program, platform=FatTree([4, 4], [1, 2]), fabric="omni-path")  # 12.5 GB/s, latency of Omni-Path
"""

from dataclasses import replace

from pysmpi.platform.cluster import ClusterDescription
from pysmpi.platform.fabrics import Fabric, find_fabric
from pysmpi.platform.units import parse_time

__all__ = ["fabric_of", "with_cables"]

BANDWIDTH = 12.5e9
"""Bandwidth of a cable in bytes/s if neither the description nor a fabric gives one."""
LATENCY = parse_time("150ns", "latency")
"""Latency of a cable in seconds if neither the description nor a fabric gives one.

It is parsed like a platform file, because 150 times 1e-9 is not 1.5e-7 in floating point.
"""
LOOPBACK_LATENCY = parse_time("200ns", "loopback_latency")
"""Latency of a host's messages to itself in seconds, unless the fabric's latency inside a host contains it."""


def fabric_of(cluster: ClusterDescription) -> Fabric | None:
    """Return the fabric that a cluster names in its property ``fabric``, or None.

    Raises:
        PlatformError: the name is unknown.
    """
    name = cluster.properties.get("fabric")
    return None if name is None else find_fabric(name, f"fabric of cluster {cluster.name!r}")


def with_cables(cluster: ClusterDescription, chosen: Fabric | None = None) -> ClusterDescription:
    """Return the cluster with bandwidth and latencies of cables filled in where its description gives none.

    Args:
        cluster: the cluster; `ClusterDescription.from_fabric` names these values.
        chosen: fabric chosen for the simulation, or None for the cluster's own. If the chosen fabric has no cables of
            its own, as ``neutral``, the cluster keeps its cables.
    """
    if not cluster.from_fabric:
        return cluster
    fabrics = [fabric for fabric in (chosen, fabric_of(cluster)) if fabric is not None]
    cables = next((fabric for fabric in fabrics if fabric.bandwidth is not None), None)
    bandwidth, latency, loopback = cluster.bandwidth, cluster.latency, cluster.loopback
    if "bandwidth" in cluster.from_fabric:
        bandwidth = BANDWIDTH if cables is None or cables.bandwidth is None else cables.bandwidth
    if "latency" in cluster.from_fabric:
        latency = LATENCY if cables is None or cables.latency is None else cables.latency
    if "loopback_latency" in cluster.from_fabric and loopback is not None:
        contained = any("fabric/loopback-latency" in fabric.settings for fabric in fabrics)
        loopback = loopback[0], 0.0 if contained else LOOPBACK_LATENCY
    return replace(cluster, bandwidth=bandwidth, latency=latency, loopback=loopback)
