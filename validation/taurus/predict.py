"""Predict Linpack on Taurus: python validation/taurus/predict.py --ranks 48 [--json].

N=20,000 on 12 × RANKS/12 processes, 12 a node, rank after rank on taurus-1, taurus-2 and so on. Platform and
coefficients (platforms/taurus.xml, calibration/taurus/blas.json) are the published ones; nothing is fitted to the
outcome. The time is HPL's own; the energy is that of the nodes that are used, for the solution alone, with ranks that
use their cores while they wait.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["ORDER", "predict"]

ROOT = Path(__file__).resolve().parents[2]
ORDER, ROWS = 20_000, 12
NODES = 16


def coefficients() -> str:
    """Return seconds per M·N·K of dgemm and per M·N² of dtrsm from the model file."""
    routines = json.loads((ROOT / "calibration/taurus/blas.json").read_text())["routines"]
    return ",".join(repr(routines[name]["seconds"]["m*n*k"]) for name in ("dgemm", "dtrsm"))


def predict(ranks: int, order: int = ORDER) -> tuple[float, float]:
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


def main() -> int:
    """Predict one run, and print its time and energy."""
    parser = argparse.ArgumentParser(description="Predict Linpack on Taurus.", allow_abbrev=False)
    parser.add_argument("--ranks", type=int, required=True, help=f"number of ranks, a multiple of {ROWS}")
    parser.add_argument("--n", type=int, default=ORDER, help=f"order of the system ({ORDER})")
    parser.add_argument("--json", action="store_true", help="print seconds and kilojoules as JSON")
    asked = parser.parse_args()
    if asked.ranks % ROWS or not 0 < asked.ranks <= NODES * ROWS:
        parser.error(f"--ranks: {asked.ranks} is not a multiple of {ROWS} between {ROWS} and {NODES * ROWS}")
    if asked.n < 1:
        parser.error(f"--n: {asked.n} is not an order of a system, from 1 on")
    seconds, kilojoules = predict(asked.ranks, asked.n)
    found = {"seconds": seconds, "kilojoules": kilojoules}
    print(json.dumps(found) if asked.json else f"{seconds:.2f} s, {kilojoules:.2f} kJ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
