"""Settings of a run that had no effect, and the ranks' time that does not depend on the speed of hosts."""

import math

from pysmpi.native import ffi, lib
from pysmpi.simulation.collectives import OPERATIONS
from pysmpi.simulation.compute import speed_independent
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.options import BUSY_CORES
from pysmpi.util.quantities import counted, human_bandwidth

__all__ = ["Effects", "is_explicit"]

_MEASURED = ("smpi/host-speed", "smpi/computation-clock", "smpi/cpu-threshold", BUSY_CORES)
_FOLDED = ("smpi/memory-bandwidth", "smpi/new-memory-bandwidth", "smpi/buffer-bandwidth", "smpi/memory-sharing")
_SELECTOR = ("smpi/coll-selector", "coll/mpich-tuning")
_SMALL = 0.005  # share of the ranks' time below which a part of the time is not mentioned


class Effects(Instrument):
    """Instrument of every run that finds settings without effect, and explains which parts of the ranks' time do not
    depend on the speed of hosts."""

    def begin(self, run: Run) -> None:
        speed_independent.begin()

    def end(self, run: Run, result: Result) -> None:
        spent, settings = result.time_spent, run.configuration
        if spent.measured + spent.sampled + spent.ignored == 0:
            result.without_effect += _of(settings, _MEASURED, "no computation was measured")
        if not speed_independent.total.operations:
            result.without_effect += _of(settings, _FOLDED, "the program used no folded array")
        unused = [operation for operation in OPERATIONS if not lib.pysmpi_choice_is_used(operation.encode())]
        for operation in unused:
            why = f"no MPI_{operation.capitalize()} on several ranks was called"
            result.without_effect += _of(settings, (f"smpi/{operation}",), why)
        if len(unused) == len(OPERATIONS):
            result.without_effect += _of(settings, _SELECTOR, "no collective on several ranks was called")
        result.without_effect += _profiles_of_links(run) + _parts_of_packets(run)
        result.unscaled = _explanation(result, settings)


def is_explicit(settings: Configuration, name: str) -> bool:
    """Return whether the user gave a setting for this run, by an option or by `cfg`.

    A setting in a platform file does not count, because it may be meant for other runs.
    """
    return settings.setting(name).origin in {"command line", "cfg"}


def _of(settings: Configuration, names: tuple[str, ...], why: str) -> list[str]:
    return [f"--cfg={name}:{settings.setting(name).text}: {why}" for name in names if is_explicit(settings, name)]


def _profiles_of_links(run: Run) -> list[str]:
    """Return a text about the platform's profiles of links if the network model ignores them, else an empty list."""
    model = run.configuration.network_model
    names = [each.name for each in run.platform.changes if each.what in ("bandwidth", "latency")]
    names += [each.name for each in run.platform.changes
              if each.what == "state" and run.platform.find_link_number(each.name) is not None]  # fmt: skip
    if model.has_flows or not names:
        return []
    which = f"{counted(len(names), 'profile')} of links, such as {names[0]!r}"
    return [f"{which}: network/model:{model.name} does not change links during a run"]


def _parts_of_packets(run: Run) -> list[str]:
    """Return the settings of packets that had no effect, and a FATPIPE link whose bandwidth had none."""
    settings = run.configuration
    use = ffi.new("pysmpi_packet_use*")
    if lib.pysmpi_read_packet_use(use) != 0:
        return []
    found = []
    if not use.several_packets:
        found += _of(settings, ("packets/size", "packets/train"), "no message had more than one packet")
    if not use.several_messages:
        found += _of(settings, ("packets/injection",), "no host had several messages to inject at the same time")
    if not use.bypassed:
        found += _of(settings, ("packets/bypass",), "no message was short enough")
    single = settings["packets/train"] == 1 or not use.several_packets
    if not use.lacked_room and single and math.isfinite(settings["packets/buffer"]):
        found += _of(settings, ("packets/buffer",), "no packet waited for room in a buffer")
    if use.ignored_limit != 2**32 - 1:
        link = run.platform.links[use.ignored_limit]
        found.append(
            f"bandwidth of link {link.name!r} ({human_bandwidth(link.bandwidth)}): it is the narrowest of a route, but "
            "packets do not queue for FATPIPE links (network/model:Packets)"
        )
    return found


def _explanation(result: Result, settings: Configuration) -> str:
    """Return a text that names the parts of the ranks' time that do not depend on the speed of hosts, or an empty
    string."""
    spent = result.time_spent
    if spent.total <= 0:
        return ""
    measured = spent.measured + spent.sampled if settings.setting("smpi/host-speed").text == "auto" else 0.0
    parts = {
        "memory traffic (it depends on smpi/memory-bandwidth and the hosts' memory-bandwidth)": (
            speed_independent.total.memory
        ),
        "seconds of pysmpi.execute without speed=, the same on every host": speed_independent.total.declared,
        "measured, and taken as it is because smpi/host-speed is auto": measured,
    }
    return "; ".join(
        f"{seconds / spent.total:.0%} of the ranks' time is {what}"
        for what, seconds in parts.items()
        if seconds >= _SMALL * spent.total
    )
