"""Task: the inputs of one simulation of a study."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pysmpi.study.factor_levels import Value

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """Inputs of one simulation, of a program or of several jobs, or of one call of a function.

    Attributes:
        program: path of the script, or of the function's file, or None for jobs.
        folder: working directory.
        seed: seed of random numbers that the program does not seed, and of random mappings.
        timeout: limit in seconds, or None for no limit.
        function: name of the function that is called instead of a simulation of the script, or None.
        call_arguments: arguments of the function, by name.
        arguments: arguments of the program.
        jobs: text of the job file, or None for one program.
        jobs_name: path of the job file, used in errors and as the base of relative paths, or None for one program.
        ranks: number of ranks of all jobs together.
        platform: text of a platform file, or a cluster specification.
        platform_name: path of the platform file, used in errors, or None for a cluster specification.
        mapping: mapping of the program's ranks to cores.
        cfg: settings, as KEY:VALUE.
        blas: path of a BLAS model, or None.
        instruments: names of instruments that add columns to the table.
        intervals: path of the file of measured computation that points with the same program share, or None.
    """

    program: str | None
    folder: str
    seed: int
    timeout: float | None
    function: str | None = None
    call_arguments: Mapping[str, Value] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    jobs: str | None = None
    jobs_name: str | None = None
    ranks: int = 1
    platform: str = ""
    platform_name: str | None = None
    mapping: str = ""
    cfg: tuple[str, ...] = ()
    blas: str | None = None
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
