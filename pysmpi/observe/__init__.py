"""What a run can tell of itself beyond its times."""

from typing import TYPE_CHECKING, Any

from pysmpi.observe.phases import PhaseUse, phase
from pysmpi.observe.reports import report

if TYPE_CHECKING:
    from pysmpi.observe.finding import Finding, findings
    from pysmpi.observe.network_use import LinkUse, Matrix, NetworkUse
    from pysmpi.observe.overview import Overview
    from pysmpi.observe.profile import LinkWait, PathStep, PeerWait, PlaceTime, Profile

__all__ = [
    "Finding",
    "LinkUse",
    "LinkWait",
    "Matrix",
    "NetworkUse",
    "Overview",
    "PathStep",
    "PeerWait",
    "PhaseUse",
    "PlaceTime",
    "Profile",
    "findings",
    "phase",
    "report",
]

_MODULES = ("finding", "network_use", "overview", "profile")


def __getattr__(name: str) -> Any:
    """What is there for results is loaded when it is first asked for: simulated programs only name phases."""
    if name in __all__:
        import importlib

        for module in _MODULES:
            found = getattr(importlib.import_module(f"pysmpi.observe.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'pysmpi.observe' has no attribute {name!r}")
