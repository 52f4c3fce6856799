"""Figures of ``matplotlib.pyplot``: each rank has its own, and its own current figure.

pyplot keeps all figures in one dictionary, the last of which is the current one. In a simulation, another object takes
the place of this dictionary and uses a separate dictionary for each rank. If each rank imported pyplot separately, half
of matplotlib would have to be imported with it, because matplotlib's backends refer to the dictionary.
"""

import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_figures: Private["OrderedDict[int, Any]"] = Private()


class _Figures:
    """Figures of the running rank, by number, with the methods of a dictionary."""

    def __init__(self, outside: "OrderedDict[int, Any]") -> None:
        self._outside = outside

    def _own(self) -> "OrderedDict[int, Any]":
        return self._outside if running_rank(depends=False) < 0 else _figures.of_running(OrderedDict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own(), name)

    def __contains__(self, number: object) -> bool:
        return number in self._own()

    def __iter__(self) -> Iterator[int]:
        return iter(self._own())

    def __reversed__(self) -> Iterator[int]:
        yield from reversed(self._own())

    def __len__(self) -> int:
        return len(self._own())

    def __getitem__(self, number: int) -> Any:
        return self._own()[number]

    def __setitem__(self, number: int, manager: Any) -> None:
        self._own()[number] = manager

    def __delitem__(self, number: int) -> None:
        del self._own()[number]


def install(patches: Patches) -> None:
    """Give each rank its own figures of pyplot."""
    when_loaded(patches, "matplotlib._pylab_helpers", lambda: _separate_figures(patches))


def _separate_figures(patches: Patches) -> None:
    registry = sys.modules["matplotlib._pylab_helpers"].Gcf
    patches.set(registry, "figs", _Figures(registry.figs))
