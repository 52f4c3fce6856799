"""Words for messages: collectives, patterns of neighbours, and their modifiers."""

__all__ = ["CARRIED", "COLLECTIVES", "DIMENSIONS", "MESSAGE_TRAITS", "MODIFIERS", "PATTERNS", "is_collective"]

CARRIED = ("messages", "comm")
"""Resources that ranks execute as messages."""

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
"""Traits that name collectives; a model may write them with any capitals."""

PATTERNS = ("nn1d", "nn2d", "nn3d", "random")
"""Traits that name patterns of point-to-point messages."""

DIMENSIONS = {"nn1d": 1, "nn2d": 2, "nn3d": 3}
"""Number of dimensions of the grid of ranks, by pattern."""

MODIFIERS = ("face", "periodic", "nodal", "pwave", "nwave", "min", "max", "sum", "prod", "within")
"""Traits that change a collective or pattern."""

MESSAGE_TRAITS = frozenset(each.lower() for each in (*COLLECTIVES, *PATTERNS, *MODIFIERS))
"""All traits of messages in lower case."""

_COLLECTIVES = frozenset(each.lower() for each in COLLECTIVES)


def is_collective(trait: str) -> bool:
    """Return whether a trait names a collective."""
    return trait.lower() in _COLLECTIVES
