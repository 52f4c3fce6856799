"""What the ranks' time goes into."""

__all__ = ["CATEGORIES", "COMPUTATION", "PATH_KINDS"]

CATEGORIES = (
    "measured",
    "sampled",
    "modelled",
    "injected",
    "asleep",
    "send overhead",
    "receive overhead",
    "polling",
    "waiting for peers",
    "waiting for the network",
    "collective: waiting for peers",
    "collective: messages",
    "other",
)
"""Where time goes, in the order of every array that tells it. The first four are computation, by where its length comes
from: measured here, the mean of samples, a model, or what the program declared (`pysmpi.execute`)."""

COMPUTATION = slice(0, 4)
PATH_KINDS = ("computation", "overhead", "network", "other")
"""What a step of the critical path is: the rank computes, pays for a call (smpi/os, or), or waits for a message on its
way; other: it sleeps or polls, or something that no message ended."""
