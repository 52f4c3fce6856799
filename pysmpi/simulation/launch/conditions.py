"""Texts on what a simulated time depends on: machine, MPI library, network model, and origin of the times.

They also state how far to trust the times.
"""

import os

from pysmpi.simulation.instruments.instrument import Run
from pysmpi.simulation.instruments.notes import Importance, Note
from pysmpi.simulation.instruments.outcome import Result, TimeSpent
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.options import BUSY_CORES, FABRIC, MPI, OPTIM
from pysmpi.util.quantities import counted, human_speed

__all__ = ["conditions", "limits", "machine"]

_FACTORS = ("smpi/bw-factor", "smpi/lat-factor", "network/bandwidth-factor", "network/latency-factor")
_SMALL = 0.005  # share of the ranks' time below which measured code is called negligible
_NOTABLE = 0.05  # share of measured code in the ranks' time above which a note says that it was timed locally
_LIMITED = 0.25  # share of MPI calls in the ranks' time from which on uncalibrated network factors are noted
_UNTIMED = "code that is taken as zero time makes the program look faster"
_UNCALIBRATED = "the network's factors were not measured on this platform"
_AS_HERE = "measured code takes as long on the simulated hosts as on this machine (smpi/host-speed:auto)"


def conditions(run: Run, result: Result) -> tuple[str, ...]:
    """Return two sentences: what the simulated times of a run depend on, and how far to trust them.

    The result is empty if no simulated time has passed.
    """
    if result.time_spent.total <= 0:
        return ()
    return (
        f"conditions: {_hosts(run, result)}; {_network(run.configuration)}; {_computation(run, result)}",
        f"how far to trust it: {'; '.join(_trust(run.configuration, result))}",
    )


def machine(run: Run, result: Result) -> str:
    """Return how many hosts of which platform a run used, such as "2 of 32 hosts of cluster"."""
    used, source = {outcome.host for outcome in result.ranks}, run.platform.source
    name = os.path.basename(source) if os.path.isfile(source) else source
    return f"{len(used):,} of {counted(len(run.platform.hosts), 'host')} of {name}"


def limits(run: Run, result: Result) -> list[Note]:
    """Return notes on parts of a run's time that the simulated machine does not determine.

    They are code that takes no time, network factors that were not measured on this platform, and code whose time was
    measured on this machine.
    """
    spent, settings = result.time_spent, run.configuration
    notes = []
    if not settings["smpi/simulate-computation"] and spent.free_stretches:
        notes.append(Note(Importance.LIMIT, "measured code takes no time", _UNTIMED))
    if spent.total > 0 and _rests_on_defaults(settings, spent):
        notes.append(Note(Importance.REMARK, "network not calibrated", _UNCALIBRATED))
    if spent.measured + spent.sampled > _NOTABLE * spent.total and settings.setting("smpi/host-speed").text == "auto":
        notes.append(Note(Importance.REMARK, "code timed locally", _AS_HERE))
    return notes


def _hosts(run: Run, result: Result) -> str:
    used = {outcome.host for outcome in result.ranks}
    speeds = {run.platform.host(name).speed for name in list(used)[:1]}
    speed = f" of {human_speed(speeds.pop())} a core" if speeds else ""
    return f"{len(used):,} of {counted(len(run.platform.hosts), 'host')}{speed} in {run.platform.source}"


def _network(settings: Configuration) -> str:
    factors = "" if _has_default_factors(settings) else " with given factors"
    model = f"{settings['network/model']} ({OPTIM}:{settings.setting(OPTIM).text})"
    return f"MPI as {settings[MPI]}; network model {model}, fabric {settings[FABRIC]}{factors}"


def _computation(run: Run, result: Result) -> str:
    spent, settings = result.time_spent, run.configuration
    speed, busy = settings.setting("smpi/host-speed").text, settings.setting(BUSY_CORES).text
    here = "as long as on this machine" if speed == "auto" else f"scaled from {speed}"
    here += f" ({BUSY_CORES}:{busy})" if busy != "1" else ""
    parts = [
        text
        for seconds, text in (
            (spent.measured, f"code measured, {here}"),
            (spent.sampled, f"code sampled, {here}"),
            (spent.modelled, "computation modelled"),
            (spent.injected, "computation declared by the program"),
        )
        if seconds > 0
    ]
    if spent.free_stretches:
        parts.append(f"{counted(spent.free_stretches, 'computation interval')} taken as zero time")
    if result.child_processes:
        parts.append("child processes measured on this machine")
    return ", ".join(parts) or "no computation"


def _trust(settings: Configuration, result: Result) -> list[str]:
    spent = result.time_spent
    lines = ["measured times vary between runs, and with the load of this machine"]
    if not result.child_processes and spent.measured + spent.sampled < _SMALL * spent.total:
        lines = ["two runs are equal to the bit"] if not spent.measured + spent.sampled else []
    if not settings["smpi/simulate-computation"]:
        lines.append(_UNTIMED)
    if _rests_on_defaults(settings, spent):
        lines.append(_UNCALIBRATED)
    if unknown := MPI_LIBRARIES[settings[MPI]].unknown:
        lines.append(unknown)
    return lines or ["measured times are negligible"]


def _rests_on_defaults(settings: Configuration, spent: TimeSpent) -> bool:
    """Return whether MPI calls take at least a quarter of the ranks' time while network factors are the defaults."""
    return spent.in_mpi >= _LIMITED * spent.total and _has_default_factors(settings)


def _has_default_factors(settings: Configuration) -> bool:
    origins = (settings.setting(name).origin for name in _FACTORS)
    return all(origin.startswith(("default", f"{MPI}:", f"{FABRIC}:")) for origin in origins)
