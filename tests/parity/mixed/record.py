"""Record SMPI's times of programs: record.py INTERPRETER FIRST COUNT [one-sided] prints a line for each seed.

INTERPRETER is mixed.c, compiled with smpicc. Programs that SMPI does not end are left out.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import programs


def times_of(interpreter: str, case: programs.Case, folder: pathlib.Path) -> list[list[float]] | None:
    (folder / "platform.xml").write_text(case.platform)
    (folder / "hosts").write_text("\n".join(case.hosts) + "\n")
    (folder / "program").write_text(case.program)
    options = [f"--cfg={option}" for option in ("smpi/simulate-computation:no", *case.cfg)]
    machine = ["-np", str(case.np), "-platform", str(folder / "platform.xml"), "-hostfile", str(folder / "hosts")]
    command = ["smpirun", *machine, *options, interpreter, str(folder / "program")]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None
    rows = sorted(
        (line.split()[1:] for line in run.stdout.splitlines() if line.startswith("R ")), key=lambda row: int(row[0])
    )
    return [[float(time) for time in row[1:]] for row in rows] if len(rows) == case.np else None


def main() -> None:
    interpreter, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    make = programs.make_one_sided_case if sys.argv[4:] == ["one-sided"] else programs.make_case
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            times = times_of(interpreter, make(seed), pathlib.Path(folder))
        if times is not None:
            print(json.dumps({"seed": seed, "times": [[float(f"{time:.9g}") for time in row] for row in times]}))


if __name__ == "__main__":
    main()
