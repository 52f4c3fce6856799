"""Errors of pysmpi: one base class, and a stable slug for each kind.

A message states the problem, its place (file:line if there is one), the valid values, and the nearest match. The
slug stays the same when the wording changes, so that scripts may depend on it.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

__all__ = [
    "BindingError",
    "CalibrationError",
    "ConfigurationError",
    "DeadlockError",
    "LaunchError",
    "ModelError",
    "NativeCodeError",
    "PlacedError",
    "PlacementError",
    "PlatformError",
    "PlatformWarning",
    "PysmpiError",
    "RankError",
    "SimulationError",
    "StudyError",
    "all_errors",
    "did_you_mean",
    "nearest",
    "unknown",
]


LONGEST_WORD = 120
MOST_CHOICES = 5000


@dataclass(frozen=True, slots=True)
class Finding:
    """Mistake in the use of MPI that a check of a program has found. Repetitions in the same source lines are one
    finding.

    Attributes:
        kind: one of `pysmpi.simulation.instruments.check.KINDS`.
        text: a sentence that names the first ranks involved and ``file:line`` of each side.
        ranks: ranks with the mistake in MPI_COMM_WORLD, in increasing order.
        places: ``file:line`` of the call with the mistake, or of both calls if the mistake is that two calls do not
            fit.
        times: number of occurrences.
    """

    kind: str
    text: str
    ranks: tuple[int, ...]
    places: tuple[str, ...]
    times: int = 1

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


class PysmpiError(Exception):
    """Base class of all errors that pysmpi reports; exceptions of the simulated program are never of this class."""

    slug: ClassVar[str] = "pysmpi"
    findings: tuple[Finding, ...] = ()
    """Findings of a checked run before it ended with this error, in detection order."""


class ConfigurationError(PysmpiError):
    """A setting is unknown, malformed or out of range; the user must correct it."""

    slug = "configuration"


class PlatformError(PysmpiError):
    """The platform description is malformed or inconsistent; the message begins with its file:line."""

    slug = "platform"
    place: str | None = None
    """The file:line at the beginning of the message, or None if it has none yet."""


class PlatformWarning(UserWarning):
    """A platform description is read in a way that its author may not expect; the message begins with its file:line."""


class PlacementError(PysmpiError):
    """Ranks cannot be placed on hosts: an unknown host, a malformed hostfile, or too few slots."""

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
    """The remaining ranks wait for messages that can never arrive; the message lists each rank's blocked call."""

    slug = "deadlock"


class NativeCodeError(SimulationError):
    """Compiled code of a rank does something that would give wrong results, because all ranks share one process; the
    message begins with file and line, and names the library."""

    slug = "native-code"


class CalibrationError(PysmpiError):
    """Measurements do not suffice for a model, or are impossible on this machine; the message states what is needed."""

    slug = "calibration"


class StudyError(PysmpiError):
    """A study's description is not valid, its results cannot be stored, or the results do not suffice for a report."""

    slug = "study"


class ModelError(PysmpiError):
    """A formula, a file of models, systems or measurements is not valid, or a formula has no value at a point; the
    message begins with file, line and column if there is a file."""

    slug = "model"


class PlacedError(PysmpiError):
    """Text in a language of models is not valid; the message begins with file and line, as those of compilers do."""

    slug = "placed"


class RankError(SimulationError):
    """A rank ended with an exception or aborted, which ended the simulation."""

    slug = "rank"


def all_errors() -> dict[str, type[PysmpiError]]:
    """Return all error classes by slug. Classes whose modules have not been imported are missing.

    Raises:
        AssertionError: two classes have the same slug.
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
    """Return the choice most similar to the word, ignoring case, or None if none is similar.

    To limit the time that this takes, only the first 5,000 choices are compared, and very long words match nothing.
    """
    if len(word) > LONGEST_WORD:
        return None
    by_folded: dict[str, str] = {}
    for choice in islice(choices, MOST_CHOICES):
        if len(choice) <= LONGEST_WORD:
            by_folded.setdefault(choice.lower(), choice)
    close = difflib.get_close_matches(word.lower(), list(by_folded), n=1, cutoff=0.5)
    return by_folded[close[0]] if close else None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the text "; did you mean 'CHOICE'?" for the choice nearest to the word, or "" if none is similar."""
    match = nearest(word, choices)
    return f"; did you mean {match!r}?" if match is not None else ""


def unknown(kind: str, word: str, choices: Iterable[str], *, shown: int = 24) -> str:
    """Return the error text for an unknown word: "unknown KIND 'WORD'", the nearest match, and the valid words.

    Args:
        kind: noun for the word, such as "option".
        word: word that the user gave.
        choices: valid words, in the order to be shown.
        shown: largest number of choices to list; if there are more, the text ends with their total number.
    """
    valid = list(choices)
    text = f"unknown {kind} {word!r}{did_you_mean(word, valid)}"
    if not valid:
        return text + f" (no {kind} is defined)"
    listed = ", ".join(valid[:shown])
    if len(valid) > shown:
        listed += f", … ({len(valid)} in all)"
    return text + f" (valid: {listed})"
