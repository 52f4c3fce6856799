"""Tables of models: the model of each host, socket or core, in one file.

Processors of one kind differ: T. Cornebize measured dgemm on the 64 processors of a cluster, and the slowest was 24 %
slower than the fastest; with one model for all, the prediction of Linpack was 20 points too fast ("High Performance
Computing: Towards Better Performance Predictions and Experiments", 2021, chapter 5).
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from pysmpi.errors import ConfigurationError, unknown
from pysmpi.simulation.compute.blas.model import (
    FORMAT,
    REMARKS,
    TEXTS,
    BlasModel,
    check_keys,
    described,
    forced_of,
    load,
    read,
    routines_of,
)

__all__ = ["BlasTable", "Place", "load_table"]

TABLE_FORMAT = "pysmpi-blas-table-1"

_CORES = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?$")


@dataclass(frozen=True, slots=True)
class Place:
    """Cores that have the same BLAS model.

    Attributes:
        host: name of a host, or a pattern with ``*``, ``?`` and ``[…]``.
        cores: numbers of the cores; None for all.
        model: name of the model.
    """

    host: str
    cores: range | None
    model: str


@dataclass(frozen=True)
class BlasTable:
    """BLAS models of the cores of a machine; all models describe the same routines.

    Attributes:
        source: path of the file.
        speed: speed of one core of the measured machine in flop/s. A simulated time is the model's time, multiplied by
            this speed and divided by the speed of the simulated host.
        models: models by name.
        places: which cores have which model; a core has the model of the first entry that includes it.
        forced: reasons why the calibration was refused, if ``--force`` wrote the file all the same; otherwise empty.
    """

    source: str
    speed: float
    models: Mapping[str, BlasModel]
    places: tuple[Place, ...]
    forced: tuple[str, ...] = ()

    @cached_property
    def routines(self) -> frozenset[str]:
        """Names of the described routines."""
        return frozenset(next(iter(self.models.values())).routines)

    @property
    def has_one_model(self) -> bool:
        """True if all cores have the same model."""
        return len(self.models) == 1

    def fit_error(self, routines: Iterable[str]) -> float | None:
        """Return the greatest median relative error among the fits of these routines, or None if no fit has one."""
        found = [
            model.quality[name].get("median_relative_error")
            for name in routines
            for model in self.models.values()
            if name in model.quality
        ]
        return max((float(error) for error in found if error is not None), default=None)

    def model_of(self, host: str, core: int) -> BlasModel:
        """Return the model of a core of a host.

        Raises:
            ConfigurationError: no entry of the file's list ``places`` includes the core.
        """
        for place in self.places:
            if (place.cores is None or core in place.cores) and fnmatchcase(host, place.host):
                return self.models[place.model]
        listed = ", ".join(dict.fromkeys(place.host for place in self.places[:8]))
        raise ConfigurationError(
            f"{self.source}: places: no entry includes core {core} of host {host!r} (hosts: {listed}"
            f"{', …' if len(self.places) > 8 else ''})"
        )


def load_table(path: str | os.PathLike[str]) -> BlasTable:
    """Read a model file, or a file with a table of models.

    Raises:
        ConfigurationError: the file cannot be read or is not valid; the message names the place in the file.
    """
    source = os.fspath(path)
    document = read(source)
    if not isinstance(document, dict) or document.get("format") != TABLE_FORMAT:
        if isinstance(document, dict) and isinstance(found := document.get("format"), str) and found != FORMAT:
            problem = unknown("format", found, (FORMAT, TABLE_FORMAT))
            raise ConfigurationError(f"{source}: format: {problem}")
        model = load(source)
        return BlasTable(source, model.speed, {"": model}, (Place("*", None, ""),), forced_of(source, document))
    check_keys(source, document, required=(*TEXTS, "speed", "models", "places"), optional=("routines", *REMARKS))
    common = document.get("routines", {})
    facts = described(source, document, TABLE_FORMAT)
    models = {}
    for name, own in _object(f"{source}: models", document["models"]).items():
        where = f"{source}: models.{name}"
        entries = {**_object(f"{source}: routines", common), **_object(where, own)}
        models[name] = BlasModel(source, **facts, **routines_of(where, entries))
    _check_routines(source, models)
    if not isinstance(document["places"], list) or not document["places"]:
        raise ConfigurationError(f"{source}: places: {document['places']!r} is not a list of at least one entry")
    places = [_place(f"{source}: places[{index}]", entry, models) for index, entry in enumerate(document["places"])]
    unused = next((name for name in models if all(place.model != name for place in places)), None)
    if unused is not None:
        problem = "no entry of 'places' names this model; remove the model, or add an entry for it"
        raise ConfigurationError(f"{source}: models.{unused}: {problem}")
    return BlasTable(source, facts["speed"], models, tuple(places), forced_of(source, document))


def _object(where: str, found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ConfigurationError(f"{where}: {found!r} is not an object")
    return found


def _check_routines(source: str, models: Mapping[str, BlasModel]) -> None:
    """Check that the table has a model, and that all models describe the same routines."""
    if not models:
        raise ConfigurationError(f"{source}: models: no model is given; at least one is needed")
    first = next(iter(models))
    for name, model in models.items():
        for routine in set(model.routines) ^ set(models[first].routines):
            has, lacks = (name, first) if routine in model.routines else (first, name)
            raise ConfigurationError(f"{source}: models.{lacks}: {routine} is missing, which model {has!r} describes")


def _place(where: str, entry: Any, models: Mapping[str, BlasModel]) -> Place:
    check_keys(where, entry, required=("host", "model"), optional=("cores",))
    for key in ("host", "model", "cores"):
        if key in entry and (not isinstance(entry[key], str) or not entry[key]):
            raise ConfigurationError(f"{where}.{key}: {entry[key]!r} is not a non-empty string")
    if entry["model"] not in models:
        raise ConfigurationError(f"{where}.model: {unknown('model', entry['model'], models)}")
    return Place(entry["host"], _cores(f"{where}.cores", entry.get("cores")), entry["model"])


def _cores(where: str, text: str | None) -> range | None:
    if text is None:
        return None
    match = _CORES.match(text)
    first, last, step = (None, None, None) if match is None else match.groups()
    if first is None or int(last or first) < int(first) or step == "0":
        raise ConfigurationError(f"{where}: {text!r} is not valid; write a core such as 3, or several: 0-15, or 0-30:2")
    return range(int(first), int(last or first) + 1, int(step or 1))
