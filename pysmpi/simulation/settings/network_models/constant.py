"""The network model Constant: every message takes the same time."""

from pysmpi.simulation.settings.network_models.model import PROTOCOL_OPTIONS, NetworkModel

__all__ = ["CONSTANT"]

CONSTANT = NetworkModel(
    name="Constant",
    native="constant",
    meaning="every message takes network/latency-factor seconds, regardless of size and route",
    source="SimGrid 3.32 src/surf/network_constant.cpp",
    options=(*PROTOCOL_OPTIONS, "network/latency-factor"),
    # Seconds per message. SimGrid's manual says one second, but version 3.32 uses the factor of LV08.
    defaults={"network/latency-factor": "13.01"},
    has_flows=False,
    has_links=False,
    not_modelled="neither routes nor sizes nor contention are modelled: every message takes the same time",
    terms=(("latency", "latency", "network/latency-factor: the same for every message"),),
)
