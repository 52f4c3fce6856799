"""Profile of a run: the ranks' simulated time by category and source line, and the critical path.

Every second of a rank belongs to one category and one source line, so that the seconds add up to the rank's end.
Computation belongs to the source line of the MPI call that follows it. A wait belongs to the line that waits. It is
divided at the time when the other side posts its part of the message: before, the rank waits for its peer; afterwards,
for the network. If a call waits for several requests, the wait belongs to the one that completes last. docs/profile.md
explains more.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pysmpi.simulation.instruments.profile.categories import CATEGORIES, COMPUTATION
from pysmpi.simulation.instruments.timeline.overview import Overview

__all__ = ["LinkWait", "PathStep", "PeerWait", "PlaceTime", "Profile"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class PlaceTime:
    """Times of one source line of the program, summed over ranks.

    Attributes:
        place: ``file:line``, or empty for time outside any line, such as the time after the last call.
        ranks: number of ranks that executed the line.
        calls: number of calls of MPI functions.
        messages: number of messages sent, including messages inside collectives.
        bytes: bytes of these messages.
        seconds: simulated seconds by category, in the order of `CATEGORIES`.
        longest: simulated seconds of the rank that spent most time in this line.
        longest_rank: number of that rank.
    """

    place: str
    ranks: int
    calls: int
    messages: int
    bytes: int
    seconds: tuple[float, ...]
    longest: float
    longest_rank: int

    @property
    def total(self) -> float:
        """Seconds in the source line, all categories together."""
        return sum(self.seconds)


@dataclass(frozen=True, slots=True)
class PeerWait:
    """Waiting time of calls in one source line for peers that had not yet made the matching call.

    Attributes:
        place: source line that waits, as ``file:line``.
        awaited: source line in which the peer then posted its part of the message.
        what: operation that waits: "receive" (for a late sender), "send" (for a late receiver) or "collective".
        seconds: sum of all waits in seconds.
        count: number of waits.
        longest: longest wait in seconds.
        waiting_rank: rank of the longest wait.
        awaited_rank: peer of the longest wait.
        first_rank: least rank that waited.
        last_rank: greatest rank that waited.
    """

    place: str
    awaited: str
    what: str
    seconds: float
    count: int
    longest: float
    waiting_rank: int
    awaited_rank: int
    first_rank: int
    last_rank: int


@dataclass(frozen=True, slots=True)
class LinkWait:
    """Waiting time of calls in one source line for messages delayed mainly by one link.

    Attributes:
        place: source line that waits, as ``file:line``.
        link: name of the link.
        seconds: sum of all waits in seconds.
        count: number of waits.
        longest: longest wait in seconds.
        waiting_rank: rank of the longest wait.
        first_rank: least rank that waited.
        last_rank: greatest rank that waited.
    """

    place: str
    link: str
    seconds: float
    count: int
    longest: float
    waiting_rank: int
    first_rank: int
    last_rank: int


@dataclass(frozen=True, slots=True)
class PathStep:
    """Time of one source line on the critical path, in seconds by kind in the order of `PATH_KINDS`."""

    place: str
    seconds: tuple[float, ...]

    @property
    def total(self) -> float:
        """Seconds of the source line on the critical path, all kinds together."""
        return sum(self.seconds)


@dataclass(frozen=True)
class Profile:
    """Profile of a simulation.

    Attributes:
        hosts: host name of each rank.
        begun: start of each rank in seconds; 0 except for spawned ranks.
        ended: end or failure of each rank in seconds.
        caused: seconds that other ranks waited for each rank.
        seconds: seconds, (ranks, categories) in the order of `CATEGORIES`.
        places: times of source lines, longest first.
        by_rank: structured array with one entry per rank and source line: ``rank``, ``place`` (an index into `texts`),
            ``calls``, ``messages``, ``bytes``, and ``seconds`` by category, in order of first execution.
        texts: source lines by index; the first one is empty.
        peer_waits: waits for peers, longest first.
        link_waits: waits for links, longest first.
        critical_path: source lines on the critical path, longest first; they add up to the end of the last rank.
        overview: activity of the ranks over time.
    """

    hosts: tuple[str, ...] = field(repr=False)
    begun: Array = field(repr=False)
    ended: Array = field(repr=False)
    caused: Array = field(repr=False)
    seconds: Array = field(repr=False)
    places: tuple[PlaceTime, ...]
    by_rank: Array = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    peer_waits: tuple[PeerWait, ...]
    link_waits: tuple[LinkWait, ...]
    critical_path: tuple[PathStep, ...]
    overview: Overview

    @cached_property
    def computation(self) -> Array:
        """Seconds of computation, by rank."""
        return np.asarray(self.seconds[:, COMPUTATION].sum(axis=1))

    @property
    def total(self) -> float:
        """Simulated seconds of all ranks together, in all categories."""
        return float(self.seconds.sum())

    @property
    def shares(self) -> dict[str, float]:
        """Part of all ranks' time by category, adding up to 1; empty if no time has passed."""
        total = self.total
        return dict(zip(CATEGORIES, (self.seconds.sum(axis=0) / total).tolist(), strict=True)) if total > 0 else {}

    @property
    def imbalance(self) -> float:
        """Load imbalance of computation: maximum over ranks divided by mean, minus 1; 0 for perfect balance.

        The definition is that of Pearce et al., "Quantifying the effectiveness of load balance algorithms" (ICS 2012).
        """
        mean = float(self.computation.mean()) if self.computation.size else 0.0
        return float(self.computation.max()) / mean - 1 if mean > 0 else 0.0
