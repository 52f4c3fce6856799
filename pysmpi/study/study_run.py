"""Running a study: simulate its points (simulations) without a stored outcome, store each outcome, and make a table."""

import importlib.util
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from pysmpi.study.engines import Engine, check_engine, engine_of
from pysmpi.study.needs import check_needs
from pysmpi.study.point_process import Outcome
from pysmpi.study.points import Point, plan
from pysmpi.study.progress import Progress
from pysmpi.study.results_table import Table
from pysmpi.study.store import Store
from pysmpi.study.study_description import Description
from pysmpi.study.task import Task
from pysmpi.util.directions import BETTER

__all__ = ["gather", "run", "table_path"]

_COLUMNS = ("simulated_time", "energy", "energy_used", "link_energy", "messages", "events", "wall_time", "peak_memory",
            "busy", "intervals_reused", "intervals_unmatched", "attempts", "started", "machine")  # fmt: skip


def run(
    study: Description,
    folder: Path,
    *,
    engine: str | Engine = "local",
    parallel: int | None = None,
    again: bool = False,
    progress: TextIO | None = None,
    keeps_table: bool = True,
) -> Table:
    """Simulate the points (simulations) of a study that have no stored outcome yet, and return the table of all points.

    A failed point is simulated again only after one of its inputs has changed. A killed point is always simulated
    again, and a point that ran into the timeout is simulated again when the timeout has been raised.

    Args:
        study: the study.
        folder: folder of the results; created if missing.
        engine: "local", "dask://HOST:PORT", "slurm", or an engine object, which is not closed.
        parallel: number of points simulated at a time, or None for as many as the engine has room for.
        again: whether to simulate failed points again even if their inputs have not changed.
        progress: stream for progress messages, or None for no messages.
        keeps_table: whether to write the table to the folder.

    Raises:
        StudyError: if results cannot be stored, the engine is unknown, or a machine lacks the watts from which its
            energy is computed.
    """
    if isinstance(engine, str):
        check_engine(engine)
    points = plan(study)
    store = Store(folder)
    with store.locked():
        shared = _shared_intervals(points, store)
        tasks = {
            point.key: replace(point.task, intervals=shared.get(point.computation))
            for point in points
            if _is_missing(point, store, again)
        }
        if tasks:
            check_needs(study, [point for point in points if point.key in tasks])
            chosen = engine_of(engine, parallel) if isinstance(engine, str) else engine
            try:
                _simulate(tasks, chosen, store, len({point.key for point in points}), progress)
            finally:
                if isinstance(engine, str):
                    chosen.close()
        table = gather(study, points, store)
        if keeps_table:
            table.write(table_path(folder))
        return table


def _shared_intervals(points: Sequence[Point], store: Store) -> dict[str, str]:
    """Return the file of measured intervals for each hash of a computation that several points share."""
    counts = Counter({point.key: point.computation for point in points}.values())
    files = {computation: store.intervals(computation) for computation in counts if computation}
    return {each: str(file) for each, file in files.items() if counts[each] > 1 or file.exists()}


def table_path(folder: Path) -> Path:
    """Return the path of the table in `folder`: Parquet, or CSV when pyarrow is not installed."""
    return folder / ("results.parquet" if importlib.util.find_spec("pyarrow") else "results.csv")


def _is_missing(point: Point, store: Store, again: bool) -> bool:
    record = store.read(point.key)
    if record is None or record["status"] == "killed":
        return True
    if record["status"] == "done":
        return False
    return again or (record.get("kind") == "timeout" and _may_take_longer(point.task.timeout, record.get("task")))


def _may_take_longer(timeout: float | None, former: object) -> bool:
    before = former.get("timeout") if isinstance(former, dict) else None
    return before is not None and (timeout is None or timeout > before)


def gather(study: Description, points: Sequence[Point], store: Store) -> Table:
    """Return the table of all points from stored outcomes; points without an outcome get the status "missing"."""
    records = [store.read(point.key) or {"status": "missing"} for point in points]
    metrics = dict.fromkeys(name for record in records for name in _metrics(record))
    parameters = dict.fromkeys([*study.varied(), *(name for point in points for name in point.values)])
    columns = {
        name: "" if isinstance(value, str) else 0
        for record in records
        for name, value in record.get("columns", {}).items()
    }
    versions = dict.fromkeys(name for record in records for name in record.get("versions", {}))
    rows = []
    for point, record in zip(points, records, strict=True):
        figures = _metrics(record)
        row: dict[str, Any] = {"point": point.number, "replicate": point.replicate}
        row |= {name: point.values.get(name) for name in parameters}
        row |= {"seed": point.task.seed, "status": record["status"], "error": record.get("error")}
        row |= {_COLUMNS[0]: record.get(_COLUMNS[0])}
        row |= {f"metric.{name}": figures.get(name) for name in metrics}
        counted = record.get("columns", {})
        row |= {name: counted.get(name, nothing) if counted else None for name, nothing in columns.items()}
        row |= {name: record.get(name) for name in _COLUMNS[1:]}
        row |= {f"version.{name}": record.get("versions", {}).get(name) for name in versions}
        rows.append(row | {"key": point.key})
    return Table(rows, study.varied(), _directions(records))


def _directions(records: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Return whether more or less is better by column of a metric, as the programs declared it."""
    better: dict[str, set[str]] = {}
    for record in records:
        for name, direction in record.get("better", {}).items():
            if direction in BETTER:  # others were not written by pysmpi
                better.setdefault(f"metric.{_without_surrogates(name)}", set()).add(direction)
    return {name: tuple(sorted(found)) for name, found in better.items()}


def _simulate(tasks: dict[str, Task], engine: Engine, store: Store, total: int, stream: TextIO | None) -> None:
    progress = None if stream is None else Progress(stream, total - len(tasks), total, engine.width)
    try:
        for group in _in_order(tasks):
            outcomes = engine.run((key, task.to_json()) for key, task in group.items())
            try:
                for key, outcome in outcomes:
                    store.write(key, outcome | {"task": tasks[key].to_json()})
                    if progress is not None:
                        progress.finished(None if outcome["status"] == "done" else str(outcome["error"]))
            finally:
                outcomes.close()
    finally:
        if progress is not None:
            progress.end()


def _in_order(tasks: dict[str, Task]) -> Iterator[dict[str, Task]]:
    """Yield the tasks in one or two groups; those of the second reuse computation that tasks of the first measure."""
    measured: set[str] = set()
    later: dict[str, Task] = {}
    for key, task in tasks.items():
        if task.intervals in measured:
            later[key] = task
        elif task.intervals is not None and not Path(task.intervals).exists():
            measured.add(task.intervals)
    yield {key: task for key, task in tasks.items() if key not in later}
    if later:
        yield later


def _metrics(record: Outcome) -> dict[str, Any]:
    """Return the metrics in a point's stored outcome, by name. Names are made valid UTF-8, so that table files can hold
    them."""
    figures = {**record.get("printed", {}), **record.get("reported", {})}
    return {_without_surrogates(name): figure for name, figure in figures.items()}


def _without_surrogates(name: str) -> str:
    return name.encode(errors="backslashreplace").decode()
