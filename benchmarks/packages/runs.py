"""Runs of one program: under pysmpirun, and under MPICH's mpiexec."""

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time

from corpus import Corpus, Program

__all__ = ["LAUNCHERS", "Run", "run"]

LAUNCHERS = ("mpich", "pysmpi")
TIMED_OUT = 124  # exit status, as that of timeout(1)
MOST_OUTPUT = 1 << 20
# One thread per rank, as on a machine with a core for each rank; no download of models.
VARIABLES = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1") | {
    "UCX_LOG_LEVEL": "error",  # of MPICH, which warns on the standard output
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "agg",
    "JAX_PLATFORMS": "cpu",
}


@dataclasses.dataclass(frozen=True)
class Run:
    """Outcome of a run.

    Attributes:
        status: exit status; negative for a signal, 124 if the run was stopped at its time limit.
        output: standard output.
        errors: standard error.
        seconds: wall-clock time.
        memory: peak resident memory of the largest process in bytes.
    """

    status: int
    output: str
    errors: str
    seconds: float
    memory: int

    def problem(self) -> str:
        """Return in one line how a run failed: the last line that names an error, or the exit status."""
        if self.status == TIMED_OUT:
            return f"did not end within {self.seconds:.0f} s"
        text = f"{self.output}\n{self.errors}".splitlines()
        named = [
            line.strip() for line in text if re.search(r"^(\[rank \d+\] )?[\w.]*(Error|Exception)\b", line.strip())
        ]
        last = named[-1] if named else next((line.strip() for line in reversed(text) if line.strip()), "")
        return f"exit status {self.status}: {last:.160}"


def _command(program: Program, corpus: Corpus, python: pathlib.Path, launcher: str) -> list[str]:
    own = corpus.folder / "programs"
    words = [str(own / word) if (own / word).is_file() else word for word in shlex.split(program.command)]
    ranks = str(program.ranks)
    if launcher == "mpich":
        return [str(python.parent / "mpiexec"), "-n", ranks, str(python), *words]
    options = ["-np", ranks, "--platform", f"flat:{program.ranks}", "--quiet", *shlex.split(program.options)]
    return [str(python), "-m", "pysmpi.cli.run", *options, *words]


def _text(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")[-MOST_OUTPUT:]


def run(program: Program, corpus: Corpus, python: pathlib.Path, launcher: str, work: pathlib.Path) -> Run:
    """Run a program in an empty folder, or in a copy of its source archive.

    Args:
        program: row of the table.
        corpus: the table.
        python: interpreter of the program's environment.
        launcher: "mpich" or "pysmpi".
        work: build folder.
    """
    folder = work / "runs" / f"{program.name.replace(' ', '-')}-{launcher}"
    shutil.rmtree(folder, ignore_errors=True)
    if program.source:
        shutil.copytree(work / "sources" / program.source, folder)
    else:
        folder.mkdir(parents=True)
        (folder / "pytest.ini").touch()  # hides the settings of a project around the build folder
    variables = os.environ | VARIABLES | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    variables.pop("PYTHONUNBUFFERED", None)  # mpiexec would mix parts of the ranks' lines
    if program.environment:
        variables.pop("PYTHONPATH", None)
    output, errors = (folder.with_name(f"{folder.name}.{ending}") for ending in ("out", "err"))
    began = time.monotonic()
    with output.open("wb") as out, errors.open("wb") as err:
        child = subprocess.Popen(
            _command(program, corpus, python, launcher), cwd=folder, env=variables, stdin=subprocess.DEVNULL,
            stdout=out, stderr=err, start_new_session=True,
        )  # fmt: skip
        late = threading.Event()

        def stop() -> None:
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(program.limit, stop)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Run(
        status=TIMED_OUT if late.is_set() else child.returncode,
        output=_text(output),
        errors=_text(errors),
        seconds=time.monotonic() - began,
        memory=usage.ru_maxrss * 1024,
    )
