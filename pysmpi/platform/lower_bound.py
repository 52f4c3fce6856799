"""Lower bounds of communication times: the bytes that messages put on each link, without simulating them."""

import math

import numpy as np
import numpy.typing as npt

from pysmpi.errors import PlatformError
from pysmpi.platform.machine import Link, Platform

__all__ = ["LowerBound"]

_AT_ONCE = 2**20  # number of messages whose broadcast arrays are in memory at the same time


class LowerBound:
    """Bytes of a set of messages by link, and the seconds that the busiest link needs for its bytes.

    A link passes at most its bandwidth, so no network model in which messages share links delivers the messages
    sooner. The ratio of a simulated time to this lower bound shows what congestion, latencies and the order of the
    messages cost. FATPIPE links give each message their whole bandwidth, so none is the busiest link. Under ``ugal``,
    ``ugal-l`` and ``ugal-sst7``, only those links count that all routes of a message have in common, such as the cables
    of its hosts.

    >>> bound = LowerBound(read("torus:25,25,25/25"))
    >>> bound.add(sources, destinations, 34e3)  # may be called several times: the messages add up
    >>> bound.seconds, bound.busiest.name, bound.link_bytes.max()

    Args:
        platform: the machine. Routes are those of its current routing (`Platform.choose_routes`).
        draws: number of routes among which each message is divided evenly if its routing draws them at random, as
            ``valiant`` does. In a simulation, each packet of a large message draws its own route, so a larger number is
            closer to the simulation.

    Attributes:
        link_bytes: bytes that each link carries, by the link's index, (links,) float64.
        messages: number of messages so far.
    """

    def __init__(self, platform: Platform, *, draws: int = 1) -> None:
        if draws < 1:
            raise PlatformError(f"draws: {draws} is not valid; at least 1 route is drawn for each message")
        self._platform = platform
        self._draws = draws
        self.link_bytes: npt.NDArray[np.float64] = np.zeros(len(platform.links))
        self.messages = 0

    def add(self, sources: npt.ArrayLike, destinations: npt.ArrayLike, sizes: npt.ArrayLike) -> None:
        """Add messages.

        Sources, destinations and sizes have one element for each message, or are broadcast to their common shape, of
        which only parts are in memory.

        Args:
            sources: numbers of the sending hosts.
            destinations: numbers of the receiving hosts.
            sizes: bytes of the messages.

        Raises:
            PlatformError: a number is not that of a host, a size is negative or not finite, the shapes do not fit, or
                no route joins two hosts. Messages before the first one without a route have been added.
        """
        ends = [self._hosts(sources, "sources"), self._hosts(destinations, "destinations")]
        size = np.asarray(sizes, np.float64)
        if not np.isfinite(size).all() or (size < 0).any():
            raise PlatformError("sizes: a size is negative or not finite; sizes are bytes")
        try:
            shape = np.broadcast_shapes(ends[0].shape, ends[1].shape, size.shape)
        except ValueError:
            raise PlatformError(
                f"sources, destinations and sizes have the shapes {ends[0].shape}, {ends[1].shape} and {size.shape}, "
                "which do not fit together"
            ) from None
        shape = shape or (1,)
        source, destination = (np.broadcast_to(each, shape) for each in ends)
        size = np.broadcast_to(size, shape)
        rows = max(1, _AT_ONCE * shape[0] // max(math.prod(shape), 1))
        for first in range(0, shape[0], rows):
            part = slice(first, first + rows)
            self._add(source[part].ravel(), destination[part].ravel(), size[part].ravel())

    def _add(
        self, sources: npt.NDArray[np.uint32], destinations: npt.NDArray[np.uint32], sizes: npt.NDArray[np.float64]
    ) -> None:
        done = self._platform.add_link_bytes(sources, destinations, sizes, self.messages, self._draws, self.link_bytes)
        self.messages += done
        if done < sources.size:
            names = [self._platform.hosts[int(each[done])].name for each in (sources, destinations)]
            raise PlatformError(f"{self._platform.source}: no route from {names[0]!r} to {names[1]!r}")

    @property
    def busiest(self) -> Link | None:
        """Link that needs longest for its bytes, or None if no link that messages share carries any bytes."""
        index, _ = self._platform.busiest_link(self.link_bytes)
        return None if index is None else self._platform.links[index]

    @property
    def seconds(self) -> float:
        """Seconds that the busiest link needs for its bytes."""
        return self._platform.busiest_link(self.link_bytes)[1]

    def _hosts(self, numbers: npt.ArrayLike, name: str) -> npt.NDArray[np.uint32]:
        given = np.asarray(numbers)
        count = len(self._platform.hosts)
        whole = given.dtype.kind in "iu" or given.size == 0
        if not whole or (given.size and (given.min() < 0 or given.max() >= count)):
            raise PlatformError(
                f"{name}: a value is not the number of a host of {self._platform.source}; hosts have the whole numbers "
                f"from 0 to {count - 1}"
            )
        return given.astype(np.uint32)
