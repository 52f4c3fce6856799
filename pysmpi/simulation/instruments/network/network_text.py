"""Network report as text for a terminal."""

from pysmpi.simulation.instruments.network.network_use import NetworkUse
from pysmpi.simulation.instruments.network.packet_use import PacketDelays, PacketLinkUse
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted, human_bandwidth, human_bytes, human_seconds

__all__ = ["network_lines"]

_MOST = 10  # largest number of rows of a table


def network_lines(network: NetworkUse) -> list[str]:
    """Return lines of text: messages and used links, the busiest link, delays of packets, the most congested links."""
    sent = int(network.matrix.bytes.sum())
    lines = [
        f"network: {counted(int(network.matrix.messages.sum()), 'message')}, {human_bytes(sent)}; "
        f"{len(network.links):,} of {counted(network.all_links, 'link')} carried traffic"
    ]
    if (busiest := network.busiest) is not None and busiest.bytes > 0:
        floor = busiest.bytes / busiest.bandwidth
        lines.append(
            f"network: the busiest link, {busiest.name}, needs {human_seconds(floor)} for its "
            f"{human_bytes(busiest.bytes)}; the run took {network.seconds / floor:.2f} times as long"
        )
    if network.delays is not None:
        lines.append(f"network: {_delays(network.delays)}")
    bottlenecks = network.bottlenecks()
    if bottlenecks:
        rows = [["saturated for", "of the run", "at once", "used", "carried", "bandwidth", "link"]]
        for link in bottlenecks:
            rows.append(
                [human_seconds(link.saturated), f"{link.saturated / network.seconds:.1%}", f"{link.sharing:.2f}",
                 f"{link.utilisation(network.seconds):.1%}", human_bytes(link.bytes), human_bandwidth(link.bandwidth),
                 link.name]
            )  # fmt: skip
        lines += ["network: links that were saturated longest:", *aligned(rows, range(6), "  ")]
    else:
        lines.append("network: no link was saturated")
    return lines + _congestion(network)


def _delays(delays: PacketDelays) -> str:
    """Return the histogram of delays in few words, by powers of ten."""
    packets = counted(int(delays.packets.sum()), "packet")
    parts = [f"{delays.share_without:.1%} none"]
    for power in range(-6, 1):
        share = delays.share(0.0 if power == -6 else 10.0 ** (power - 1), 10.0**power)
        if share > 0:
            parts.append(f"{share:.1%} below {human_seconds(10.0**power)}")
    if (share := delays.share(1.0)) > 0:
        parts.append(f"{share:.1%} longer")
    return f"delays of {packets}: mean {human_seconds(delays.mean)}; {', '.join(parts)}"


def _congestion(network: NetworkUse) -> list[str]:
    """Return the links that stalled longest, and the roots of the stalls."""
    links = [link for link in network.links if isinstance(link, PacketLinkUse)]
    stalled = sorted((link for link in links if link.stalled > 0), key=lambda link: -link.stalled)[:_MOST]
    if not stalled:
        return []
    rows = [["stalled for", "of the run", "head of line", "longest wait", "used", "link"]]
    for link in stalled:
        rows.append(
            [human_seconds(link.stalled), f"{link.stalled / network.seconds:.1%}", human_seconds(link.head_of_line),
             human_seconds(link.longest), f"{link.utilisation(network.seconds):.1%}", link.name]
        )  # fmt: skip
    lines = ["network: links that were idle longest because the buffer behind them was full:"]
    lines += aligned(rows, range(5), "  ")
    everything = sum(link.caused for link in links)
    roots = sorted((link for link in links if link.caused > 0), key=lambda link: -link.caused)[:_MOST]
    rows = [["stalls caused", "of all", "used", "link"]]
    for link in roots:
        rows.append(
            [human_seconds(link.caused), f"{link.caused / everything:.1%}", f"{link.utilisation(network.seconds):.1%}",
             link.name]
        )  # fmt: skip
    return [
        *lines,
        "network: roots of the congestion (other links stalled because of these):",
        *aligned(rows, range(3), "  "),
    ]
