"""Parsing of power properties of platforms."""

import math
from collections.abc import Mapping

from pysmpi.errors import PlatformError

__all__ = ["number", "numbers"]


def number(properties: Mapping[str, str], name: str, owner: str, source: str) -> float:
    """Return the number (0 or more) in a property, or 0 if the property is missing.

    Args:
        properties: properties by name.
        name: name of the property.
        owner: owner of the properties for errors, such as "host 'a'".
        source: file or text that the platform was read from, for errors.

    Raises:
        PlatformError: if the property is not a number of 0 or more.
    """
    text = properties.get(name, "0")
    found = numbers(text)
    if len(found) != 1:
        raise PlatformError(f"{source}: property {name!r} of {owner} is {text!r} (valid: a number, 0 or more)")
    return found[0]


def numbers(text: str) -> list[float]:
    """Return the numbers in a text like ``90:120``, or an empty list if one is malformed, negative or not finite."""
    try:
        found = [float(each) for each in text.split(":")]
    except ValueError:
        return []
    return found if all(math.isfinite(each) and each >= 0 for each in found) else []
