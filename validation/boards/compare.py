"""Linpack on a cluster of four boards, predicted from one board: python validation/boards/compare.py.

Measured (github.com/geerlingguy/top500-benchmark, issue 27): one board, N=50,004 on 1 × 4 processes, 59.81 Gflop/s at
18.1 W; four boards on 4 × 8 processes, 224.6 Gflop/s at 73 W. Here dgemm's coefficient is chosen so that a single
simulated board reaches the measured Gflop/s; the network is nominal (platforms/four_boards.xml), other settings are
SMPI's defaults, dtrsm takes half of dgemm's time for half of the operations, and other computation none. A board's
eight cores are taken to be equal. The issue does not state N for the four boards. With N=100,008, each board uses as
much memory as the single board did; N=50,004 is run too, to show how much the result depends on N.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ALONE, TOGETHER = 59.81, 224.6  # Gflop/s
WATTS_ALONE, WATTS_TOGETHER, WATTS_CARRIER = 18.1, 73.0, 2.6  # of sbc-reviews, issue 38, the carrier
CORES = 8
ORDER = 50_004


def gflops(boards: int, ranks_a_board: int, p: int, order: int, seconds: float) -> float:
    """Return the Gflop/s reported by HPL.

    Args:
        boards: number of boards.
        ranks_a_board: number of processes per board.
        p: number of process rows.
        order: order of the system.
        seconds: seconds of dgemm per M·N·K.
    """
    ranks = boards * ranks_a_board
    words = f"t t f 6 1 {order} 1 256 0 1 {p} {ranks // p} 16.0 1 2 1 4 1 2 1 1 1 1 1 1 2 64 0 0 1 8"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "HPL.dat").write_text(words.replace(" ", "\n"))
        (Path(folder) / "hosts").write_text("".join(f"rk1-{rank // ranks_a_board}\n" for rank in range(ranks)))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "-np", str(ranks), "--quiet"]
        command += ["--platform", "platforms/four_boards.xml", "--hostfile", f"{folder}/hosts"]
        command += ["--cfg=smpi/simulate-computation:no", "apps/hpl/hpl.py", "--c-gemm", repr(seconds)]
        command += ["--c-trsm", repr(seconds / 2), f"{folder}/HPL.dat"]
        text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^WR\S+ +{order} +\d+ +\d+ +\d+ +\S+ +(\S+)", text, re.MULTILINE)
    assert found is not None, text
    return float(found[1])


def calibrated(order: int = ORDER) -> float:
    """Return the seconds of dgemm per M·N·K with which one simulated board reaches the measured Gflop/s."""
    seconds = 2 / (ALONE * 1e9 / 4)
    return seconds * gflops(1, 4, 1, order, seconds) / ALONE


def main() -> None:
    """Calibrate, predict, and print."""
    seconds = calibrated()
    print(f"one board:   {gflops(1, 4, 1, ORDER, seconds):6.1f} Gflop/s, measured {ALONE}: {seconds:.4e} s a product")
    for order in (ORDER, 2 * ORDER):
        found = gflops(4, CORES, 4, order, seconds * CORES / 4)
        error = found / TOGETHER - 1
        print(f"four boards: {found:6.1f} Gflop/s at N={order:,}, measured {TOGETHER}: {error:+.1%}")
    watts = 4 * (WATTS_ALONE - WATTS_CARRIER) + WATTS_CARRIER
    print(f"             {watts:6.1f} W, measured {WATTS_TOGETHER:g}: {watts / WATTS_TOGETHER - 1:+.1%}")


if __name__ == "__main__":
    main()
