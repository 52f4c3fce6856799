"""Modules of a rank's own, and modules that all ranks share."""

import sys
from types import ModuleType

from pysmpi.launch.isolation.current import isolate_entry
from pysmpi.launch.isolation.patching import Patches

__all__ = ["install", "own_module"]


def install(patches: Patches) -> None:
    """Imports made in ranks follow the rules from now on."""


def own_module(rank: int, module: ModuleType) -> None:
    """The rank has this module under its name in ``sys.modules``, and no other rank has."""
    isolate_entry(rank, sys.modules, module.__name__, module)
