"""Imports by functions that run while a shared module is imported, as in ``solver = importlib.import_module("fast")``.

A shared module that imports a private one must become private. The import statements at its top level are read before
the module runs (`verdicts`). Those in functions become known only when they run, and the simulator's finder does not
see them if the imported module is already in ``sys.modules``. Therefore ``builtins.__import__``, which import
statements call, is replaced while a shared module is imported.
"""

import builtins
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pysmpi.simulation.isolation.current import rank_of_thread
from pysmpi.simulation.isolation.imports import Import
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["follow", "install"]

_note: Callable[[Import], None] | None = None  # set by `follow` while a shared module is imported
_import: Callable[..., Any] = builtins.__import__


def install(patches: Patches) -> None:
    """Replace ``importlib.import_module`` by a function that reports each call to the function set by `follow`."""
    import_module = importlib.import_module

    def reporting(name: str, package: str | None = None) -> Any:
        if _note is not None and rank_of_thread() >= 0:
            try:
                absolute = importlib.util.resolve_name(name, package)
            except ImportError:
                absolute = ""
            _note(Import(absolute, (), nested=True))
        return import_module(name, package)

    patches.set(importlib, "import_module", reporting)


def follow(note: Callable[[Import], None] | None) -> None:
    """Call `note` before each import statement that a function executes, and before each ``importlib.import_module``;
    None stops these calls."""
    global _note, _import
    _note = note
    names = vars(builtins)
    if note is not None and names["__import__"] is not _reporting_import:
        _import, names["__import__"] = names["__import__"], _reporting_import
    elif note is None and names["__import__"] is _reporting_import:
        names["__import__"] = _import


def _reporting_import(
    name: str,
    globals: Mapping[str, Any] | None = None,  # the names of the arguments are Python's
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    if _note is not None and sys._getframe(1).f_code.co_name != "<module>" and rank_of_thread() >= 0:
        absolute = name
        if level > 0:
            package = (globals or {}).get("__package__") or ""
            absolute = ".".join([*package.split(".")[: package.count(".") + 2 - level], *([name] if name else [])])
        _note(Import(absolute, tuple(fromlist or ()), nested=True))
    return _import(name, globals, locals, fromlist, level)
