"""Simulations from Python: ``pysmpi.simulate``."""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from pysmpi.errors import LaunchError, unknown
from pysmpi.platform import Description, Platform
from pysmpi.simulation.experiments.best_trials import trials
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.launch.instrument_kinds import instrument_options
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.machine_setup import configured_machine, grow, place_ranks
from pysmpi.simulation.launch.placement import repeated
from pysmpi.simulation.launch.program import FunctionProgram, Program, program_of_file
from pysmpi.simulation.launch.run import run
from pysmpi.simulation.settings.option_parsers import private_library
from pysmpi.simulation.settings.run_options import RunOptions
from pysmpi.simulation.settings.switches import Switch, parse_switch
from pysmpi.util.traceback_text import at_caller

__all__ = ["simulate"]

# Fields of `RunOptions` that are further options of `simulate`.
_FIELDS = ("label", "share", "private", "private_libs", "own_stacks")
_SAME = {  # options of pysmpirun that are not arguments of `simulate`, and the functions to call instead
    "replicas": "pysmpi.replicate(program, COUNT, …)",
    "jobs": "pysmpi.simulate_jobs",
    "replay": "pysmpi.simulate_replay",
}


@at_caller
def simulate(
    program: Callable[..., Any] | str | os.PathLike[str],
    *,
    np: int,
    platform: str | os.PathLike[str] | Platform | Description = "laptop",
    cfg: Mapping[str, Any] | Iterable[str] = (),
    smpi: bool | None = None,
    mpi: str | None = None,
    fabric: str | None = None,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    hosts: str | os.PathLike[str] | Sequence[str] | None = None,
    seed: int = 0,
    check: bool = False,
    blas: str | os.PathLike[str] | None = None,
    trace: str | os.PathLike[str] | None = None,
    profile: bool | str | os.PathLike[str] = False,
    what_if: str | None = None,
    intervals: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Result:
    """Run a function or a script on each rank of a simulated machine.

    Each rank starts with the current globals of the function's module, and its assignments to them stay its own. The
    objects that globals refer to, and the arguments of the function, are shared by all ranks.

    Args:
        program: a function, or the path of a script.
        np: number of ranks; `what_if` may multiply it.
        platform: path of a platform file, a cluster such as ``torus:4,4,4``, a description such as
            ``pysmpi.platform.Torus([4, 4, 4])``, or a platform; by default the ``laptop`` of ``pysmpi platform list``.
        cfg: settings by SimGrid's names: a mapping, or strings of the form KEY:VALUE.
        smpi: True for every default of SMPI 3.32, as with ``--smpi``; None: if the variable PYSMPI_SMPI asks for them.
        mpi: MPI library whose algorithms, thresholds and costs of calls are simulated; None: ``openmpi-5.0``.
        fabric: network technology, such as ``infiniband-hdr``; None: the platform's own, else ``neutral``.
        args: positional arguments of the function, or command-line arguments of the script.
        kwargs: keyword arguments of the function.
        hosts: host name of each rank, or path of a file of hosts (``--hostfile``); None to fill the platform's cores in
            order.
        seed: seed of random numbers that ranks do not seed.
        check: whether to look for mistakes, reported in ``findings`` of the result or of the error that ends the run.
        blas: path of a time model for calls of BLAS and LAPACK through NumPy and SciPy, or None to measure the calls.
        trace: path of a file for the timeline, whose suffix selects the format, or None.
        profile: whether to record where the ranks' time goes, for ``profile`` of the result, or path of a file for it.
        what_if: switch that changes the machine or the settings, such as ``links*2``, ``host:node-3*0.5`` or, for twice
            as many ranks on twice as many nodes, ``nodes*2`` (see `pysmpi.what_if`), or None.
        intervals: path of a file of measured computation, or None to measure. If the file exists, the run takes the
            times of this file, so that it differs from the run that has written it only by the machine; else the run
            measures, and writes the file. Under a switch such as ``nodes*2``, which changes what is measured, the run
            measures and does not use the file.
        options: further options of pysmpirun, by name: True, or the option's value. They are ``label``, ``share``,
            ``private``, ``private_libs``, ``own_stacks``, ``hostfile`` and ``all_sends_synchronous``, and those of
            instruments, such as ``network_report=True`` and ``save_run="DIR"``.

    Returns:
        Result of the simulation; ``values`` holds the ranks' return values.

    Raises:
        ConfigurationError: if a setting or the model file is unknown, not valid or without effect.
        LaunchError: if an option is unknown, or its file cannot be written.
        PlatformError: if the platform is malformed, or lacks a route for a message.
        PlacementError: if the ranks cannot be placed.
        BindingError: if a real MPI is loaded in this process.
        DeadlockError: if ranks are blocked and no event is pending.
        TimelineError: if the timeline cannot be written; the run itself succeeded.
        RecordingError: if the program does something that traces cannot express; the run itself succeeded.
        RankError: if a rank raised an exception, which is the cause of this error, or called MPI_Abort.
        KeyboardInterrupt: if Ctrl-C was pressed; the summary so far has been printed.
    """
    if isinstance(np, bool) or not isinstance(np, Integral) or np < 1:
        raise LaunchError(f"np = {np!r} is not valid; give a whole number, 1 or more")
    machine, configuration = configured_machine(platform, cfg, smpi=smpi, mpi=mpi, fabric=fabric)
    switch = Switch("as it is") if what_if is None else parse_switch(what_if)
    switch.apply(configuration)
    if options.pop("all_sends_synchronous", False):
        configuration.set_item("smpi/buffering:zero", "all_sends_synchronous")
    hosts = options.pop("hostfile", hosts)
    hostfile, names = (hosts, None) if isinstance(hosts, str | os.PathLike) else (None, hosts)
    placed = place_ranks(np, machine, hostfile, names)
    if switch.nodes != 1:
        machine = grow(machine, switch.nodes, hostfile, names)
        placed = repeated(placed, switch.nodes)
    main: Program
    if callable(program):
        main = FunctionProgram(program, tuple(args), dict(kwargs or {}))
    else:
        main = program_of_file(program, [str(argument) for argument in args], len(placed), machine.source)
    program_of = [0] * len(placed)
    job = Job(
        machine,
        placed,
        [main],
        program_of,
        configuration,
        _run_options({"check": check, "trace": trace, "profile": profile}, options, seed=seed, blas=blas),
        switch.scalings,
        trials=trials,
        shares_intervals=intervals is not None,
        intervals=None if intervals is None or switch.measures_again else os.fspath(intervals),
    )
    conclusion = run(job)
    conclusion.raise_failure()
    conclusion.write()
    return conclusion.result


def _run_options(words: Mapping[str, Any], options: Mapping[str, Any], **common: Any) -> RunOptions:
    """Return the options of a run.

    Args:
        words: values of those options of instruments that are arguments of `simulate`.
        options: values of other options by name.
        common: values of fields of `RunOptions`.
    """
    valid = [*_FIELDS, *(row.field for row in instrument_options() if row.field not in words)]
    for name in options:
        if name in _SAME:
            raise LaunchError(f"{name!r} is no argument of simulate; use {_SAME[name]}")
        if name not in valid:
            raise LaunchError(unknown("argument", name, [*list(inspect.signature(simulate).parameters)[:-1], *valid]))
    asked = {name: value for name, value in {**words, **options}.items() if value}
    own = {name: asked.pop(name) for name in _FIELDS if name in asked}
    for name in ("share", "private", "private_libs"):
        if isinstance(own.get(name), str):
            own[name] = [own[name]]
    for value in own.get("private_libs", ()):
        try:
            private_library(value)
        except ValueError as error:
            raise LaunchError(f"private_libs: {error} (valid: a name, which =remap or =copy may follow)") from None
    return RunOptions(instruments=asked, quiet=True, **own, **common)
