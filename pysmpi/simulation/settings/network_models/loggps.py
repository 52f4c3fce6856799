"""The network model LogGPS: a delay that depends on the size of the message."""

from collections.abc import Callable, Iterator
from typing import Any

from pysmpi.simulation.settings.network_models.model import PROTOCOL_OPTIONS, EngineValue, NetworkModel

__all__ = ["LOGGPS"]


def _protocol(setting: Callable[[str], Any]) -> Iterator[tuple[str, EngineValue]]:
    """Yield name and value of SMPI's options for overheads and thresholds, computed from the options of LogGPS.

    The overhead at either end of a message of k bytes is o + (k - 1) O, where o and O are the options ``loggps/o`` and
    ``loggps/O``.
    """
    overhead, per_byte = setting("loggps/o"), setting("loggps/O")
    for name in PROTOCOL_OPTIONS:
        if name.endswith("-thresh"):
            yield name, setting("loggps/S") + 1
        else:
            yield name, [(0.0, overhead, 0.0), (0.0, overhead - per_byte, per_byte)]
    yield "overhead-always", 1.0


LOGGPS = NetworkModel(
    name="LogGPS",
    native="LogGPS",
    meaning="a delay by message size, the same between any two hosts",
    source="Culler et al., PPoPP 1993; Alexandrov et al., SPAA 1995; Ino et al., PPoPP 2001; "
    "Hoefler et al., LogGOPSim, HPDC 2010, whose defaults these are",
    options=("loggps/L", "loggps/o", "loggps/O", "loggps/g", "loggps/G", "loggps/S"),
    engine_values=_protocol,
    has_flows=False,
    has_links=False,
    not_modelled="contention is not modelled: messages that share links or meet at their receiver (an incast) do not "
    "slow each other down, and all hosts are equally far",
    terms=(
        ("handshake", "handshake", "a request and a reply of loggps/L each, above loggps/S bytes"),
        ("latency", "latency", "loggps/L"),
        ("bytes", "transfer", "loggps/G for each after the first"),
    ),
    held_by="loggps/G",
    overheads="loggps/o, loggps/O",
)
