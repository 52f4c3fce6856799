"""What an engine is, and which one a word such as ``local`` or ``dask://host:8786`` means."""

from collections.abc import Generator, Iterable
from typing import Any, Protocol

from pysmpi.errors import StudyError, unknown
from pysmpi.study.process import Outcome

__all__ = ["ENGINES", "Engine", "check_engine", "engine_of"]

ENGINES = ("local", "dask://HOST:PORT", "slurm")


class Engine(Protocol):
    """Runs tasks, each in a process of its own, several at a time."""

    @property
    def width(self) -> int:
        """How many run at a time."""

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, Outcome], None, None]:
        """Gives the outcome of each task with the task's key, as they come. Closing it ends those that are under way.

        Args:
            tasks: keys, and tasks as `Task.to_json` has them.
        """

    def close(self) -> None:
        """Lets go of what it has taken."""


def engine_of(text: str, workers: int | None = None) -> Engine:
    """The engine that a word means.

    Args:
        text: "local", "dask://HOST:PORT" or "slurm".
        workers: how many tasks run at a time; None: as many as fit.

    Raises:
        StudyError: there is no such engine, or it cannot be had here.
    """
    check_engine(text)
    if text == "local":
        from pysmpi.study.engines.local import LocalEngine

        return LocalEngine(workers)
    from pysmpi.study.engines.dask import cluster_engine

    return cluster_engine(text, workers)


def check_engine(text: str) -> None:
    """Whether a word means an engine, without starting it.

    Raises:
        StudyError: it does not.
    """
    if text not in ("local", "slurm") and not text.startswith("dask://"):
        raise StudyError(unknown("engine", text, ENGINES))
