"""Simulation of a study's points on a cluster through Dask: a running cluster, or jobs started by Slurm.

All machines must find programs, platforms and models under the same paths. When the worker that runs a point is lost,
Dask runs the point again, as often as its setting distributed.scheduler.allowed-failures permits.
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
from pysmpi.study.point_process import Outcome, run_task
from pysmpi.study.versions import NOT_INSTALLED, versions

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskEngine", "cluster_engine"]

_CONNECTING = 20  # seconds to wait for the scheduler's answer
_COMING = 10  # seconds to wait for the first worker; workers that connect later are not checked
_AHEAD = 2  # tasks submitted for each task that runs, so that no worker waits for its next task


class DaskEngine:
    """Engine that uses the workers of a Dask client; each worker thread runs one simulation at a time.

    Args:
        client: client of the cluster; closed with the engine.
        parallel: number of points simulated at a time, or None for one per worker thread.
        cluster: cluster started for this engine, closed with it, or None.
    """

    def __init__(self, client: "Client", parallel: int | None = None, cluster: Any = None) -> None:
        self._client = client
        self._parallel = parallel
        self._cluster = cluster

    @property
    def width(self) -> int:
        """Number of points simulated at a time."""
        threads = sum(self._client.nthreads().values()) or 1
        return threads if self._parallel is None else min(threads, self._parallel)

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, Outcome], None, None]:
        """Yield the outcome of each task as it ends; see `Engine.run`."""
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

        ahead = self._parallel or _AHEAD * self.width
        finished = as_completed(submit(ahead))
        try:
            for future in finished:
                key = under_way.pop(future)
                if future.cancelled():  # the connection is lost
                    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # hides its traceback
                    raise StudyError(
                        "lost the connection to Dask's scheduler; run the study again when the scheduler is back; "
                        "finished points are kept"
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
        """Close the client, and the cluster if one was started for this engine."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _check_workers(client: "Client") -> None:
    """Check that all workers have this version of pysmpi; a worker without it dies, and its simulations never end."""
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(1, timeout=_COMING)
    here = versions()["pysmpi"]
    found = client.run(importlib.util.find_spec, "pysmpi", on_error="return")
    there = client.run(importlib.metadata.version, "pysmpi", on_error="return")
    for worker, specification in found.items():
        version = there.get(worker)
        if specification is None:
            wrong = "has no pysmpi; install pysmpi"
        elif isinstance(version, str) and here not in (NOT_INSTALLED, version):
            wrong = f"has pysmpi {version}, but this process has {here}; install the same version"
        else:
            continue
        client.close()
        raise StudyError(f"the worker at {worker} {wrong} in the workers' environment")


def _lost(error: BaseException) -> Outcome:
    """Return the outcome of a point for which Dask has reported `error`: its workers died too often, or none could run
    it."""
    from distributed import KilledWorker

    status = "killed" if isinstance(error, KilledWorker) else "failed"
    return {"status": status, "kind": "cluster", "error": f"{type(error).__name__}: {error}"[:1000]}


def cluster_engine(text: str, parallel: int | None) -> DaskEngine:
    """Return the engine for ``dask://HOST:PORT`` or ``slurm``.

    Raises:
        StudyError: if Dask is not installed, the scheduler does not answer, or Slurm is not available.
    """
    try:
        from distributed import Client
    except ImportError:
        raise StudyError(f"engine {text} needs Dask; install it with: pip install 'pysmpi[study]'") from None
    if text != "slurm":
        address = text.removeprefix("dask://")
        if not address.rpartition(":")[2].isdecimal():
            raise StudyError(f"engine {text!r}: the scheduler's port is missing; write for example dask://node1:8786")
        try:
            client = Client(f"tcp://{address}", timeout=_CONNECTING)
        except (OSError, ValueError) as error:
            raise StudyError(f"engine {text!r}: no Dask scheduler answers at this address: {error}") from None
        _check_workers(client)
        return DaskEngine(client, parallel)
    if parallel is None:
        raise StudyError("engine slurm needs the number of points simulated at a time; give --parallel N")
    try:
        import dask
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise StudyError("engine slurm needs dask-jobqueue; install it with: pip install 'pysmpi[study]'") from None
    if shutil.which("sbatch") is None:
        raise StudyError(
            "engine slurm: sbatch was not found; run the study on a machine from which jobs can be submitted"
        )
    try:
        cluster = SLURMCluster()  # jobs are described by jobqueue.slurm in Dask's configuration
        cluster.scale(jobs=math.ceil(parallel / dask.config.get("jobqueue.slurm.cores")))
        return DaskEngine(Client(cluster), parallel, cluster)
    except (OSError, ValueError, RuntimeError) as error:
        raise StudyError(f"engine slurm: cannot start jobs: {error}") from None
