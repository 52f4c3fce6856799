"""Network models, their parameters and the sources of these.

Under SMPI, IB, LV08, CM02 and raw a message is a flow: it takes the latency of its route times a factor, then shares
the links of the route with other flows (weighted max-min fairness). Under Constant and LogGPS a message is a delay,
independent of all other messages. docs/models.md says how to choose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FLOW_MODELS", "MODELS", "NetworkModel"]


@dataclass(frozen=True, slots=True)
class NetworkModel:
    """Value of ``network/model``.

    Attributes:
        name: value as it is written.
        meaning: description in one line.
        source: publications and source files of the model and its parameters.
        defaults: defaults of settings that depend on the model.
        not_modelled: warning for the summary of a run; empty if messages share the network.
    """

    name: str
    meaning: str
    source: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    not_modelled: str = ""


_SMPI_DEFAULTS = {"network/weight-S": "8775"}  # bytes
# Seconds under Constant. SimGrid's manual says one second per message, but 3.32 uses the factor of LV08.
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
            "SMPI, and flows that enter or leave a host at the same time slow each other down as on InfiniBand",
            "Vienne, doctoral thesis, Grenoble 2010; SimGrid 3.32 src/surf/network_ib.cpp",
            _SMPI_DEFAULTS,
        ),
        NetworkModel(
            "LV08",
            "TCP flows in wide-area networks: the factors account for slow start and headers",
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
            "flows exactly as the platform file says: factors of 1 and no weight-S, regardless of other settings",
            "SimGrid's Raw; RR-LIP-2002-40",
            {"network/latency-factor": "1.0", "network/bandwidth-factor": "1.0", "network/weight-S": "0"},
        ),
        NetworkModel(
            "Constant",
            "every message takes network/latency-factor seconds, regardless of size and route",
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
