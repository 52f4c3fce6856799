"""Imports by functions that run while a shared module is imported, as in ``solver = importlib.import_module("fast")``.

`verdicts` reads the import statements at a module's top level before the module runs. Import statements in functions
become known only when they run, and bypass even the finder if the imported module is already in ``sys.modules``.
Therefore the function behind the import statement is replaced while a shared module is imported.
"""

import builtins
import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pysmpi.isolation.current import rank_of_thread
from pysmpi.isolation.imports import Import
from pysmpi.isolation.patching import Patches

__all__ = ["follow", "install"]

_note: Callable[[Import], None] | None = None  # while a shared module is imported
_import: Callable[..., Any] = builtins.__import__


def install(patches: Patches) -> None:
    """Make ``importlib.import_module`` report its calls."""
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
    """Call `note` before each import statement that a function executes, or stop doing so if `note` is None."""
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
