"""Description of two THIN nodes of ORFEO as a platform, from measurements (docs/collectives_measured.md).

Each node has two sockets of 12 cores. Open MPI 4.1.6 passes messages through UCX. Up to 8 KiB, a message is eager: the
sender copies it into shared memory, and the receiver copies it out. Above, the receiver copies it from the sender's
memory (rendezvous). UCX also sends larger messages eagerly in MPI_Send, up to 256 KiB, as osu_latency shows; but
collectives use MPI_Isend, so the broadcasts on 2 ranks are taken for these sizes.
"""

import csv
import sys
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "osu"))

from simulation import Machine

from pysmpi.calibrate.node import steps_through

__all__ = ["CORES", "EAGER", "NODES", "SOCKETS", "STEPS", "calls", "forwarding", "machine", "rows", "share", "spent",
           "table", "two_nodes"]  # fmt: skip

HERE = Path(__file__).resolve().parent
NODES, CORES, SOCKETS = 2, 24, 2
EAGER = 8192
SEND, ISEND, RECEIVE = 6e-8, 1.1e-7, 6e-8
"""Seconds of the calls for a message of a byte, of pysmpi's Open MPI (simulation/settings/mpi_libraries/calls.py)."""
COPY = 24e9
"""Bytes/s at which a sender copies eager messages: the broadcast and the ping-pong on 2 ranks differ by this copy."""
CABLE = 11.96e9
"""Bytes/s between nodes: the slope of the broadcast on 2 nodes from 256 KiB to 1 MiB."""
POLLING = 0.12e-6
"""Seconds that a message takes longer if its receiver has partners on both nodes. With this value, two barriers by
recursive doubling between the nodes, on 4 ranks (1.93 us) and 8 ranks (2.51 us), have a mean error of zero."""
MEMORY = 15.1e9
"""Bytes/s that the messages inside a node move together. With this value, broadcasts of 256 KiB and 1 MiB on 4, 8, 12
and 24 ranks (the rows of bcast.csv that are marked) have a mean error of zero. Found for each number of ranks alone, it
would be 16.0, 13.6, 16.0 and 14.6 GB/s. A message alone moves 15 GB/s too."""
EAGER_SHARE = 2 / 3
"""Bytes of memory that an eager message takes per byte. A copy of memory moves three cache lines: the one that is read,
and the one that is written, before (to own it) and after. An eager message whose buffers are in caches moves the line
of the shared segment to its sender and on to its receiver."""
STEPS = ("memory", "levels", "queue", "polling", "forwarding", "share")
"""Parts of the model that can be left out: the shared memory, the differences between sockets, what a message costs
that comes after one from another core, what it costs that its receiver looks at two transports, the time to fetch data
that the sender has just received, and the smaller share of the memory that eager messages take."""


def machine(without: Container[str] = ()) -> Machine:
    """Return the two nodes, without some of `STEPS`."""
    properties = {f"intra_{level}": table(level) for level in ("core", "socket", "node")}
    properties["sockets"] = str(SOCKETS)
    if "queue" not in without:
        properties["intra_queue"] = "shared"
    if "polling" not in without:
        properties["transport_polling"] = f"{POLLING}s"
    if "forwarding" not in without:
        properties |= forwarding()
    if "memory" not in without:
        properties["memory_bandwidth"] = f"{MEMORY:.4g}Bps"
        if "share" not in without:
            properties["memory_share"] = share()
    if "levels" in without:
        for name in ("sockets", "intra_socket", "forward_socket"):
            properties.pop(name, None)
    return two_nodes(CORES, CABLE, properties, calls(), "openmpi-4.1")


def two_nodes(
    cores: int, cable: float, properties: Mapping[str, str], settings: Mapping[str, str], library: str
) -> Machine:
    """Return two nodes.

    Args:
        cores: number of cores of a node.
        cable: bytes/s between the nodes.
        properties: properties of the nodes (docs/platforms.md).
        settings: settings of the platform.
        library: MPI library.
    """
    text = [
        '<?xml version="1.0"?>',
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        '<platform version="4.1">',
        '  <config id="General">',
        *(f'    <prop id="{name}" value="{value}"/>' for name, value in settings.items()),
        "  </config>",
        f'  <cluster id="nodes" prefix="node-" suffix="" radical="1-{NODES}" speed="1Gf" core="{cores}"',
        f'           bw="{cable}Bps" lat="0.1us">',
        *(f'    <prop id="{name}" value="{value}"/>' for name, value in properties.items()),
        "  </cluster>",
        "</platform>",
    ]
    return Machine("\n".join(text) + "\n", library, [f"node-{node + 1}" for node in range(NODES)], cores)


def calls() -> dict[str, str]:
    """Return the settings of the protocol: the time of calls, and the sizes of eager messages."""
    return {
        "smpi/async-small-thresh": str(EAGER + 1),
        "smpi/send-is-detached-thresh": str(EAGER + 1),
        "smpi/os": f"0:{SEND}:{1 / COPY:.4g};{EAGER}:{SEND}:0",
        "smpi/ois": f"0:{ISEND}:{1 / COPY:.4g};{EAGER}:{ISEND}:0",
        "smpi/or": f"0:{RECEIVE}:0",
        "smpi/wtime": "0",
    }


def table(level: str) -> str:
    """Return a level's latencies and bandwidths. The time of calls is taken off."""
    measured = {
        (row["benchmark"], row["level"]): {
            int(size): 1e-6 * float(time) for size, time in row.items() if size.isdigit() and time
        }
        for row in rows("calibration.csv")
    }
    broadcast = measured["bcast", level]
    latency = measured.get(("latency", level), broadcast)
    eager = {size: time - spent(size) for size, time in latency.items() if size <= EAGER}
    rendezvous = {size: time - ISEND for size, time in broadcast.items() if size > EAGER}
    return "; ".join([*steps_through(eager), *steps_through(rendezvous, EAGER)])


def spent(size: int) -> float:
    """Return the seconds that the calls of a message take in a ping-pong."""
    return SEND + size / COPY + RECEIVE if size <= EAGER else SEND


def share() -> str:
    """Return the share of the memory that messages take, by size."""
    return f"0:{EAGER_SHARE:.4g}; {EAGER}:1"


def forwarding() -> dict[str, str]:
    """Return the bandwidth of data that another core has just written, by level.

    osu_latency sends up to 128 KiB in pieces through shared memory. From 16 KiB on, its slope is the rate at which the
    receiver reads the pieces that the sender has written.
    """
    rates = {}
    for row in rows("calibration.csv"):
        if row["benchmark"] == "latency":
            seconds = 1e-6 * (float(row["131072"]) - float(row["16384"]))
            rates[f"forward_{row['level']}"] = f"{(131072 - 16384) / seconds:.4g}Bps"
    return rates


def rows(name: str) -> Iterator[dict[str, str]]:
    """Return the rows of a file of published figures: microseconds by bytes, or by ranks."""
    with (HERE / name).open(newline="") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))
