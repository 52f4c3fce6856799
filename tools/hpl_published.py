"""HPL as published: the tables of T. Cornebize, "Capacity Planning of Supercomputers" (2017), beside runs of pysmpi.

Each row of the published experiments (Ezibenroc/simulating_mpi_applications_at_scale) is run with `apps/hpl/hpl.py
--published-model`. The output shows the result of pysmpi and the published one, the difference, and the time of each
simulation: pysmpi's on this machine, and the published one on the author's. Five more configurations are compared with
SMPI 3.32. Results are stored in a file as they come, and stored rows are not run again.

    python tools/hpl_published.py [--only TABLE] [--longest SECONDS] [--list] [--results FILE] [--again]
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[1]

# Coefficients of dgemm and dtrsm on a core of the Nova cluster, and the host speed by which the published runs scaled
# them. The published scripts passed this speed regardless of their options.
MODEL = "1.742435e-10,8.897459e-11,6217956542.969"
RESULT = re.compile(r"^W\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+(\S+)\s+(\S+)", re.MULTILINE)


class Row(NamedTuple):
    """Published run: N, the grid, the fat tree, and its result in seconds."""

    table: str
    name: str
    n: int
    p: int
    q: int
    seconds: float  # HPL's time
    wall: float  # time of the simulation
    cores: int = 1
    ranks_a_host: int = 1
    roots: int = 16
    speed: str = "1Gf"
    bandwidth: str = "10Gbps"
    latency: str = "2.4E-5s"

    def tolerance(self) -> float:
        """Return the accepted relative difference; it is smallest for SMPI 3.32, whose models pysmpi reproduces."""
        return 0.01 if self.table == "SMPI 3.32" else 0.03

    def key(self) -> str:
        """Return the key under which the row is stored."""
        return f"{self.table}, {self.name}, N={self.n}, {self.p}x{self.q}"


def validation() -> list[Row]:
    """Return the runs of the validation (level 4, one rank per host): sizes on 8×8, and grids for N=20,000."""
    sizes = [(5000, 5.31, 2.0), (10000, 15.98, 4.0), (15000, 35.70, 5.8), (20000, 69.37, 7.8), (30000, 193.62, 12.4),
             (40000, 423.76, 16.6)]  # fmt: skip
    grids = [(1, 393.67, 5.2), (2, 203.74, 5.7), (4, 114.75, 6.6), (6, 85.18, 7.2), (10, 61.46, 8.5), (12, 55.56, 9.2),
             (16, 48.46, 10.5)]  # fmt: skip
    rows = [Row("validation", f"N={n}", n, 8, 8, seconds, wall, cores=8) for n, seconds, wall in sizes]
    return rows + [Row("validation", f"8x{q}", 20000, 8, q, seconds, wall, cores=8) for q, seconds, wall in grids]


def components() -> list[Row]:
    """Return runs on 512 hosts and a 16×32 grid, with one component better or worse than the default."""
    return [
        Row("components", "default", 50000, 16, 32, 175.36, 122.4),
        Row("components", "100 Gbps", 50000, 16, 32, 181.65, 123.7, bandwidth="100Gbps"),
        Row("components", "240 us", 50000, 16, 32, 654.59, 146.7, latency="2.4E-4s"),
        Row("components", "0.1 Gf", 50000, 16, 32, 1158.21, 123.6, speed="0.1Gf"),
        Row("components", "default", 100000, 16, 32, 922.49, 251.3),
        Row("components", "100 Gbps", 100000, 16, 32, 938.41, 224.6, bandwidth="100Gbps"),
        Row("components", "240 us", 100000, 16, 32, 1909.98, 282.0, latency="2.4E-4s"),
        Row("components", "0.1 Gf", 100000, 16, 32, 7942.29, 257.7, speed="0.1Gf"),
    ]


def topology() -> list[Row]:
    """Return runs on 512 hosts and a 16×32 grid, with ranks in host order and several numbers of root switches."""
    published = [(1, 175.09, 132), (2, 175.14, 126), (4, 175.28, 126), (8, 175.35, 124), (12, 175.58, 124),
                 (16, 174.91, 124)]  # fmt: skip
    return [
        Row("topology", f"{roots} roots", 50000, 16, 32, seconds, wall, roots=roots)
        for roots, seconds, wall in published
    ]


def scalability() -> list[Row]:
    """Return runs with N=500,000 and eight ranks per host."""
    published = [(64, 91246.02, 1192), (128, 46990.02, 2482), (256, 24795.50, 5092), (512, 13561.01, 11322)]
    return [
        Row("scalability", f"8x{q}", 500000, 8, q, seconds, wall, cores=8, ranks_a_host=8)
        for q, seconds, wall in published
    ]


def smpi() -> list[Row]:
    """Return runs of the same program under SMPI 3.32, with N=50,000 on a 16×32 grid; the wall times are those of a
    2-core machine."""
    return [
        Row("SMPI 3.32", "10 Gbps", 50000, 16, 32, 173.619, 300),
        Row("SMPI 3.32", "100 Gbps", 50000, 16, 32, 181.360, 300, bandwidth="100Gbps"),
        Row("SMPI 3.32", "240 us", 50000, 16, 32, 653.625, 300, latency="2.4E-4s"),
        Row("SMPI 3.32", "10 Mbps", 50000, 16, 32, 2768.52, 300, bandwidth="10Mbps"),
        Row("SMPI 3.32", "10 Mbps, 1 root", 50000, 16, 32, 9406.32, 756, bandwidth="10Mbps", roots=1),
    ]


def all_rows() -> list[Row]:
    """Return the rows of all tables, in the order of the thesis."""
    return [*validation(), *components(), *topology(), *scalability(), *smpi()]


def platform(row: Row) -> str:
    """Return the fat tree of the published script: 32 leaf switches of 16 hosts, and the roots."""
    return f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="tree" prefix="host-" suffix=".hawaii.edu" radical="0-511" speed="{row.speed}" bw="{row.bandwidth}"
           lat="{row.latency}" loopback_bw="5120MiBps" loopback_lat="1.5E-9s" core="{row.cores}" topology="FAT_TREE"
           topo_parameters="2;16,32;1,{row.roots};1,1"/>
</platform>
"""


def hpl_dat(row: Row) -> str:
    """Return the published HPL.dat, with the one combination that was run."""
    words = f"t t f 6 1 {row.n} 1 120 0 1 {row.p} {row.q} 16.0 1 0 1 2 1 2 1 0 1 0 1 0 2 64 0 0 1 8"
    return words.replace(" ", "\n")


def run(row: Row, pysmpirun: list[str]) -> tuple[float, float]:
    """Return HPL's predicted time and the duration of the simulation, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "platform.xml").write_text(platform(row))
        (place / "HPL.dat").write_text(hpl_dat(row))
        ranks = row.p * row.q
        hosts = [f"host-{rank // row.ranks_a_host}.hawaii.edu" for rank in range(ranks)]
        (place / "hosts").write_text("\n".join(hosts) + "\n")
        command = [*pysmpirun, "-np", str(ranks), "--platform", str(place / "platform.xml"), "--hostfile",
                   str(place / "hosts"), "--cfg=smpi/simulate-computation:no", str(ROOT / "apps/hpl/hpl.py"),
                   "--published-model", MODEL, str(place / "HPL.dat")]  # fmt: skip
        begin = time.perf_counter()
        # The progress line and the summary go where this program's own errors go.
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        wall = time.perf_counter() - begin
    match = RESULT.search(done.stdout)
    if match is None:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return float(match[1]), wall


class Results:
    """Results so far, in a file that is always complete."""

    def __init__(self, path: pathlib.Path, again: bool) -> None:
        self.path = path
        self.known: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() and not again else {}

    def of(self, row: Row, pysmpirun: list[str]) -> tuple[float, float, bool]:
        """Return HPL's predicted time and the duration of the simulation in seconds, and whether the result was stored
        before."""
        known = row.key() in self.known
        if not known:
            self.known[row.key()] = list(run(row, pysmpirun))
            self.path.parent.mkdir(parents=True, exist_ok=True)
            whole = self.path.with_suffix(".part")
            whole.write_text(json.dumps(self.known, indent=1) + "\n")
            os.replace(whole, self.path)
        seconds, wall = self.known[row.key()]
        return seconds, wall, known


def main() -> None:
    """Run the requested rows, and print the tables."""
    tables = list(dict.fromkeys(row.table for row in all_rows()))
    parser = argparse.ArgumentParser(description="HPL's published tables, ours beside theirs.")
    parser.add_argument("--only", choices=tables, help="one table")
    parser.add_argument("--longest", type=float, default=float("inf"), metavar="SECONDS",
                        help="omit rows that took the authors longer than this")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="list the rows that would be run")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/hpl-published.json", metavar="FILE",
                        help="file of stored results (build/hpl-published.json)")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="run all rows, including stored ones")
    options = parser.parse_args()
    pysmpirun = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "--quiet"]
    results = Results(options.results, options.again)
    asked = [row for row in all_rows() if row.wall <= options.longest and options.only in (None, row.table)]
    table, within = "", 0
    for row in asked:
        if row.table != table:
            table = row.table
            print(f"\n{table:16} {'N':>8} {'P x Q':>8} {'theirs s':>12} {'wall s':>8} {'ours s':>12} {'wall s':>8} "
                  f"{'difference':>10}")  # fmt: skip
        head = f"{row.name:16} {row.n:8} {f'{row.p}x{row.q}':>8} {row.seconds:12.2f} {row.wall:8.1f}"
        print(head, end="\n" if options.list else "", flush=True)
        if options.list:
            continue
        seconds, wall, known = results.of(row, pysmpirun)
        difference = seconds / row.seconds - 1
        within += abs(difference) <= row.tolerance()
        print(f" {seconds:12.2f} {wall:8.1f} {difference:+10.2%}{' (run before)' if known else ''}", flush=True)
    if not options.list:
        print(f"\n{within} of {len(asked)} rows are within 3 %, those of SMPI 3.32 within 1 %.")


if __name__ == "__main__":
    main()
