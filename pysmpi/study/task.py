"""A task: what one simulation of a study is given."""

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """One simulation, of a program or of several jobs.

    Attributes:
        program: the script's path; None: there are jobs.
        arguments: its arguments.
        jobs: the text of a file of jobs; None: there is a program.
        jobs_name: how errors name it; its paths begin at its folder.
        ranks: how many, of all jobs together.
        platform: the text of a platform file, or a short text.
        platform_name: how errors name it; None: it is a short text.
        mapping: how the program's ranks go to cores.
        cfg: settings, as KEY:VALUE.
        seed: of random numbers that nobody seeds, and of random mappings.
        blas: a model's path.
        folder: where it runs.
        timeout: seconds.
    """

    program: str | None
    arguments: tuple[str, ...]
    jobs: str | None
    jobs_name: str | None
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
