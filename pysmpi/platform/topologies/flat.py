"""Flat clusters: each host has a cable to one switch."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform.argument_units import Quantity, optional_bandwidth_of, time_of
from pysmpi.platform.cluster import ClusterDescription
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, multiplied
from pysmpi.platform.topology import Shape
from pysmpi.platform.units import parse_whole_number

__all__ = ["Cluster"]


@dataclass(frozen=True)
class Cluster(ClusterOfHosts):
    """Hosts on one switch, each with a separate cable. The parameters ``backbone_…`` describe a link inside the
    switch that all messages cross."""

    topology = "FLAT"
    short_name = "flat"
    example = "64"
    spec_settings = ("backbone_bandwidth", "backbone_latency", "backbone_policy", "router")
    in_simgrid = True
    has_router = True

    hosts: int
    """Number of hosts."""
    backbone_bandwidth: Quantity | None = field(default=None, kw_only=True)
    """Bandwidth of the backbone, the link that all messages cross, in bytes/s, or None for a switch without a limit."""
    backbone_latency: Quantity = field(default=0.0, kw_only=True)
    """Latency of the backbone in seconds."""
    backbone_policy: str = field(default="SHARED", kw_only=True)
    """SHARED, or FATPIPE if each message may use the whole bandwidth of the backbone."""
    router: str = field(default="", kw_only=True)
    """Name of the router that joins the cluster to other zones (parts of a platform); by default prefix + name +
    ``_router`` + suffix."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        hosts = parse_whole_number(text, f"{what}: host count", 1)
        return Shape((), (hosts,), hosts)

    @classmethod
    def shape_of(cls, cluster: ClusterDescription) -> Shape:
        return Shape((), (cluster.host_count,), cluster.host_count)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        return cls(cls.parse(text, what).hosts, **settings)

    @classmethod
    def bisection(cls, cluster: ClusterDescription) -> float | None:
        bandwidth = min(cluster.bandwidth, cluster.limiter or math.inf)
        whole = cluster.backbone[0] if cluster.backbone and cluster.backbone[2] == "SHARED" else math.inf
        return min(cluster.host_count // 2 * bandwidth, whole)

    def grown(self, factor: Fraction) -> Self:
        return replace(self, hosts=multiplied(self.hosts, factor, "hosts"))

    def parameters(self) -> str:
        return ""

    def host_count(self) -> int:
        return self._count("hosts")

    def description(self) -> ClusterDescription:
        what = f"of Cluster {self.name!r}"
        cluster = super().description()
        bandwidth = optional_bandwidth_of(self.backbone_bandwidth, f"backbone_bandwidth {what}")
        latency = time_of(self.backbone_latency, f"backbone_latency {what}")
        if latency > 0 and bandwidth == 0:
            raise PlatformError(f"backbone_latency {what} is given without a backbone_bandwidth")
        if self.backbone_policy not in ("SHARED", "FATPIPE"):
            raise PlatformError(unknown(f"backbone_policy {what}", self.backbone_policy, ("SHARED", "FATPIPE")))
        cluster.backbone = (bandwidth, latency, self.backbone_policy) if bandwidth else None
        cluster.router = self.router
        return cluster
