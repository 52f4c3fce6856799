"""A study: a program, a platform, and what is varied of them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.documents import Document
from pysmpi.errors import StudyError, unknown
from pysmpi.study import template
from pysmpi.study.designs import KINDS, MOST_POINTS, crossed, sampled
from pysmpi.study.levels import Levels, Range, Value, levels_of
from pysmpi.study.parameters import check_name, check_value, flat

if TYPE_CHECKING:
    from pysmpi.study.points import Point
    from pysmpi.study.table import Table

__all__ = ["Study"]

_LONGEST = 1_000_000_000  # seconds: thirty years
_LAST_SEED = 2**62  # so that those of all replicates fit into 64 bits
_DEFAULTS: dict[str, Value] = {"mapping": "sequential"}
_DESIGN_KEYS = {"kind": "design", "samples": "samples", "replicates": "replicates", "replicated": "replicated"}
_TOP_KEYS = ("program", "arguments", "platform", "blas", "inputs", "seed", "timeout", "fixed", "factors", "design",
             "points")  # fmt: skip


class _Complaint(StudyError):
    """What is wrong with a part of the description, which is named by its keys."""

    slug = "study-description"

    def __init__(self, keys: Sequence[str], message: str) -> None:
        super().__init__(f"{'.'.join(keys)}: {message}")
        self.keys = keys
        self.message = message


@dataclass(frozen=True)
class Study:
    """Many simulations of one program, and what differs between them.

    Parameters have full names: ``ranks``, ``mapping`` (sequential, round-robin, random, hostfile:FILE), ``selector``,
    ``platform.FIELD`` and ``arguments.FIELD`` (fields are written ``{{FIELD}}`` there), ``algorithms.OPERATION``,
    ``cfg.SETTING``. Relative paths begin at `folder`, where the program runs, too.

    Attributes:
        program: the path of a script.
        platform: the path of a platform file, or a short text such as ``torus:4,4,4``; either may have fields.
        factors: for each parameter that is varied, a list of values or a range: a mapping with low, high, and perhaps
            scale ("linear", "log") and steps.
        fixed: the values of other parameters.
        arguments: of the program; they may have fields.
        design: "crossed": every combination; "listed": the `points`; "sampled": a Latin hypercube.
        points: of a listed design, the values of parameters in each.
        samples: of a sampled design, how many.
        replicates: how often a point is simulated, each time with another seed.
        replicated: "random": points whose mapping or routing is random; "all".
        seed: of the first replicate, and of samples.
        inputs: files, or patterns of files, beside those that are found, whose change makes points run again.
        blas: a model of BLAS and LAPACK, as for pysmpirun.
        timeout: seconds after which a simulation has failed; None: none.
        folder: where relative paths begin.

    Raises:
        StudyError: the description is not valid.
    """

    program: str
    platform: str
    factors: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    design: str = "crossed"
    points: Sequence[Mapping[str, Any]] = ()
    samples: int | None = None
    replicates: int = 1
    replicated: str = "random"
    seed: int = 0
    inputs: Sequence[str] = ()
    blas: str | None = None
    timeout: float | None = None
    folder: str | os.PathLike[str] = "."

    def __post_init__(self) -> None:
        self._check_types()
        self._check_design()
        texts = {"platform": self.platform_text, "arguments": "\n".join(self.arguments)}
        names = {group: template.fields(text) for group, text in texts.items()}
        if (double := sorted(set(self._fixed) & set(self._factors))) != []:
            raise _Complaint(["fixed", *_split(double[0])], "that is a factor, too: it is one or the other")
        for table, parameters in (("fixed", self._fixed), ("factors", self._factors)):
            for name, given in parameters.items():
                values: Sequence[Any] = given if isinstance(given, tuple) else (given,)
                if isinstance(given, Range):
                    values = (given.at(0.0), given.at(1.0))
                _check([table, *_split(name)], name, values, names)
        for point in self._points:
            for name, value in point.items():
                _check(["points", *_split(name)], name, (value,), names)
        self._check_complete(names)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Study":
        """The study that a TOML file describes; relative paths begin at its folder.

        Raises:
            StudyError: the file is not valid; the message begins with file and line.
        """
        document = Document.read(Path(path), StudyError)
        content = document.content
        for key in content:
            if key not in _TOP_KEYS:
                raise document.error([key], unknown("key", key, _TOP_KEYS))
        design = content.get("design", {})
        if not isinstance(design, dict):
            raise document.error(["design"], "a table is expected: [design]")
        for key in design:
            if key not in _DESIGN_KEYS:
                raise document.error(["design", key], unknown("key of [design]", key, _DESIGN_KEYS))
        for key in ("program", "platform"):
            if key not in content:
                raise StudyError(f"{path}: {key} is missing")
        given = {key: value for key, value in content.items() if key != "design"}
        given |= {_DESIGN_KEYS[key]: value for key, value in design.items()}
        if "points" in given and "kind" not in design:
            given["design"] = "listed"
        try:
            return cls(**given, folder=Path(path).parent)
        except _Complaint as complaint:
            keys = list(complaint.keys)
            if keys[0] in _DESIGN_KEYS.values():
                keys = ["design", {name: key for key, name in _DESIGN_KEYS.items()}[keys[0]]]
            raise document.error(keys, complaint.message) from None

    @property
    def program_path(self) -> Path:
        """Where the program is."""
        return Path(self.folder, self.program)

    @property
    def platform_path(self) -> Path | None:
        """Where the platform file is; None where a short text stands for it."""
        path = Path(self.folder, self.platform)
        return path if _is_file(path) else None  # a file goes first

    @property
    def platform_text(self) -> str:
        """The platform file, or the short text, with its fields.

        Raises:
            StudyError: it is neither.
        """
        from pysmpi.platform.short_text import is_short_text

        path = self.platform_path
        if path is None:
            text = os.fspath(self.platform)
            if not is_short_text(text):
                raise _Complaint(["platform"], f"there is no file {str(Path(self.folder, text))!r}")
            return text
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _Complaint(["platform"], f"cannot read {str(path)!r}: {error}") from None

    def combinations(self) -> list[dict[str, Value]]:
        """The values of all parameters in each point, replicates aside.

        Raises:
            StudyError: there are too many points, or a range has no steps.
        """
        if self.design == "listed":
            varied = self._points
        elif self.design == "sampled":
            assert self.samples is not None
            varied = sampled(self._factors, self.samples, self.seed)
        else:
            varied = crossed(self._factors)
        return [_DEFAULTS | self._fixed | each for each in varied]

    def varied(self) -> list[str]:
        """The names of the parameters that differ between points, in the order of the description."""
        return list(dict.fromkeys(name for each in self._given() for name in each))

    def plan(self) -> "list[Point]":
        """All points, with what each depends on.

        Raises:
            StudyError: a file cannot be read, or there are too many points.
        """
        from pysmpi.study.points import plan

        return plan(self)

    def run(self, results: str | os.PathLike[str], **options: Any) -> "Table":
        """Simulates what has not been simulated yet, and returns the table of all points.

        Args:
            results: the folder that keeps results; it is made where it is missing.
            options: as `pysmpi.study.campaign.run` has them.

        Raises:
            StudyError: results cannot be kept. What has been simulated until then is there.
        """
        from pysmpi.study.campaign import run

        return run(self, Path(results), **options)

    @property
    def _factors(self) -> dict[str, Levels]:
        found = {}
        for name, given in flat(self.factors).items():
            try:
                found[name] = levels_of(given)
            except StudyError as error:
                raise _Complaint(["factors", *_split(name)], str(error)) from None
        return found

    @property
    def _fixed(self) -> dict[str, Value]:
        return flat(self.fixed)

    @property
    def _points(self) -> list[dict[str, Value]]:
        return [flat(point) for point in self.points]

    def _given(self) -> Sequence[Mapping[str, Any]]:
        """The factors, or the points that are listed."""
        return self._points or [self._factors]

    def _check_types(self) -> None:
        kinds: dict[str, tuple[Any, str]] = {
            "program": (str | os.PathLike, "the path of a script"),
            "platform": (str | os.PathLike, "the path of a platform file, or a short text such as torus:4,4,4"),
            "factors": (Mapping, "a table"),
            "fixed": (Mapping, "a table"),
            "arguments": (Sequence, "a list of texts"),
            "design": (str, "one of " + ", ".join(KINDS)),
            "points": (Sequence, "a list of tables, [[points]]"),
            "samples": (int | None, "a whole number"),
            "replicates": (int, "a whole number"),
            "replicated": (str, "random or all"),
            "seed": (int, "a whole number"),
            "inputs": (Sequence, "a list of files"),
            "blas": (str | os.PathLike | None, "the path of a model"),
            "timeout": (int | float | None, "a number of seconds"),
            "folder": (str | os.PathLike, "a path"),
        }
        for each in fields(self):
            kind, expected = kinds[each.name]
            value = getattr(self, each.name)
            unfit = isinstance(value, bool) or (isinstance(value, str) and kind is Sequence)
            if unfit or not isinstance(value, kind):
                raise _Complaint([each.name], f"{value!r} is not {expected}")
        for key, what in (("arguments", self.arguments), ("inputs", self.inputs)):
            for word in what:
                if not isinstance(word, str):
                    raise _Complaint([key], f"{word!r} is not a text: write it in quotes")
        for key, value, least, most in (("replicates", self.replicates, 1, MOST_POINTS),
                                        ("samples", self.samples, 1, MOST_POINTS),
                                        ("seed", self.seed, 0, _LAST_SEED)):  # fmt: skip
            if value is not None and value < least:
                raise _Complaint([key], f"{value} is less than {least}")
            if value is not None and value > most:
                raise _Complaint([key], f"{value!s:.40} is more than {most:,}")
        if self.timeout is not None and not 0 < self.timeout <= _LONGEST:
            raise _Complaint(
                ["timeout"], f"{self.timeout!s:.40} is not a number of seconds above 0, up to {_LONGEST:,}"
            )
        if not _is_file(self.program_path):
            raise _Complaint(["program"], f"there is no script {str(self.program_path)!r}")
        if self.blas is not None and not _is_file(Path(self.folder, self.blas)):
            raise _Complaint(["blas"], f"there is no model {str(Path(self.folder, self.blas))!r}")

    def _check_design(self) -> None:
        if self.design not in KINDS:
            raise _Complaint(["design"], unknown("design", self.design, KINDS))
        if self.replicated not in ("random", "all"):
            raise _Complaint(["replicated"], unknown("value", self.replicated, ("random", "all")))
        for key, given, design in (("points", bool(self.points), "listed"), ("factors", bool(self.factors), None),
                                   ("samples", self.samples is not None, "sampled")):  # fmt: skip
            if design is not None and given is not (self.design == design):
                raise _Complaint([key], f"a {self.design} design has {'no' if given else 'none, but needs'} {key}")
            if design is None and given and self.design == "listed":
                raise _Complaint([key], "a listed design has points in place of factors")
        if self.design == "sampled" and not self.factors:
            raise _Complaint(["factors"], "there is nothing to sample")
        for point in self.points:
            if not isinstance(point, Mapping):
                raise _Complaint(["points"], f"{point!r} is not a table")

    def _check_complete(self, names: Mapping[str, Mapping[str, int]]) -> None:
        for number, given in enumerate(self._given(), 1):
            known = {*_DEFAULTS, *self._fixed, *given}
            where = f" in point {number}" if self.points else ""
            if "ranks" not in known:
                raise _Complaint(["fixed"], f"how many ranks{where}? Write ranks = 64 in [fixed], or make it a factor")
            for group, lines in names.items():
                for inner, line in lines.items():
                    if f"{group}.{inner}" not in known:
                        at = f", line {line}," if group == "platform" and self.platform_path else ""
                        raise _Complaint(
                            [group],
                            f"field {{{{{inner}}}}}{at} has no value{where}: write {group}.{inner} in [fixed], or make "
                            "it a factor",
                        )


def _check(keys: list[str], name: str, values: Sequence[Any], names: Mapping[str, Mapping[str, int]]) -> None:
    try:
        check_name(name, names)
        for value in values:
            if not isinstance(value, str | int | float):
                raise StudyError(f"{value!r} is not a text, a number or a truth value")
            check_value(name, value)
    except StudyError as error:
        raise _Complaint(keys, str(error)) from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # no name of a file can be as long
        return False


def _split(name: str) -> list[str]:
    group, dot, inner = name.partition(".")
    return [group, inner] if dot else [name]
