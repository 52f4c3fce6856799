"""Settings of one simulation: values with their origins, checks, and the hand-over to the engine."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pysmpi.errors import ConfigurationError, PlatformWarning, nearest, unknown
from pysmpi.native import ffi, lib
from pysmpi.platform.fabrics import FABRIC_NAMES, FABRICS, Fabric
from pysmpi.platform.machine import Platform
from pysmpi.simulation.collectives import MPICH_SELECTORS, OPERATIONS, choose_algorithms
from pysmpi.simulation.settings.foreign_options import FORMER_NAMES, reason_against
from pysmpi.simulation.settings.layers import CALIBRATED, SMPI_VARIABLE, SMPI_WORDS, layer_of, words_of_environment
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.mpi_libraries.followed import follow
from pysmpi.simulation.settings.network_models import DEFAULT as DEFAULT_MODEL
from pysmpi.simulation.settings.network_models import MODELS, NetworkModel
from pysmpi.simulation.settings.option_parsers import UnknownChoiceError
from pysmpi.simulation.settings.options import FABRIC, MPI, OPTIM, OPTIONS, SELECTED, SELECTIVE_UPDATE, Option

__all__ = ["Configuration", "Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """Value of a setting and its origin.

    Attributes:
        text: value as it was written.
        value: parsed value.
        origin: "default", ``file:line``, "command line", or the setting ``mpi`` or ``fabric`` that gave the value, such
            as ``mpi:openmpi-5.0 (default)``.
    """

    text: str
    value: Any
    origin: str


@dataclass
class Configuration:
    """Settings by name; settings that were not set have their defaults.

    Later settings replace earlier ones: apply the ``<config>`` of a platform file before the command line. A setting
    that was not set has the value given by the fabric, else the value given by the MPI library, else its own default.
    """

    _given: dict[str, Setting] = field(default_factory=dict)
    _platform_fabric: Setting | None = None  # fabric of the platform, which the environment can override
    _ignores_environment: bool = False

    def set(self, name: str, text: str, origin: str) -> None:
        """Parse and store the value of a setting.

        Args:
            name: SimGrid's name of the setting.
            text: value as text.
            origin: origin of the value, for errors.

        Raises:
            ConfigurationError: the name is unknown, or the value is not valid.
        """
        option = OPTIONS.get(name)
        if option is None:
            reason = reason_against(name)
            if reason is not None:
                raise ConfigurationError(f"{origin}: pysmpi does not have SimGrid's option {name!r}: {reason}")
            raise ConfigurationError(f"{origin}: {unknown_option(name)}")
        if option.accumulates and name in self._given:
            text = f"{self._given[name].text},{text}"
        try:
            value = option.parse(text)
        except UnknownChoiceError as error:
            raise ConfigurationError(
                f"{origin}: unknown {name} {error.word_and_hint} (valid: {option.valid})"
            ) from error
        except ValueError as error:
            raise ConfigurationError(
                f"{origin}: {text!r} is not valid for {name}: {error} (valid: {option.valid})"
            ) from error
        self._given[name] = Setting(text, value, origin)

    def set_item(self, item: str, origin: str) -> None:
        """Set a setting written as ``KEY:VALUE``."""
        name, colon, text = item.partition(":")
        if not colon:
            raise ConfigurationError(f"{origin}: {item!r} is not of the form KEY:VALUE, such as 'smpi/wtime:1e-8'")
        self.set(name.strip(), text.strip(), origin)

    def update(self, settings: "Mapping[str, Any] | Iterable[str]", origin: str) -> None:
        """Set several settings, given as a mapping by name or as texts ``KEY:VALUE``."""
        if isinstance(settings, Mapping):
            for name, value in settings.items():
                self.set(name, _text_of(value), origin)
        else:
            for item in settings:
                self.set_item(item, origin)

    def update_from(self, platform: Platform) -> None:
        """Apply the settings of a platform description, with file and line as their origin.

        Raises:
            ConfigurationError: a setting is unknown or not valid, or is set for a single host.
        """
        for name in ("smpi/os", "smpi/ois", "smpi/or"):
            if host := platform.host_with(name):
                raise ConfigurationError(
                    f"{platform.source}: host {host.name!r} has its own property {name!r}; overheads are the same "
                    f"on all hosts: set {name} in <config> or with --cfg"
                )
        for written, text in platform.config.items():
            origin, name = platform.config_places.get(written, platform.source), FORMER_NAMES.get(written, written)
            reason = reason_against(name)
            if name in OPTIONS and text in OPTIONS[name].ignored:
                why = f"{origin}: {written}:{text} is ignored: {OPTIONS[name].ignored[text]}"
                warnings.warn(why, PlatformWarning, stacklevel=2)
            elif reason is None:
                self.set(name, text, origin)
            else:  # the file was written for SimGrid
                why = f"{origin}: {written} is ignored: pysmpi does not have this option of SimGrid: {reason}"
                warnings.warn(why, PlatformWarning, stacklevel=2)
        if not CALIBRATED.isdisjoint(FORMER_NAMES.get(name, name) for name in platform.config):
            # The platform's network was calibrated together with SMPI's other defaults; values of another fabric would
            # not fit.
            self._platform_fabric = Setting("smpi", "smpi", f"{platform.source} sets the network's own values")
        _warn_of_unused_fabrics(platform)
        if host := platform.host_with(FABRIC):
            self.set(FABRIC, host.properties[FABRIC], f"{platform.source}: host {host.name}")
        if FABRIC in self._given:
            self._platform_fabric = self._given.pop(FABRIC)

    def choose(self, smpi: bool | None, mpi: str | None, fabric: str | None, origin: str = "command line") -> None:
        """Choose the MPI library and the network technology (fabric) that give other settings their defaults.

        Args:
            smpi: True for all defaults of SMPI 3.32, False for pysmpi's own defaults even if the environment asks for
                SMPI's, None for the environment's choice.
            mpi: MPI library, or None to leave it to `smpi`. A name takes precedence over `smpi`, as does `fabric`.
            fabric: name of the fabric, or None to leave it to `smpi`, the environment or the platform; if none of them
                names one, it is the neutral fabric.
            origin: origin of the choice, for errors.

        Raises:
            ConfigurationError: a name is unknown.
        """
        if smpi:
            self.update(SMPI_WORDS, f"{origin}: smpi")
        self._ignores_environment |= smpi is False
        for word, value in ((MPI, mpi), (FABRIC, fabric)):
            if value is not None:
                self.set(word, value, origin)

    @property
    def chosen_fabric(self) -> Fabric | None:
        """Fabric that the run or the environment chooses, or None if the platform's own or the default holds."""
        chosen = FABRIC in self._given or (not self._ignores_environment and FABRIC in words_of_environment())
        return FABRICS[self[FABRIC]] if chosen else None

    def __getitem__(self, name: str) -> Any:
        """Return the value of a setting."""
        return self.setting(name).value

    def setting(self, name: str) -> Setting:
        """Return a setting with its origin."""
        if name in self._given:
            return self._given[name]
        option = OPTIONS[name]
        text, origin = self._default(option)
        return Setting(text, option.parse(text) if text else text, origin)

    def _default(self, option: Option) -> tuple[str, str]:
        """Return the value of a setting that the user has not set, as text, and the origin of this default."""
        name = option.name
        if name == "network/model":
            return option.default, "default"
        if name in (MPI, FABRIC):
            words = {} if self._ignores_environment else words_of_environment()
            if name in words:
                return words[name], SMPI_VARIABLE
            if name == FABRIC and self._platform_fabric is not None:
                return self._platform_fabric.text, self._platform_fabric.origin
            return option.default, "default"
        model = self.network_model
        if name in model.defaults and model is not DEFAULT_MODEL:
            return model.defaults[name], f"default of network/model:{model.name}"
        for word in (FABRIC, MPI):
            if word == FABRIC and "fabric/latency" not in model.options:
                continue
            chosen = self.setting(word)
            layer = layer_of(word, chosen.value, chosen.origin)
            if name in layer.settings:
                return layer.settings[name], layer.origin
        if name in model.defaults:
            return model.defaults[name], f"default of network/model:{model.name}"
        return option.default, "default"

    @property
    def network_model(self) -> NetworkModel:
        """Network model that ``network/model`` selects."""
        return MODELS[self["network/model"]]

    def check(self) -> None:
        """Check that every setting that was set has an effect, given the other settings.

        Raises:
            ConfigurationError: a setting has no effect.
        """
        model = self["network/model"]
        for name, setting in self._given.items():
            option = OPTIONS[name]
            if _applies(option, model) or option.models is None:
                continue
            other = OPTIONS.get(option.elsewhere)
            instead = (
                f"set {other.name} instead"
                if other and _applies(other, model)
                else "it applies to " + ", ".join(option.models)
            )
            raise ConfigurationError(f"{setting.origin}: {name} has no effect under network/model:{model}; {instead}")
        if self["smpi/host-memory-bandwidth"] and not self["smpi/memory-sharing"]:
            origin = self.setting("smpi/host-memory-bandwidth").origin
            raise ConfigurationError(
                f"{origin}: smpi/host-memory-bandwidth has no effect without smpi/memory-sharing:yes"
            )
        if contradiction := MODELS[model].contradiction(self.__getitem__):
            given = next((self._given[name].origin for name in MODELS[model].options if name in self._given), model)
            raise ConfigurationError(f"{given}: {contradiction}")
        if not self[SELECTIVE_UPDATE] and not self[OPTIM]:
            origin = self.setting(SELECTIVE_UPDATE).origin
            raise ConfigurationError(
                f"{origin}: {SELECTIVE_UPDATE}:no contradicts {OPTIM}:Lazy, which updates selectively; "
                f"set {OPTIM}:Full as well"
            )
        selectors = {self["smpi/coll-selector"], *self._chosen().values()}
        if self["coll/mpich-tuning"] and selectors.isdisjoint(MPICH_SELECTORS):
            origin = self.setting("coll/mpich-tuning").origin
            raise ConfigurationError(
                f"{origin}: coll/mpich-tuning has no effect without smpi/coll-selector:{' or '.join(MPICH_SELECTORS)}"
            )

    def without_algorithms(self) -> dict[str, str]:
        """Return the settings that were set, as text by name, except those that choose collective algorithms."""
        names = {"smpi/coll-selector", "coll/mpich-tuning", *(f"smpi/{operation}" for operation in OPERATIONS)}
        return {name: setting.text for name, setting in self._given.items() if name not in names}

    @property
    def finds_best_algorithms(self) -> bool:
        """True if the algorithm of any collective is set to ``best``, which tries all and takes the fastest."""
        return "best" in (self["smpi/coll-selector"], *self._chosen().values())

    def _chosen(self) -> dict[str, str]:
        """Return the algorithm or selector of each collective that has its own setting.

        Collectives that follow ``smpi/coll-selector`` are omitted.
        """
        chosen = {operation: self[f"smpi/{operation}"] for operation in OPERATIONS}
        return {operation: name for operation, name in chosen.items() if name != SELECTED}

    def hand_to_engine(self) -> None:
        """Check the settings, and pass those that the engine reads to the engine."""
        self.check()
        lib.pysmpi_reset_options()
        model = self.network_model
        if lib.pysmpi_set_network_model(model.native.encode()) != 0:
            raise ConfigurationError(f"network model {model.native!r} is missing in native/network/models")
        for option in OPTIONS.values():
            if not _applies(option, model.name):
                continue
            if option.name in {"network/latency-factor", "network/bandwidth-factor"}:
                _set_table(option.name, [(-1.0, self[option.name], 0.0)])
            elif option.native == "table":
                _set_table(option.name, self[option.name])
            elif option.native == "number":
                _set_number(option.name, self[option.name])
        for name, value in model.engine_values(self.__getitem__):
            if isinstance(value, list):
                _set_table(name, value)
            else:
                _set_number(name, value)
        follow(MPI_LIBRARIES[self[MPI]])
        choose_algorithms(self["smpi/coll-selector"], self._chosen(), mpich_tuning=self["coll/mpich-tuning"] or None)

    def table(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield name, value, meaning and origin of each setting."""
        for name, option in OPTIONS.items():
            setting = self.setting(name)
            origin = setting.origin
            if not _applies(option, self.network_model.name):
                origin = f"no effect under network/model:{self.network_model.name}"
            yield name, setting.text, option.meaning, origin

    def lines(self) -> Iterator[str]:
        """Yield the lines that ``--print-config`` prints."""
        for name, text, meaning, origin in self.table():
            yield f"{name}:{text}  # {meaning} [{origin}]"


def _warn_of_unused_fabrics(platform: Platform) -> None:
    """Warn of fabrics in a platform that have no effect, because one fabric holds for the whole machine."""
    named = platform.hosts_with(FABRIC)
    used = FABRIC_NAMES.get(named[0][1]) if named else None
    places = [
        f"fabric {text!r} of host {platform.hosts[hosts[0]].name!r}"
        for hosts, text in named
        if FABRIC_NAMES.get(text) is not used
    ]
    clusters = {cluster.name for _, cluster in platform.clusters}
    zones = (zone for zone in platform.zones if zone.name not in clusters)
    places += [
        f"fabric {zone.properties[FABRIC]!r} of zone {zone.name!r}" for zone in zones if FABRIC in zone.properties
    ]
    places += [f"fabric {link.properties[FABRIC]!r} of link {link.name!r}" for link in platform.links_with(FABRIC)]
    if not places:
        return
    holds = f"that of host {platform.hosts[named[0][0][0]].name!r} ({named[0][1]})" if named else "set it in <config>"
    warnings.warn(
        f"{platform.source}: {places[0]} has no effect on factors and overheads: one fabric holds for "
        f"all hosts; {holds}",
        PlatformWarning,
        stacklevel=2,
    )


def unknown_option(name: str) -> str:
    """Return the error text for an unknown setting, with the nearest name and all settings of the same family."""
    match = nearest(name, OPTIONS)
    family = name.partition("/")[0] + "/"
    related = [option for option in OPTIONS if option.startswith(family)] or list(OPTIONS)
    text = unknown("option", name, related, shown=len(related))
    if match is not None and f"did you mean {match!r}" not in text:
        text = text.replace(f"unknown option {name!r}", f"unknown option {name!r}; did you mean {match!r}?", 1)
    return text


def _applies(option: Option, model: str) -> bool:
    return option.models is None or model in option.models


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _set_number(name: str, value: float) -> None:
    if lib.pysmpi_set_number(name.encode(), value) != 0:
        raise ConfigurationError(f"the engine has no number {name!r}: this is a defect of pysmpi, please report it")


def _set_table(name: str, steps: list[tuple[float, float, float]]) -> None:
    columns = [ffi.new("double[]", [step[column] for step in steps]) for column in range(3)]
    if lib.pysmpi_set_table(name.encode(), len(steps), *columns) != 0:
        raise ConfigurationError(f"the engine has no table {name!r}: this is a defect of pysmpi, please report it")
