"""Words that a model writes after "as" for messages: collectives, patterns of point-to-point messages, and modifiers.

Example: ``messages [n] as nn2d, periodic`` sends to the neighbours in a periodic grid of ranks with two dimensions.
"""

__all__ = ["CARRIED", "COLLECTIVES", "DIMENSIONS", "MESSAGE_TRAITS", "MODIFIERS", "PATTERNS", "is_collective"]

CARRIED = ("messages", "comm")
"""Resources whose amounts ranks send as messages. All other resources, such as flops, take computing time."""

COLLECTIVES = (
    "allToAll",
    "allReduce",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "allGather",
    "reduceScatter",
    "scan",
    "barrier",
)
"""Names of the collectives. Models may write them in upper or lower case."""

PATTERNS = ("nn1d", "nn2d", "nn3d", "random")
"""Patterns of point-to-point messages: to neighbours in a grid of 1 to 3 dimensions, or to a random rank."""

DIMENSIONS = {"nn1d": 1, "nn2d": 2, "nn3d": 3}
"""Number of dimensions of the grid of ranks, for each pattern of messages between neighbours."""

MODIFIERS = ("face", "periodic", "nodal", "pwave", "nwave", "min", "max", "sum", "prod", "within")
"""Words that change a collective or pattern: receivers and sizes ("face"), operation ("sum") or groups ("within")."""

MESSAGE_TRAITS = frozenset(each.lower() for each in (*COLLECTIVES, *PATTERNS, *MODIFIERS))
"""Collectives, patterns and modifiers together, in lower case."""

_COLLECTIVES = frozenset(each.lower() for each in COLLECTIVES)


def is_collective(trait: str) -> bool:
    """Return whether a trait, which is a word after "as" in a model, names a collective, in upper or lower case."""
    return trait.lower() in _COLLECTIVES
