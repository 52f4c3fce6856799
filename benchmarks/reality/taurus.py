"""Linpack on Taurus, measured, and predicted by SMPI and by pysmpi: python benchmarks/reality/taurus.py [RANKS…].

N=20,000 on 12 × RANKS/12 processes, 12 a node, rank after rank on taurus-1, taurus-2 and so on. Platform and
coefficients (platforms/taurus.xml, calibration/taurus/blas.json) are the published ones; nothing is fitted to the
outcome. Real runs, and SMPI's predictions ("optimized"): T. Cornebize, "Capacity Planning of Supercomputers" (2017),
figure 5.1 and its data (hpl_analysis/taurus/real.csv and hpl2.csv): HPL's own times in seconds, and kJ of the nodes
that were used. The real and SMPI's joules include the generation of the matrix and the check of the result (3.3 and 1.4
seconds of the real runs, 2.9 to 0.4 of SMPI's); ours are those of the solution alone,
with ranks that use their cores while they wait.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ORDER, ROWS = 20_000, 12
MEASURED = {12: (73.32, 15.896), 48: (28.02, 23.051)}
SMPI_2017 = {
    12: (65.23, 14.138),
    24: (37.83, 15.9),
    48: (25.05, 20.166),
    72: (20.26, 23.9),
    120: (16.04, 32.0),
    168: (13.99, 39.7),
}


def coefficients() -> str:
    """Return seconds per M·N·K of dgemm and per M·N² of dtrsm from the model file."""
    routines = json.loads((ROOT / "calibration/taurus/blas.json").read_text())["routines"]
    return ",".join(repr(routines[name]["seconds"]["m*n*k"]) for name in ("dgemm", "dtrsm"))


def predicted(ranks: int, order: int = ORDER) -> tuple[float, float]:
    """Return HPL's time, and the kJ of the nodes that it runs on."""
    words = f"t t f 6 1 {order} 1 120 0 1 {ROWS} {ranks // ROWS} 16.0 1 0 1 2 1 2 1 0 1 0 1 0 2 64 0 0 1 8"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "HPL.dat").write_text(words.replace(" ", "\n"))
        (Path(folder) / "hosts").write_text("".join(f"taurus-{rank // ROWS + 1}\n" for rank in range(ranks)))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "-np", str(ranks), "--quiet"]
        command += ["--platform", "platforms/taurus.xml", "--hostfile", f"{folder}/hosts"]
        command += ["--cfg=smpi/simulate-computation:no", "--cfg=plugin:host_energy", "--cfg=smpi/wait-cpu-usage:1"]
        command += ["apps/hpl/hpl.py", "--published-model", coefficients(), f"{folder}/HPL.dat"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    time = re.search(rf"^WR\S+ +{order} +\d+ +\d+ +\d+ +(\S+)", run.stdout, re.MULTILINE)
    joules = re.search(r"used hosts: (\S+) Joules", run.stderr)
    assert time is not None and joules is not None, run.stdout + run.stderr
    return float(time[1]), float(joules[1]) / 1e3


def main(choice: list[int]) -> None:
    """Predict, and print."""
    print(f"{'ranks':>5} {'measured':>19} {'SMPI 2017':>34} {'here':>34}")
    for ranks in choice:
        measured = MEASURED.get(ranks)
        cells = [f"{measured[0]:.2f} s {measured[1]:6.2f} kJ" if measured else ""]
        for found in (SMPI_2017[ranks], predicted(ranks)):
            errors = (
                [f"{got / real - 1:+.1%}" for got, real in zip(found, measured, strict=True)] if measured else ["", ""]
            )
            cells.append(f"{found[0]:.2f} s {errors[0]:>6} {found[1]:6.2f} kJ {errors[1]:>6}")
        print(f"{ranks:5} {cells[0]:>19} {cells[1]:>34} {cells[2]:>34}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SMPI_2017))
