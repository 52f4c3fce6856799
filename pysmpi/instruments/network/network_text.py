"""Network report as text for a terminal."""

from pysmpi.instruments.network.network_use import NetworkUse
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted, human_bandwidth, human_bytes, human_seconds

__all__ = ["network_lines"]


def network_lines(network: NetworkUse) -> list[str]:
    """Return lines of text with the numbers of messages and used links, and the links that were saturated longest."""
    sent = int(network.matrix.bytes.sum())
    lines = [
        f"network: {counted(int(network.matrix.messages.sum()), 'message')}, {human_bytes(sent)}; "
        f"{len(network.links):,} of {counted(network.all_links, 'link')} carried traffic"
    ]
    bottlenecks = network.bottlenecks()
    if not bottlenecks:
        return [*lines, "network: no link was saturated"]
    rows = [["saturated for", "of the run", "at once", "used", "carried", "bandwidth", "link"]]
    for link in bottlenecks:
        rows.append(
            [human_seconds(link.saturated), f"{link.saturated / network.seconds:.1%}", f"{link.sharing:.2f}",
             f"{link.utilisation(network.seconds):.1%}", human_bytes(link.bytes), human_bandwidth(link.bandwidth),
             link.name]
        )  # fmt: skip
    return [*lines, "network: links that were saturated longest:", *aligned(rows, range(6), "  ")]
