"""Record SMPI's times under `network/optim:Full`: record.py INTERPRETER prints a line for each crowded case.

INTERPRETER is reference.c, compiled with smpicc. The cases are those of `../*.jsonl` with many ranks and large
messages, where flows share links. SMPI's Full decides at every event, within surf/precision, which flows have ended
and which latencies are paid. With the default of 1e-9 s these decisions add up to 1e-4 of a time, so it is lower here.
"""

import json
import pathlib
import re
import subprocess
import sys
from typing import Any

PARITY = pathlib.Path(__file__).parents[1]
RANKS = 16
SIZE = 20_000
SETTINGS = ("smpi/simulate-computation:no", "network/optim:Full", "surf/precision:1e-12")


def crowded_cases() -> list[dict[str, Any]]:
    """Return the recorded cases with at least RANKS ranks and SIZE bytes."""
    files = (PARITY / f"{name}.jsonl" for name in ("draws", "exchanges", "moves", "reductions", "smpi"))
    cases = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [case for case in cases if case["np"] >= RANKS and case["size"] >= SIZE]


def _times(interpreter: str, case: dict[str, Any]) -> list[float] | None:
    platform = PARITY / "platforms" / f"{case['platform']}.xml"
    options = [f"--cfg={option}" for option in (*SETTINGS, *case["cfg"])]
    machine = ["-np", str(case["np"]), "-platform", str(platform), "-hostfile", str(platform.with_suffix(".hosts"))]
    arguments = [str(case[name]) for name in ("op", "size", "iters", "seed")]
    command = ["smpirun", *machine, *options, interpreter, *arguments]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None
    times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", run.stdout, re.MULTILINE)}
    return [times[rank] for rank in range(case["np"])] if len(times) == case["np"] else None


def main() -> None:
    for case in crowded_cases():
        times = _times(sys.argv[1], case)
        if times is not None:
            print(json.dumps({"id": case["id"], "times": [float(f"{time:.11g}") for time in times]}))


if __name__ == "__main__":
    main()
