"""The network model IB: SMPI with the penalties of concurrent flows on InfiniBand."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pysmpi.simulation.settings.network_models.model import EngineValue
from pysmpi.simulation.settings.network_models.smpi import SMPI

__all__ = ["IB"]

PENALTIES = "smpi/IB-penalty-factors"


def _penalties(setting: Callable[[str], Any]) -> Iterator[tuple[str, EngineValue]]:
    for place, penalty in enumerate(setting(PENALTIES)):
        yield f"{PENALTIES}/{place}", penalty


IB = replace(
    SMPI,
    name="IB",
    native="InfiniBand",
    meaning="SMPI, and flows that enter or leave a host at the same time slow each other down as on InfiniBand",
    source="Vienne, doctoral thesis, Grenoble 2010; SimGrid 3.32 src/surf/network_ib.cpp",
    options=(*SMPI.options, PENALTIES),
    engine_values=_penalties,
)
