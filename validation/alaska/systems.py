"""Descriptions of Alaska and CSD3 as platforms: two nodes with 32 ranks each (docs/collectives_measured.md).

Between nodes, latency and bandwidth are those of osu_latency. Inside a node nothing was published. The tables are those
of ORFEO's nodes, whose Open MPI uses UCX as well (../orfeo/thin_nodes.py). The bandwidth of the memory and the time of
polling two transports are found from one collective each, which collectives.csv marks.
"""

import csv
import sys
from collections.abc import Container
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "orfeo"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "osu"))

import thin_nodes
from simulation import Machine

from pysmpi.calibrate.node import steps_through

__all__ = ["COLLECTIVES", "CORES", "LIBRARIES", "NODES", "STEPS", "SYSTEMS", "machine", "places"]

HERE = Path(__file__).resolve().parent
NODES, CORES, SOCKETS = 2, 32, 2
CARDS = {"alaska-ib": 12.39e9, "alaska-roce": 3.063e9, "csd3": 12.39e9}
"""Bytes/s of a network card each way, by system: osu_mbw_mr of large messages on Alaska."""
SYSTEMS = tuple(CARDS)
LIBRARIES = {"openmpi": "openmpi-4.0", "intel": "impi"}
"""pysmpi's libraries for Open MPI 4.0.3 and 3.1.6, and for Intel MPI 2019.7, by name."""
COLLECTIVES = ("allreduce", "allgather", "alltoall")
MEMORY = 19.3e9
"""Bytes/s that the messages inside a node move together. With this value, the all-to-all of 16 KiB takes as long as
measured. An all-to-all needs more than the cards: they alone would take half of this time."""
POLLING = 0.43e-6
"""Seconds that a message takes longer if its receiver has partners on both nodes. With this value, the allreduce of 8 B
takes as long as measured. It contains what short messages cost more than on ORFEO, whose processors are younger."""
REDUCTION = 8.4e9
"""Bytes/s of an operand that a core adds: one single-precision number a cycle at 2.1 GHz."""
STEPS = ("memory", "sockets", "queue", "polling", "forwarding", "share", "reductions", "rules")
"""Parts of the model that can be left out: the shared memory, ranks on sockets in turn, what a message costs that comes
after one from another core, what it costs that its receiver looks at two transports, the time to fetch data that the
sender has just received, the smaller share of the memory that eager messages take, the time of additions, and the
library's own rules (those of Open MPI 4.1 instead)."""


def machine(system: str, mpi: str, without: Container[str] = ()) -> Machine:
    """Return the two nodes of a system under an MPI library, without some of `STEPS`."""
    properties = {
        "sockets": str(SOCKETS),
        "intra_core": thin_nodes.table("core"),
        "intra_socket": thin_nodes.table("socket"),
        "intra_node": "; ".join(steps_through(between_nodes(system, mpi))),
    }
    if "queue" not in without:
        properties["intra_queue"] = "shared"
    if "polling" not in without:
        properties["transport_polling"] = f"{POLLING}s"
    if "forwarding" not in without:
        properties |= thin_nodes.forwarding()
    if "memory" not in without:
        properties["memory_bandwidth"] = f"{MEMORY:.4g}Bps"
        if "share" not in without:
            properties["memory_share"] = thin_nodes.share()
    settings = thin_nodes.calls()
    settings["smpi/reduction-bandwidth"] = "0" if "reductions" in without else str(REDUCTION)
    settings["smpi/copy-bandwidth"] = "0"  # the tables of messages were found with the copies of the benchmarks
    library = "openmpi-4.1" if "rules" in without else LIBRARIES[mpi]
    return thin_nodes.two_nodes(CORES, CARDS[system], properties, settings, library)


def places(ranks: int, without: Container[str] = ()) -> list[int]:
    """Return the core of each rank, numbered through both nodes.

    Ranks fill a node after the other. In a node they are on both sockets in turn, as Slurm's srun places them
    (`--distribution=block:cyclic` is its default).
    """
    here = -(-ranks // NODES)
    if "sockets" in without:
        return [rank // here * CORES + rank % here for rank in range(ranks)]
    cores = CORES // SOCKETS
    return [rank // here * CORES + rank % here % SOCKETS * cores + rank % here // SOCKETS for rank in range(ranks)]


def between_nodes(system: str, mpi: str) -> dict[int, float]:
    """Return seconds by bytes of a message between nodes, without the time of calls.

    Intel MPI was measured on Alaska's InfiniBand only. Elsewhere a message takes the longer time of Open MPI there, and
    of Intel MPI on InfiniBand.
    """
    with (HERE / "latency.csv").open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    chosen = [row for row in rows if row["system"] == system and row["mpi"] == mpi]
    if not chosen:
        chosen = [row for row in rows if row["system"] == system or row["mpi"] == mpi]
    sizes = [int(size) for size in rows[0] if size.isdigit()]
    return {size: max(1e-6 * float(row[str(size)]) for row in chosen) - thin_nodes.spent(size) for size in sizes}
