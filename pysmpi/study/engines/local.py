"""Simulation of a study's points in local processes: one per core, or fewer if memory does not suffice for all."""

import os
import resource
import subprocess
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import psutil

from pysmpi.errors import StudyError
from pysmpi.study.point_process import Outcome, run_task

__all__ = ["LocalEngine"]

_RESERVE = 1.2  # factor: free memory needed to start a point, relative to the largest point so far
_FILES, _FILES_OF_A_POINT = 100, 8  # open files that this process needs, and those for each running point


class LocalEngine:
    """Engine that runs the simulations of a study in a pool of local processes.

    Args:
        parallel: number of points simulated at a time, or None for one per core that this process may use.

    Raises:
        StudyError: if `parallel` is below 1, or needs more open files than are allowed.
    """

    def __init__(self, parallel: int | None = None) -> None:
        if parallel is not None and parallel < 1:
            raise StudyError(f"parallel = {parallel} is not valid; it must be at least 1")
        self.width = parallel or len(os.sched_getaffinity(0))
        _allow_files(_FILES + self.width * _FILES_OF_A_POINT)
        self._processes: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._is_closing = False
        self._largest = 0  # bytes, peak memory of the largest point so far

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, Outcome], None, None]:
        """Yield the outcome of each task as it ends; see `Engine.run`."""
        self._is_closing = False
        waiting = iter(tasks)
        under_way: dict[Future[Outcome], str] = {}
        with ThreadPoolExecutor(self.width) as pool:
            try:
                while True:
                    while len(under_way) < self.width and (not under_way or self._has_room()):
                        following = next(waiting, None)
                        if following is None:
                            break
                        key, task = following
                        under_way[pool.submit(run_task, task, self._started, self._cancelled)] = key
                    if not under_way:
                        return
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        outcome = future.result()
                        self._largest = max(self._largest, outcome.get("peak_memory", 0))
                        yield under_way.pop(future), outcome
            finally:
                self.close()

    def close(self) -> None:
        """Kill the processes of all running simulations."""
        with self._lock:
            self._is_closing = True
            for process in self._processes:
                process.kill()

    def _has_room(self) -> bool:
        return psutil.virtual_memory().available > _RESERVE * self._largest

    def _started(self, process: "subprocess.Popen[str]") -> None:
        with self._lock:
            self._processes = {each for each in self._processes if each.poll() is None} | {process}
            if self._is_closing:
                process.kill()

    def _cancelled(self) -> bool:
        return self._is_closing


def _allow_files(count: int) -> None:
    """Raise the limit of open files of this process to `count` if it is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= count:
        return
    if hard != resource.RLIM_INFINITY and hard < count:
        most = (hard - _FILES) // _FILES_OF_A_POINT
        raise StudyError(
            f"the requested number of parallel points needs {count:,} open files, but the limit is "
            f"{hard:,} (ulimit -Hn); "
            f"give --parallel {max(1, most)}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
