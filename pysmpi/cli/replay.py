"""Command ``pysmpi replay``: simulate time-independent traces or a GOAL program, without running Python code."""

import argparse
import json
from typing import TYPE_CHECKING

from pysmpi.cli.default_machine import default_machine
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser, add_words, words_of
from pysmpi.util.quantities import counted, human_bytes, human_seconds

if TYPE_CHECKING:
    from pysmpi.simulation.replay import ReplayResult

__all__ = ["main"]


def main(words: list[str]) -> int:
    """Run ``pysmpi replay`` and return the exit status."""
    parser = Parser(
        prog="pysmpi replay",
        description="Simulate a program of ranks without Python: LogGOPSim's GOAL text, or time-independent traces as\n"
        "smpirun -trace-ti and pysmpirun --trace-ti write them (the list of files, the\n"
        "directory of the latter, or one file with all ranks).",
    )
    parser.add_argument("file", metavar="FILE", help="the program; its first lines determine its format")
    parser.add_argument("--platform", metavar="FILE", help="the machine, as for pysmpirun (default: laptop)")
    parser.add_argument("-np", "--np", type=int, metavar="N", help="number of ranks, if the file does not determine it")
    parser.add_argument("--hostfile", metavar="FILE", help="hosts for the ranks (default: fill cores in order)")
    parser.add_argument(
        "--cfg", action="append", default=[], metavar="KEY:VALUE", help="a setting by SimGrid's name (repeatable)"
    )
    add_words(parser)
    parser.add_argument("--trace", metavar="FILE", help="write the run's timeline, as pysmpirun --trace does")
    parser.add_argument("--ranks", action="store_true", help="print when each rank ended")
    parser.add_argument(
        "--json", action="store_true", help="print unrounded numbers as JSON, in seconds, bytes and joules"
    )
    arguments = parser.parse_args(words)
    if arguments.platform is None:
        arguments.platform = default_machine("pysmpi replay")
    result, read = _simulate(arguments)
    from pysmpi.simulation.instruments.energy import lines

    if arguments.json:
        print(json.dumps(_as_dict(result, read, arguments.ranks), indent=2))
    else:
        print(_text(result, read))
        print("".join(f"{line}\n" for line in lines(result.energy, result.link_energy)), end="")
        if arguments.ranks:
            rows = [(f"rank {rank}", human_seconds(end)) for rank, end in enumerate(result.end_times)]
            print("\n".join(aligned(rows, right=[1])))
    return 0


def _simulate(arguments: argparse.Namespace) -> "tuple[ReplayResult, float]":
    import time

    from pysmpi.simulation.replay import read_program, simulate_replay

    begun = time.perf_counter()
    program = read_program(arguments.file, arguments.np)
    read = time.perf_counter() - begun
    result = simulate_replay(
        program,
        platform=arguments.platform,
        cfg=arguments.cfg,
        **words_of(arguments),
        hosts=arguments.hostfile,
        trace=arguments.trace,
    )
    return result, read


def _text(result: "ReplayResult", read: float) -> str:
    counters = result.counters
    rate = counters.events / result.wall_time if result.wall_time > 0 else 0.0
    return (
        f"simulated time {human_seconds(result.simulated_time)}, wall time {human_seconds(result.wall_time)} "
        f"(and {human_seconds(read)} to read it)\n"
        f"{counted(result.ranks, 'rank')}, {counted(result.actions, 'action')}, "
        f"{counted(counters.messages, 'message')} ({human_bytes(counters.bytes)}), "
        f"{counted(counters.events, 'event')} ({rate:,.0f} a second), "
        f"peak memory {human_bytes(result.peak_memory)}"
    )


def _as_dict(result: "ReplayResult", read: float, ranks: bool) -> dict[str, object]:
    counters = result.counters
    numbers: dict[str, object] = {
        "simulated_time": result.simulated_time,
        "wall_time": result.wall_time,
        "read_time": read,
        "ranks": result.ranks,
        "actions": result.actions,
        "messages": counters.messages,
        "bytes": counters.bytes,
        "events": counters.events,
        "peak_memory": result.peak_memory,
        "network_model": result.network_model,
    }
    if ranks:
        numbers["end_times"] = list(result.end_times)
    if result.energy is not None:
        hosts = result.energy
        numbers["energy"] = {
            "joules": hosts.total,
            "hosts": dict(zip(hosts.host_names, hosts.hosts.tolist(), strict=True)),
            **({"ranks": hosts.ranks.tolist()} if ranks else {}),
            **({"grams_of_carbon_dioxide": float(hosts.carbon.sum())} if hosts.carbon is not None else {}),
        }
    if result.link_energy is not None:
        links = result.link_energy
        joules = dict(zip(links.link_names, links.links.tolist(), strict=True))
        numbers["link_energy"] = {"joules": links.total, "links": joules}
    return numbers
