"""Linpack on Taurus, measured, and predicted by SMPI and here: python benchmarks/reality/taurus.py [RANKS…].

N=20,000 on 12 × RANKS/12 processes, 12 a node, rank after rank on taurus-1, taurus-2 and so on. Platform and
coefficients (platforms/taurus.xml, calibration/taurus/blas.json) are the published ones; nothing is fitted to the
outcome. Real runs, and SMPI's predictions ("optimized"): T. Cornebize, "Capacity Planning of Supercomputers" (2017),
figure 5.1 and its data (hpl_analysis/taurus/real.csv and hpl2.csv); HPL's own times, seconds.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ORDER, ROWS = 20_000, 12
MEASURED = {12: 73.32, 48: 28.02}
SMPI_2017 = {12: 65.23, 24: 37.83, 48: 25.05, 72: 20.26, 120: 16.04, 168: 13.99}


def coefficients() -> str:
    """Seconds per M·N·K of dgemm and per M·N² of dtrsm, of the model file."""
    routines = json.loads((ROOT / "calibration/taurus/blas.json").read_text())["routines"]
    return ",".join(repr(routines[name]["seconds"]["m*n*k"]) for name in ("dgemm", "dtrsm"))


def predicted(ranks: int, order: int = ORDER) -> float:
    """HPL's time."""
    words = f"t t f 6 1 {order} 1 120 0 1 {ROWS} {ranks // ROWS} 16.0 1 0 1 2 1 2 1 0 1 0 1 0 2 64 0 0 1 8"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "HPL.dat").write_text(words.replace(" ", "\n"))
        (Path(folder) / "hosts").write_text("".join(f"taurus-{rank // ROWS + 1}\n" for rank in range(ranks)))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "-np", str(ranks), "--quiet"]
        command += ["--platform", "platforms/taurus.xml", "--hostfile", f"{folder}/hosts"]
        command += ["--cfg=smpi/simulate-computation:no", "apps/hpl/hpl.py", "--published-model", coefficients()]
        text = subprocess.run(
            [*command, f"{folder}/HPL.dat"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    found = re.search(rf"^WR\S+ +{order} +\d+ +\d+ +\d+ +(\S+)", text, re.MULTILINE)
    assert found is not None, text
    return float(found[1])


def main(choice: list[int]) -> None:
    """Predict, and print."""
    print(f"{'ranks':>5} {'measured':>10} {'SMPI 2017':>20} {'here':>20}")
    for ranks in choice:
        measured, here = MEASURED.get(ranks), predicted(ranks)
        cells = []
        for seconds in (SMPI_2017[ranks], here):
            error = "" if measured is None else f"{seconds / measured - 1:+.1%}"
            cells.append(f"{seconds:9.2f} s {error:>8}")
        print(
            f"{ranks:5} {'' if measured is None else f'{measured:.2f} s':>10} {cells[0]:>20} {cells[1]:>20}", flush=True
        )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SMPI_2017))
