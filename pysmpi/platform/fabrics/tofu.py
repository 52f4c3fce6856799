"""Tofu interconnect D of Fugaku."""

from pysmpi.platform.fabrics.fabric import Fabric

__all__ = ["TOFU_D"]

# No table of an OSU benchmark on Tofu D was found. A step of a ring of MPI messages takes 2.5 us, and a large message
# moves 6.1 GB/s of a link's 6.8 (HLC-Lab/pico, Fugaku, 2025); the calls and a cable take 0.3 us of the step. Links in
# several directions move messages at the same time, as the six interfaces of a node do.
TOFU_D = Fabric(
    name="tofu-d",
    short_names=("tofu",),
    meaning="Tofu interconnect D, 6.8 GB/s a link",
    others={
        "smpi/lat-factor": "0:1",
        "smpi/bw-factor": "0:0.9",
        "fabric/latency": "0:2.2e-06:0",
        "network/TCP-gamma": "0",
        "network/crosstraffic": "no",
    },
)
