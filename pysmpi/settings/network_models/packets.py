"""The network model Packets: packets in a lossless network with finite buffers."""

from pysmpi.settings.network_models.model import PROTOCOL_OPTIONS, NetworkModel

__all__ = ["PACKETS"]

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
    has_flows=False,
    has_links=True,
    terms=(
        ("latency", "latency", "of all links"),
        ("bytes", "transfer", "on the narrowest link, and waiting for room in its buffers (packets/buffer)"),
    ),
)
