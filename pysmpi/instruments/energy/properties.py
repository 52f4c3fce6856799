"""Properties of platforms that tell watts."""

import math
from collections.abc import Mapping

from pysmpi.errors import PlatformError

__all__ = ["number", "numbers"]


def number(properties: Mapping[str, str], name: str, owner: str, source: str) -> float:
    """Return a number, 0 or more; 0 where nothing is told.

    Args:
        owner: whose properties they are, such as "host 'a'".
        source: of the platform.

    Raises:
        PlatformError: it is something else.
    """
    text = properties.get(name, "0")
    found = numbers(text)
    if len(found) != 1:
        raise PlatformError(f"{source}: property {name!r} of {owner} is {text!r} (valid: a number, 0 or more)")
    return found[0]


def numbers(text: str) -> list[float]:
    """Numbers separated by colons, each 0 or more; none when any is something else."""
    try:
        found = [float(each) for each in text.split(":")]
    except ValueError:
        return []
    return found if all(math.isfinite(each) and each >= 0 for each in found) else []
