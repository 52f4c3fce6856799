"""The network model raw: CM02 with fixed parameters, which settings do not change."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pysmpi.simulation.settings.network_models.cm02 import CM02
from pysmpi.simulation.settings.network_models.model import FLOW_OPTIONS, PROTOCOL_OPTIONS, EngineValue

__all__ = ["RAW"]


def _fixed(setting: Callable[[str], Any]) -> Iterator[tuple[str, EngineValue]]:
    yield "network/weight-S", 0.0


RAW = replace(
    CM02,
    name="raw",
    meaning="flows exactly as the platform file says: factors of 1 and no weight-S, regardless of other settings",
    source="SimGrid's Raw; RR-LIP-2002-40",
    options=(*FLOW_OPTIONS, *PROTOCOL_OPTIONS),
    engine_values=_fixed,
)
