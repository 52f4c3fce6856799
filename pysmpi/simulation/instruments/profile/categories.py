"""Categories into which profiles divide the ranks' time."""

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
    "collective: arithmetic and copies",
    "other",
)
"""Categories of the ranks' time. Arrays of seconds have one column for each category, in this order.

The first four are computation, by the origin of its length: measured here, the mean of samples, a time model,
or declared by the program (`pysmpi.execute`).
"""

COMPUTATION = slice(0, 4)
PATH_KINDS = ("computation", "overhead", "network", "other")
"""Kinds of steps on the critical path.

computation: the rank computes. overhead: an MPI call takes its overhead (smpi/os, smpi/or). network: the rank waits for
a message that is under way. other: the rank sleeps, polls, or waits for something other than a message.
"""
