"""The models of a calibration's other parts, read back."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.calibrate.host.model import FORMAT as HOST
from pysmpi.calibrate.network.fit import FORMAT as NETWORK
from pysmpi.calibrate.power.model import FORMAT as POWER
from pysmpi.compute.blas.model import load
from pysmpi.errors import CalibrationError

__all__ = ["Parts", "read_parts"]


@dataclass(frozen=True)
class Parts:
    """What goes into a platform.

    Attributes:
        settings: of the network and of folded memory, by SimGrid's names.
        links: latency (seconds) and bandwidth (bytes/s) between hosts (inter) and inside one (intra).
        one_way: by place, seconds of a message by bytes, as measured.
        speed: of a core, flop/s.
        cores: of a host, if that is known.
        watts: wattage_per_state, or "".
        memory: bytes/s by distance, as smpi/memory-bandwidth has it, or "".
        sources: by part, its file and what it says of itself.
    """

    settings: dict[str, str]
    links: dict[str, tuple[float, float]]
    one_way: dict[str, dict[int, float]]
    speed: float
    cores: int | None
    watts: str
    memory: str
    sources: dict[str, str]


def read_parts(
    network: str | os.PathLike[str],
    *,
    host: str | os.PathLike[str] | None = None,
    power: str | os.PathLike[str] | None = None,
    blas: str | os.PathLike[str] | None = None,
    speed: float | None = None,
) -> Parts:
    """Read the files that the other parts have written.

    Args:
        network: of ``pysmpi-calibrate network``.
        host: of ``pysmpi-calibrate host``.
        power: of ``pysmpi-calibrate power``.
        blas: of ``pysmpi-calibrate blas``, whose speed is then that of a core, so that its times hold as measured.
        speed: of a core, flop/s; None: the BLAS model's, or the host's.

    Raises:
        CalibrationError: a file cannot be read or is of another part, or no speed is known.
        ConfigurationError: the BLAS model is none.
    """
    messages = _document(network, NETWORK)
    sources = {"network": _source(network, messages)}
    settings = _read(network, "settings", lambda: {str(name): str(text) for name, text in messages["settings"].items()})
    links = _read(network, "links", lambda: {place: (_above_zero(link["latency"]), _above_zero(link["bandwidth"]))
                                             for place, link in messages["links"].items()})  # fmt: skip
    one_way = _read(network, "fit", lambda: {place: {int(size): _above_zero(taken) for size, taken in fit["one_way"]}
                                             for place, fit in messages["fit"].items()})  # fmt: skip
    cores, memory, watts, found = None, "", "", speed
    if host is not None:
        figures = _document(host, HOST)
        sources["host"] = _source(host, figures)
        found = found or _read(host, "speed", lambda: _above_zero(figures["speed"]))
        cores = _read(host, "cores", lambda: int(figures["cores"]))
        memory = _read(host, "settings", lambda: str(figures["settings"]["smpi/memory-bandwidth"]))
    if power is not None:
        drawn = _document(power, POWER)
        sources["power"] = _source(power, drawn)
        watts = _read(power, "wattage_per_state", lambda: str(drawn["wattage_per_state"]))
    if blas is not None:
        model = load(blas)
        sources["blas"] = f"{os.fspath(blas)}: {model.machine}; {model.library}; {model.date}"
        found = speed or model.speed
    if not found:
        raise CalibrationError("the speed of a core is not known: give --blas, --host or --speed")
    return Parts(settings, links, one_way, found, cores, watts, memory, sources)


def _document(path: str | os.PathLike[str], kind: str) -> Mapping[str, Any]:
    source = os.fspath(path)
    try:
        document = json.loads(Path(source).read_text(encoding="utf-8"))
    except OSError as error:
        raise CalibrationError(f"cannot read {source!r}: {error.strerror}") from None
    except ValueError as error:
        raise CalibrationError(f"{source}: this is not JSON: {error}") from None
    found = document.get("format") if isinstance(document, dict) else None
    if found != kind:
        raise CalibrationError(f"{source}: format: {found!r} is not that of this part, {kind}")
    return dict(document)


def _read(path: str | os.PathLike[str], what: str, get: Callable[[], Any]) -> Any:
    try:
        return get()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CalibrationError(f"{os.fspath(path)}: {what}: it is missing or malformed ({error})") from None


def _above_zero(value: Any) -> float:
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{number:g} is not above zero")
    return number


def _source(path: str | os.PathLike[str], document: Mapping[str, Any]) -> str:
    told = document.get("provenance", {})
    known = (told.get(key) for key in ("host", "machine", "library", "date"))
    return f"{os.fspath(path)}: {'; '.join(str(each) for each in known if each)}"
