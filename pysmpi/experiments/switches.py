"""What if: switches that let a run be on another machine, or with other settings, than the command line says."""

from collections.abc import Collection
from dataclasses import dataclass, field

from pysmpi.collectives import OPERATIONS
from pysmpi.errors import ConfigurationError, nearest
from pysmpi.platform.scaling import Quantity, Scaling, parse_factor
from pysmpi.settings.configuration import Configuration, unknown_option
from pysmpi.settings.options import OPTIONS

__all__ = ["Switch", "parse_slow_host", "parse_switch"]

_OF_ALL = {
    "links": Quantity.BANDWIDTH,
    "bandwidth": Quantity.BANDWIDTH,
    "latency": Quantity.LATENCY,
    "hosts": Quantity.SPEED,
    "speed": Quantity.SPEED,
}
_OF_ONE = {"link": Quantity.BANDWIDTH, "host": Quantity.SPEED}
_VALID = (
    "links*F or bandwidth*F, latency*F, hosts*F or speed*F, link:NAME*F, host:NAME*F, OPERATION=ALGORITHM, "
    "selector=NAME, KEY:VALUE as --cfg has it; several at once with spaces between them"
)


@dataclass(frozen=True)
class Switch:
    """What is to be another.

    Attributes:
        text: as it was written.
        scalings: factors on what the platform says.
        settings: of the form KEY:VALUE.
    """

    text: str
    scalings: tuple[Scaling, ...] = ()
    settings: tuple[str, ...] = field(default=())

    def apply(self, configuration: Configuration) -> None:
        """Sets the settings, before which all others have been."""
        for item in self.settings:
            configuration.set_item(item, f"what if {self.text!r}")


def parse_switch(text: str) -> Switch:
    """The switch that a text such as ``links*2`` stands for.

    Raises:
        ConfigurationError: it stands for none; the message tells the nearest one, and what is valid.
    """
    parts = [_parse_part(part, text) for part in text.split()]
    if not parts:
        raise ConfigurationError(f"what if {text!r}: it says nothing (valid: {_VALID})")
    switch = Switch(
        text,
        tuple(part for part in parts if isinstance(part, Scaling)),
        tuple(part for part in parts if isinstance(part, str)),
    )
    switch.apply(Configuration())
    return switch


def parse_slow_host(text: str) -> Scaling:
    """The factor that ``NAME:0.5`` stands for: the host computes at half its speed.

    Raises:
        ConfigurationError: it stands for none.
    """
    name, colon, factor = text.rpartition(":")
    if not colon or not name:
        raise ConfigurationError(
            f"slow host {text!r} is not of the form NAME:FACTOR, such as 'node-3:0.5' for half the speed"
        )
    try:
        value = parse_factor(factor)
    except ValueError as error:
        raise ConfigurationError(f"slow host {text!r}: {error} (valid: above 0, and 1 at most)") from None
    if value > 1:
        raise ConfigurationError(
            f"slow host {text!r}: {factor} is above 1, which is its speed as described; 0.5 is half of it"
        )
    return Scaling(Quantity.SPEED, value, name)


def _parse_part(part: str, whole: str) -> Scaling | str:
    name, colon, _ = part.partition(":")
    if colon and (name in OPTIONS or "/" in name):
        return part
    name, equals, value = part.partition("=")
    if equals:
        return _setting(name, value, whole)
    name, star, factor = part.rpartition("*")
    if not star:
        raise _unknown(part, whole, (*_OF_ALL, *OPERATIONS, "selector", *OPTIONS))
    quantity, item = _quantity(name, whole)
    try:
        return Scaling(quantity, parse_factor(factor), item)
    except ValueError as error:
        raise ConfigurationError(f"what if {whole!r}: factor {error}; 2 is twice as much, 0.5 half") from None


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
    raise _unknown(name, whole, _OF_ALL)


def _unknown(word: str, whole: str, choices: Collection[str]) -> ConfigurationError:
    if word in choices:
        example = f"{word}:NAME*2" if word in _OF_ONE else f"{word}*2"
        return ConfigurationError(f"what if {whole!r}: {word!r} takes a factor, as in {example} (valid: {_VALID})")
    match = nearest(word, choices)
    hint = f"; did you mean {match!r}?" if match else ""
    return ConfigurationError(f"what if {whole!r}: there is no {word!r} to be switched{hint} (valid: {_VALID})")
