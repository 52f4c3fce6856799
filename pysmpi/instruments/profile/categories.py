"""Categories of the ranks' time."""

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
"""Categories of time, in the order of every array of times.

The first four are computation, by the origin of its length: measured here, the mean of samples, a time model,
or declared by the program (`pysmpi.execute`).
"""

COMPUTATION = slice(0, 4)
PATH_KINDS = ("computation", "overhead", "network", "other")
"""Kinds of steps on the critical path.

The rank computes, pays the overhead of a call (smpi/os, smpi/or), or waits for a message in the network. Other: it
sleeps, polls, or waits for something other than a message.
"""
