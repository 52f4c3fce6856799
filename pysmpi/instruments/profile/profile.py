"""What a profile tells: where the ranks' simulated time went, place by place in the program, and why the run took so
long.

Every second of a rank belongs to one category and one place, so that they add up to the rank's end. Computation belongs
to the call that ends it. A wait belongs to the place that waits; it is divided where the other side has posted its part
of the message: until then the rank waited for its peer, from then on for the network. Of several requests that which
came last is the one that was waited for. docs/profile.md tells more.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pysmpi.instruments.profile.categories import CATEGORIES, COMPUTATION
from pysmpi.instruments.timeline.overview import Overview

__all__ = ["LinkWait", "PathStep", "PeerWait", "PlaceTime", "Profile"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class PlaceTime:
    """A place of the program, summed over ranks.

    Attributes:
        place: ``file:line``; empty for what no line of the program calls, such as what comes after its last call.
        ranks: how many ranks have been there.
        calls: of MPI functions.
        messages: that were sent, those inside collectives included.
        bytes: of these.
        seconds: simulated ones, in the order of `CATEGORIES`.
        longest: seconds of the rank that spent most here, and `longest_rank` which that is.
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
        """Seconds in all categories."""
        return sum(self.seconds)


@dataclass(frozen=True, slots=True)
class PeerWait:
    """How long calls of one place have waited for the other side, which had yet to call from another place.

    Attributes:
        place: where ranks waited.
        awaited: where the other side then posted its part of the message.
        what: "receive" (of a late sender), "send" (for a late receiver) or "collective".
        seconds: all together; `count` of them, the `longest` one in rank `waiting_rank` for rank `awaited_rank`.
        first_rank: the ranks that waited are among those from this one to `last_rank`.
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
    """How long calls of one place have waited for messages that a link held back most of the time.

    Attributes:
        place: where ranks waited.
        link: the link's name.
        seconds: all together; `count` of them, the `longest` one in rank `waiting_rank`.
        first_rank: the ranks that waited are among those from this one to `last_rank`.
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
    """What a place has had of the critical path: seconds in the order of `PATH_KINDS`."""

    place: str
    seconds: tuple[float, ...]

    @property
    def total(self) -> float:
        """Seconds."""
        return sum(self.seconds)


@dataclass(frozen=True)
class Profile:
    """Where the time of a simulation went.

    Attributes:
        hosts: each rank's, by name.
        begun, ended: seconds, by rank: 0 but for spawned ranks; ended also tells when a rank failed.
        caused: seconds that other ranks have waited for this one, by rank.
        seconds: by rank and category (`CATEGORIES`).
        places: the places of the program, the one that took most first.
        by_rank: for each rank and place: arrays ``rank`` and ``place`` (an index into `texts`), ``calls``,
            ``messages``, ``bytes``, and ``seconds`` by category; in the order in which ranks came there.
        texts: places by their number; the first one is empty.
        peer_waits, link_waits: who waited for whom, and for which link, the longest first.
        critical_path: the places on it, the one that has most of it first. They add up to the end of the last rank.
        overview: what the ranks did when.
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
        """Seconds of all ranks together."""
        return float(self.seconds.sum())

    @property
    def shares(self) -> dict[str, float]:
        """Of all ranks' time, by category; they add up to 1. Empty where no time has passed."""
        total = self.total
        return dict(zip(CATEGORIES, (self.seconds.sum(axis=0) / total).tolist(), strict=True)) if total > 0 else {}

    @property
    def imbalance(self) -> float:
        """How much longer the rank that computes most does so than the mean of all: 0 when all are alike.

        As in Pearce et al., "Quantifying the effectiveness of load balance algorithms" (ICS 2012): max / mean - 1.
        """
        mean = float(self.computation.mean()) if self.computation.size else 0.0
        return float(self.computation.max()) / mean - 1 if mean > 0 else 0.0
