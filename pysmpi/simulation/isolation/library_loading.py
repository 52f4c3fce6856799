"""Functions that load compiled libraries: in ranks, native code follows the libraries that they load."""

import sys
from collections.abc import Callable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.library_copies import LibraryCopies
from pysmpi.simulation.isolation.patching import Patches, original_of

__all__ = ["install"]


def install(patches: Patches, copies: LibraryCopies) -> None:
    """Let compiled libraries follow the simulated clock, and give each rank its own variables, now and after each
    function that loads one.

    Args:
        patches: record of the replaced functions.
        copies: copies of libraries, which are loaded in place of the originals.
    """

    def loading(original: Callable[..., Any]) -> Callable[..., Any]:
        def load(*arguments: Any, **named: Any) -> Any:
            loaded = original(*arguments, **named)
            lib.pysmpi_follow_libraries()
            return loaded

        return load

    lib.pysmpi_follow_libraries()
    for owner, name, own in (
        ("_imp", "create_dynamic", copies.creating),
        ("_ctypes", "dlopen", copies.opening),
        ("_cffi_backend", "load_library", None),
    ):
        function = vars(sys.modules[owner]).get(name) if owner in sys.modules else None
        if function is not None:
            original = original_of(function)
            patches.set_builtin(function, loading(original if own is None else own(original)))
