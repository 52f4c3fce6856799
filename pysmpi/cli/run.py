"""Command pysmpirun, which runs an MPI program on a simulated machine."""

import os
import re
import sys
from typing import TYPE_CHECKING

from pysmpi.util.commands.command_name import command_name, take_name
from pysmpi.util.library_threads import THREAD_VARIABLES
from pysmpi.util.stop_signals import described, exit_status, raise_when_terminated, status_of_signal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pysmpi.cli.arguments import Arguments, Part
    from pysmpi.platform import Platform
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.launch.collect import Conclusion
    from pysmpi.simulation.launch.program import Program
    from pysmpi.simulation.replay import ReplayResult
    from pysmpi.simulation.settings.configuration import Configuration
    from pysmpi.simulation.settings.run_options import RunOptions
    from pysmpi.simulation.settings.switches import Switch

__all__ = ["main"]

_ERROR, _USAGE_ERROR = 1, 2
_READER_GONE = 141  # 128 + SIGPIPE, as in shells
_MPI_LIBRARY = re.compile(r"lib(p?mpi|mpich|mpi_\w+|mpifort|open-rte)[\w-]*\.so")
_SOURCES = (".py", ".toml", ".xml")


def main(words: list[str] | None = None) -> int:
    """Run a command line, by default that of this process, and return the exit status."""
    if words is None:
        _restart_if_needed()
        sys.excepthook = sys.__excepthook__  # errors of ranks are printed here, whatever site packages have installed
        take_name()
        raise_when_terminated()
        words = sys.argv[1:]
    # One thread per rank, because MPI launchers bind each rank to a core. Libraries read these variables when NumPy is
    # imported.
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    from pysmpi.errors import PlacedError, PysmpiError

    try:
        return _run(words)
    except PlacedError as error:  # begins with file and line
        print(error, file=sys.stderr)
        return _USAGE_ERROR
    except PysmpiError as error:
        print(f"{command_name()}: error: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except KeyboardInterrupt as stop:
        return exit_status(stop)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes the rest at its end
        return _READER_GONE


def _restart_if_needed() -> None:
    """Restart the interpreter if its environment or its standard streams must change. The new interpreter has:

    - the hash seed 0 for strings, so that programs which iterate over sets of strings are reproducible;
    - no real MPI in LD_PRELOAD, which would take precedence over the simulator;
    - the null device in place of a closed standard stream, because the next opened file would take its descriptor.
    """
    environment = dict(os.environ)
    was_closed = [descriptor for descriptor in range(3) if _open_nowhere(descriptor)]
    environment.setdefault("PYTHONHASHSEED", "0")
    preloaded = re.split(r"[: ]+", environment.get("LD_PRELOAD", ""))
    kept = [library for library in preloaded if not _MPI_LIBRARY.search(library)]
    if kept != preloaded:
        environment["LD_PRELOAD"] = ":".join(kept)
        dropped = ", ".join(library for library in preloaded if library not in kept)
        print(f"{command_name()}: removed a real MPI from LD_PRELOAD: {dropped}", file=sys.stderr)
    if environment != dict(os.environ) or was_closed:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _open_nowhere(descriptor: int) -> bool:
    """Open the null device as `descriptor` and return True, or return False if this descriptor is open already.

    All lower descriptors must be open, because the system assigns the lowest closed one.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        return True
    return False


def _run(words: list[str]) -> int:
    from pysmpi.cli.arguments import help_text, parse
    from pysmpi.cli.default_machine import default_machine
    from pysmpi.errors import LaunchError
    from pysmpi.simulation.settings.configuration import Configuration

    arguments = parse(words)
    options = arguments.options
    if options.help or not words:
        print(help_text())
        return 0
    if options.version:
        from pysmpi.util.commands.version import version_line

        print(version_line("pysmpirun"))
        return 0
    _spare_inputs(arguments)
    configuration = Configuration()
    platform = None
    if options.platform is not None:
        platform = _load(options.platform, configuration)
    configuration.choose(options.smpi or None, options.mpi, options.fabric)
    for item in options.cfg:
        configuration.set_item(item, "command line")
    if options.all_sends_synchronous:
        configuration.set_item("smpi/buffering:zero", "--all-sends-synchronous")
    if options.print_config:
        configuration.check()
        print("\n".join(configuration.lines()))
        return 0
    if platform is None and options.smpi:
        raise LaunchError(
            "--smpi needs --platform, as smpirun does: a platform file, a name of 'pysmpi platform list', or a cluster "
            "in one word, such as torus:4,4,4"
        )
    if platform is None:
        options.platform = default_machine(command_name())
        platform = _load(options.platform, configuration)
    if options.jobs is not None:
        return _run_jobs(arguments, platform, configuration)
    if options.label and options.rank_stdout is not None:
        raise LaunchError(
            "--label and --rank-stdout exclude each other: --label marks lines of output that all ranks share, "
            "--rank-stdout gives each rank its own files"
        )
    if options.what_if:
        from pysmpi.cli.what_if import what_if

        return what_if(arguments, platform, configuration, _run_once)
    from pysmpi.simulation.settings.switches import Switch, parse_slow_host

    as_it_is = Switch("as it is", tuple(map(parse_slow_host, options.slow_host)))
    if options.replicas > 1:
        from pysmpi.cli.replicas import replicas

        return replicas(arguments, platform, configuration, as_it_is, _run_once)
    return _run_once(arguments, platform, configuration, as_it_is)[0]


def _load(description: str, configuration: "Configuration") -> "Platform":
    """Return the described platform, apply its settings, and print the warnings of its reader."""
    from pysmpi.platform import load
    from pysmpi.util.commands.printed_warnings import printed_warnings

    with printed_warnings(command_name()):
        platform = load(description)
        configuration.update_from(platform)
    return platform


def _spare_inputs(arguments: "Arguments") -> None:
    """Refuse to overwrite an input or source file: if the user forgets the file name of an output option, the option
    takes the next word, perhaps the program, as its value."""
    from pysmpi.errors import LaunchError
    from pysmpi.simulation.launch.instrument_kinds import instrument_options

    options = arguments.options
    named = [*(part.script for part in arguments.parts), options.platform, options.hostfile, options.blas, options.jobs]
    inputs = [path for path in named if path is not None and os.path.isfile(path)]
    for row in instrument_options():
        output = options.instruments.get(row.field)
        if output is None or isinstance(output, bool) or not os.path.isfile(output):
            continue
        path = os.fspath(output)
        if path.endswith(_SOURCES) or any(os.path.samefile(path, each) for each in inputs):
            option = f"--{row.names[0]}{'=' if row.takes == 'optional value' else ' '}{path}"
            raise LaunchError(f"{option}: refusing to overwrite an input file; choose another output path")


def _run_once(
    arguments: "Arguments",
    platform: "Platform",
    configuration: "Configuration",
    switch: "Switch",
    intervals: str | None = None,
) -> "tuple[int, Result | ReplayResult | None]":
    """Run a program or a replay; return the exit status and the result, or None if the program could not begin.

    `intervals` is the path of a file of measured intervals that several runs share, or None.
    """
    if arguments.options.replay is not None:
        return _replay(arguments, platform, configuration, switch)
    return _simulate(arguments, platform, configuration, switch, intervals)


def _simulate(
    arguments: "Arguments",
    platform: "Platform",
    configuration: "Configuration",
    switch: "Switch",
    intervals: str | None,
) -> "tuple[int, Result | None]":
    from pysmpi.simulation.experiments.best_trials import trials
    from pysmpi.simulation.launch.job import Job
    from pysmpi.simulation.launch.machine_setup import grow
    from pysmpi.simulation.launch.placement import repeated
    from pysmpi.simulation.launch.run import run

    placed, program_of = _place(arguments, platform)
    if _act_instead(arguments):
        return 0, None
    if switch.nodes != 1:
        platform = grow(platform, switch.nodes, arguments.options.hostfile)
        placed = repeated(placed, switch.nodes)
        program_of = [0] * len(placed)  # --what-if refuses several programs
    try:
        programs = [_program(part) for part in arguments.parts]
    except SyntaxError:
        import traceback

        traceback.print_exc(limit=0)
        return _ERROR, None
    if arguments.options.map:
        _print_map(placed, platform)
    job = Job(
        platform,
        placed,
        programs,
        program_of,
        configuration,
        arguments.options,
        switch.scalings,
        trials=trials,
        shares_intervals=intervals is not None,
        intervals=None if switch.measures_again else intervals,
    )
    conclusion = run(job)
    return _finish(conclusion, arguments.options), conclusion.result


def _finish(conclusion: "Conclusion", options: "RunOptions", table: "Sequence[str]" = ()) -> int:
    """Print how a run ended, its result, and what its instruments report; return the exit status.

    Args:
        conclusion: the ended run.
        options: options of the run.
        table: lines for the standard output that precede the summary.
    """
    if conclusion.reader_gone:
        return _READER_GONE
    from pysmpi.simulation.instruments.check import report
    from pysmpi.simulation.launch.summary import summary

    sys.stdout.flush()
    result = conclusion.result
    reasons = [str(conclusion.failure)] if conclusion.failure is not None else []
    reasons += [described(conclusion.interrupted)] if conclusion.interrupted else []
    _print_lines(command_name(), [*reasons, *report(result.findings), *conclusion.unused])
    print("".join(f"{line}\n" for line in table), end="", flush=True)
    if options.verbose:
        from pysmpi.simulation.collectives import fallbacks

        _print_lines(command_name(), [*conclusion.shared, *fallbacks()])
    _report(options, summary(result, verbose=options.verbose), conclusion.lines)
    conclusion.write()
    if conclusion.interrupted:
        return status_of_signal(conclusion.interrupted)
    failed = conclusion.failure is not None or bool(result.findings)
    return result.exit_status or (_ERROR if failed else 0)


def _report(options: "RunOptions", summary: str, lines: "Iterable[str]") -> None:
    """Print the summary of a run or a replay, and what its instruments report."""
    if not options.quiet:
        print(summary, file=sys.stderr)
    _print_lines("pysmpi", lines)


def _run_jobs(arguments: "Arguments", platform: "Platform", configuration: "Configuration") -> int:
    from pysmpi.errors import LaunchError
    from pysmpi.simulation.experiments.jobs import describe_jobs, place_jobs, run_jobs
    from pysmpi.simulation.experiments.jobs_file import read_jobs

    options, part = arguments.options, arguments.parts[0]
    if len(arguments.parts) > 1 or part.script or part.module or part.code or part.ranks is not None:
        raise LaunchError("--jobs takes neither a program nor -np: the file says which programs run on how many ranks")
    arguments.refuse_with("jobs", "--jobs and {option} do not go together")
    assert options.jobs is not None
    jobs = read_jobs(options.jobs)
    if options.map:
        for job, hosts in zip(jobs, place_jobs(jobs, platform), strict=True):
            _print_map(hosts, platform, f"{job.name} ")
    try:
        together = run_jobs(jobs, platform, configuration, options)
    except SyntaxError as error:
        raise LaunchError(f"{error.filename}:{error.lineno}: {error.msg}") from None
    return _finish(together.conclusion, options, describe_jobs(together.jobs))


def _replay(
    arguments: "Arguments", platform: "Platform", configuration: "Configuration", switch: "Switch"
) -> "tuple[int, ReplayResult]":
    from pysmpi.errors import LaunchError
    from pysmpi.simulation.instruments.energy import lines
    from pysmpi.simulation.launch.machine_setup import place_ranks
    from pysmpi.simulation.launch.summary import summary_of_replay
    from pysmpi.simulation.replay import read_program
    from pysmpi.simulation.replay.replay_run import run

    options, part = arguments.options, arguments.parts[0]
    arguments.refuse_with("replay", "--replay and {option} do not go together: traces are replayed without a program")
    if len(arguments.parts) > 1 or part.script or part.module or part.code:
        raise LaunchError("--replay takes no program: the traces say what the ranks do")
    assert options.replay is not None
    program = read_program(options.replay, part.ranks)
    placed = place_ranks(program.ranks, platform, options.hostfile)
    if options.map:
        _print_map(placed, platform)
    trace = options.instruments.get("trace")
    result = run(program, platform, placed, configuration, options.seed, trace, switch.scalings)
    text = summary_of_replay(result, result.ranks, verbose=options.verbose)
    _report(options, text, lines(result.energy, result.link_energy))
    return 0, result


def _print_lines(command: str, lines: "Iterable[str]") -> None:
    print("".join(f"{command}: {line}\n" for line in lines), end="", file=sys.stderr)


def _print_map(placed: "Sequence[int]", platform: "Platform", prefix: str = "") -> None:
    from pysmpi.simulation.launch.placement import describe

    print("\n".join(f"{prefix}{line}" for line in describe(placed, platform)), flush=True)


def _place(arguments: "Arguments", platform: "Platform") -> tuple[list[int], list[int]]:
    """Return the host number of each rank, and the index of the program that it runs."""
    from pysmpi.errors import LaunchError
    from pysmpi.simulation.launch.hostfile import places_in
    from pysmpi.simulation.launch.placement import by_cores, by_hostfile
    from pysmpi.util.commands.printed_warnings import printed_warnings

    hostfile = arguments.options.hostfile
    if len(arguments.parts) == 1 and arguments.parts[0].ranks is None and hostfile is not None:
        arguments.parts[0].ranks = sum(count for _, count in places_in(hostfile, platform))
    program_of: list[int] = []
    for index, part in enumerate(arguments.parts):
        if part.script is part.module is part.code is None:
            raise LaunchError("a program is required: script.py, 'python script.py' or '-m module' after the options")
        if part.ranks is None:
            raise LaunchError(f"-np N is required: the number of ranks of {part.script or part.module or 'python -c'}")
        program_of += [index] * part.ranks
    if hostfile is not None:
        with printed_warnings(command_name()):
            return by_hostfile(len(program_of), hostfile, platform), program_of
    return by_cores(len(program_of), platform), program_of


def _act_instead(arguments: "Arguments") -> bool:
    """Carry out options of programs in modelling languages that replace the run, such as writing generated code.

    Return whether there are such options.
    """
    from pysmpi.util.wings import language_of_module

    found = False
    for part in arguments.parts:
        language = language_of_module(part.module)
        if language is not None:
            found = language.act_instead(part.arguments, part.ranks or 1) or found
    return found


def _program(part: "Part") -> "Program":
    from pysmpi.simulation.launch.program import code_program, module_program, script_program
    from pysmpi.util.wings import language_of_module

    if (language := language_of_module(part.module)) is not None:
        language.check(part.arguments, part.ranks or 1)
    if part.module is not None:
        return module_program(part.module, part.arguments)
    if part.code is not None:
        return code_program(part.code, part.arguments)
    assert part.script is not None
    return script_program(part.script, part.arguments)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, so that the program's modules do not hide those of pysmpi
    sys.exit(main())
