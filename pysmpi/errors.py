"""The errors of pysmpi: one base class, each kind with a stable slug.

A message names what was wrong, where (file:line if there is one), what is valid, and the nearest match. The slug stays
the same when the wording changes, so that scripts may depend on it.
"""

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pysmpi.instruments.check import Finding

__all__ = [
    "BindingError",
    "CalibrationError",
    "ConfigurationError",
    "DeadlockError",
    "LaunchError",
    "PlacementError",
    "PlatformError",
    "PysmpiError",
    "RankError",
    "SimulationError",
    "StudyError",
    "all_errors",
    "nearest",
    "unknown",
]


LONGEST_WORD = 120
MOST_CHOICES = 5000


class PysmpiError(Exception):
    """Anything that pysmpi itself reports. What the simulated program raises is never one of these."""

    slug: ClassVar[str] = "pysmpi"
    findings: "tuple[Finding, ...]" = ()
    """What a check of the program found before it ended so."""


class ConfigurationError(PysmpiError):
    """A setting is unknown, malformed or out of its range. The one who wrote it is to correct it."""

    slug = "configuration"


class PlatformError(PysmpiError):
    """The platform description is malformed or inconsistent; the message begins with its file:line."""

    slug = "platform"
    place: str | None = None
    """The file:line that the message begins with, once it does."""


class PlacementError(PysmpiError):
    """Ranks cannot be placed on hosts: an unknown host, a malformed hostfile, or too few places."""

    slug = "placement"


class LaunchError(PysmpiError):
    """The program cannot be started: a missing script, an unknown option, a missing argument."""

    slug = "launch"


class BindingError(LaunchError):
    """mpi4py is bound to another MPI library than the simulator; the message names that library."""

    slug = "binding"


class SimulationError(PysmpiError):
    """A simulation was started or used in a way that cannot work, such as a simulation inside a rank."""

    slug = "simulation"


class DeadlockError(SimulationError):
    """The ranks that are left wait for messages that can never come; the message says who waits for what."""

    slug = "deadlock"


class CalibrationError(PysmpiError):
    """What was measured is no basis for a model, or cannot be measured here; the message says what is needed."""

    slug = "calibration"


class StudyError(PysmpiError):
    """A study's description is not valid, its results cannot be kept, or there is nothing to tell from them."""

    slug = "study"


class RankError(SimulationError):
    """A rank ended with an exception or aborted, and took the simulation with it."""

    slug = "rank"


def all_errors() -> dict[str, type[PysmpiError]]:
    """Every kind of error by slug, those of modules loaded so far included.

    Raises:
        AssertionError: two kinds share a slug.
    """
    found: dict[str, type[PysmpiError]] = {}
    waiting: list[type[PysmpiError]] = [PysmpiError]
    while waiting:
        kind = waiting.pop(0)
        if found.setdefault(kind.slug, kind) is not kind:
            other = found[kind.slug].__qualname__
            raise AssertionError(f"{kind.__qualname__} and {other} share the slug {kind.slug!r}")
        waiting.extend(sorted(kind.__subclasses__(), key=lambda subclass: subclass.__qualname__))
    return found


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that looks most like the word, upper or lower case alike; None when none does.

    Looking takes time: only the first thousands of choices are looked at, and no word longer than a line.
    """
    if len(word) > LONGEST_WORD:
        return None
    by_folded: dict[str, str] = {}
    for choice in islice(choices, MOST_CHOICES):
        if len(choice) <= LONGEST_WORD:
            by_folded.setdefault(choice.lower(), choice)
    close = difflib.get_close_matches(word.lower(), list(by_folded), n=1, cutoff=0.5)
    return by_folded[close[0]] if close else None


def unknown(kind: str, word: str, choices: Iterable[str], *, shown: int = 24) -> str:
    """The text of an error about an unknown word: "unknown KIND 'WORD'", the nearest match, the valid ones.

    Args:
        kind: what the word was to name, such as "option".
        word: what was given.
        choices: the valid words, in the order to be shown.
        shown: at most so many choices are listed; of more, only their number is told.
    """
    valid = list(choices)
    match = nearest(word, valid)
    text = f"unknown {kind} {word!r}"
    if match is not None:
        text += f"; did you mean {match!r}?"
    if not valid:
        return text + f" (there is no {kind} to choose from)"
    listed = ", ".join(valid[:shown])
    if len(valid) > shown:
        listed += f", … ({len(valid)} in all)"
    return text + f" (valid: {listed})"
