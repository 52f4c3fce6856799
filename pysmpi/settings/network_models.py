"""The network models, their parameters and where these come from.

Under SMPI, IB, LV08, CM02 and raw a message is a flow: it pays its route's latency times a factor, then shares the
links of the route with the other flows (weighted max-min fairness). Under Constant and LogGPS it is a delay, which no
other message on the network changes. docs/models.md tells how to choose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FLOW_MODELS", "MODELS", "NetworkModel"]


@dataclass(frozen=True, slots=True)
class NetworkModel:
    """A value of ``network/model``.

    Attributes:
        name: as it is written.
        meaning: one line.
        source: where model and parameters come from.
        defaults: of settings whose default depends on the model.
        not_modelled: what a run's summary warns of; empty when messages do share the network.
    """

    name: str
    meaning: str
    source: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    not_modelled: str = ""


_SMPI_DEFAULTS = {"network/weight-S": "8775"}  # bytes
# Seconds under Constant. SimGrid describes the model as one second a message, but 3.32 leaves the factor at LV08's.
_CONSTANT_DEFAULTS = {"network/latency-factor": "13.01"}

# In the order of the engine (native/engine/options.hpp).
MODELS: dict[str, NetworkModel] = {
    model.name: model
    for model in (
        NetworkModel(
            "SMPI",
            "flows, with factors by message size fitted to MPI ping-pongs; SMPI's default",
            "Clauss et al., IPDPS 2011; factors: SimGrid 3.32 src/simgrid/sg_config.cpp",
            _SMPI_DEFAULTS,
        ),
        NetworkModel(
            "IB",
            "SMPI, and flows that enter or leave a host together slow each other down as InfiniBand does",
            "Vienne, doctoral thesis, Grenoble 2010; SimGrid 3.32 src/surf/network_ib.cpp",
            _SMPI_DEFAULTS,
        ),
        NetworkModel(
            "LV08",
            "flows of TCP in a wide area: slow start in the latency, headers in the bandwidth",
            "Velho and Legrand, SIMUTools 2009; Velho et al., TOMACS 2013 (RR-7821)",
            {"network/latency-factor": "13.01", "network/bandwidth-factor": "0.97", "network/weight-S": "20537"},
        ),
        NetworkModel(
            "CM02",
            "flows without corrections",
            "Casanova and Marchal, RR-LIP-2002-40",
            {"network/latency-factor": "1.0", "network/bandwidth-factor": "1.0", "network/weight-S": "0"},
        ),
        NetworkModel(
            "raw",
            "flows exactly as the platform file says: factors of 1 and no weight-S, whatever else is set",
            "SimGrid's Raw; RR-LIP-2002-40",
            {"network/latency-factor": "1.0", "network/bandwidth-factor": "1.0", "network/weight-S": "0"},
        ),
        NetworkModel(
            "Constant",
            "every message takes network/latency-factor seconds, whatever its size and way",
            "SimGrid 3.32 src/surf/network_constant.cpp",
            _CONSTANT_DEFAULTS,
            "neither routes nor sizes nor contention are modelled: every message takes the same time",
        ),
        NetworkModel(
            "LogGPS",
            "a delay by message size, the same between any two hosts",
            "Culler et al., PPoPP 1993; Alexandrov et al., SPAA 1995; Ino et al., PPoPP 2001; "
            "Hoefler et al., LogGOPSim, HPDC 2010, whose defaults these are",
            {},
            "contention is not modelled: messages that share links or meet at their receiver (an incast) do not "
            "slow each other down, and all hosts are equally far",
        ),
    )
}

FLOW_MODELS = tuple(model.name for model in MODELS.values() if not model.not_modelled)
