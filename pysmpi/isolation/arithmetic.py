"""SimBLAS in ranks: replace functions of NumPy and SciPy by functions whose simulated time comes from a BLAS model.

All modules are searched for these functions, because ``from scipy.linalg.blas import dgemm`` in a module imported
before the ranks began makes the function a global variable of this module. The operator ``@`` of arrays and their
method ``dot`` are replaced natively, because Python code cannot change a type written in C. A function stored elsewhere
(in an attribute of a class, or as a default value) is not replaced, and is timed like other code.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from pysmpi.compute.blas import ReplacedFunction, forget_found_functions, replacements
from pysmpi.isolation.patching import Patches
from pysmpi.native import ffi, lib

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Replace the functions that the BLAS model covers, in all modules."""
    import_module("pysmpi.compute.folded.linear_algebra")  # first: its table must hold NumPy's original functions
    replaced = replacements()
    by_identity = {id(original): replacement for original, replacement in replaced}
    for module in [module for name, module in sys.modules.items() if not name.startswith("pysmpi.")]:
        if not isinstance(module, ModuleType):
            continue
        names: dict[str, Any] = object.__getattribute__(module, "__dict__")  # does not trigger lazy loading
        for name, value in list(names.items()):
            replacement = by_identity.get(id(value))
            if replacement is not None:
                patches.set(module, name, replacement)
    forget_found_functions()
    patches.at_undo(forget_found_functions)
    _install_operator(patches, {replacement.name: replacement for _, replacement in replaced})


def _install_operator(patches: Patches, replaced: dict[str, ReplacedFunction]) -> None:
    import numpy as np

    array_type = _pointer(np.ndarray)
    product, dot = replaced["numpy.matmul"], replaced["numpy.dot"]
    lib.pysmpi_replace_matrix_product(array_type, _pointer(product))
    patches.at_undo(lambda: lib.pysmpi_replace_matrix_product(array_type, ffi.NULL))

    def dot_of_array(self: Any, *arguments: Any, **named: Any) -> Any:
        return dot(self, *arguments, **named)

    dot_of_array.__name__, dot_of_array.__qualname__ = "dot", "ndarray.dot"
    original = vars(np.ndarray)["dot"]
    lib.pysmpi_replace_method(array_type, b"dot", _pointer(dot_of_array))
    patches.at_undo(lambda: lib.pysmpi_replace_method(array_type, b"dot", _pointer(original)))


def _pointer(value: object) -> Any:
    return ffi.cast("void *", id(value))
