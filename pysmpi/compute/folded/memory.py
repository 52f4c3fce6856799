"""What lies in folded memory."""

from typing import ClassVar

from pysmpi.errors import PysmpiError
from pysmpi.native import lib

__all__ = ["FoldedMemoryError", "is_folded"]


class FoldedMemoryError(PysmpiError):
    """Folded memory cannot be had as asked for, or an operation cannot do without what an array holds."""

    slug: ClassVar[str] = "folded-memory"


def is_folded(array: object) -> bool:
    """Whether an array, of whatever class, lies in folded memory: what its elements are does not matter.

    True, too, when only some of them are. False for what is no array.
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
