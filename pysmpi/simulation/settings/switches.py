"""Switches of what-if runs: changes of the machine or of the settings, such as ``links*2`` for twice the bandwidth.

They are not network switches.
"""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction

from pysmpi.errors import ConfigurationError, did_you_mean
from pysmpi.platform.scaling import Quantity, Scaling, parse_factor
from pysmpi.simulation.collectives import OPERATIONS
from pysmpi.simulation.settings.configuration import Configuration, unknown_option
from pysmpi.simulation.settings.options import BUSY_CORES, CLOCK, OPTIONS

__all__ = ["Switch", "parse_slow_host", "parse_switch"]

_OF_ALL = {
    "links": Quantity.BANDWIDTH,
    "bandwidth": Quantity.BANDWIDTH,
    "latency": Quantity.LATENCY,
    "speed": Quantity.SPEED,
    "memory": Quantity.MEMORY,
    "hosts": Quantity.SPEED,
}
_FORMER = {"hosts": "speed"}  # earlier spellings that suggest another meaning, with those to use
_NODES = "nodes"
_OF_MEASURING = (f"{BUSY_CORES}:", f"{CLOCK}:")
_OF_ONE = {"link": Quantity.BANDWIDTH, "host": Quantity.SPEED}
_VALID = (
    "speed*F, memory*F, links*F or bandwidth*F, latency*F, nodes*F, link:NAME*F, host:NAME*F, /F for 1/F, "
    "OPERATION=ALGORITHM, selector=NAME, KEY:VALUE as for --cfg; separate several by spaces"
)


@dataclass(frozen=True)
class Switch:
    """Change of the machine or of the settings in a what-if run, such as ``links*2``; not a network switch.

    Attributes:
        text: the change as written by the user.
        scalings: factors applied to the platform.
        settings: settings of the form KEY:VALUE.
        notes: remarks on the spelling, for the user.
        nodes: factor on the number of nodes and of ranks.
    """

    text: str
    scalings: tuple[Scaling, ...] = ()
    settings: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = ()
    nodes: Fraction = Fraction(1)

    @property
    def measures_again(self) -> bool:
        """True if the run must measure computation again: the ranks or the way of measuring differ from the unchanged
        run's."""
        return self.nodes != 1 or any(item.startswith(_OF_MEASURING) for item in self.settings)

    def apply(self, configuration: Configuration) -> None:
        """Set the settings that this what-if run changes, such as smpi/coll-selector, in a configuration.

        Call this after all other settings are set, because it replaces their values. Factors on the machine are not
        applied here.
        """
        for item in self.settings:
            configuration.set_item(item, f"what if {self.text!r}")


def parse_switch(text: str) -> Switch:
    """Parse the changes of a what-if run, such as ``links*2`` or ``links*2 selector=mpich``.

    Raises:
        ConfigurationError: if the text is not valid; the message names the nearest match and what is valid.
    """
    parts = [_parse_part(part, text) for part in text.split()]
    if not parts:
        raise ConfigurationError(f"what if {text!r}: the switch is empty (valid: {_VALID})")
    switch = Switch(
        text,
        tuple(part for part in parts if isinstance(part, Scaling)),
        tuple(part for part in parts if isinstance(part, str)),
        tuple(
            f"{part} is read as {_FORMER[name]}{part[len(name) :]}: the cores get faster, their number stays; "
            f"{_NODES}{part[len(name) :]} changes the number of nodes"
            for part in text.split()
            if (name := re.split(r"[*/]", part)[0]) in _FORMER
        ),
        math.prod((part for part in parts if isinstance(part, Fraction)), start=Fraction(1)),
    )
    switch.apply(Configuration())
    return switch


def parse_slow_host(text: str) -> Scaling:
    """Parse a host with a speed factor, such as ``node-3:0.5`` for a host that computes at half speed.

    Raises:
        ConfigurationError: if the text is not valid.
    """
    name, colon, factor = text.rpartition(":")
    if not colon or not name:
        raise ConfigurationError(
            f"slow host {text!r} is not valid; write NAME:FACTOR, such as 'node-3:0.5' for half the speed"
        )
    try:
        value = parse_factor(factor)
    except ValueError as error:
        raise ConfigurationError(f"slow host {text!r}: factor {error}; give a factor above 0 and at most 1") from None
    if value > 1:
        raise ConfigurationError(
            f"slow host {text!r}: the factor {factor} is above 1; 1 is the host's full speed, 0.5 is half of it"
        )
    return Scaling(Quantity.SPEED, value, name)


def _parse_part(part: str, whole: str) -> Scaling | Fraction | str:
    name, colon, _ = part.partition(":")
    if colon and (name in OPTIONS or "/" in name):
        return part
    name, equals, value = part.partition("=")
    if equals:
        return _setting(name, value, whole)
    divides = re.fullmatch(r".+/[\d.]+(e-?\d+)?", part) is not None and "*" not in part.rpartition("/")[2]
    name, star, factor = part.rpartition("/" if divides else "*")
    if not star:
        raise _unknown(part, whole, (*_OF_ALL, _NODES, *OPERATIONS, "selector", *OPTIONS))
    quantity, item = (None, None) if name == _NODES else _quantity(name, whole)
    try:
        number = parse_factor(factor)
    except ValueError as error:
        raise ConfigurationError(f"what if {whole!r}: factor {error}; 2 doubles the value, 0.5 halves it") from None
    if quantity is None:
        return 1 / Fraction(factor) if divides else Fraction(factor)  # exact, because numbers of nodes are whole
    return Scaling(quantity, 1 / number if divides else number, item, of_cores=quantity is Quantity.SPEED)


def _setting(name: str, value: str, whole: str) -> str:
    if name == "selector":
        return f"smpi/coll-selector:{value}"
    if name in OPERATIONS:
        return f"smpi/{name}:{value}"
    if name in OPTIONS:
        return f"{name}:{value}"
    if "/" in name:
        raise ConfigurationError(f"what if {whole!r}: {unknown_option(name)}")
    raise _unknown(name, whole, (*OPERATIONS, "selector"))


def _quantity(name: str, whole: str) -> tuple[Quantity, str | None]:
    if name in _OF_ALL:
        return _OF_ALL[name], None
    kind, colon, item = name.partition(":")
    if colon and item and kind in _OF_ONE:
        return _OF_ONE[kind], item
    if colon:
        raise _unknown(kind, whole, _OF_ONE)
    raise _unknown(name, whole, (*_OF_ALL, _NODES))


def _unknown(word: str, whole: str, choices: Collection[str]) -> ConfigurationError:
    if word in choices:
        example = f"{word}:NAME*2" if word in _OF_ONE else f"{word}*2"
        return ConfigurationError(f"what if {whole!r}: {word!r} needs a factor, as in {example} (valid: {_VALID})")
    hint = did_you_mean(word, choices)
    return ConfigurationError(f"what if {whole!r}: unknown switch {word!r}{hint} (valid: {_VALID})")
