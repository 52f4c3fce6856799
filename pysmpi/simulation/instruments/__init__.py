"""Instruments: profiles, timelines, checks, energy meters and other additions to a run's result."""

from typing import TYPE_CHECKING, Any

from pysmpi.simulation.instruments.profile.phases import PhaseUse, phase
from pysmpi.simulation.instruments.reports import report

if TYPE_CHECKING:
    from pysmpi.simulation.instruments.network.network_use import LinkUse, Matrix, NetworkUse
    from pysmpi.simulation.instruments.network.packet_use import PacketDelays, PacketLinkUse
    from pysmpi.simulation.instruments.profile.finding import Finding, findings
    from pysmpi.simulation.instruments.profile.profile import LinkWait, PathStep, PeerWait, PlaceTime, Profile
    from pysmpi.simulation.instruments.timeline.overview import Overview

__all__ = [
    "Finding",
    "LinkUse",
    "LinkWait",
    "Matrix",
    "NetworkUse",
    "Overview",
    "PacketDelays",
    "PacketLinkUse",
    "PathStep",
    "PeerWait",
    "PhaseUse",
    "PlaceTime",
    "Profile",
    "findings",
    "phase",
    "report",
]

_MODULES = ("profile.finding", "network.network_use", "network.packet_use", "timeline.overview", "profile.profile")


def __getattr__(name: str) -> Any:
    """Return an attribute whose module is loaded on first use: most simulated programs need only `phase` and
    `report`."""
    if name in __all__:
        import importlib

        for module in _MODULES:
            found = getattr(importlib.import_module(f"pysmpi.simulation.instruments.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'pysmpi.simulation.instruments' has no attribute {name!r}")
