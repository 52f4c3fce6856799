"""Published figures of messages inside a node, which all measured fabrics share."""

from pysmpi.platform.fabrics.measurement import Measurement

__all__ = ["BANDWIDTH", "LATENCY", "LOOPBACK"]

LATENCY = Measurement(
    "osu_latency",
    "mzampar/High_Performance_Computing_2023: ORFEO, two ranks on a socket of a THIN node, Open MPI 4.1.6",
    {1: 0.19, 64: 0.23, 128: 0.33, 1024: 0.54, 4096: 1.20, 8192: 2.04, 16384: 3.17, 65536: 8.44, 131072: 15.1,
     262144: 17.2, 524288: 32.4, 1048576: 68.5},
)  # fmt: skip

LOOPBACK = 10e9
"""Bandwidth of a host's messages to itself in bytes/s, if the platform gives none."""

BANDWIDTH = 16.2e9
"""Bandwidth of large messages between two ranks of a host in bytes/s: 524,288 B in 32.4 us, the most in `LATENCY`."""
