"""The network model SMPI: flows with factors by message size, fitted to MPI ping-pongs."""

from pysmpi.simulation.settings.network_models.model import FLOW_OPTIONS, PROTOCOL_OPTIONS, NetworkModel

__all__ = ["BANDWIDTH_FACTOR", "LATENCY_FACTOR", "SMPI"]

# Factors by message size, of the options smpi/bw-factor and smpi/lat-factor.
BANDWIDTH_FACTOR = (
    "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;1426:0.608902;732:0.341987;257:0.338112;"
    "0:0.812084"
)
LATENCY_FACTOR = (
    "65472:11.6436;15424:3.48845;9376:2.59299;5776:2.18796;3484:1.88101;1426:1.61075;732:1.9503;257:1.95341;0:2.01467"
)

SMPI = NetworkModel(
    name="SMPI",
    native="flows",
    meaning="flows, with factors by message size fitted to MPI ping-pongs; SMPI's default",
    source="Clauss et al., IPDPS 2011; factors: SimGrid 3.32 src/simgrid/sg_config.cpp",
    options=(
        *FLOW_OPTIONS,
        *PROTOCOL_OPTIONS,
        "network/weight-S",
        "smpi/bw-factor",
        "smpi/lat-factor",
        "fabric/latency",
        "fabric/exchange-latency",
        "fabric/opposite-bandwidth",
        "fabric/loopback-latency",
        "smpi/loopback-bw-factor",
        "smpi/loopback-lat-factor",
    ),
    defaults={"network/weight-S": "8775"},  # bytes
    factors=("smpi/lat-factor", "smpi/bw-factor"),
)
