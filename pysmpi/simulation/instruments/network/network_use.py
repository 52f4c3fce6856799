"""Network use of a run: traffic and saturation of each link, and the communication matrix."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TextIO

import numpy as np
import numpy.typing as npt

from pysmpi.simulation.instruments.network.link_use import LinkUse
from pysmpi.simulation.instruments.network.packet_use import PacketDelays

__all__ = ["LinkUse", "Matrix", "NetworkUse"]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Communication matrix: messages and bytes by sender and receiver, including messages inside collectives.

    Attributes:
        bytes: number of bytes sent, (senders, receivers).
        messages: number of messages, (senders, receivers).
        ranks_per_row: number of neighbouring ranks that share a row and a column; 1 for up to 512 ranks.
        ranks: number of ranks.
    """

    bytes: npt.NDArray[np.int64] = field(repr=False)
    messages: npt.NDArray[np.int64] = field(repr=False)
    ranks_per_row: int
    ranks: int

    def entries(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield (sender, receiver, messages, bytes) for each nonzero entry.

        If ranks share rows and columns, sender and receiver are the first ranks of their row and column.
        """
        for sender, receiver in np.argwhere(self.messages > 0).tolist():
            yield (
                sender * self.ranks_per_row,
                receiver * self.ranks_per_row,
                int(self.messages[sender, receiver]),
                int(self.bytes[sender, receiver]),
            )


@dataclass(frozen=True, slots=True)
class NetworkUse:
    """Network use of a simulation.

    Attributes:
        seconds: observed simulated seconds.
        all_links: number of links of the platform.
        links: use of each link with traffic, in platform order; a `PacketLinkUse` each under
            ``network/model:Packets``.
        matrix: communication matrix.
        delays: delays of packets, or None under other models.
    """

    seconds: float
    all_links: int
    links: Sequence[LinkUse] = field(repr=False)
    matrix: Matrix
    delays: PacketDelays | None = None

    @property
    def busiest(self) -> LinkUse | None:
        """Shared link that needs longest for its bytes, or None if no shared link carried any.

        Its time at full bandwidth is a lower bound of the run's time.
        """
        shared = (link for link in self.links if link.policy == "SHARED")
        return max(shared, key=lambda link: link.bytes / link.bandwidth, default=None)

    def bottlenecks(self, most: int = 10) -> list[LinkUse]:
        """Return the links that were saturated longest, at most `most` of them, longest first."""
        ordered = sorted((link for link in self.links if link.saturated > 0), key=lambda link: -link.saturated)
        return ordered[:most]

    def write_links(self, file: TextIO) -> None:
        """Write CSV with one line per link with traffic; for packets, with the attributes of `PacketLinkUse`."""
        writer = csv.writer(file, lineterminator="\n")
        packets = [each.name for each in fields(self.links[0])][len(fields(LinkUse)) :] if self.links else []
        header = ["link", "policy", "bandwidth", "bytes", "utilisation", "saturated", "held", "flows", *packets]
        writer.writerow(header)
        for link in self.links:
            writer.writerow([link.name, link.policy, repr(link.bandwidth), repr(link.bytes),
                             repr(link.utilisation(self.seconds)), repr(link.saturated), repr(link.held),
                             link.flows, *(repr(getattr(link, name)) for name in packets)])  # fmt: skip

    def write_matrix(self, file: TextIO) -> None:
        """Write CSV with one line per nonzero entry of the communication matrix."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["sender", "receiver", "messages", "bytes"])
        writer.writerows(self.matrix.entries())

    def write_delays(self, file: TextIO) -> None:
        """Write CSV with the histogram of packets' delays: the begin of each bin in seconds, and its packets."""
        assert self.delays is not None
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["begin", "packets"])
        writer.writerow(["none", int(self.delays.packets[0])])
        for begin, packets in zip(self.delays.begins[1:].tolist(), self.delays.packets[1:].tolist(), strict=True):
            writer.writerow([repr(begin), packets])

    def write_delays_of_ranks(self, file: TextIO) -> None:
        """Write CSV with one line per pair of ranks whose packets were delayed, summed over packets, in seconds."""
        assert self.delays is not None
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["sender", "receiver", "seconds"])
        for sender, receiver in np.argwhere(self.delays.by_ranks > 0).tolist():
            first = self.matrix.ranks_per_row
            writer.writerow([sender * first, receiver * first, repr(float(self.delays.by_ranks[sender, receiver]))])
