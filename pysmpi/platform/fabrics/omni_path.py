"""Omni-Path."""

from pysmpi.platform.fabrics.fabric import Fabric
from pysmpi.platform.fabrics.measurement import Measurement, column

__all__ = ["OMNI_PATH"]

_PI = "documentation of SJTU HPC, OSU Benchmarks: Pi 2.0, Xeon Gold 6248, Open MPI 4.0.5, OSU 5.7.1"

OMNI_PATH = Fabric(
    name="omni-path",
    short_names=("opa",),
    meaning="Omni-Path, 100 Gb/s",
    bandwidth=12.5e9,
    latency=5.5e-8,
    message_rate=1.6e8,
    measurements=(
        Measurement(
            "osu_latency",
            _PI,
            column(
                "1.34 1.29 1.25 1.24 1.59 1.59 1.50 1.51 1.56 1.63 1.79 2.11 2.71 3.98 9.11 12.15 23.43 32.53 "
                "44.96 65.61 109.06 199.42 393.98"
            ),
        ),
        Measurement(
            "osu_bw",
            _PI + " (osu_mbw_mr, one pair)",
            column(
                "1.45 2.91 7.50 14.89 29.09 65.96 130.36 270.56 586.45 1108.22 1934.49 3082.52 4380.14 6035.57 "
                "4511.71 6618.96 9373.92 11988.77 12119.05 12193.54 12226.86 12140.43 12108.15"
            ),
        ),
    ),
)
