"""Points on a cluster, through Dask: one that runs already, or one of jobs that Slurm starts.

Programs, platforms and models lie where all machines find them under the same path. Dask starts a point anew when the
worker that had it is lost, as often as its setting distributed.scheduler.allowed-failures has it.
"""

import contextlib
import importlib.metadata
import importlib.util
import logging
import math
import shutil
from collections.abc import Generator, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from pysmpi.errors import StudyError
from pysmpi.study.process import Outcome, run_task
from pysmpi.study.versions import NOT_INSTALLED, versions

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskEngine", "cluster_engine"]

_CONNECTING = 20  # seconds
_COMING = 10  # seconds; later ones are not looked at
_AHEAD = 2  # times as many tasks are handed over as run at a time, so that no worker waits for the next


class DaskEngine:
    """The workers of a client; each thread of theirs has one point at a time.

    Args:
        client: of the cluster; it is closed with the engine.
        workers: how many points are simulated at a time; None: as many as the workers have threads.
        cluster: what has been started for the engine, and ends with it; None: nothing.
    """

    def __init__(self, client: "Client", workers: int | None = None, cluster: Any = None) -> None:
        self._client = client
        self._workers = workers
        self._cluster = cluster

    @property
    def width(self) -> int:
        """See `Engine`."""
        threads = sum(self._client.nthreads().values()) or 1
        return threads if self._workers is None else min(threads, self._workers)

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, Outcome], None, None]:
        """See `Engine`."""
        from distributed import as_completed

        waiting = iter(tasks)
        under_way: dict[Any, str] = {}

        def submit(count: int) -> list[Any]:
            futures = []
            for key, task in islice(waiting, count):
                future = self._client.submit(run_task, task, pure=False)
                under_way[future] = key
                futures.append(future)
            return futures

        ahead = self._workers or _AHEAD * self.width
        finished = as_completed(submit(ahead))
        try:
            for future in finished:
                key = under_way.pop(future)
                if future.cancelled():  # not by us
                    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # it would tell how it gave up
                    raise StudyError(
                        "the connection to Dask's scheduler is lost; run the study again when there is one: nothing "
                        "that was finished is lost"
                    )
                error = future.exception()
                outcome: Outcome = future.result() if error is None else _lost(error)
                future.release()
                for following in submit(1):
                    finished.add(following)
                yield key, outcome
        finally:
            if self._client.status == "running":
                self._client.cancel(list(under_way))

    def close(self) -> None:
        """See `Engine`."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _check_workers(client: "Client") -> None:
    """Whether those that there are have the pysmpi that is here: without it they end, and points wait for ever."""
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(1, timeout=_COMING)
    here = versions()["pysmpi"]
    found = client.run(importlib.util.find_spec, "pysmpi", on_error="return")
    there = client.run(importlib.metadata.version, "pysmpi", on_error="return")
    for worker, specification in found.items():
        version = there.get(worker)
        if specification is None:
            wrong = "has no pysmpi; install it"
        elif isinstance(version, str) and here not in (NOT_INSTALLED, version):
            wrong = f"has pysmpi {version}, and here is {here}; install the same"
        else:
            continue
        client.close()
        raise StudyError(f"the worker at {worker} {wrong} where workers run")


def _lost(error: BaseException) -> Outcome:
    """A worker has ended too often while it had the point, or could not run it at all."""
    from distributed import KilledWorker

    status = "killed" if isinstance(error, KilledWorker) else "failed"
    return {"status": status, "kind": "cluster", "error": f"{type(error).__name__}: {error}"[:1000]}


def cluster_engine(text: str, workers: int | None) -> DaskEngine:
    """The engine that ``dask://HOST:PORT`` or ``slurm`` means.

    Raises:
        StudyError: Dask is not installed, nobody answers there, or Slurm is not to be had.
    """
    try:
        from distributed import Client
    except ImportError:
        raise StudyError(f"engine {text} takes Dask; install it with: pip install 'pysmpi[study]'") from None
    if text != "slurm":
        address = text.removeprefix("dask://")
        if not address.rpartition(":")[2].isdecimal():
            raise StudyError(f"engine {text!r}: the scheduler's port is missing, as in dask://node1:8786")
        try:
            client = Client(f"tcp://{address}", timeout=_CONNECTING)
        except (OSError, ValueError) as error:
            raise StudyError(f"engine {text!r}: no scheduler of Dask answers there: {error}") from None
        _check_workers(client)
        return DaskEngine(client, workers)
    if workers is None:
        raise StudyError("engine slurm: how many points at a time? Give --workers N")
    try:
        import dask
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise StudyError("engine slurm takes dask-jobqueue; install it with: pip install 'pysmpi[study]'") from None
    if shutil.which("sbatch") is None:
        raise StudyError("engine slurm: there is no sbatch here; run the study where jobs are submitted")
    try:
        cluster = SLURMCluster()  # what a job is: jobqueue.slurm in Dask's configuration
        cluster.scale(jobs=math.ceil(workers / dask.config.get("jobqueue.slurm.cores")))
        return DaskEngine(Client(cluster), workers, cluster)
    except (OSError, ValueError, RuntimeError) as error:
        raise StudyError(f"engine slurm: no jobs can be started: {error}") from None
