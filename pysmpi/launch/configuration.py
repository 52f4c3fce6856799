"""The settings of one simulation: each value with where it came from, checked, and handed to the engine."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pysmpi.collectives import OPERATIONS, choose_algorithms
from pysmpi.errors import ConfigurationError, nearest, unknown
from pysmpi.launch.options import NETWORK_MODELS, NOT_IMPLEMENTED, OPTIONS
from pysmpi.native import ffi, lib

__all__ = ["Configuration", "Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it came from: "default", a file's place, or "command line"."""

    text: str
    value: Any
    origin: str


@dataclass
class Configuration:
    """Settings by name; those that nobody has set have their defaults.

    Later settings win over earlier ones, so a platform file's ``<config>`` is to be applied before the command line's.
    """

    _given: dict[str, Setting] = field(default_factory=dict)

    def set(self, name: str, text: str, origin: str) -> None:
        """Sets one.

        Raises:
            ConfigurationError: the name is unknown or not implemented, or the value is not valid.
        """
        option = OPTIONS.get(name)
        if option is None:
            if name in NOT_IMPLEMENTED:
                raise ConfigurationError(f"{origin}: {name!r} is an option of SimGrid that pysmpi does not implement")
            raise ConfigurationError(f"{origin}: {unknown_option(name)}")
        try:
            value = option.parse(text)
        except ValueError as error:
            raise ConfigurationError(
                f"{origin}: {text!r} is not valid for {name}: {error} (valid: {option.valid})"
            ) from error
        self._given[name] = Setting(text, value, origin)

    def set_item(self, item: str, origin: str) -> None:
        """Sets one written as ``KEY:VALUE``."""
        name, colon, text = item.partition(":")
        if not colon:
            raise ConfigurationError(f"{origin}: {item!r} is not of the form KEY:VALUE, such as 'smpi/wtime:1e-8'")
        self.set(name.strip(), text.strip(), origin)

    def update(self, settings: "Mapping[str, Any] | Iterable[str]", origin: str) -> None:
        """Sets several, given by name or as ``KEY:VALUE``."""
        if isinstance(settings, Mapping):
            for name, value in settings.items():
                self.set(name, _text_of(value), origin)
        else:
            for item in settings:
                self.set_item(item, origin)

    def __getitem__(self, name: str) -> Any:
        """A setting's value."""
        return self.setting(name).value

    def setting(self, name: str) -> Setting:
        """A setting with its origin."""
        if name in self._given:
            return self._given[name]
        option = OPTIONS[name]
        text, origin = option.default, "default"
        model = self._given["network/model"].value if "network/model" in self._given else "SMPI"
        latency, bandwidth, weight = NETWORK_MODELS[model]
        by_model = {
            "network/latency-factor": latency,
            "network/bandwidth-factor": bandwidth,
            "network/weight-S": weight,
        }
        if by_model.get(name) is not None:
            text, origin = str(by_model[name]), f"default of network/model:{model}"
        return Setting(text, option.parse(text) if text else text, origin)

    def check(self) -> None:
        """Looks for settings that would have no effect.

        Raises:
            ConfigurationError: one has none.
        """
        smpi = self["network/model"] == "SMPI"
        useless = {"network/latency-factor": "smpi/lat-factor", "network/bandwidth-factor": "smpi/bw-factor"}
        for own, other in useless.items():
            ineffective, effective = (own, other) if smpi else (other, own)
            if ineffective in self._given:
                raise ConfigurationError(
                    f"{self._given[ineffective].origin}: {ineffective} has no effect under "
                    f"network/model:{self['network/model']}; there it is {effective}"
                )

    def hand_to_engine(self) -> None:
        """The engine reads its options from here on."""
        self.check()
        lib.pysmpi_reset_options()
        smpi = self["network/model"] == "SMPI"
        _set_number("network/model", list(NETWORK_MODELS).index(self["network/model"]))
        for option in OPTIONS.values():
            if option.name in {"network/latency-factor", "network/bandwidth-factor"}:
                if not smpi:
                    _set_table(option.name, [(-1.0, self[option.name], 0.0)])
            elif option.native == "table":
                if smpi or option.name not in {"smpi/lat-factor", "smpi/bw-factor"}:
                    _set_table(option.name, self[option.name])
            elif option.native == "number":
                _set_number(option.name, self[option.name])
        choose_algorithms({operation: self[f"smpi/{operation}"] for operation in OPERATIONS})

    def lines(self) -> Iterator[str]:
        """What ``--print-config`` prints: each setting, its meaning and where its value comes from."""
        for name, option in OPTIONS.items():
            setting = self.setting(name)
            yield f"{name}:{setting.text}  # {option.meaning} [{setting.origin}]"


def unknown_option(name: str) -> str:
    """The text of an error about an unknown option: the nearest one, and the others of the same family."""
    match = nearest(name, OPTIONS)
    family = name.partition("/")[0] + "/"
    related = [option for option in OPTIONS if option.startswith(family)] or list(OPTIONS)
    text = unknown("option", name, related, shown=len(related))
    if match is not None and f"did you mean {match!r}" not in text:
        text = text.replace(f"unknown option {name!r}", f"unknown option {name!r}; did you mean {match!r}?", 1)
    return text


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _set_number(name: str, value: float) -> None:
    if lib.pysmpi_set_number(name.encode(), value) != 0:
        raise ConfigurationError(f"the engine knows no number {name!r}: this is a defect of pysmpi, please report it")


def _set_table(name: str, steps: list[tuple[float, float, float]]) -> None:
    columns = [ffi.new("double[]", [step[column] for step in steps]) for column in range(3)]
    if lib.pysmpi_set_table(name.encode(), len(steps), *columns) != 0:
        raise ConfigurationError(f"the engine knows no table {name!r}: this is a defect of pysmpi, please report it")
