"""The interface of engines, and the choice of an engine by a text such as ``local`` or ``dask://host:8786``."""

from collections.abc import Generator, Iterable
from typing import Any, Protocol

from pysmpi.errors import StudyError, unknown
from pysmpi.study.point_process import Outcome

__all__ = ["ENGINES", "Engine", "check_engine", "engine_of"]

ENGINES = ("local", "dask://HOST:PORT", "slurm")


class Engine(Protocol):
    """Runner of tasks (simulations of a study): each in a separate process, several at a time."""

    @property
    def width(self) -> int:
        """Number of tasks that run at a time."""

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, Outcome], None, None]:
        """Yield the key and the outcome of each task as it ends. Closing the generator ends running tasks.

        Args:
            tasks: pairs of a key and a task as `Task.to_json` returns it.
        """

    def close(self) -> None:
        """Stop running tasks and release the engine's resources."""


def engine_of(text: str, parallel: int | None = None) -> Engine:
    """Return the engine that a text names.

    Args:
        text: "local", "dask://HOST:PORT" or "slurm".
        parallel: number of tasks that run at a time, or None for as many as the engine has room for.

    Raises:
        StudyError: if the engine is unknown, or cannot be started here.
    """
    check_engine(text)
    if text == "local":
        from pysmpi.study.engines.local import LocalEngine

        return LocalEngine(parallel)
    from pysmpi.study.engines.dask import cluster_engine

    return cluster_engine(text, parallel)


def check_engine(text: str) -> None:
    """Check that a text names an engine, without starting the engine.

    Raises:
        StudyError: if the engine is unknown.
    """
    if text not in ("local", "slurm") and not text.startswith("dask://"):
        raise StudyError(unknown("engine", text, ENGINES))
