"""Registry of settings, with SimGrid's names and defaults (SimGrid 3.32: src/simgrid/sg_config.cpp,
src/smpi/internals/smpi_config.cpp, src/surf/network_smpi.cpp and network_cm02.cpp).

``smpi/spawn-time`` is pysmpi's own setting, because SMPI cannot spawn processes. Its default is the time that an
interpreter needs to start and import mpi4py on the machine on which pysmpi was developed (0.19 s, two cores of 2.6
GHz).

One default differs: ``smpi/host-speed`` is ``auto`` (measured code takes as long as on this machine), not 20000f, which
scales computation to almost nothing without notice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pysmpi.platform.fabrics import FABRIC_NAMES, FABRICS, NEUTRAL
from pysmpi.platform.topology import ROUTINGS
from pysmpi.simulation.collectives import OPERATIONS, SELECTORS, algorithms, parse_algorithm
from pysmpi.simulation.settings import option_parsers
from pysmpi.simulation.settings.mpi_libraries import DEFAULT as DEFAULT_LIBRARY
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.network_models import DEFAULT, MODELS
from pysmpi.simulation.settings.network_models.smpi import BANDWIDTH_FACTOR, LATENCY_FACTOR

__all__ = [
    "BUSY_CORES",
    "FABRIC",
    "MPI",
    "OPTIM",
    "OPTIONS",
    "PLUGINS",
    "SELECTED",
    "SELECTIVE_UPDATE",
    "UNLIKE_SIMGRID",
    "Option",
]

PLUGINS = ("host_energy", "link_energy")
_FORMER_PLUGINS = {
    "Energy": "its name is host_energy",
    "host_carbon_footprint": "host_energy also reports carbon dioxide if the platform has carbon_intensity",
}


@dataclass(frozen=True, slots=True)
class Option:
    """Definition of a setting.

    Attributes:
        name: SimGrid's name.
        default: default as text.
        parse: parser of the text; raises ValueError if it is not valid.
        valid: description of valid values.
        meaning: description in one line.
        native: "number" or "table" if the engine reads the setting, else None.
        models: network models under which the setting has an effect, or None for all.
        elsewhere: setting with the same purpose under other models, or empty.
        accumulates: True if the setting may be set several times and all values apply.
        ignored: for each further value that SimGrid accepts, and that changes no simulated time, the reason why it is
            ignored in a platform file.
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
    ignored: Mapping[str, str] = field(default_factory=dict)


_RATES = (
    "host, 0, a number above 0, or touched:bandwidth;touched:bandwidth;…, in bytes and bytes/s; straight lines in the "
    "time of a byte join the steps"
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
    return Option(name, default, option_parsers.whole_bytes(0), "bytes, as 65536 or 64KiB", meaning, "number")


def _flag(name: str, default: str, meaning: str) -> Option:
    return Option(name, default, option_parsers.flag, "yes or no", meaning, "number")


def _words(name: str, words: tuple[str, ...], meaning: str) -> Option:
    """Return an option whose value is the index of the chosen word, as a float; the first word is the default."""
    parse = option_parsers.choice(words, {})
    return Option(name, words[0], lambda text: float(words.index(parse(text))), ", ".join(words), meaning, "number")


def _factors(name: str, default: str, meaning: str, *, above: float | None = None) -> Option:
    valid = "size:factor;size:factor;…" + (f", each factor above {above:g}" if above is not None else "")
    return Option(name, default, option_parsers.factors(above), valid, meaning, "table")


def _inside_a_host(name: str, otherwise: str, quantity: str, *, above: float | None = None) -> Option:
    meaning = f"factor on {quantity} inside a host, by message size; empty: {otherwise}"
    factors = _factors(name, "", meaning, above=above)
    parse = factors.parse
    return replace(factors, parse=lambda text: parse(text) if text else [], valid=f"{factors.valid}, or empty")


def _overheads(name: str, meaning: str) -> Option:
    return Option(
        name, "0:0:0", option_parsers.overheads, "size:startup[:per-byte];…, in bytes and seconds", meaning, "table"
    )


def _choice(
    name: str, default: str, choices: tuple[str, ...], meaning: str, without: Mapping[str, str] | None = None
) -> Option:
    return Option(name, default, option_parsers.choice(choices, without or {}), ", ".join(choices), meaning)


MPI, FABRIC = "mpi", "fabric"  # settings that choose the defaults of others
BUSY_CORES = "smpi/busy-cores"
STACK_SIZE = "contexts/stack-size"
CLOCK = "smpi/computation-clock"
OPTIM, SELECTIVE_UPDATE = "network/optim", "network/maxmin-selective-update"
GROWTH = "smpi/grow-injected-times"
REPLACEMENT = "smpi/replace-interrupted"
NONBLOCKING = "smpi/nonblocking-collectives"
WAIT_USAGE = "smpi/wait-cpu-usage"
DATE_ROUNDING = "precision/rounding"
NODE_MODEL = "platform/node-model"
_SAME_TIMES = dict.fromkeys(("Full", "TI"), "pysmpi computes the same times at the cost of Lazy")
SELECTED = "selector"  # value of smpi/OPERATION: follow smpi/coll-selector


def _fabric(text: str) -> str:
    return FABRIC_NAMES[option_parsers.choice(tuple(FABRIC_NAMES), {})(text)].name


def _algorithm(operation: str) -> Option:
    def parse(text: str) -> str:
        return text if text == SELECTED else parse_algorithm(operation, text)

    valid = ", ".join((SELECTED, *SELECTORS, *(algorithm.name for algorithm in algorithms(operation))))
    meaning = f"algorithm of MPI_{operation.capitalize()}, or a selector; {SELECTED}: follow smpi/coll-selector"
    return Option(f"smpi/{operation}", SELECTED, parse, valid, meaning)


def _with_elsewhere(elsewhere: str, *options: Option) -> tuple[Option, ...]:
    return tuple(replace(option, elsewhere=elsewhere) for option in options)


def _with_models(option: Option) -> Option:
    models = tuple(model.name for model in MODELS.values() if option.name in model.options)
    return replace(option, models=models) if models else option


OPTIONS: dict[str, Option] = {
    option.name: _with_models(option)
    for option in (
        Option(
            MPI, DEFAULT_LIBRARY.name, option_parsers.choice(tuple(MPI_LIBRARIES), {}), ", ".join(MPI_LIBRARIES),
            "MPI library whose algorithms, thresholds and costs of calls are simulated; smpi: SMPI's defaults",
        ),
        Option(
            FABRIC, NEUTRAL.name, _fabric, ", ".join(FABRICS),
            "network technology: factors, latencies and overheads by message size; neutral: those of the platform; "
            "smpi: SMPI's defaults",
        ),
        _choice(
            "network/model",
            DEFAULT.name,
            tuple(MODELS),
            "model of the time that messages take",
            {"ns-3": "pysmpi has its own model of packets, network/model:Packets",
             "ptask_L07": "it is for SimGrid's parallel tasks, not for MPI"},
        ),
        Option(
            OPTIM,
            "Lazy",
            lambda text: float(option_parsers.choice(("Full", "Lazy"), {})(text) == "Full"),
            "Full, Lazy",
            "sharing of links: Full, exact; Lazy, as SMPI's default, which may overlook full links. Every MPI library "
            "but smpi brings Full",
            "number",
            ignored={"TI": "SimGrid's networks have no trace integration, and take Lazy"},
        ),
        _choice(
            "network/solver", "maxmin", ("maxmin",), "method of sharing bandwidth",
            dict.fromkeys(("bmf", "fairbottleneck"), "SMPI's models are fitted to maxmin, its default")
        ),
        replace(
            _flag(SELECTIVE_UPDATE, "yes",
                    "whether only what a change can affect is updated; no needs network/optim:Full"),
            native=None,
        ),
        *_with_elsewhere(
            "smpi/lat-factor",
            _number("network/latency-factor", "1.0", "factor on each route's latency; under Constant, seconds"),
        ),
        *_with_elsewhere(
            "smpi/bw-factor",
            _number("network/bandwidth-factor", "1.0", "factor on each link's bandwidth", above=0.0),
        ),
            _number("network/weight-S", DEFAULT.defaults["network/weight-S"],
                "weight of bandwidths in the sharing, by network/model", unit="bytes"),
            _choice("platform/routing", "default", ("default", *ROUTINGS),
                    "choice of routes in clusters with several routes between hosts"),
            _flag(NODE_MODEL, "no",
                  "whether memory_bandwidth, sockets and intra tables of hosts have an effect; every MPI library "
                  "but smpi brings yes"),
            _number("network/TCP-gamma", "4194304", "largest TCP window; 0: no limit", unit="bytes"),
            _flag("network/crosstraffic", "yes", "whether a flow uses 5 % of its rate on the way back"),
            _number("network/loopback-bw", "10e9", "bandwidth inside a host without a loopback link", unit="bytes/s",
                    above=0.0),
            _seconds("network/loopback-lat", "0", "latency inside a host without a loopback link"),
            _number("precision/work-amount", "1e-5",
                    "remaining work, relative to its rate, that counts as done; not for flows under network/optim:Full",
                    minimum=1e-15),
            _number(DATE_ROUNDING, "0",
                    "rounding of a message's beginning and end, relative to its duration, while more than 1,000 "
                    "messages move; every MPI library but smpi brings 0.004; needs network/optim:Full"),
        *(
            replace(_overheads(name, meaning), default="0:0:0")
            for name, meaning in (
                ("fabric/latency", "latency of adapters and library between hosts, added to the latency of the route"),
                ("fabric/exchange-latency", "further latency of messages between hosts whose senders receive in "
                 "the same call (MPI_Sendrecv, rounds of collectives)"),
                ("fabric/loopback-latency", "latency of adapters and library inside a host, added to its loopback's"),
            )
        ),
            Option(
                "fabric/opposite-bandwidth", "", option_parsers.factors(0.0),
                "size:factor;size:factor;…, each factor above 0",
                "bandwidth that two messages of a pair of ranks in opposite directions share, relative to that of one, "
                "by message size; empty: each has its own", "table",
            ),
            _inside_a_host("smpi/loopback-bw-factor", "smpi/bw-factor", "bandwidth", above=0.0),
            _inside_a_host("smpi/loopback-lat-factor", "smpi/lat-factor", "latency"),
        *_with_elsewhere(
            "network/bandwidth-factor",
            _factors("smpi/bw-factor", BANDWIDTH_FACTOR, "factor on bandwidth by message size", above=0.0),
        ),
        *_with_elsewhere(
            "network/latency-factor",
            _factors("smpi/lat-factor", LATENCY_FACTOR, "factor on latency by message size"),
        ),
            Option(
                "smpi/IB-penalty-factors",
                "0.965;0.925;1.35",
                option_parsers.penalties,
                "three numbers above 0: a;b;c",
                "penalties of flows that enter one host, that leave one host, and that leave it for hosts with "
                "many incoming flows",
            ),
        _seconds("precision/timing", "1e-9", "events closer in time than this happen at once", minimum=1e-15),
        _choice("cpu/model", "Cas01", ("Cas01",), "method of sharing the cores of a host"),
        replace(
            _choice("cpu/optim", "Lazy", ("Lazy",), "method of updating hosts", _SAME_TIMES),
            ignored=_SAME_TIMES,
        ),
        Option(
            "cpu/maxmin-selective-update",
            "yes",
            option_parsers.only_yes,  # SimGrid, too, refuses "no" if optim is Lazy
            "yes",
            "whether only what a change can affect is updated; part of cpu/optim:Lazy",
            ignored={"no": "pysmpi computes the same times with selective updates"},
        ),
        _choice(
            "host/model",
            "default",
            ("default",),
            "combination of host and network models",
            {
                "ptask_L07": "it is for SimGrid's parallel tasks, not for MPI",
                "compound": "write default, cpu/model and network/model",
            },
        ),
        *_with_elsewhere(
            "loggps/o",
            _overheads("smpi/os", "time that MPI_Send spends before the message leaves"),
            _overheads("smpi/ois", "time that MPI_Isend spends before the message leaves"),
            _overheads("smpi/or", "time that a receive spends once the message has arrived"),
        ),
        *_with_elsewhere(
            "loggps/S",
            _bytes("smpi/async-small-thresh", "0", "messages below this size leave before the receive is posted"),
            _bytes("smpi/send-is-detached-thresh", "65536", "messages below this size do not block the sender"),
        ),
            _seconds("loggps/L", "2.5us", "latency between any two hosts"),
            replace(_seconds("loggps/o", "1.5us", "overhead: time that each end spends on a message"), native=None),
            replace(_seconds("loggps/O", "0", "overhead per byte, in seconds per byte after the first"), native=None),
            _seconds("loggps/g", "1us", "gap: minimum time between two messages that leave a host"),
            _seconds("loggps/G", "6ns",
                    "gap per byte, in seconds per byte after the first: the inverse of the bandwidth"),
            replace(_bytes("loggps/S", "65535",
                    "messages above this size wait for their receive before they leave (rendezvous)"), native=None),
            replace(_bytes("packets/size", "4096", "largest packet"), parse=option_parsers.whole_bytes(1),
                    valid="bytes, 1 or more, as 4096 or 4KiB"),
            Option("packets/buffer", "32768", option_parsers.buffer, "bytes, 1 or more, as 32KiB, or inf",
                   "buffer at the far end of each cable, shared out evenly among its virtual channels", "number"),
            Option("packets/injection", "fifo",
                   lambda text: float(option_parsers.choice(("fifo", "fair"), {})(text) == "fair"), "fifo, fair",
                   "order in which a host's adapter injects messages: one after the other, or a packet of each in turn",
                   "number"),
            _bytes("packets/bypass", "0",
                   "messages of up to this size take the time of an idle network and delay no others"),
            Option("packets/train", "auto", option_parsers.whole_or_auto, "a whole number, 1 or more, or auto",
                   "packets that move as one; auto: as many as fit into an eighth of a virtual channel's buffer, "
                   "at most 8", "number"),
        Option(
            "smpi/buffering",
            "infty",
            lambda text: float(option_parsers.choice(("infty", "zero"), {})(text) == "infty"),
            "infty, zero",
            "zero: standard sends wait for their receives, as MPI permits; finds programs that rely on buffering",
            "number",
        ),
        _words(
            NONBLOCKING,
            ("linear", "blocking", "library"),
            "linear: nonblocking collectives post all their messages at once, as SMPI's do; blocking: they use the "
            "algorithms of blocking ones, as persistent ones do; library: both use those that the MPI library has for "
            "them (Open MPI's libnbc), or else those of blocking ones; every MPI library but smpi brings library",
        ),
        _words(
            "smpi/progress",
            ("asynchronous", "calls", "rounds"),
            "calls: a message that waits for its receive starts only while both ranks are in MPI calls, and so does a "
            "nonblocking collective's next round; rounds: only the rounds of Open MPI's libnbc wait in this way; "
            "openmpi-* bring rounds",
        ),
        _seconds("smpi/wtime", "1e-8", "time that reading MPI_Wtime or another clock takes"),
        _seconds("smpi/test", "1e-4", "time that an unsuccessful MPI_Test takes"),
        _seconds("smpi/iprobe", "1e-4", "time that an unsuccessful MPI_Iprobe takes"),
        Option(
            "smpi/reduction-bandwidth",
            "0",
            option_parsers.rate_of_core,
            _RATES,
            "bytes of one operand that a rank combines in a second in MPI's own reductions, by the bytes that the call "
            "touches; 0: reductions take no time; host: by the host's processor",
        ),
        Option(
            "smpi/copy-bandwidth",
            "0",
            option_parsers.rate_of_core,
            _RATES,
            "bytes that a rank copies in a second in MPI's own collectives, by the bytes that the call touches; 0: "
            "copies take no time; host: by the host's processor",
        ),
        replace(
            _flag("smpi/received-in-cache", "yes",
                  "whether received data that are combined come from memory, not from a cache, on processors that "
                  "place them there (EPYC)"),
            native=None,
        ),
        _bytes("smpi/new-buffers", "0",
               "smallest size of a collective's temporary buffer whose memory is new in each call, and takes time when "
               "it is first written; 0: none"),
        _number("smpi/iprobe-cpu-usage", "1", "fraction of a core that MPI_Iprobe uses, for energy"),
        _number(WAIT_USAGE, "0",
                "fraction of a core that a rank uses while it waits in an MPI call, for energy; every MPI library but "
                "smpi brings 1"),
        _flag(GROWTH, "yes",
                "whether each unsuccessful poll of any rank makes the next ones longer; every MPI library but smpi "
                "brings no"),
        _seconds("smpi/init", "0", "time that MPI_Init takes"),
        replace(
            _seconds("smpi/spawn-time", "0.2",
                    "time that MPI_Comm_spawn takes to start programs, independent of their number"),
            native=None,
        ),
        replace(
            _number(STACK_SIZE, "0",
                    "size of the C stacks that ranks have of their own (--own-stacks, and compiled code that ctypes or "
                    "cffi calls), of which only the part in use takes memory; at least 256; 0: the limit of this "
                    "process (ulimit -s), but at least 8192, and 1048576 if it has none",
                    unit="KiB"),
            native=None,
        ),
        _flag("smpi/simulate-computation", "yes", "whether computation between MPI calls is measured and simulated"),
        Option(
            CLOCK,
            "processor",
            lambda text: float(option_parsers.choice(("wall", "processor"), {})(text) == "processor"),
            "wall, processor",
            "clock that measures computation: processor, that of the thread's processor time, as in SMPI; wall also "
            "counts waiting for something outside, and the time that other programs on this machine take",
            "number",
        ),
        _flag(REPLACEMENT, "no",
                "whether a measured interval that the operating system interrupted takes the time of others like it; "
                "every MPI library but smpi brings yes"),
        Option(
            BUSY_CORES,
            "1",
            option_parsers.whole_or_auto,
            "a whole number, 1 or more, or auto",
            "cores of this machine that compute while code is measured: one for the run, the others for copies of it "
            "that are discarded; auto: as many as the fullest simulated host has ranks, at most all",
        ),
        Option(
            "smpi/cpu-threshold",
            "1e-6",
            option_parsers.threshold,
            "seconds, such as 1e-6; -1: infinite",
            "measured computation shorter than this is ignored",
            "number",
        ),
        Option(
            "smpi/host-speed",
            "auto",
            option_parsers.host_speed,
            "auto, or a speed such as 2.5Gf",
            "speed of this machine; auto: computation takes as long as on this machine",
            "number",
        ),
        _number("io/read-bw", "10e9",
                "bandwidth of reading files that are on no disk of the platform, shared by all ranks",
                unit="bytes/s", above=0.0),
        _number("io/write-bw", "10e9", "bandwidth of writing such files", unit="bytes/s", above=0.0),
        _seconds("io/latency", "1e-4", "latency of each operation on such a file"),
        _choice(
            "smpi/shared-malloc", "global", ("global", "no"), "memory that arrays of pysmpi.folded_empty share; "
            "no: none",
            {"local": "all folded arrays share one block; SimGrid's blocks for each source line are not supported"},
        ),
        replace(
            _bytes("smpi/shared-malloc-blocksize", "1048576", "minimum size of the block that folded arrays share"),
            native=None,
        ),
        Option("smpi/shared-malloc-hugepage", "", str, "path of a mounted hugetlbfs",
               "directory of huge pages for the block that folded arrays share"),
        replace(
            _bytes("smpi/auto-shared-malloc-thresh", "0", "NumPy arrays of at least this size are folded; 0: none"),
            native=None,
        ),
        Option(
            "smpi/memory-bandwidth",
            "10e9",
            option_parsers.bandwidth,
            "a number above 0, or distance:bandwidth;distance:bandwidth;…, in bytes and bytes/s",
            "bandwidth of a rank's operations on folded arrays, by the bytes that it has touched since the same data",
        ),
        replace(
            _flag("smpi/memory-sharing", "no", "whether ranks of a host share the bandwidth of its memory"),
            native=None,
        ),
        replace(
            _number("smpi/host-memory-bandwidth", "0", "bandwidth of a host's memory for all its ranks under "
                    "smpi/memory-sharing; 0: the bandwidth of one rank", unit="bytes/s"),
            native=None,
        ),
        Option(
            "smpi/new-memory-bandwidth",
            "0",
            lambda text: [] if text.strip() == "0" else option_parsers.bandwidth(text),
            "0, a number above 0, or size:bandwidth;size:bandwidth;…, in bytes and bytes/s",
            "bandwidth of large results in memory that the kernel must provide first, by their size; 0: no time",
        ),
        replace(
            _number("smpi/buffer-bandwidth", "0",
                    "bandwidth of NumPy's buffer copies of operands that are not contiguous; "
                    "0: no time", unit="bytes/s"),
            native=None,
        ),
        Option(
            "plugin",
            "",
            option_parsers.several(PLUGINS, _FORMER_PLUGINS),
            ", ".join(PLUGINS),
            "quantities computed in addition (repeatable): energy of hosts, energy of links",
            accumulates=True,
        ),
        _choice("smpi/coll-selector", "default", SELECTORS, "selector of collective algorithms"),
        *(_algorithm(operation) for operation in OPERATIONS),
        Option(
            "coll/mpich-tuning",
            "",
            str,
            "path of a JSON tuning file of MPICH",
            "decisions for coll-selector mpich-4 or mpich-5 that replace MPICH's own",
        ),
        Option(
            "smpi/noise",
            "",
            str,
            "path of a noise model, JSON",
            "detours of the operating system that ranks meet while they compute",
        ),
    )
}  # fmt: skip

_CHOSEN_IN_SIMGRID = frozenset(
    ("barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "gather", "scatter", "allgather", "allgatherv",
     "alltoall", "alltoallv")
)  # fmt: skip
# Settings that SimGrid 3.32 does not have ("none"), or has with another default or name. All other settings are the
# same in SimGrid.
UNLIKE_SIMGRID: dict[str, str] = {
    STACK_SIZE: "8192",
    **dict.fromkeys((f"smpi/{operation}" for operation in OPERATIONS if operation in _CHOSEN_IN_SIMGRID), "no default"),
    **dict.fromkeys((f"smpi/{operation}" for operation in OPERATIONS if operation not in _CHOSEN_IN_SIMGRID), "none"),
    **dict.fromkeys((name for name in OPTIONS if name.startswith(("loggps/", "packets/", "io/"))), "none"),
    **dict.fromkeys((name for name in OPTIONS if name.startswith("fabric/")), "none"),
    MPI: "none",
    FABRIC: "none",
    "coll/mpich-tuning": "none",
    "cpu/maxmin-selective-update": "no, which Lazy makes a yes",
    "network/maxmin-selective-update": "no, which Lazy makes a yes",
    "platform/routing": "none",
    "platform/node-model": "none",
    "precision/rounding": "none",
    "precision/timing": "surf/precision",
    "precision/work-amount": "maxmin/precision",
    "smpi/buffer-bandwidth": "none",
    "smpi/buffering": "same, in its model checker only",
    BUSY_CORES: "none",
    NONBLOCKING: "none",
    REPLACEMENT: "none",
    CLOCK: "none",
    "smpi/host-speed": "20000f",
    "smpi/loopback-bw-factor": "none",
    "smpi/loopback-lat-factor": "none",
    "smpi/memory-bandwidth": "none",
    "smpi/new-memory-bandwidth": "none",
    "smpi/memory-sharing": "none",
    "smpi/host-memory-bandwidth": "none",
    "smpi/noise": "none",
    "smpi/progress": "none",
    "smpi/new-buffers": "none",
    "fabric/exchange-latency": "none",
    "fabric/opposite-bandwidth": "none",
    "smpi/received-in-cache": "none",
    "smpi/copy-bandwidth": "none",
    "smpi/reduction-bandwidth": "none",
    "smpi/spawn-time": "none",
    "smpi/wait-cpu-usage": "none",
}
