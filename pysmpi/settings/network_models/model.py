"""The interface of a network model."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["FLOW_OPTIONS", "PROTOCOL_OPTIONS", "NetworkModel", "no_engine_values"]

FLOW_OPTIONS = (
    "platform/routing",
    "network/TCP-gamma",
    "network/crosstraffic",
    "network/loopback-bw",
    "network/loopback-lat",
    "precision/work-amount",
)
"""Options of all models in which messages are flows."""

PROTOCOL_OPTIONS = ("smpi/os", "smpi/ois", "smpi/or", "smpi/async-small-thresh", "smpi/send-is-detached-thresh")
"""Options of all models that use SMPI's protocol."""

EngineValue = float | list[tuple[float, float, float]]


def no_engine_values(setting: Callable[[str], Any]) -> Iterator[tuple[str, EngineValue]]:
    """Yield no values, for a model whose options the engine reads as they are."""
    yield from ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkModel:
    """A network model, which a value of the setting ``network/model`` selects.

    Attributes:
        name: value of the setting.
        native: name of the native model, which a file of native/network/models registers.
        meaning: description in one line.
        source: publications or SimGrid's files that define the model and its parameters.
        options: options that have an effect under this model but not under all models.
        defaults: values of options whose default depends on the model.
        engine_values: function that yields (name, value) of engine parameters to be derived from options. Its argument
            is a function that returns the value of an option.
        has_flows: True if messages are flows over the links of their routes.
        not_modelled: warning in the summary of runs that messages do not share the network, if this is so; else empty.
        factors: names of the options with the latency factor and the bandwidth factor, which ``pysmpi explain`` shows
            for flows.
        terms: table rows that ``pysmpi explain`` prints for a message that is not a flow: label, name of the attribute
            of `Explanation` with the seconds, and note.
        held_by: option that limits the rate of a message that is not a flow; empty if no option does.
        overheads: options with the overheads of send and receive, or empty for ``smpi/os``, ``smpi/ois`` and
            ``smpi/or``.
    """

    name: str
    native: str
    meaning: str
    source: str
    options: tuple[str, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    engine_values: Callable[[Callable[[str], Any]], Iterator[tuple[str, EngineValue]]] = no_engine_values
    has_flows: bool = True
    not_modelled: str = ""
    factors: tuple[str, str] = ("network/latency-factor", "network/bandwidth-factor")
    terms: tuple[tuple[str, str, str], ...] = ()
    held_by: str = ""
    overheads: str = ""
