"""Tests of studies on Dask: the same table as with local processes, also if workers are lost."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from small_study import STUDY

import pysmpi
from pysmpi.errors import StudyError
from pysmpi.study import Study
from pysmpi.study.engines import engine_of
from pysmpi.study.engines.dask import _check_workers
from pysmpi.study.versions import versions

distributed = pytest.importorskip("distributed", reason="Dask is not installed")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Start two workers with one thread each, in separate processes."""
    import dask

    settings = {"distributed.scheduler.allowed-failures": 10, "distributed.admin.log-length": 0}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=None,
            silence_logs=50,
        ) as cluster,
    ):
        yield cluster


@pytest.mark.filterwarnings("ignore")  # of Dask's, about workers that are lost
def test_workers_that_are_lost(folder: pathlib.Path, cluster: Any) -> None:
    """Points of a worker that is killed go to others, and the table equals that of an undisturbed study."""
    (folder / "study.toml").write_text(STUDY.replace('"10GBps"]', '"10GBps", "5GBps", "2GBps"]'))
    study = Study.read(folder / "study.toml")
    expected = study.run(folder / "here")
    lost: list[int] = []

    def kill() -> None:
        while not lost:
            for worker in list(cluster.workers.values()):
                for child in psutil.Process(worker.pid).children() if worker.pid else []:
                    if "pysmpi.study.simulation" in child.cmdline():
                        psutil.Process(worker.pid).kill()
                        lost.append(worker.pid)
                        return

    killer = threading.Thread(target=kill)
    killer.start()
    table = study.run(folder / "there", engine=cluster.scheduler_address.replace("tcp://", "dask://"))
    killer.join()
    assert lost
    same = ["status", "simulated_time", "metric.hpl_gflops", "metric.size", "messages", "key"]
    assert [[row[name] for name in same] for row in table] == [[row[name] for name in same] for row in expected]


@pytest.mark.filterwarnings("ignore")  # of Dask's, about a scheduler that is lost
def test_a_scheduler_that_is_lost(folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    here = {**os.environ, "PYTHONPATH": str(pathlib.Path(pysmpi.__file__).parents[1])}
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:], "--no-dashboard"]
        quiet = subprocess.DEVNULL
        started.append(subprocess.Popen(command, env=here, stdout=quiet, stderr=quiet, process_group=0))

    try:
        start("scheduler", "--port", "0", "--scheduler-file", str(elsewhere / "scheduler.json"))
        place = ("--scheduler-file", str(elsewhere / "scheduler.json"), "--nthreads", "1")
        start("worker", *place)
        with distributed.Client(scheduler_file=str(elsewhere / "scheduler.json")) as client:
            client.wait_for_workers(1, timeout=60)
            address = client.scheduler.address.replace("tcp://", "dask://")
        (folder / "program.py").write_text("import time, pathlib\npathlib.Path('begun').touch()\nwhile True: pass\n")
        study = Study.read(folder / "study.toml")

        def end() -> None:
            while not (folder / "begun").exists():
                time.sleep(0.05)
            os.killpg(started[0].pid, signal.SIGKILL)

        threading.Thread(target=end).start()
        with pytest.raises(StudyError, match="lost the connection to Dask's scheduler; run the study again"):
            study.run(folder / "results", engine=address)
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_workers_without_pysmpi() -> None:
    class Workers:
        def __init__(self, *answers: Any) -> None:
            self._answers = list(answers)

        def wait_for_workers(self, count: int, timeout: float) -> None:
            raise TimeoutError

        def run(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"tcp://node1:99": self._answers.pop(0)}

        def close(self) -> None:
            pass

    workers: Any = Workers(None, "1")
    with pytest.raises(StudyError, match="the worker at tcp://node1:99 has no pysmpi; install pysmpi"):
        _check_workers(workers)
    workers = Workers(object(), versions()["pysmpi"])
    _check_workers(workers)


SBATCH = """\
#!/bin/sh
# What Slurm does with a job, here and at once.
cp "$1" job.sh  # which Slurm keeps, too: Dask removes its own
setsid sh job.sh > job.log 2>&1 &
echo $! >> {jobs}
echo "Submitted batch job $!"
"""


@pytest.mark.filterwarnings("ignore")  # of Dask's, about workers that end
def test_jobs_of_slurm(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    import dask

    jobs = folder / "jobs"
    for name, script in (("sbatch", SBATCH.format(jobs=jobs)), ("scancel", "#!/bin/sh\nkill -- -$1\n")):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    described = {
        "cores": 1,
        "processes": 1,
        "memory": "1GiB",
        "interface": "lo",
        "scheduler-options": {"dashboard": False},
    }
    with dask.config.set({f"jobqueue.slurm.{key}": value for key, value in described.items()}):
        table = Study.read(folder / "study.toml").run(folder / "results", engine="slurm", parallel=1)
    assert [row["status"] for row in table] == ["done", "done"]
    (job,) = (int(number) for number in jobs.read_text().split())
    _, alive = psutil.wait_procs([psutil.Process(job)] if psutil.pid_exists(job) else [], timeout=20)
    assert not alive


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dask://localhost", "the scheduler's port is missing"),
        ("slurm", "engine slurm needs the number of points simulated at a time"),
    ],
)
def test_engines_that_cannot_be_had(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        engine_of(text)
