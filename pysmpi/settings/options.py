"""The registry of settings, under SimGrid's names and with its defaults (SimGrid 3.32: src/simgrid/sg_config.cpp,
src/smpi/internals/smpi_config.cpp, src/surf/network_smpi.cpp and network_cm02.cpp).

``smpi/spawn-time`` is not SMPI's, which cannot spawn; its default is what an interpreter that imports mpi4py took to
start on the machine on which pysmpi was made (0.19 s, two cores of 2.6 GHz).

One default differs: ``smpi/host-speed`` is ``auto`` (code that is measured takes as long as it took here), not 20000f,
under which computation vanishes unnoticed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pysmpi.collectives import OPERATIONS, SELECTORS, algorithms, parse_algorithm
from pysmpi.platform.shape import ROUTINGS
from pysmpi.settings import option_parsers
from pysmpi.settings.network_models import FLOW_MODELS, MODELS

__all__ = ["OPTIONS", "PLUGINS", "SELECTED", "UNLIKE_SIMGRID", "Option"]

PLUGINS = ("host_energy", "link_energy")
_FORMER_PLUGINS = {
    "Energy": "its name is host_energy",
    "host_carbon_footprint": "host_energy tells it, too, where the platform has carbon_intensity",
}


@dataclass(frozen=True, slots=True)
class Option:
    """A setting.

    Attributes:
        name: SimGrid's.
        default: as one would write it.
        parse: makes the value of a text; raises ValueError, whose message says what is valid.
        valid: what is valid, for people.
        meaning: one line.
        native: the engine reads it, as a "number" or a "table".
        models: the network models under which it has an effect; None: all.
        elsewhere: what to set under the other models, if there is such a thing.
        accumulates: it is set once for each of several, which all hold.
    """

    name: str
    default: str
    parse: Callable[[str], Any]
    valid: str
    meaning: str
    native: str | None = None
    models: tuple[str, ...] | None = None
    elsewhere: str = ""
    accumulates: bool = False


_SMPI_BANDWIDTH_FACTOR = (
    "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;1426:0.608902;732:0.341987;257:0.338112;"
    "0:0.812084"
)
_SMPI_LATENCY_FACTOR = (
    "65472:11.6436;15424:3.48845;9376:2.59299;5776:2.18796;3484:1.88101;1426:1.61075;732:1.9503;257:1.95341;0:2.01467"
)


def _number(
    name: str, default: str, meaning: str, *, unit: str = "", minimum: float = 0.0, above: float | None = None
) -> Option:
    valid = f"a number, {minimum:g} or more" if above is None else f"a number above {above:g}"
    parse = option_parsers.number(minimum) if above is None else option_parsers.number_above(above)
    return Option(name, default, parse, valid + (f", in {unit}" if unit else ""), meaning, "number")


def _seconds(name: str, default: str, meaning: str, *, minimum: float = 0.0) -> Option:
    return Option(name, default, option_parsers.seconds(minimum), "seconds, such as 1e-6 or 1us", meaning, "number")


def _bytes(name: str, default: str, meaning: str) -> Option:
    return Option(name, default, option_parsers.whole(0), "a whole number of bytes", meaning, "number")


def _flag(name: str, default: str, meaning: str) -> Option:
    return Option(name, default, option_parsers.flag, "yes or no", meaning, "number")


def _factors(name: str, default: str, meaning: str, *, above: float | None = None) -> Option:
    valid = "size:factor;size:factor;…" + (f", each factor above {above:g}" if above is not None else "")
    return Option(name, default, option_parsers.factors(above), valid, meaning, "table")


def _overheads(name: str, meaning: str) -> Option:
    return Option(
        name, "0:0:0", option_parsers.overheads, "size:startup:per-byte;…, in bytes and seconds", meaning, "table"
    )


def _choice(
    name: str, default: str, choices: tuple[str, ...], meaning: str, without: Mapping[str, str] | None = None
) -> Option:
    return Option(name, default, option_parsers.choice(choices, without or {}), ", ".join(choices), meaning)


SELECTED = "selector"  # of smpi/OPERATION: it is left to smpi/coll-selector


def _algorithm(operation: str) -> Option:
    def parse(text: str) -> str:
        return text if text == SELECTED else parse_algorithm(operation, text)

    valid = ", ".join((SELECTED, *SELECTORS, *(algorithm.name for algorithm in algorithms(operation))))
    meaning = f"algorithm of MPI_{operation.capitalize()}, or whose choice; {SELECTED}: that of smpi/coll-selector"
    return Option(f"smpi/{operation}", SELECTED, parse, valid, meaning)


def _with_lazy(of: str) -> Option:
    # SimGrid itself refuses "no" under Lazy.
    return Option(
        f"{of}/maxmin-selective-update",
        "yes",
        option_parsers.only_yes,
        "yes",
        f"only what a change can affect is updated: part of {of}/optim:Lazy",
    )


def _only(models: tuple[str, ...], elsewhere: str, *options: Option) -> tuple[Option, ...]:
    return tuple(replace(option, models=models, elsewhere=elsewhere) for option in options)


_WITH_PROTOCOL = tuple(model for model in MODELS if model != "LogGPS")  # which brings a protocol of its own

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        _choice(
            "network/model",
            "SMPI",
            tuple(MODELS),
            "how messages take time",
            {"ns-3": "pysmpi simulates no packets", "ptask_L07": "that is for SimGrid's parallel tasks, not for MPI"},
        ),
        _choice(
            "network/optim",
            "Lazy",
            ("Lazy",),
            "how the network is updated",
            {
                "Full": "it rounds differently, by up to 6e-4 of a time, and costs more; pysmpi follows Lazy, SMPI's "
                "default, and comes as near to exact times as precision/timing and precision/work-amount say"
            },
        ),
        _choice(
            "network/solver", "maxmin", ("maxmin",), "how bandwidth is shared", dict.fromkeys(("bmf", "fairbottleneck"),
            "SMPI's models are fitted to maxmin, its default")
        ),
        _with_lazy("network"),
        *_only(
            ("LV08", "CM02", "Constant"),
            "smpi/lat-factor",
            _number("network/latency-factor", "1.0", "factor on each route's latency; under Constant, seconds"),
        ),
        *_only(
            ("LV08", "CM02"),
            "smpi/bw-factor",
            _number("network/bandwidth-factor", "1.0", "factor on each link's bandwidth", above=0.0),
        ),
        *_only(
            ("SMPI", "IB", "LV08", "CM02"),
            "",
            _number("network/weight-S", "8775", "weight of bandwidths in the sharing, by network/model", unit="bytes"),
        ),
        *_only(
            FLOW_MODELS,
            "",
            _choice("platform/routing", "default", ("default", *ROUTINGS),
                    "ways of messages through clusters that have several"),
            _number("network/TCP-gamma", "4194304", "largest TCP window; 0: no limit", unit="bytes"),
            _flag("network/crosstraffic", "yes", "a flow loads the way back with 5 % of its rate"),
            _number("network/loopback-bw", "10e9", "bandwidth inside a host that has no loopback link", unit="bytes/s",
                    above=0.0),
            _seconds("network/loopback-lat", "0", "latency inside a host that has no loopback link"),
            _number("precision/work-amount", "1e-5", "work this small, relative to its rate, is done", minimum=1e-15),
        ),
        *_only(
            ("SMPI", "IB"),
            "network/bandwidth-factor",
            _factors("smpi/bw-factor", _SMPI_BANDWIDTH_FACTOR, "factor on bandwidth by message size", above=0.0),
        ),
        *_only(
            ("SMPI", "IB"),
            "network/latency-factor",
            _factors("smpi/lat-factor", _SMPI_LATENCY_FACTOR, "factor on latency by message size"),
        ),
        *_only(
            ("IB",),
            "",
            Option(
                "smpi/IB-penalty-factors",
                "0.965;0.925;1.35",
                option_parsers.penalties,
                "three numbers above 0: a;b;c",
                "slow-down of flows that enter a host together; leave one; leave one for hosts that many enter",
            ),
        ),
        _seconds("precision/timing", "1e-9", "events closer than this happen at once", minimum=1e-15),
        _choice("cpu/model", "Cas01", ("Cas01",), "how a host's cores are shared"),
        _choice(
            "cpu/optim",
            "Lazy",
            ("Lazy",),
            "how the hosts are updated",
            dict.fromkeys(("Full", "TI"), "pysmpi's processors give the same times at the cost of Lazy"),
        ),
        _with_lazy("cpu"),
        _choice(
            "host/model",
            "default",
            ("default",),
            "how hosts and network go together",
            {
                "ptask_L07": "that is for SimGrid's parallel tasks, not for MPI",
                "compound": "write default, cpu/model and network/model",
            },
        ),
        *_only(
            _WITH_PROTOCOL,
            "loggps/o",
            _overheads("smpi/os", "time that MPI_Send spends before the message leaves"),
            _overheads("smpi/ois", "time that MPI_Isend spends before the message leaves"),
            _overheads("smpi/or", "time that a receive spends once the message has arrived"),
        ),
        *_only(
            _WITH_PROTOCOL,
            "loggps/S",
            _bytes("smpi/async-small-thresh", "0", "messages below leave before the receive is posted"),
            _bytes("smpi/send-is-detached-thresh", "65536", "messages below let the sender go on at once"),
        ),
        *_only(
            ("LogGPS",),
            "",
            _seconds("loggps/L", "2.5us", "latency between any two hosts"),
            _seconds("loggps/o", "1.5us", "overhead: time that either end spends on a message"),
            _seconds("loggps/O", "0", "overhead a byte, seconds per byte after the first"),
            _seconds("loggps/g", "1us", "gap: least time between two messages that leave a host"),
            _seconds("loggps/G", "6ns", "gap a byte, seconds per byte after the first: the inverse of the bandwidth"),
            _bytes("loggps/S", "65535", "messages above wait for their receive before they leave (rendezvous)"),
        ),
        Option(
            "smpi/buffering",
            "infty",
            lambda text: float(option_parsers.choice(("infty", "zero"), {})(text) == "infty"),
            "infty, zero",
            "zero: standard sends wait for their receives, as MPI allows; for the mistake of relying on buffers",
            "number",
        ),
        _seconds("smpi/wtime", "1e-8", "time that MPI_Wtime and the other clocks take to read"),
        _seconds("smpi/test", "1e-4", "time that a failed MPI_Test takes"),
        _seconds("smpi/iprobe", "1e-4", "time that a failed MPI_Iprobe takes"),
        _number("smpi/iprobe-cpu-usage", "1", "share of a core that MPI_Iprobe uses, for energy"),
        _flag("smpi/grow-injected-times", "yes", "polls that fail, and clocks that are waited on, take longer"),
        _seconds("smpi/init", "0", "time that MPI_Init takes"),
        replace(
            _seconds("smpi/spawn-time", "0.2", "time that MPI_Comm_spawn takes to start programs, however many"),
            native=None,
        ),
        _flag("smpi/simulate-computation", "yes", "what ranks compute between MPI calls is measured and simulated"),
        Option(
            "smpi/computation-clock",
            "wall",
            lambda text: float(option_parsers.choice(("wall", "processor"), {})(text) == "processor"),
            "wall, processor",
            "by which computation is measured: processor leaves out what other programs here take",
            "number",
        ),
        Option(
            "smpi/cpu-threshold",
            "1e-6",
            option_parsers.threshold,
            "seconds, such as 1e-6; -1: infinite",
            "measured computation below is ignored",
            "number",
        ),
        Option(
            "smpi/host-speed",
            "auto",
            option_parsers.host_speed,
            "auto, or a speed such as 2.5Gf",
            "speed of this machine; auto: computation takes as long as it took here",
            "number",
        ),
        _number("io/read-bw", "10e9", "what all ranks together read from files that are on no disk of the platform",
                unit="bytes/s", above=0.0),
        _number("io/write-bw", "10e9", "what they write to them", unit="bytes/s", above=0.0),
        _seconds("io/latency", "1e-4", "time that each operation on such a file takes before its bytes flow"),
        _choice(
            "smpi/shared-malloc", "global", ("global", "no"), "what arrays of pysmpi.folded_empty share; no: nothing",
            {"local": "all folded arrays share one block; SimGrid's blocks for each place in the source cannot be had"},
        ),
        replace(
            _bytes("smpi/shared-malloc-blocksize", "1048576", "least length of the block that folded arrays share"),
            native=None,
        ),
        Option("smpi/shared-malloc-hugepage", "", str, "the path of a mounted hugetlbfs",
               "huge pages for the block that folded arrays share"),
        replace(
            _bytes("smpi/auto-shared-malloc-thresh", "0", "NumPy arrays from this size on are folded; 0: none"),
            native=None,
        ),
        Option(
            "smpi/memory-bandwidth",
            "10e9",
            option_parsers.bandwidth,
            "a number above 0, or distance:bandwidth;distance:bandwidth;…, in bytes and bytes/s",
            "what a rank's operations on folded arrays read and write, by how much it has touched since the same data",
        ),
        replace(
            _flag("smpi/memory-sharing", "no", "ranks of a host that move data through its memory at once share it"),
            native=None,
        ),
        replace(
            _number("smpi/host-memory-bandwidth", "0", "what all ranks of a host together move through memory under "
                    "smpi/memory-sharing; 0: what one alone does", unit="bytes/s"),
            native=None,
        ),
        Option(
            "smpi/new-memory-bandwidth",
            "0",
            lambda text: [] if text.strip() == "0" else option_parsers.bandwidth(text),
            "0, a number above 0, or size:bandwidth;size:bandwidth;…, in bytes and bytes/s",
            "what large results take of memory that the kernel has to give first, by their size; 0: no time",
        ),
        replace(
            _number("smpi/buffer-bandwidth", "0", "what NumPy copies on the way of operands that are not in one piece; "
                    "0: no time", unit="bytes/s"),
            native=None,
        ),
        Option(
            "plugin",
            "",
            option_parsers.several(PLUGINS, _FORMER_PLUGINS),
            ", ".join(PLUGINS),
            "what is reckoned besides (repeatable): the joules of hosts, of links",
            accumulates=True,
        ),
        _choice("smpi/coll-selector", "default", SELECTORS, "whose choices of collective algorithms are followed"),
        *(_algorithm(operation) for operation in OPERATIONS),
        Option(
            "coll/mpich-tuning",
            "",
            str,
            "the path of one of MPICH's JSON tuning files",
            "decisions of coll-selector mpich-4 in place of MPICH's own",
        ),
    )
}  # fmt: skip

_CHOSEN_IN_SIMGRID = frozenset(
    ("barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "gather", "scatter", "allgather", "allgatherv",
     "alltoall", "alltoallv")
)  # fmt: skip
# Settings that SimGrid 3.32 does not have ("none"), has with another default, or by another name. The rest are its own.
UNLIKE_SIMGRID: dict[str, str] = {
    **dict.fromkeys((f"smpi/{operation}" for operation in OPERATIONS if operation in _CHOSEN_IN_SIMGRID), "no default"),
    **dict.fromkeys((f"smpi/{operation}" for operation in OPERATIONS if operation not in _CHOSEN_IN_SIMGRID), "none"),
    **dict.fromkeys((name for name in OPTIONS if name.startswith(("loggps/", "io/"))), "none"),
    "coll/mpich-tuning": "none",
    "cpu/maxmin-selective-update": "no, which Lazy makes a yes",
    "network/maxmin-selective-update": "no, which Lazy makes a yes",
    "platform/routing": "none",
    "precision/timing": "surf/precision",
    "precision/work-amount": "maxmin/precision",
    "smpi/buffer-bandwidth": "none",
    "smpi/buffering": "same, in its model checker only",
    "smpi/computation-clock": "none",
    "smpi/host-speed": "20000f",
    "smpi/memory-bandwidth": "none",
    "smpi/new-memory-bandwidth": "none",
    "smpi/memory-sharing": "none",
    "smpi/host-memory-bandwidth": "none",
    "smpi/spawn-time": "none",
}
