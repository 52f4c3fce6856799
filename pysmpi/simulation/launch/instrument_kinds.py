"""All instruments that a run may have: those listed here, and those that wings (optional parts of pysmpi) add.

An instrument observes the run; a modifier, which is an instrument too, changes its timing. To add one, write its class
in a file of its own and add an `InstrumentKind` here.
"""

import copy
import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError
from pysmpi.simulation.instruments.instrument import Instrument
from pysmpi.simulation.instruments.outcome import Detours, Result
from pysmpi.simulation.launch.instrument_kind import InstrumentKind
from pysmpi.simulation.settings.run_option import RunOption, run_option
from pysmpi.simulation.settings.run_options import RunOptions
from pysmpi.util.wings import wings

if TYPE_CHECKING:
    from pysmpi.simulation.launch.job import Job

__all__ = [
    "document_of",
    "empty_parts",
    "instrument_kinds",
    "instrument_options",
    "instruments_of",
    "kinds_with_columns",
    "options_of_copy",
    "run_options",
]


@cache
def instrument_kinds() -> tuple[InstrumentKind, ...]:
    """Return the registrations of all instruments, in the order in which instruments begin in a run.

    Instruments end and close in reverse order.
    """
    return (*_KINDS, *(kind for wing in wings().values() for kind in wing.instruments))


def instruments_of(job: "Job") -> list[Instrument]:
    """Create the instruments that a job asks for; return them in the order in which they begin."""
    from pysmpi.simulation.instruments.progress import Progress

    made = [kind.make(job) for kind in instrument_kinds()]
    last = None if job.options.quiet else Progress()  # ends first: its line disappears before others print messages
    return [each for each in (*made, last) if each is not None]


def empty_parts() -> dict[str, Any]:
    """Return the parts of a result before instruments add to them: by name, the values of a run without instruments."""
    return {name: copy.copy(value) for kind in instrument_kinds() for name, value in kind.parts.items()}


def document_of(result: Result) -> dict[str, Any]:
    """Return what the instruments of a run add to the file ``result.json`` of the saved run."""
    found: dict[str, Any] = {}
    for kind in instrument_kinds():
        if kind.document is not None:
            found |= kind.document(result)
    return found


def kinds_with_columns() -> dict[str, InstrumentKind]:
    """Return the registrations of instruments that add columns to a study's table, by the name of their option."""
    return {kind.options[0].field: kind for kind in instrument_kinds() if kind.columns is not None}


def run_options() -> Iterator[RunOption]:
    """Yield all options that a run may have, in the order in which the help of pysmpirun shows them."""
    for each in dataclasses.fields(RunOptions):
        if each.name == "instruments":
            yield from instrument_options()
        else:
            yield each.metadata["row"]


def options_of_copy(options: RunOptions) -> RunOptions:
    """Return options for a further run that a command starts by itself, such as a what-if run or a replica.

    They are `options` without output files, reports and debugging, which belong to the run of the user.
    """
    own = {row.field for row in run_options() if row.of_one_run}
    kept = {name: value for name, value in options.instruments.items() if name not in own}
    fields = {each.name: each.metadata["row"].default for each in dataclasses.fields(RunOptions) if each.name in own}
    return dataclasses.replace(options, quiet=True, instruments=kept, **fields)


def instrument_options() -> Iterator[RunOption]:
    """Yield the command-line options of pysmpirun that ask for instruments, such as ``--profile``."""
    for kind in instrument_kinds():
        yield from kind.options


def _asked(job: "Job", name: str) -> Any:
    return job.options.instruments.get(name)


def _path(job: "Job", name: str) -> Any:
    """Return the path that the user gave with an option of an instrument, or None without the option.

    Raises:
        LaunchError: the option was given without a path.
    """
    path = _asked(job, name)
    if path is True:
        raise LaunchError(f"option {name!r} needs a path")
    return path


def _saving_run(job: "Job") -> Instrument | None:
    if not (directory := _path(job, "save_run")):
        return None
    from pysmpi.simulation.instruments.saved_run.saved_run import SavingRun

    return SavingRun(directory, document_of)


def _basis(job: "Job") -> Instrument:
    from pysmpi.simulation.launch.basis import Basis

    return Basis()


def _program_reports(job: "Job") -> Instrument:
    from pysmpi.simulation.instruments.program_reports import ProgramReports

    return ProgramReports()


def _shared_intervals(job: "Job") -> Instrument | None:
    if not job.shares_intervals:
        return None
    from pysmpi.simulation.modifiers.shared_intervals import SharedIntervals

    return SharedIntervals(job.intervals, job.first_seeded)


def _blas_charging(job: "Job") -> Instrument | None:
    if job.options.blas is None:
        return None
    from pysmpi.simulation.modifiers.blas_charging import BlasCharging

    return BlasCharging(job.options.blas, job.options.seed, job.first_seeded)


def _system_noise(job: "Job") -> Instrument | None:
    if not (path := job.configuration["smpi/noise"]):
        return None
    from pysmpi.simulation.modifiers.system_noise import SystemNoise

    return SystemNoise(path, job.options.seed, job.first_seeded)


def _energy_meters(job: "Job") -> Instrument | None:
    if not (plugins := job.configuration["plugin"]):
        return None
    from pysmpi.simulation.instruments.energy.meter import EnergyMeters

    return EnergyMeters(plugins)


def _check(job: "Job") -> Instrument | None:
    if not _asked(job, "check"):
        return None
    from pysmpi.simulation.instruments.check.checking import Check

    return Check()


def _best_selector(job: "Job") -> Instrument | None:
    if not job.configuration.finds_best_algorithms:
        return None
    from pysmpi.simulation.modifiers.best_selector import BestSelector

    return BestSelector(job.trials, shows_choices=not job.options.quiet)


def _folded_memory(job: "Job") -> Instrument:
    from pysmpi.simulation.modifiers.folded_memory import FoldedMemory

    return FoldedMemory()


def _effects(job: "Job") -> Instrument:
    from pysmpi.simulation.instruments.effects import Effects

    return Effects()


def _ti_trace(job: "Job") -> Instrument | None:
    if not (directory := _path(job, "trace_ti")):
        return None
    from pysmpi.simulation.instruments.ti_trace import TiTrace

    return TiTrace(directory)


def _timeline(job: "Job") -> Instrument | None:
    if not (path := _path(job, "trace")):
        return None
    from pysmpi.simulation.instruments.timeline.timeline import Timeline

    return Timeline(path)


def _observation(job: "Job") -> Instrument | None:
    profile, network_report, saves = (_asked(job, name) for name in ("profile", "network_report", "save_run"))
    if not (profile or network_report or saves):
        return None
    from pysmpi.simulation.instruments.observation import Observation

    return Observation(profile, network_report, is_saved=bool(saves))


def _energy_document(result: Result) -> dict[str, Any]:
    energy = result.energy
    return {"energy": None if energy is None else energy.to_json()}


_KINDS = (
    InstrumentKind(
        _saving_run,  # ends last: it writes the whole result
        options=(
            run_option(
                "--save-run DIR",
                "save the result, the profile and the network report, for 'pysmpi report DIR'",
                not_with="jobs replay what-if",
                of_one_run=True,
            ),
        ),
    ),
    InstrumentKind(_basis),  # ends when all others have added their parts
    InstrumentKind(
        _program_reports,
        parts={"phases": (), "reported": {}, "better": {}},
        document=lambda result: {"phases": [dataclasses.asdict(phase) for phase in result.phases]},
    ),
    InstrumentKind(_shared_intervals, parts={"intervals": None}),
    InstrumentKind(_blas_charging, parts={"routines": (), "unwatched_calls": (), "blas_error": None}),
    InstrumentKind(_system_noise, parts={"detours": Detours()}),
    InstrumentKind(_energy_meters, parts={"energy": None, "link_energy": None}, document=_energy_document),
    InstrumentKind(
        _check,
        options=(
            run_option(
                "--check",
                "look for mistakes: collectives, datatypes and counts that do not match between ranks, buffers that "
                "are changed or shared while in use, messages, requests and objects that are left over; if any are "
                "found, the exit status is at least 1",
                not_with="jobs",
            ),
        ),
        parts={"findings": ()},
        document=lambda result: {"check": [finding.text for finding in result.findings]},
    ),
    InstrumentKind(_best_selector, parts={"best": ()}),
    InstrumentKind(_folded_memory),
    InstrumentKind(_effects),
    InstrumentKind(
        _ti_trace,
        options=(
            run_option(
                "--trace-ti DIR",
                "record the actions of the ranks as time-independent traces, for --replay and smpirun -replay",
                not_with="jobs replay what-if",
                of_one_run=True,
                smpirun="`-trace-ti -trace-file FILE`",
            ),
        ),
    ),
    InstrumentKind(
        _timeline,
        options=(
            run_option(
                "--trace FILE",
                "write the timeline of the run: the activity of each rank, messages, use of links; in Perfetto's "
                "format (ui.perfetto.dev) unless FILE ends in .json, .paje, .parquet or .csv",
                not_with="what-if",
                of_one_run=True,
                smpirun="`-trace -trace-file FILE`",
            ),
        ),
    ),
    InstrumentKind(
        _observation,
        options=(
            run_option(
                "--profile[=FILE]",
                "print where the ranks' time goes, call by call: computation, waiting for which rank and link, the "
                "critical path; FILE gets all of it as JSON. With --what-if, this is of the unchanged run",
                not_with="jobs replay",
                of_one_run=True,
            ),
            run_option(
                "--network-report[=DIR]",
                "print which links delay messages; DIR gets tables of links and of the bytes between ranks, and "
                "pictures of both",
                not_with="jobs replay what-if",
                of_one_run=True,
            ),
        ),
        parts={"profile": None, "network": None},
    ),
)
