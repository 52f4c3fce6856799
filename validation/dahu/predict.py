"""Predict Linpack on Dahu: python validation/dahu/predict.py --n 50000 --p 32 --q 32 [--json] (see --help).

The prediction rests on published calibrations only: BLAS models of each processor with their noise (models.py), and
one of two calibrations of the network. Ranks fill the nodes one after the other, 32 a node.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "linpack"))

from prediction import Machine, predict

from models import STATES, STEPS, write_table

HERE = Path(__file__).resolve().parent
CORES, NODES = 32, 32


def main() -> int:
    """Predict one run, and print it."""
    parser = argparse.ArgumentParser(description="Predict Linpack on Dahu of Grid'5000.", allow_abbrev=False)
    parser.add_argument("--n", type=int, required=True, help="order of the system")
    parser.add_argument("--p", type=int, required=True, help="process rows")
    parser.add_argument("--q", type=int, required=True, help="process columns")
    parser.add_argument("--nb", type=int, default=128, help="block size (128)")
    parser.add_argument("--depth", type=int, default=1, choices=(0, 1), help="look-ahead (1)")
    parser.add_argument("--bcast", type=int, default=2, choices=range(6), help="broadcast, as in HPL.dat (2)")
    parser.add_argument("--swap", type=int, default=0, choices=range(3), help="row exchange, as in HPL.dat (0)")
    parser.add_argument("--state", default="march2019", choices=STATES, help="state of the nodes (march2019)")
    parser.add_argument("--network", default="simple", choices=("simple", "improved"), help="calibration (simple)")
    parser.add_argument("--whole", action="store_true", help="simulate all panels, not windows of them")
    parser.add_argument("--without", action="append", default=[], choices=STEPS, help="leave a part of the model out")
    parser.add_argument("--seed", type=int, default=0, help="seed of noise and pivots (0)")
    parser.add_argument("--json", action="store_true", help="print gflops, seconds, method and windows_error as JSON")
    asked = parser.parse_args()
    ranks = asked.p * asked.q
    if not 1 <= ranks <= CORES * NODES:
        parser.error(f"{asked.p} x {asked.q} = {ranks} processes: Dahu has {CORES * NODES} cores")
    if asked.n < 1 or asked.nb < 1:
        parser.error("--n and --nb must be at least 1")
    variant = {"n": asked.n, "nb": asked.nb, "p": asked.p, "q": asked.q, "pfact": 1, "rfact": 2, "bcast": asked.bcast,
               "depth": asked.depth, "swap": asked.swap, "swap_threshold": asked.nb}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        blas = Path(folder) / "blas.json"
        write_table(asked.state, blas, asked.without)
        hosts = [f"dahu-{rank // CORES + 1}" for rank in range(ranks)]
        machine = Machine(HERE / f"{asked.network}.xml", blas, hosts, asked.seed)
        found = predict(machine, variant, True if asked.whole else None)
    if asked.json:
        print(json.dumps(found._asdict()))
    else:
        error = f", with and without every other one: {found.windows_error:.1%}" if found.method == "windows" else ""
        print(f"{found.gflops:,.0f} Gflop/s, {found.seconds:.2f} s ({found.method}{error})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
