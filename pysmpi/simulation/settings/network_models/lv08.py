"""The network model LV08: TCP flows in wide-area networks."""

from pysmpi.simulation.settings.network_models.model import FLOW_OPTIONS, PROTOCOL_OPTIONS, NetworkModel

__all__ = ["LV08"]

LV08 = NetworkModel(
    name="LV08",
    native="flows",
    meaning="TCP flows in wide-area networks: the factors account for slow start and headers",
    source="Velho and Legrand, SIMUTools 2009; Velho et al., TOMACS 2013 (RR-7821)",
    options=(
        *FLOW_OPTIONS,
        *PROTOCOL_OPTIONS,
        "network/weight-S",
        "network/latency-factor",
        "network/bandwidth-factor",
    ),
    defaults={"network/latency-factor": "13.01", "network/bandwidth-factor": "0.97", "network/weight-S": "20537"},
)
