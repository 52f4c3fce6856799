"""The network model CM02: flows without correction factors."""

from dataclasses import replace

from pysmpi.simulation.settings.network_models.lv08 import LV08

__all__ = ["CM02"]

CM02 = replace(
    LV08,
    name="CM02",
    meaning="flows without corrections",
    source="Casanova and Marchal, RR-LIP-2002-40",
    defaults={"network/latency-factor": "1.0", "network/bandwidth-factor": "1.0", "network/weight-S": "0"},
)
