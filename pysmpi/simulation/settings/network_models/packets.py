"""The network model Packets: packets in a lossless network with finite buffers."""

from collections.abc import Callable
from typing import Any

from pysmpi.simulation.settings.network_models.model import PROTOCOL_OPTIONS, NetworkModel

__all__ = ["PACKETS"]


def contradiction(value: Callable[[str], Any]) -> str:
    """Return an error text if a buffer is too small for a packet, or for a train of packets that move as one."""
    size, packets, buffer = value("packets/size"), value("packets/train") or 1, value("packets/buffer")
    if size * packets <= buffer:
        return ""
    whole = "a packet" if packets == 1 else f"a train of {packets:.0f} packets (packets/train)"
    return f"packets/buffer is {buffer:.0f} bytes, less than {whole} of {size:.0f} bytes (packets/size)"


PACKETS = NetworkModel(
    name="Packets",
    native="packets",
    meaning="packets that queue for cables and for room in buffers; what waits for a full cable holds up others",
    source="Kermani and Kleinrock, Computer Networks 3, 1979; Dally, IEEE TPDS 3(2), 1992; Dally and Towles, "
    "Principles and Practices of Interconnection Networks, 2004",
    options=(
        "packets/size",
        "packets/buffer",
        "packets/injection",
        "packets/bypass",
        "packets/train",
        "platform/routing",
        "network/loopback-bw",
        "network/loopback-lat",
        *PROTOCOL_OPTIONS,
    ),
    contradiction=contradiction,
    has_flows=False,
    has_links=True,
    terms=(
        ("latency", "latency", "of all links"),
        ("bytes", "transfer", "on the narrowest link, and waiting for room in its buffers (packets/buffer)"),
    ),
)
