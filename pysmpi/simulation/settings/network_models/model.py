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


def no_contradiction(_: Callable[[str], Any]) -> str:
    """Return an empty string, because no values of the model's options contradict each other."""
    return ""


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
        engine_values: function that yields (name, value) of each engine parameter that is computed from options. Its
            argument is a function that returns the value of an option.
        contradiction: function that returns an error text if values of options contradict each other, else an empty
            string. Its argument is a function that returns the value of an option.
        has_flows: True if messages are flows over the links of their routes.
        has_links: True if messages cross the links of their routes, as flows or as packets.
        not_modelled: warning for the summary that the model ignores contention; empty if it models contention.
        factors: names of the options with the latency factor and the bandwidth factor, which ``pysmpi explain`` shows
            for flows.
        terms: rows of the table that ``pysmpi explain`` prints for a message that is not a flow. Each has a label, the
            name of the attribute of `Explanation` that holds the seconds, and a note.
        held_by: name of the option that limits the rate of a message, for models whose messages are not flows; empty if
            no option does.
        overheads: names of the options that set the overheads of send and receive; empty if they are ``smpi/os``,
            ``smpi/ois`` and ``smpi/or``.
    """

    name: str
    native: str
    meaning: str
    source: str
    options: tuple[str, ...]
    defaults: Mapping[str, str] = field(default_factory=dict)
    engine_values: Callable[[Callable[[str], Any]], Iterator[tuple[str, EngineValue]]] = no_engine_values
    contradiction: Callable[[Callable[[str], Any]], str] = no_contradiction
    has_flows: bool = True
    has_links: bool = True
    not_modelled: str = ""
    factors: tuple[str, str] = ("network/latency-factor", "network/bandwidth-factor")
    terms: tuple[tuple[str, str, str], ...] = ()
    held_by: str = ""
    overheads: str = ""
