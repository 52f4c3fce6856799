"""Instruments: profiles, timelines, checks, energy meters and other additions to a run's result."""

from typing import TYPE_CHECKING, Any

from pysmpi.instruments.profile.phases import PhaseUse, phase
from pysmpi.instruments.reports import report

if TYPE_CHECKING:
    from pysmpi.instruments.network.network_use import LinkUse, Matrix, NetworkUse
    from pysmpi.instruments.network.packet_use import PacketDelays, PacketLinkUse
    from pysmpi.instruments.profile.finding import Finding, findings
    from pysmpi.instruments.profile.profile import LinkWait, PathStep, PeerWait, PlaceTime, Profile
    from pysmpi.instruments.requirements.requirements import Amounts, Requirements
    from pysmpi.instruments.timeline.overview import Overview

__all__ = [
    "Amounts",
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
    "Requirements",
    "findings",
    "phase",
    "report",
]

_MODULES = ("profile.finding", "network.network_use", "network.packet_use", "timeline.overview", "profile.profile",
            "requirements.requirements")  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return an attribute whose module is loaded on first use: most simulated programs need only `phase` and
    `report`."""
    if name in __all__:
        import importlib

        for module in _MODULES:
            found = getattr(importlib.import_module(f"pysmpi.instruments.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'pysmpi.instruments' has no attribute {name!r}")
