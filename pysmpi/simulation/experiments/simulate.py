"""Simulations from Python: ``pysmpi.simulate``."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

from pysmpi.errors import LaunchError, PysmpiError, SimulationError
from pysmpi.platform import Description, Platform
from pysmpi.simulation.experiments.best_trials import trials
from pysmpi.simulation.experiments.replicas import options_of_replica, replica_of, run_replicas
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.instruments.replicas import Replica, Replicas
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.machine_setup import configured_machine, grow, place_ranks
from pysmpi.simulation.launch.placement import repeated
from pysmpi.simulation.launch.program import FunctionProgram, Program, program_of_file
from pysmpi.simulation.launch.run import run
from pysmpi.simulation.settings.run_options import RunOptions
from pysmpi.simulation.settings.switches import Switch, parse_switch
from pysmpi.util.traceback_text import at_caller

__all__ = ["simulate"]


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
    hostfile: str | os.PathLike[str] | None = None,
    hosts: Sequence[str] | None = None,
    seed: int = 0,
    replicas: int = 1,
    replica_jobs: int = 1,
    share: Iterable[str] = (),
    private: Iterable[str] = (),
    label: bool = False,
    check: bool = False,
    all_sends_synchronous: bool = False,
    blas: str | os.PathLike[str] | None = None,
    trace: str | os.PathLike[str] | None = None,
    trace_format: str | None = None,
    trace_ti: str | os.PathLike[str] | None = None,
    profile: bool = False,
    network_report: bool = False,
    requirements: bool = False,
    save_run: str | os.PathLike[str] | None = None,
    what_if: str | None = None,
    intervals: str | os.PathLike[str] | None = None,
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
        hostfile: path of a file of hosts for the ranks, or None to fill the platform's cores in order.
        hosts: host name of each rank, in place of a hostfile, or None.
        seed: seed of random numbers that ranks do not seed.
        replicas: number of runs with other random draws, by the seeds from `seed` on. The first is the result; the
            others run in copies of this process, without output, and only their figures are kept, in ``replicas`` of
            the result.
        replica_jobs: number of these other runs in parallel; parallel runs distort measured computation.
        share: names of packages or modules that run once, for all ranks, also if their import seems to depend on the
            rank.
        private: names of packages or modules that run once for each rank, as in a process.
        label: whether to prefix lines of output with the rank.
        check: whether to look for mistakes, reported in ``findings`` of the result or of the error that ends the run.
        all_sends_synchronous: whether every standard send waits for its receive (smpi/buffering:zero), so that programs
            that rely on buffering end in a deadlock.
        blas: path of a time model for calls of BLAS and LAPACK through NumPy and SciPy, or None to measure the calls.
        trace: path of a timeline file (states of ranks, messages, link use), or None.
        trace_format: format of the timeline: ``perfetto``, ``json`` (Trace Event), ``paje``, ``parquet`` or ``csv``; or
            None to derive it from the file's suffix, with ``perfetto`` for unknown suffixes.
        trace_ti: directory for time-independent traces of the ranks, for `simulate_replay`, or None.
        profile: whether to record where the ranks' time goes, for ``profile`` of the result.
        network_report: whether to record link use and the communication matrix, for ``network`` of the result.
        requirements: whether to count what the ranks ask of a machine, for ``requirements`` of the result.
        save_run: directory for all results, including profile and network report, for ``pysmpi report``, or None.
        what_if: switch that changes the machine or the settings, such as ``links*2``, ``host:node-3*0.5`` or, for twice
            as many ranks on twice as many nodes, ``nodes*2`` (see `pysmpi.what_if`), or None.
        intervals: path of a file of measured computation, or None to measure. If the file exists, the run takes the
            times of this file, so that it differs from the run that has written it only by the machine; else the run
            measures, and writes the file. Under a switch such as ``nodes*2``, which changes what is measured, the run
            measures and does not use the file.

    Returns:
        Result of the simulation; ``values`` holds the ranks' return values.

    Raises:
        ConfigurationError: if a setting or the model file is unknown, not valid or without effect.
        PlatformError: if the platform is malformed, or lacks a route for a message.
        PlacementError: if the ranks cannot be placed.
        BindingError: if a real MPI is loaded in this process.
        DeadlockError: if ranks are blocked and no event is pending.
        TimelineError: if the timeline cannot be written; the run itself succeeded.
        RecordingError: if the program does something that traces cannot express; the run itself succeeded.
        SimulationError: if a replica other than the first fails.
        RankError: if a rank raised an exception, which is the cause of this error, or called MPI_Abort.
        KeyboardInterrupt: if Ctrl-C was pressed; the summary so far has been printed.
    """
    for name, count in (("np", np), ("replicas", replicas), ("replica_jobs", replica_jobs)):
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise LaunchError(f"{name} = {count!r} is not valid; give a whole number, 1 or more")
    machine, configuration = configured_machine(platform, cfg, smpi=smpi, mpi=mpi, fabric=fabric)
    if all_sends_synchronous:
        configuration.set_item("smpi/buffering:zero", "all_sends_synchronous")
    switch = Switch("as it is") if what_if is None else parse_switch(what_if)
    switch.apply(configuration)
    placed = place_ranks(np, machine, hostfile, hosts)
    if switch.nodes != 1:
        machine = grow(machine, switch.nodes, hostfile, hosts)
        placed = repeated(placed, switch.nodes)
    main: Program
    if callable(program):
        main = FunctionProgram(program, tuple(args), dict(kwargs or {}))
    else:
        main = program_of_file(program, [str(argument) for argument in args], len(placed), machine.source)
    options = RunOptions(
        seed=seed,
        share=_names(share),
        private=_names(private),
        label=label,
        check=check,
        blas=blas,
        trace=trace,
        trace_format=trace_format,
        trace_ti=trace_ti,
        profile=profile,
        network_report=network_report,
        requirements=requirements,
        save_run=save_run,
        quiet=True,
    )
    program_of = [0] * len(placed)
    job = Job(
        machine,
        placed,
        [main],
        program_of,
        configuration,
        options,
        switch.scalings,
        trials=trials,
        shares_intervals=intervals is not None,
        intervals=None if intervals is None or switch.measures_again else os.fspath(intervals),
    )
    others = _further_replicas(job, replicas, replica_jobs)  # first, while this process is as the caller left it
    conclusion = run(job)
    conclusion.raise_failure()
    result = conclusion.result
    if others:
        result.replicas = Replicas((replica_of(seed, result), *others))
    return result


def _further_replicas(job: Job, count: int, at_once: int) -> list[Replica]:
    """Run all replicas but the first."""

    def run_with(seed: int) -> Replica:
        try:
            conclusion = run(replace(job, options=options_of_replica(job.options, seed)))
            conclusion.raise_failure()
        except PysmpiError as error:
            return Replica(seed, failure=str(error))
        if status := conclusion.result.exit_status:
            return Replica(seed, failure=f"the program ended with exit status {status}", exit_status=status)
        return replica_of(seed, conclusion.result)

    first = job.options.seed
    found = run_replicas(run_with, range(first + 1, first + count), at_once=at_once)
    for each in found:
        if each.failure:
            raise SimulationError(f"replica {each.seed - first + 1} (seed {each.seed}) failed: {each.failure}")
    return found


def _names(given: Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)
