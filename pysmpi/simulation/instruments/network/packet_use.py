"""Waits of packets in a run under ``network/model:Packets``: by link, as a histogram, and by pair of ranks."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pysmpi.simulation.instruments.network.link_use import LinkUse

__all__ = ["PacketDelays", "PacketLinkUse"]


@dataclass(frozen=True, slots=True)
class PacketLinkUse(LinkUse):
    """Use of a link by packets. Trains of packets count as one packet.

    For packets, `saturated` is the time in which a packet crossed the link while others waited for it, and `held` the
    time that packets waited for the link, summed over packets. A wait begins when the packet's head arrives and ends
    when it begins to cross the link. Packets of one host wait for each other at its own link in any network, so such
    waits count only while that link is idle. `flows` is the number of packets.

    Attributes:
        longest: longest wait of a packet for the link, in seconds.
        stalled: seconds in which packets waited for the link but none crossed it, because the buffer behind it had no
            room.
        head_of_line: seconds in which the first packet of a virtual channel waited for room in the buffer behind the
            link although the link that it needed next was idle.
        caused: seconds for which other links stalled because of this link, the root of their congestion tree.
    """

    longest: float
    stalled: float
    head_of_line: float
    caused: float

    @property
    def sharing(self) -> float:
        """Mean number of packets that waited while the link was saturated or stalled."""
        seconds = self.saturated + self.stalled
        return self.held / seconds if seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class PacketDelays:
    """Delays of packets. A packet's delay is the sum of its waits at all links of its way.

    Attributes:
        begins: begin of each bin of the histogram in seconds. The first bin counts packets without delay.
        packets: number of packets in each bin, which ends where the next begins.
        by_ranks: delays in seconds by row of the sender and column of the receiver, summed over packets. Rows and
            columns are those of the communication matrix.
    """

    begins: npt.NDArray[np.float64] = field(repr=False)
    packets: npt.NDArray[np.uint64] = field(repr=False)
    by_ranks: npt.NDArray[np.float64] = field(repr=False)

    @property
    def mean(self) -> float:
        """Mean delay of a packet in seconds."""
        return float(self.by_ranks.sum() / max(int(self.packets.sum()), 1))

    def share(self, begin: float, end: float = float("inf")) -> float:
        """Return the share of packets with a delay above 0, of at least `begin` and below `end` seconds.

        Both are begins of bins, such as 20e-6, or infinity.
        """
        inside = (self.begins >= begin * (1 - 1e-9)) & (self.begins < end * (1 - 1e-9))
        inside[0] = False
        return float(self.packets[inside].sum() / max(int(self.packets.sum()), 1))

    @property
    def share_without(self) -> float:
        """Share of packets without delay."""
        return float(self.packets[0] / max(int(self.packets.sum()), 1))
