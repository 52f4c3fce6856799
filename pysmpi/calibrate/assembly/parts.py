"""Reading of the model files that ``pysmpi-calibrate network``, ``node``, ``host``, ``power`` and ``blas`` write."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pysmpi.calibrate.host.model import FORMAT as HOST
from pysmpi.calibrate.network.fit import FORMAT as NETWORK
from pysmpi.calibrate.node import FORMAT as NODE
from pysmpi.calibrate.node import NodeModel, model_of
from pysmpi.calibrate.power.model import FORMAT as POWER
from pysmpi.calibrate.quality import check_used
from pysmpi.calibrate.table import above_zero
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.blas.blas_table import load_table
from pysmpi.util.documents import parse_json

__all__ = ["Parts", "read_parts"]


@dataclass(frozen=True)
class Parts:
    """Measured values that go into a platform.

    Attributes:
        settings: values of the simulator's settings for the network and for folded arrays (arrays whose contents do not
            matter, so that they share one block of memory), by name.
        links: latency (seconds) and bandwidth (bytes/s) between hosts ("inter") and inside a host ("intra").
        one_way: measured seconds per message: first key "inter" or "intra" as in `links`, second key the size in bytes.
        speed: speed of a core in flop/s.
        cores: number of cores of a host, or None if unknown.
        watts: value of the host property wattage_per_state, or "" if power was not measured.
        memory: memory bandwidths in the syntax of the setting smpi/memory-bandwidth (docs/memory.md), or "" if the host
            was not measured.
        node: model of messages inside a host and through its network card, or None if they were not measured.
        sources: path and description of each model file.
        fit_errors: largest relative error of the network's fit, by first key as in `one_way`.
        forced: reasons why model files are not plausible that are used nevertheless (``--force``), each after the path
            of its file.
    """

    settings: dict[str, str]
    links: dict[str, tuple[float, float]]
    one_way: dict[str, dict[int, float]]
    speed: float
    cores: int | None
    watts: str
    memory: str
    node: NodeModel | None
    sources: dict[str, str]
    fit_errors: dict[str, float] = field(default_factory=dict)
    forced: tuple[str, ...] = ()


def read_parts(
    network: str | os.PathLike[str],
    *,
    node: str | os.PathLike[str] | None = None,
    host: str | os.PathLike[str] | None = None,
    power: str | os.PathLike[str] | None = None,
    blas: str | os.PathLike[str] | None = None,
    speed: float | None = None,
    force: bool = False,
) -> Parts:
    """Read the model files, and return the values that a platform needs.

    Args:
        network: file of ``pysmpi-calibrate network``.
        node: file of ``pysmpi-calibrate node``, or None.
        host: file of ``pysmpi-calibrate host``, or None.
        power: file of ``pysmpi-calibrate power``, or None.
        blas: file of ``pysmpi-calibrate blas``, or None. The platform's cores get the speed in this file, so that
            BLAS calls take the measured times.
        speed: speed of a core in flop/s, or None for the speed of the BLAS model, or else of the host.
        force: whether to accept values that are not plausible and bad fits (`pysmpi.calibrate.quality`).

    Raises:
        CalibrationError: if a file cannot be read, is of another kind or not plausible, or the speed is unknown.
        ConfigurationError: if the BLAS model is not valid.
    """
    documents: dict[str, Mapping[str, Any]] = {}

    def document(path: str | os.PathLike[str], kind: str) -> Mapping[str, Any]:
        return documents.setdefault(os.fspath(path), _document(path, kind))

    messages = document(network, NETWORK)
    sources = {"network": _source(network, messages)}
    settings = _read(network, "settings", lambda: {str(name): str(text) for name, text in messages["settings"].items()})
    links = _read(network, "links", lambda: {place: (above_zero(link["latency"]), above_zero(link["bandwidth"]))
                                             for place, link in messages["links"].items()})  # fmt: skip
    one_way = _read(network, "fit", lambda: {place: {int(size): above_zero(taken) for size, taken in fit["one_way"]}
                                             for place, fit in messages["fit"].items()})  # fmt: skip
    errors = {place: float(fit.get("largest_relative_error", 0.0)) for place, fit in messages["fit"].items()}
    forced: list[str] = []
    cores, memory, watts, found, inside = None, "", "", speed, None
    if node is not None:
        told = document(node, NODE)
        sources["node"] = _source(node, told)
        inside = _read(node, "model", lambda: model_of(told))
    if host is not None:
        figures = document(host, HOST)
        sources["host"] = _source(host, figures)
        found = found or _read(host, "speed", lambda: above_zero(figures["speed"]))
        cores = _read(host, "cores", lambda: int(figures["cores"]))
        memory = _read(host, "settings", lambda: str(figures["settings"]["smpi/memory-bandwidth"]))
    if power is not None:
        drawn = document(power, POWER)
        sources["power"] = _source(power, drawn)
        watts = _read(power, "wattage_per_state", lambda: str(drawn["wattage_per_state"]))
    if blas is not None:
        table = load_table(blas)
        forced += [f"{os.fspath(blas)}: {reason}" for reason in table.forced]
        model = next(iter(table.models.values()))
        sources["blas"] = f"{os.fspath(blas)}: {model.machine}; {model.library}; {model.date}"
        found = speed or table.speed
    if not found:
        raise CalibrationError("the speed of a core is unknown; give --blas, --host or --speed")
    for path, each in documents.items():
        forced += [f"{path}: {reason}" for reason in check_used(path, each, force)]
    return Parts(
        settings, links, one_way, found, cores, watts, memory, inside, sources, fit_errors=errors, forced=tuple(forced)
    )


def _document(path: str | os.PathLike[str], kind: str) -> Mapping[str, Any]:
    source = os.fspath(path)
    try:
        content = Path(source).read_bytes()
    except OSError as error:
        raise CalibrationError(f"cannot read {source!r}: {error.strerror}") from None
    document = parse_json(content, source, CalibrationError)
    found = document.get("format") if isinstance(document, dict) else None
    if found != kind:
        raise CalibrationError(f"{source}: format {found!r} is not valid here (valid: {kind})")
    return dict(document)


def _read(path: str | os.PathLike[str], what: str, get: Callable[[], Any]) -> Any:
    try:
        return get()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CalibrationError(f"{os.fspath(path)}: {what} is missing or malformed ({error})") from None


def _source(path: str | os.PathLike[str], document: Mapping[str, Any]) -> str:
    facts = document.get("provenance", {})
    known = (facts.get(key) for key in ("host", "machine", "library", "date"))
    return f"{os.fspath(path)}: {'; '.join(str(each) for each in known if each)}"
