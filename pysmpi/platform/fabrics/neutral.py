"""The neutral fabric: messages have the platform's latencies and bandwidths, without correction factors."""

from pysmpi.platform.fabrics.fabric import Fabric

__all__ = ["NEUTRAL"]

NEUTRAL = Fabric(
    name="neutral",
    meaning="factors of 1: latency and bandwidth as the platform says; overheads of the MPI library",
    others={
        "smpi/lat-factor": "0:1",
        "smpi/bw-factor": "0:1",
        "network/TCP-gamma": "0",
        "network/crosstraffic": "no",
    },
)
