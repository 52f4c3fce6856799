"""Simulations from Python: ``pysmpi.simulate``."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pysmpi.errors import LaunchError
from pysmpi.experiments.trial import trials
from pysmpi.instruments.outcome import Result
from pysmpi.launch.job import Job
from pysmpi.launch.machine import configured_machine, place_ranks
from pysmpi.launch.program import FunctionProgram, Program, script_program
from pysmpi.launch.run import run
from pysmpi.platform import Description, Platform
from pysmpi.settings.run_options import RunOptions
from pysmpi.settings.switches import parse_switch

__all__ = ["simulate"]


def simulate(
    program: Callable[..., Any] | str | os.PathLike[str],
    *,
    np: int,
    platform: str | os.PathLike[str] | Platform | Description,
    cfg: Mapping[str, Any] | Iterable[str] = (),
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    hostfile: str | os.PathLike[str] | None = None,
    hosts: Sequence[str] | None = None,
    seed: int = 0,
    label: bool = False,
    check: bool = False,
    all_sends_synchronous: bool = False,
    blas: str | os.PathLike[str] | None = None,
    trace: str | os.PathLike[str] | None = None,
    trace_format: str | None = None,
    trace_ti: str | os.PathLike[str] | None = None,
    profile: bool = False,
    network_report: bool = False,
    save_run: str | os.PathLike[str] | None = None,
    what_if: str | None = None,
) -> Result:
    """Runs a function, or a script, on each rank of a simulated machine.

    Each rank sees the function's module as it was before: what it assigns to globals is its own. Objects that these
    refer to are shared by all ranks, as is whatever the function was given.

    Args:
        program: a function, or the path of a script.
        np: how many ranks.
        platform: the path of a platform file, a short text such as ``torus:4,4,4``, a description such as
            ``pysmpi.platform.Torus([4, 4, 4])``, or a platform.
        cfg: settings by SimGrid's names: a mapping, or strings of the form KEY:VALUE.
        args: the function's positional arguments, or the script's command-line arguments.
        kwargs: the function's named arguments.
        hostfile: a file of hosts to place ranks on; without it they fill the platform's cores in order.
        hosts: the same as a list of names, one for each rank.
        seed: of random numbers that ranks do not seed.
        label: lines of output begin with the rank.
        check: mistakes are looked for, and found in ``findings`` of the result, or of the error that the run ends with.
        all_sends_synchronous: every standard send waits for its receive (smpi/buffering:zero), so that programs which
            rely on buffering end in a deadlock.
        blas: the path of a model file: calls of BLAS and LAPACK through NumPy and SciPy take its times.
        trace: the file that is to hold the run's timeline: what each rank does when, messages, the use of links.
        trace_format: of that file: ``perfetto``, ``json`` (Trace Event), ``paje``, ``parquet`` or ``csv``; None: as its
            ending has it, else perfetto.
        what_if: on another machine, or with other settings, than the other arguments say: a switch such as ``links*2``
            or ``host:node-3*0.5`` (see `pysmpi.what_if`).
        trace_ti: a directory that is to hold what the ranks do as time-independent traces, for `simulate_replay`.
        profile: where the ranks' time goes is found out, for ``profile`` of the result.
        network_report: so is what links carry, and who sends how much to whom, for ``network`` of the result.
        save_run: a directory that is to hold what the run tells, both of these included, for ``pysmpi report``.

    Returns:
        What came out of it, with ``values`` the ranks' return values.

    Raises:
        ConfigurationError: a setting, or what the model file says, is unknown, not valid or without effect.
        PlatformError: the platform file is malformed, or has no route where a message must go.
        PlacementError: the ranks cannot be placed.
        BindingError: a real MPI is loaded in this process.
        DeadlockError: the ranks wait for messages that can never come.
        TimelineError: the timeline could not be written; the rest went well.
        RecordingError: no trace was written, for they have no words for what the program does; the rest went well.
        RankError: a rank raised an exception, which is its cause, or called MPI_Abort.
        KeyboardInterrupt: Ctrl-C was pressed; the summary so far has been printed.
    """
    if np < 1:
        raise LaunchError(f"np is {np}; a simulation has at least one rank")
    machine, configuration = configured_machine(platform, cfg)
    if all_sends_synchronous:
        configuration.set_item("smpi/buffering:zero", "all_sends_synchronous")
    switch = None if what_if is None else parse_switch(what_if)
    if switch is not None:
        switch.apply(configuration)
    placed = place_ranks(np, machine, hostfile, hosts)
    main: Program
    if callable(program):
        main = FunctionProgram(program, tuple(args), dict(kwargs or {}))
    else:
        main = script_program(program, [str(argument) for argument in args])
    options = RunOptions(
        seed=seed,
        label=label,
        check=check,
        blas=blas,
        trace=trace,
        trace_format=trace_format,
        trace_ti=trace_ti,
        profile=profile,
        network_report=network_report,
        save_run=save_run,
        quiet=True,
    )
    scalings = switch.scalings if switch is not None else ()
    conclusion = run(Job(machine, placed, [main], [0] * np, configuration, options, scalings, trials=trials))
    conclusion.raise_failure()
    return conclusion.result
