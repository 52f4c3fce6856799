"""Task: the inputs of one simulation of a study."""

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """Inputs of one simulation, of a program or of several jobs.

    Attributes:
        program: path of the script, or None for jobs.
        arguments: arguments of the program.
        jobs: text of the job file, or None for one program.
        jobs_name: path of the job file, used in errors and as the base of relative paths, or None for one program.
        ranks: number of ranks of all jobs together.
        platform: text of a platform file, or a cluster specification.
        platform_name: path of the platform file, used in errors, or None for a cluster specification.
        mapping: mapping of the program's ranks to cores.
        cfg: settings, as KEY:VALUE.
        seed: seed of random numbers that the program does not seed, and of random mappings.
        blas: path of a BLAS model, or None.
        folder: working directory.
        timeout: limit in seconds, or None for no limit.
        instruments: names of instruments that add columns to the table.
        intervals: path of the file of measured computation that points with the same program share, or None.
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
    instruments: tuple[str, ...] = ()
    intervals: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the task as a dictionary that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Task":
        """Return the task from the values that `to_json` returned."""
        lists = {name: tuple(values[name]) for name in ("arguments", "cfg", "instruments")}
        return cls(**{**values, **lists})
