"""Growth of platforms: the same kind of cluster with more or fewer hosts, for what-if runs such as ``nodes*2``."""

from dataclasses import replace
from fractions import Fraction

from pysmpi.errors import PlatformError
from pysmpi.platform.builder import Builder
from pysmpi.platform.cluster import Radical
from pysmpi.platform.cluster_spec import from_text
from pysmpi.platform.machine import Platform
from pysmpi.platform.topology import TOPOLOGIES, shape_of

__all__ = ["grown"]


def grown(platform: Platform, factor: Fraction) -> Platform:
    """Return a platform of the same kind with `factor` times as many hosts.

    The topology decides where hosts are added or removed (`pysmpi.platform.topologies.ClusterOfHosts.grown`). Hosts,
    cables and settings are like those of `platform`; the numbers in the names of new hosts follow the largest one.

    Raises:
        PlatformError: the platform is not one cluster, or its topology has no cluster of that size.
    """
    switch = f"nodes*{float(factor):g}"
    if reason := _reason_against(platform):
        raise PlatformError(
            f"{switch}: {platform.source}: {reason}; only a platform that consists of one cluster can grow, such as "
            "flat:16 or a file with one <cluster>"
        )
    ((_, cluster),) = platform.clusters
    parameters = cluster.parameters or str(cluster.host_count)
    try:
        other = from_text(f"{TOPOLOGIES[cluster.topology].short_name}:{parameters}").grown(factor)
    except PlatformError as error:
        raise PlatformError(f"{switch}: {platform.source}: {error}") from None
    builder = Builder()
    *outer, _ = platform.zones
    for zone in outer:
        builder.begin_zone(zone.name, zone.routing)
    radical = _resized(cluster.radical, other.host_count())
    builder.add_cluster(replace(cluster, radical=radical, parameters=other.parameters()))
    for zone in reversed(outer):
        builder.end_zone(zone.properties)
    return builder.finish(f"{platform.source} with {switch}", platform.config, platform.config_places)


def _reason_against(platform: Platform) -> str:
    """Return the reason why a platform cannot grow, or an empty text."""
    clusters = [cluster for _, cluster in platform.clusters]
    if len(clusters) != 1:
        return f"it has {len(clusters)} clusters" if clusters else "it describes each host by itself"
    if len(platform.hosts) > clusters[0].host_count:
        return "it has hosts beside its cluster"
    if [zone.parent for zone in platform.zones] != [None, *(zone.name for zone in platform.zones[:-1])]:
        return "it has zones beside its cluster"
    if len(platform.links) > clusters[0].link_count(shape_of(clusters[0])):
        return "it has links beside its cluster"
    if platform.changes:
        return f"a profile changes {platform.changes[0].name!r} by its name, and new hosts have none"
    return ""


def _resized(radical: Radical, hosts: int) -> Radical:
    """Return the first `hosts` numbers of a radical (a list of host numbers such as ``0-7,9``), followed by larger ones
    if it has fewer."""
    resized: Radical = []
    for first, count in radical:
        if hosts > 0:
            resized.append((first, min(count, hosts)))
            hosts -= count
    return resized if hosts <= 0 else [*resized, (max(first + count for first, count in radical), hosts)]
