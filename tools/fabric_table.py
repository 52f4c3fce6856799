"""Compare simulations of the fabrics with published OSU micro-benchmarks, and write the table of docs/fabrics.md.

    python tools/fabric_table.py [--check]

Each benchmark is simulated on ``flat:2:fabric=NAME``. With --check, nothing is written, and the exit status is 1 if the
page is out of date.
"""

import argparse
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pysmpi
from pysmpi.platform.fabrics import FABRICS
from pysmpi.platform.fabrics.inside import LATENCY
from pysmpi.platform.fabrics.measurement import Measurement

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "fabrics.md"
BEGIN, END = "<!-- table: written by tools/fabric_table.py -->", "<!-- end of table -->"
SIZES = (8, 1024, 8192, 65536, 1048576)
CLOSE = 0.10
_WINDOW, _ITERATIONS = 64, 4


def latency(mpi: Any, size: int) -> float:
    """Return half of a round trip in microseconds."""
    world, data = mpi.COMM_WORLD, bytearray(size)
    other = 1 - world.rank

    def exchange() -> None:
        if world.rank == 0:
            world.Send(data, other)
            world.Recv(data, other)
        else:
            world.Recv(data, other)
            world.Send(data, other)

    return _seconds(mpi, exchange) / 2 * 1e6


def bandwidth(mpi: Any, size: int) -> float:
    """Return MB/s from the first half of the ranks to the second half, all pairs together."""
    world, data, answer = mpi.COMM_WORLD, bytearray(size), bytearray(4)
    pairs = world.size // 2
    peer = (world.rank + pairs) % world.size

    def exchange() -> None:
        if world.rank < pairs:
            mpi.Request.Waitall([world.Isend(data, peer) for _ in range(_WINDOW)])
            world.Recv(answer, peer)
        else:
            mpi.Request.Waitall([world.Irecv(data, peer) for _ in range(_WINDOW)])
            world.Send(answer, peer)

    return size * _WINDOW * pairs / _seconds(mpi, exchange) / 1e6


def both_ways(mpi: Any, size: int) -> float:
    """Return MB/s of both directions together."""
    world, data, answer = mpi.COMM_WORLD, bytearray(size), bytearray(4)
    peer = 1 - world.rank

    def exchange() -> None:
        receives = [world.Irecv(data, peer) for _ in range(_WINDOW)]
        mpi.Request.Waitall([world.Isend(data, peer) for _ in range(_WINDOW)])
        mpi.Request.Waitall(receives)
        if world.rank == 0:
            world.Recv(answer, peer)
        else:
            world.Send(answer, peer)

    return 2 * size * _WINDOW / _seconds(mpi, exchange) / 1e6


def allreduce(mpi: Any, size: int) -> float:
    """Return the mean over the ranks of the time in MPI_Allreduce, in microseconds."""
    world, data, result = mpi.COMM_WORLD, bytearray(size), bytearray(size)
    spent = 0.0
    for _ in range(_ITERATIONS):
        world.Barrier()
        begun = mpi.Wtime()
        world.Allreduce([data, mpi.FLOAT], [result, mpi.FLOAT])
        spent += mpi.Wtime() - begun
    return float(world.allreduce(spent)) / _ITERATIONS / world.size * 1e6


def _seconds(mpi: Any, exchange: Callable[[], None]) -> float:
    """Return the duration of an exchange, in seconds, after an untimed exchange to warm up."""
    exchange()
    mpi.COMM_WORLD.Barrier()
    begun = mpi.Wtime()
    for _ in range(_ITERATIONS):
        exchange()
    return float(mpi.Wtime() - begun) / _ITERATIONS


PROGRAMS: dict[str, Callable[[Any, int], float]] = {
    "osu_latency": latency,
    "osu_bw": bandwidth,
    "osu_mbw_mr": bandwidth,
    "osu_bibw": both_ways,
    "osu_allreduce": allreduce,
}


def simulated(fabric: str, measurement: Measurement, size: int, nodes: int = 2) -> float:
    """Return the simulated figure of a benchmark for a size in bytes."""
    from mpi4py import MPI

    platform = f"flat:{nodes}:cores={measurement.ranks // nodes}:fabric={fabric}"
    result = pysmpi.simulate(
        PROGRAMS[measurement.benchmark],
        np=measurement.ranks,
        platform=platform,
        mpi="openmpi-4.0",  # of the measured allreduces
        fabric=fabric,
        cfg={"smpi/simulate-computation": False, "smpi/wtime": 0},
        args=(MPI, size),
    )
    return float(result.values[0])


def rows() -> Iterator[tuple[str, Measurement, list[tuple[int, float, float]]]]:
    """Yield the fabric's name, the measurement, and (size, published, simulated) for each of `SIZES`."""
    for fabric in FABRICS.values():
        for measurement in fabric.measurements:
            nodes = 1 if measurement is LATENCY else 2
            found = [
                (size, measurement.figures[size], simulated(fabric.name, measurement, size, nodes))
                for size in _sizes(measurement)
            ]
            yield fabric.name, measurement, found


def _sizes(measurement: Measurement) -> list[int]:
    """Return the sizes to compare: those of `SIZES` that were published."""
    return [size for size in SIZES if size in measurement.figures]


def table() -> str:
    """Return the table in Markdown."""
    lines = ["| fabric | benchmark | ranks | " + " | ".join(f"{size:,} B" for size in SIZES) + " |"]
    lines.append("|---" * (3 + len(SIZES)) + "|")
    sources: list[str] = []
    for name, measurement, found in rows():
        if measurement.source not in sources:
            sources.append(measurement.source)
        cells = {size: _cell(published, ours) for size, published, ours in found}
        number = sources.index(measurement.source) + 1
        cell = f"| {name} | {measurement.benchmark} [{number}] | {measurement.ranks} | "
        lines.append(cell + " | ".join(cells.get(size, "") for size in SIZES) + " |")
    lines += ["", *(f"{number}. {source}" for number, source in enumerate(sources, start=1))]
    return "\n".join(lines)


def _cell(published: float, ours: float) -> str:
    error = ours / published - 1
    text = f"{published:,.4g}: {error:+.0%}"
    return text if abs(error) <= CLOSE else f"**{text}**"


def main() -> int:
    """Write the table, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    options = parser.parse_args()
    pysmpi.use()
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page = f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
    if options.check:
        if page != PAGE.read_text():
            print(f"{PAGE.name} is out of date; run tools/fabric_table.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
