"""Catalogue of the platforms that come with pysmpi; users give a name such as ``fattree`` instead of a file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pysmpi.errors import did_you_mean
from pysmpi.platform import xml
from pysmpi.util.shipped import shipped

__all__ = ["Entry", "describe", "find", "is_name", "named", "unknown_platform"]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_COMMENT = re.compile(r"<!--\s*(.*?)-->", re.DOTALL)
_SENTENCE = re.compile(r"(.*?)(?:[.:]\s|[.]?\s*$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """Description of a platform of the catalogue.

    Attributes:
        name: name for ``--platform``.
        hosts: number of hosts.
        cores: number of cores of all hosts.
        speed: peak of all cores in flop/s.
        properties: properties of the first host, such as ``fabric``, as text.
        about: first sentence of the file's comment.
    """

    name: str
    hosts: int
    cores: int
    speed: float
    properties: Mapping[str, str]
    about: str


def named() -> dict[str, Path]:
    """Return the platform files of the catalogue by name, in alphabetical order."""
    return {file.stem: file for file in sorted(shipped("platforms").rglob("*.xml"), key=lambda file: file.stem)}


def find(name: str) -> Path | None:
    """Return the file of a platform of the catalogue, or None for an unknown name."""
    return named().get(name)


def is_name(text: str) -> bool:
    """Return whether a text looks like a name of the catalogue, not like the path of a file."""
    return _NAME.fullmatch(text) is not None


def describe(name: str, file: Path) -> Entry:
    """Return the description of a platform of the catalogue.

    Raises:
        PlatformError: the file is malformed.
    """
    platform = xml.read(file)
    comment = _COMMENT.search(file.read_text(encoding="utf-8"))
    sentence = _SENTENCE.match(comment[1]) if comment else None
    return Entry(
        name=name,
        hosts=len(platform.hosts),
        cores=sum(host.cores for host in platform.hosts),
        speed=sum(host.cores * host.speed for host in platform.hosts),
        properties=dict(platform.hosts[0].properties),
        about=" ".join(sentence[1].split()) if sentence else "",
    )


def unknown_platform(name: str) -> str:
    """Return the error text for a name that is neither a file nor a platform of the catalogue."""
    hint = did_you_mean(name, named())
    return f"{name!r} is neither a file nor a platform that comes with pysmpi{hint} ('pysmpi platform list' shows them)"
