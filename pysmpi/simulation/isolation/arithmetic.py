"""SimBLAS in ranks: replace functions of NumPy and SciPy so that calls on folded arrays take the time of a BLAS model.

All modules are searched for these functions, because ``from scipy.linalg.blas import dgemm`` in a module imported
before the ranks began makes the function a global variable of this module. A function stored elsewhere (in an attribute
of a class, or as a default value) is not replaced. Calls on other arrays are charged when they reach the BLAS library,
however they are made.
"""

import sys
from types import ModuleType
from typing import Any

from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Replace the functions that the BLAS model covers, in all modules."""
    from pysmpi.simulation.compute.blas import forget_found_functions, replacements
    from pysmpi.simulation.compute.numpy_functions import function_table  # noqa: F401  (it must hold NumPy's functions)

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
