"""What a report of the network tells: how much each link has carried, for how long it held messages back, and who sent
how much to whom."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

import numpy as np
import numpy.typing as npt

__all__ = ["LinkUse", "Matrix", "NetworkUse"]


@dataclass(frozen=True, slots=True)
class LinkUse:
    """What has become of a link's bandwidth.

    Attributes:
        name: of the link, or of one direction of a split one.
        policy: SHARED or FATPIPE.
        bandwidth: bytes per second, as the description says.
        bytes: taken from the bandwidth: those of messages, of their headers, and of the traffic back
            (``network/crosstraffic``).
        saturated: seconds for which it has held messages back, because no more of them fit in.
        held: the same summed over these messages.
        flows: how many messages have crossed it.
    """

    name: str
    policy: str
    bandwidth: float
    bytes: float
    saturated: float
    held: float
    flows: int

    @property
    def sharing(self) -> float:
        """How many messages it has held back at once on average, while it did."""
        return self.held / self.saturated if self.saturated > 0 else 0.0

    def utilisation(self, seconds: float) -> float:
        """Return the part of its bandwidth that was used, on average over so many seconds (above 1 for a FATPIPE)."""
        return self.bytes / self.bandwidth / seconds if seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Matrix:
    """Who has sent how much to whom, the messages included that collectives consist of.

    Attributes:
        bytes: by sender, then by receiver.
        messages: the same.
        ranks_per_row: above 512 ranks so many neighbours share a row and a column.
        ranks: how many there are.
    """

    bytes: npt.NDArray[np.int64] = field(repr=False)
    messages: npt.NDArray[np.int64] = field(repr=False)
    ranks_per_row: int
    ranks: int

    def entries(self) -> Iterator[tuple[int, int, int, int]]:
        """First sender and receiver of each row and column between which something went, messages and bytes."""
        for sender, receiver in np.argwhere(self.messages > 0).tolist():
            yield (
                sender * self.ranks_per_row,
                receiver * self.ranks_per_row,
                int(self.messages[sender, receiver]),
                int(self.bytes[sender, receiver]),
            )


@dataclass(frozen=True, slots=True)
class NetworkUse:
    """How a simulation has used the network.

    Attributes:
        seconds: simulated ones, over which it was observed.
        all_links: how many links the platform has.
        links: those that something has crossed, in the platform's order.
        matrix: who has sent how much to whom.
    """

    seconds: float
    all_links: int
    links: Sequence[LinkUse] = field(repr=False)
    matrix: Matrix

    def bottlenecks(self, most: int = 10) -> list[LinkUse]:
        """Return the links that have held messages back for longest, these first."""
        ordered = sorted((link for link in self.links if link.saturated > 0), key=lambda link: -link.saturated)
        return ordered[:most]

    def write_links(self, file: TextIO) -> None:
        """As CSV: a line for each link that something has crossed."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["link", "policy", "bandwidth", "bytes", "utilisation", "saturated", "held", "flows"])
        for link in self.links:
            writer.writerow([link.name, link.policy, repr(link.bandwidth), repr(link.bytes),
                             repr(link.utilisation(self.seconds)), repr(link.saturated), repr(link.held),
                             link.flows])  # fmt: skip

    def write_matrix(self, file: TextIO) -> None:
        """As CSV: a line for each pair of rows between which something went."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["sender", "receiver", "messages", "bytes"])
        writer.writerows(self.matrix.entries())
