"""Use of a link in a run: its traffic and saturation."""

from dataclasses import dataclass

__all__ = ["LinkUse"]


@dataclass(frozen=True, slots=True)
class LinkUse:
    """Use of a link's bandwidth.

    Attributes:
        name: name of the link, or of one direction of a split link.
        policy: SHARED or FATPIPE.
        bandwidth: bytes per second, as described in the platform.
        bytes: bytes carried, including headers and reverse traffic (``network/crosstraffic``).
        saturated: seconds in which the link was saturated and limited messages.
        held: seconds for which the link limited a message's rate, summed over messages.
        flows: number of messages that crossed the link.
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
        """Mean number of messages that the link limited at once while it was saturated."""
        return self.held / self.saturated if self.saturated > 0 else 0.0

    def utilisation(self, seconds: float) -> float:
        """Return the used part of the bandwidth, averaged over `seconds`.

        It may exceed 1 for a FATPIPE link, whose full bandwidth each message gets.
        """
        return self.bytes / self.bandwidth / seconds if seconds > 0 else 0.0
