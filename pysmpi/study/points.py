"""Points: what one simulation of a study is given, and a hash of all that its outcome depends on."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.errors import StudyError
from pysmpi.study import template
from pysmpi.study.designs import MOST_POINTS
from pysmpi.study.inputs import digest, files_named, files_of_platform, matching, program_files
from pysmpi.study.levels import Value
from pysmpi.study.parameters import HOSTFILE, settings_of
from pysmpi.study.versions import versions

if TYPE_CHECKING:
    from pysmpi.study.description import Study

__all__ = ["Point", "Task", "plan"]

_RANDOM_ROUTINGS = ("random", "valiant")


@dataclass(frozen=True)
class Task:
    """One simulation.

    Attributes:
        program: the script's path.
        arguments: its arguments.
        ranks: how many.
        platform: the text of a platform file, or a short text.
        platform_name: how errors name it; None: it is a short text.
        mapping: how ranks go to cores.
        cfg: settings, as KEY:VALUE.
        seed: of random numbers that nobody seeds, and of random mappings.
        blas: a model's path.
        folder: where it runs.
        timeout: seconds.
    """

    program: str
    arguments: tuple[str, ...]
    ranks: int
    platform: str
    platform_name: str | None
    mapping: str
    cfg: tuple[str, ...]
    seed: int
    blas: str | None
    folder: str
    timeout: float | None

    def to_json(self) -> dict[str, Any]:
        """As what JSON has."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Task":
        """What `to_json` was made of."""
        lists = {name: tuple(values[name]) for name in ("arguments", "cfg")}
        return cls(**{**values, **lists})


@dataclass(frozen=True)
class Point:
    """A simulation of a study.

    Attributes:
        number: from 1 on, in the order of the design.
        replicate: from 1 on.
        values: of all parameters.
        task: what is simulated.
        key: a hash of all that the outcome depends on: the task, the content of files, and pysmpi's version.
    """

    number: int
    replicate: int
    values: dict[str, Value]
    task: Task
    key: str


def plan(study: "Study") -> list[Point]:
    """All points of a study.

    Raises:
        StudyError: a file cannot be read, or there are too many points.
    """
    folder = Path(study.folder).resolve()
    text = study.platform_text
    named = [*files_of_platform(text, folder), *matching(study.inputs, folder), *program_files(study.program_path)]
    if study.blas is not None:
        named.append(folder / study.blas)
    of_all = digest(named, folder)
    of_files: dict[Path, str] = {}

    def point(values: dict[str, Value], replicate: int) -> Point:
        task = _task(study, text, folder, values, study.seed + replicate - 1)
        own = files_named(task.arguments, folder)
        if task.mapping.startswith(HOSTFILE):
            own += files_named([task.mapping.removeprefix(HOSTFILE)], folder)
        for path in own:
            if path not in of_files:
                of_files.update({path: next(iter(digest([path], folder).values()))})
        hashes = [*of_all.items(), *((path.name, of_files[path]) for path in own)]
        return Point(len(points) + 1, replicate, values, task, _key(task, hashes))

    points: list[Point] = []
    for values in study.combinations():
        if len(points) + study.replicates > MOST_POINTS and _is_replicated(study, values):
            raise StudyError(f"with {study.replicates} replicates that are more than {MOST_POINTS:,} points")
        for replicate in range(1, (study.replicates if _is_replicated(study, values) else 1) + 1):
            points.append(point(values, replicate))
    return points


def _task(study: "Study", text: str, folder: Path, values: dict[str, Value], seed: int) -> Task:
    def of_group(group: str) -> dict[str, Value]:
        return {name.partition(".")[2]: value for name, value in values.items() if name.startswith(f"{group}.")}

    path = study.platform_path
    return Task(
        program=str(study.program_path.resolve()),
        arguments=tuple(template.filled(word, of_group("arguments")) for word in study.arguments),
        ranks=int(values["ranks"]),
        platform=template.filled(text, of_group("platform")),
        platform_name=None if path is None else str(path),
        mapping=str(values["mapping"]),
        cfg=tuple(settings_of(values)),
        seed=seed,
        blas=None if study.blas is None else str(folder / study.blas),
        folder=str(folder),
        timeout=study.timeout,
    )


def _is_replicated(study: "Study", values: dict[str, Value]) -> bool:
    chance = values["mapping"] == "random" or values.get("cfg.platform/routing") in _RANDOM_ROUTINGS
    return chance or study.replicated == "all"


def _key(task: Task, hashes: list[tuple[str, str]]) -> str:
    """The same wherever the study's folder lies, and however long a point may take."""
    depends = {
        "arguments": task.arguments,
        "ranks": task.ranks,
        "platform": task.platform,
        "mapping": task.mapping,
        "cfg": task.cfg,
        "seed": task.seed,
        "files": hashes,
        "pysmpi": versions()["pysmpi"],
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]
