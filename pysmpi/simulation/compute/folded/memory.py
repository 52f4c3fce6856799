"""Test of whether an array lies in folded memory, which all ranks share because its contents do not matter."""

from typing import ClassVar

from pysmpi.errors import PysmpiError
from pysmpi.native import lib

__all__ = ["FoldedMemoryError", "is_folded"]


class FoldedMemoryError(PysmpiError):
    """Error: folded memory cannot be allocated as requested, or an operation needs the contents of a folded array."""

    slug: ClassVar[str] = "folded-memory"


def is_folded(array: object) -> bool:
    """Return whether any part of an array, of whatever class, lies in folded memory; False for other objects.

    Elements in folded memory have arbitrary values.
    """
    if lib.pysmpi_folded_bytes() == 0 and not lib.pysmpi_has_zones():
        return False
    interface = getattr(array, "__array_interface__", None)
    if interface is None:
        return False
    low = high = interface["data"][0]
    if lib.pysmpi_has_zones():
        for extent, stride in zip(interface["shape"], getattr(array, "strides", ()), strict=False):
            reach = max(extent - 1, 0) * stride
            low, high = low + min(reach, 0), high + max(reach, 0)
        high += getattr(array, "itemsize", 1) - 1
    return bool(lib.pysmpi_is_folded(low, high - low + 1))
