"""The description of a study: a program, jobs or a function, a platform, and the parameters that are varied."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pysmpi.errors import PysmpiError, StudyError, unknown
from pysmpi.formulas import Expression
from pysmpi.simulation.launch.instrument_kinds import kinds_with_columns
from pysmpi.study import template
from pysmpi.study.complaint import Complaint
from pysmpi.study.derived import derive, parse_derived, parsed
from pysmpi.study.designs import crossed, sampled
from pysmpi.study.factor_levels import Levels, Value, levels_of
from pysmpi.study.inputs import is_file
from pysmpi.study.parameters import flat
from pysmpi.study.point_function import PointFunction
from pysmpi.util.documents import Document
from pysmpi.util.wings import language_of

__all__ = ["Description", "located"]

_DESIGN_KEYS = {"kind": "design", "samples": "samples", "replicates": "replicates", "replicated": "replicated"}
_TOP_KEYS = ("program", "arguments", "jobs", "function", "platform", "blas", "inputs", "seed", "timeout", "fixed",
             "factors", "design", "points", "prices", "derived")  # fmt: skip


@dataclass(frozen=True)
class Description:
    """Description of a study. `pysmpi.study.study_class.Study` documents and checks the attributes."""

    program: str = ""
    platform: str = ""
    factors: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    jobs: str | None = None
    function: str | None = None
    design: str = "crossed"
    points: Sequence[Mapping[str, Any]] = ()
    samples: int | None = None
    replicates: int = 1
    replicated: str = "random"
    seed: int = 0
    inputs: Sequence[str] = ()
    blas: str | None = None
    timeout: float | None = None
    prices: Mapping[str, Any] = field(default_factory=dict)
    instruments: Sequence[str] = ()
    derived: Mapping[str, Any] = field(default_factory=dict)
    folder: str | os.PathLike[str] = "."

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Return the study described by a TOML file; relative paths start at the file's folder.

        Raises:
            StudyError: if the file is not valid; the message starts with file and line.
        """
        document = Document.read(Path(path), StudyError)
        content = document.content
        instruments = kinds_with_columns()
        for key, value in content.items():
            if key not in _TOP_KEYS and key not in instruments:
                raise document.error([key], unknown("key", key, (*_TOP_KEYS, *instruments)))
            if key in instruments and not isinstance(value, bool):
                raise document.error([key], f"{value!r} is not true or false")
        design = content.get("design", {})
        if not isinstance(design, dict):
            raise document.error(["design"], "design must be a table: write [design]")
        for key in design:
            if key not in _DESIGN_KEYS:
                raise document.error(["design", key], unknown("key of [design]", key, _DESIGN_KEYS))
        given = {key: value for key, value in content.items() if key in _TOP_KEYS and key != "design"}
        given["instruments"] = tuple(name for name in instruments if content.get(name))
        given |= {_DESIGN_KEYS[key]: value for key, value in design.items()}
        if "points" in given and "kind" not in design:
            given["design"] = "listed"
        parse_derived(document)
        try:
            return cls(**given, folder=Path(path).parent)
        except Complaint as complaint:
            raise _located(document, complaint) from None

    @property
    def program_path(self) -> Path | None:
        """Path of the program or of the function's file, or None for a study of jobs."""
        if self.point_function is not None:
            return self.point_function.path
        return None if self.jobs is not None else Path(self.folder, self.program)

    @cached_property
    def point_function(self) -> PointFunction | None:
        """The function that computes points, or None if they are simulations of a program or of jobs.

        Raises:
            StudyError: if the function does not exist.
        """
        try:
            return None if self.function is None else PointFunction.find(self.function, Path(self.folder))
        except StudyError as error:
            raise Complaint(["function"], str(error)) from None

    @property
    def jobs_path(self) -> Path | None:
        """Path of the job file, or None for a study of one program."""
        return None if self.jobs is None else Path(self.folder, self.jobs)

    @property
    def blas_path(self) -> Path | None:
        """Path of the BLAS model, or None if the study uses no model."""
        return None if self.blas is None else Path(self.folder, self.blas)

    @property
    def platform_path(self) -> Path | None:
        """Path of the platform file, or None for a cluster specification such as "torus:4,4,4" or an Aspen machine.

        A name such as ``fattree`` stands for a platform that comes with pysmpi.
        """
        if language_of(os.fspath(self.platform)) is not None:
            return None
        path = Path(self.folder, self.platform)
        if is_file(path):
            return path  # a file takes precedence over a name and over a cluster specification
        from pysmpi.platform.catalogue import find

        return find(os.fspath(self.platform))

    @property
    def platform_text(self) -> str:
        """Text of the platform file, or the cluster specification, or the name of an Aspen machine with its values.

        Fields ({{NAME}}) are not yet replaced.

        Raises:
            StudyError: if the platform is neither an existing file nor a cluster specification, or the study is one of
                a function.
        """
        if self.function is not None:
            raise Complaint(["function"], "a function chooses its platforms itself, so its study cannot have prices")
        from pysmpi.platform.catalogue import is_name, unknown_platform
        from pysmpi.platform.cluster_spec import is_short_text

        path = self.platform_path
        if path is not None:
            return _text("platform", path)
        text = os.fspath(self.platform)
        if is_name(text):
            raise Complaint(["platform"], unknown_platform(text))
        language = language_of(text)
        divided = None if language is None else language.divided(text)
        if divided is not None:
            file = Path(self.folder, divided[0])
            if not template.fields(str(file)) and not is_file(file):
                raise Complaint(["platform"], f"file {str(file)!r} does not exist")
        elif not is_short_text(text):
            raise Complaint(["platform"], f"file {str(Path(self.folder, text))!r} does not exist")
        return text

    @property
    def jobs_text(self) -> str:
        """Text of the job file, or "" for a study of one program; its fields ({{NAME}}) are not yet replaced.

        Raises:
            StudyError: if the file cannot be read.
        """
        path = self.jobs_path
        return "" if path is None else _text("jobs", path)

    def field_names(self) -> dict[str, dict[str, int]]:
        """Return the names of fields ({{NAME}}) in platform, arguments and jobs, each with the line of its first use.

        For a study of a function, return the names of the arguments without default values instead.

        Raises:
            StudyError: if a file cannot be read.
        """
        if self.point_function is not None:
            return {"arguments": dict.fromkeys(self.point_function.required, 0)}
        texts = {"platform": self.platform_text, "arguments": "\n".join(self.arguments), "jobs": self.jobs_text}
        return {group: template.fields(text) for group, text in texts.items()}

    def combinations(self) -> list[dict[str, Value]]:
        """Return the values of all parameters for each combination that the study simulates; replicates are not
        included.

        Raises:
            StudyError: if there are too many points, or a range has no steps.
        """
        if self.design == "listed":
            varied = self.flat_points
        elif self.design == "sampled":
            assert self.samples is not None
            varied = sampled(self.levels, self.samples, self.seed)
        else:
            varied = crossed(self.levels)
        fixed = self.defaults | self.flat_fixed
        return [derive(fixed | each, self.flat_derived) for each in varied]

    def varied(self) -> list[str]:
        """Return the names of the varied parameters, in the order of the description."""
        return list(dict.fromkeys(name for each in self.given() for name in each))

    @property
    def defaults(self) -> dict[str, Value]:
        """Default values of parameters, by name."""
        return {"mapping": "sequential"} if self.jobs is None and self.function is None else {}

    @property
    def levels(self) -> dict[str, Levels]:
        """Values (a list or a range) of each factor, by the factor's full name."""
        found = {}
        for name, given in flat(self.factors).items():
            try:
                found[name] = levels_of(given)
            except StudyError as error:
                raise Complaint(["factors", *name.split(".", 1)], str(error)) from None
        return found

    @property
    def flat_fixed(self) -> dict[str, Value]:
        """Values of the parameters that are the same in all points, by full names such as ``platform.FIELD``."""
        return flat(self.fixed)

    @property
    def flat_derived(self) -> dict[str, Expression]:
        """Formulas of derived parameters, by full names such as ``arguments.FIELD``."""
        return parsed(flat(self.derived))

    @property
    def flat_points(self) -> list[dict[str, Value]]:
        """Values of parameters in each point that the description lists, by full names such as ``platform.FIELD``."""
        return [flat(point) for point in self.points]

    def given(self) -> Sequence[Mapping[str, Any]]:
        """Return the varied parameters: those of each listed point, or one entry with all factors if no points are
        listed."""
        return self.flat_points or [self.levels]


def located(path: Path, complaint: Complaint) -> PysmpiError:
    """Return an error with file and line for a complaint about the study that a TOML file describes."""
    return _located(Document.read(path, StudyError), complaint)


def _located(document: Document, complaint: Complaint) -> PysmpiError:
    keys = list(complaint.keys)
    if keys[0] in _DESIGN_KEYS.values():
        keys = ["design", {name: key for key, name in _DESIGN_KEYS.items()}[keys[0]]]
    return document.error(keys, complaint.message, complaint.number)


def _text(key: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Complaint([key], f"cannot read {str(path)!r}: {error}") from None
