"""The two sides of a benchmark, pysmpirun and smpirun, and the cost of a run on one core."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "EXACT",
    "FAT_TREE",
    "HERE",
    "LARGE_FAT_TREE",
    "Outcome",
    "Smpi",
    "calibrate",
    "count_instructions",
    "ours",
    "timed",
]

HERE = pathlib.Path(__file__).resolve().parent
FAT_TREE = str(HERE.parent / "platforms" / "fattree.xml")
LARGE_FAT_TREE = "fattree:4/16,16,16,16/1,16,16,16/1,1,1,1:bw=12.5GBps:lat=150ns:speed=30Gf"
_SIMULATED_ONLY = "--cfg=smpi/simulate-computation:no"
EXACT = ("--cfg=network/optim:Full", "--cfg=smpi/grow-injected-times:no")
"""Words for exact sharing and polls that do not grow, the defaults outside --smpi, in place of SMPI's."""
_INSTRUCTIONS = re.compile(r"I\s+refs:\s+([\d,]+)")


@dataclass(frozen=True)
class Outcome:
    """Outcome of one run.

    Attributes:
        seconds: processor time in seconds.
        peak: peak resident memory in bytes.
        output: output of the program.
    """

    seconds: float
    peak: int
    output: str

    @property
    def told(self) -> dict[str, float]:
        """Return the figures that a pattern reports: simulated and processor seconds between two barriers."""
        found: dict[str, float] = json.loads(self.output.splitlines()[-1])
        return found


def timed(command: Sequence[str]) -> Outcome:
    """Run a command to its end; exit if it fails."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}\n{errors.read()}")
        return Outcome(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read())


def ours(platform: str, ranks: int, *words: str | int, options: Sequence[str] = ()) -> Outcome:
    """Run a program of this folder with its arguments under pysmpirun."""
    return timed(_command(platform, ranks, words, options))


def _command(platform: str, ranks: int, words: Sequence[str | int], options: Sequence[str]) -> list[str]:
    program, *arguments = map(str, words)
    command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "-np", str(ranks), "--platform", platform]
    return [*command, "--quiet", _SIMULATED_ONLY, *options, str(HERE / program), *arguments]


def count_instructions(platform: str, ranks: int, *words: str | int) -> int | None:
    """Return the number of instructions of a run under pysmpirun, counted by valgrind, or None if valgrind is not
    installed."""
    if not shutil.which("valgrind"):
        return None
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # set here, since pysmpirun would restart itself to set it
    command = [*valgrind, *_command(platform, ranks, words, ())]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    found = _INSTRUCTIONS.search(run.stderr)
    if run.returncode or found is None:
        raise SystemExit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
    return int(found[1].replace(",", ""))


class Smpi:
    """SMPI, with the C programs compiled for it."""

    def __init__(self, directory: str) -> None:
        self._directory = pathlib.Path(directory)
        for source in (HERE / "patterns").glob("*.c"):
            program = str(self._directory / source.stem)
            subprocess.run(["smpicc", "-O2", str(source), "-o", program], check=True)

    @staticmethod
    def is_here() -> bool:
        """Return whether SMPI is installed."""
        return bool(shutil.which("smpirun") and shutil.which("smpicc"))

    def run(self, ranks: int, pattern: str, *words: str | int) -> Outcome:
        """Run a pattern on ranks of the fat tree."""
        hosts = self._directory / "hosts"
        hosts.write_text("".join(f"node-{number}\n" for number in range(ranks)))
        command = ["smpirun", "-np", str(ranks), "-platform", FAT_TREE, "-hostfile", str(hosts), _SIMULATED_ONLY]
        command += ["--cfg=smpi/privatization:no", "--log=root.thres:critical", str(self._directory / pattern)]
        return timed([*command, *map(str, words)])


def calibrate() -> float:
    """Return the processor seconds of a loop in the interpreter, the best of five, used to compare machines."""
    best = float("inf")
    for _ in range(5):
        begun = time.process_time()
        table: dict[int, int] = {}
        for i in range(1_000_000):
            table[i & 0xFFFF] = i
        best = min(best, time.process_time() - begun)
    return best
