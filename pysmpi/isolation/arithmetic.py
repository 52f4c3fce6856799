"""SimBLAS in ranks: functions of NumPy and SciPy are replaced wherever a module has them by name.

Modules that were imported before the ranks began have taken names (``from scipy.linalg.blas import dgemm``): all are
looked through. The operator ``@`` of arrays and their method ``dot`` are replaced natively, for Python code cannot
change a type that is written in C. What is kept elsewhere (a class's attribute, a default value) stays as it is, and is
timed as other code is.
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
    """Replaces them."""
    import_module("pysmpi.compute.folded.linear_algebra")  # whose table is of NumPy's own functions
    replaced = replacements()
    by_identity = {id(original): replacement for original, replacement in replaced}
    for module in [module for name, module in sys.modules.items() if not name.startswith("pysmpi.")]:
        if not isinstance(module, ModuleType):
            continue
        names: dict[str, Any] = object.__getattribute__(module, "__dict__")  # which does not load what is lazy
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
