"""pysmpirun: runs an MPI program on a simulated machine."""

import os
import re
import sys
from typing import TYPE_CHECKING

from pysmpi.util.library_threads import THREAD_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pysmpi.cli.arguments import Arguments, Part
    from pysmpi.compute.blas.model import BlasModel
    from pysmpi.launch.outcome import Result
    from pysmpi.launch.program import Program
    from pysmpi.platform import Platform
    from pysmpi.platform.scaling import Scaling
    from pysmpi.replay import SkeletonResult
    from pysmpi.settings.configuration import Configuration

__all__ = ["main"]

_ERROR, _USAGE_ERROR, _INTERRUPTED = 1, 2, 130
_MPI_LIBRARY = re.compile(r"lib(p?mpi|mpich|mpi_\w+|mpifort|open-rte)[\w-]*\.so")
_SOURCES = (".py", ".toml", ".xml")


def main(words: list[str] | None = None) -> int:
    """Runs the command line (this process's when none is given) and returns the exit status."""
    if words is None:
        _begin_again_if_needed()
        words = sys.argv[1:]
    for name in THREAD_VARIABLES:  # one a rank, as an MPI library's launcher binds ranks to cores; before NumPy
        os.environ.setdefault(name, "1")
    from pysmpi.errors import PysmpiError

    try:
        return _run(words)
    except PysmpiError as error:
        print(f"pysmpirun: error: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except KeyboardInterrupt:
        return _INTERRUPTED


def _begin_again_if_needed() -> None:
    """Settles what can only be settled before the interpreter starts.

    Two runs are to be equal, also for programs that iterate over sets of strings; a real MPI that is preloaded would
    win over the simulator; and where a standard stream is closed, files would be opened in its place.
    """
    environment = dict(os.environ)
    was_closed = [descriptor for descriptor in range(3) if _open_nowhere(descriptor)]
    environment.setdefault("PYTHONHASHSEED", "0")
    preloaded = re.split(r"[: ]+", environment.get("LD_PRELOAD", ""))
    kept = [library for library in preloaded if not _MPI_LIBRARY.search(library)]
    if kept != preloaded:
        environment["LD_PRELOAD"] = ":".join(kept)
        dropped = ", ".join(library for library in preloaded if library not in kept)
        print(f"pysmpirun: a real MPI in LD_PRELOAD is left out: {dropped}", file=sys.stderr)
    if environment != dict(os.environ) or was_closed:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _open_nowhere(descriptor: int) -> bool:
    """Whether the descriptor was closed; all below it are open."""
    try:
        os.fstat(descriptor)
    except OSError:
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        return True
    return False


def _run(words: list[str]) -> int:
    from pysmpi.cli.arguments import HELP, parse
    from pysmpi.errors import LaunchError
    from pysmpi.settings.configuration import Configuration

    arguments = parse(words)
    if arguments.help or not words:
        print(HELP)
        return 0
    if arguments.version:
        from pysmpi.cli.version import version_line

        print(version_line("pysmpirun"))
        return 0
    _spare_inputs(arguments)
    configuration = Configuration()
    platform = None
    if arguments.platform is not None:
        from pysmpi.platform import load

        platform = load(arguments.platform)
        configuration.update_from(platform)
    for item in arguments.cfg:
        configuration.set_item(item, "command line")
    if arguments.all_sends_synchronous:
        configuration.set_item("smpi/buffering:zero", "--all-sends-synchronous")
    if arguments.print_config:
        configuration.check()
        print("\n".join(configuration.lines()))
        return 0
    if platform is None:
        raise LaunchError("which machine? --platform FILE is missing (platforms/ has some; or torus:4,4,4)")
    if arguments.jobs is not None:
        return _run_jobs(arguments, platform, configuration)
    if arguments.label and arguments.rank_stdout is not None:
        raise LaunchError("--label is for what all ranks print together, --rank-stdout gives each files of its own")
    if arguments.what_if:
        from pysmpi.cli.what_if import what_if

        return what_if(arguments, platform, configuration, _run_once)
    from pysmpi.experiments.switches import parse_slow_host

    return _run_once(arguments, platform, configuration, list(map(parse_slow_host, arguments.slow_hosts)))[0]


def _spare_inputs(arguments: "Arguments") -> None:
    """Refuses to write over what the run reads, or another source: whoever asks for it has left out a file's name."""
    from pysmpi.errors import LaunchError

    named = [part.script for part in arguments.parts]
    named += [arguments.platform, arguments.hostfile, arguments.blas, arguments.jobs]
    inputs = [path for path in named if path is not None and os.path.isfile(path)]
    for option, path in (("--trace ", arguments.timeline), ("--profile=", arguments.profile)):
        if not path or not os.path.isfile(path):
            continue
        if path.endswith(_SOURCES) or any(os.path.samefile(path, each) for each in inputs):
            raise LaunchError(f"{option}{path}: this is a file that runs read, not one to write over; name another")


def _run_once(
    arguments: "Arguments", platform: "Platform", configuration: "Configuration", scalings: "Sequence[Scaling]"
) -> "tuple[int, Result | SkeletonResult | None]":
    """The exit status, and what came out; None when the program could not begin."""
    run = _simulate if arguments.replay is None else _replay
    return run(arguments, platform, configuration, scalings)


def _simulate(
    arguments: "Arguments", platform: "Platform", configuration: "Configuration", scalings: "Sequence[Scaling]"
) -> "tuple[int, Result | None]":
    from pysmpi.collectives import fallbacks
    from pysmpi.launch import summary
    from pysmpi.launch.debugging import Debugging
    from pysmpi.launch.job import Job, run
    from pysmpi.launch.placement import describe

    placed, program_of = _place(arguments, platform)
    model = _blas_model(arguments)
    try:
        programs = [_program(part) for part in arguments.parts]
    except SyntaxError:
        import traceback

        traceback.print_exc(limit=0)
        return _ERROR, None
    if arguments.map:
        print("\n".join(describe(placed, platform)), flush=True)
    conclusion = run(
        Job(
            platform,
            placed,
            programs,
            program_of,
            configuration,
            seed=arguments.seed,
            label=arguments.label,
            progress=not arguments.quiet,
            check=arguments.check,
            blas=model,
            trace=arguments.trace,
            timeline=arguments.timeline,
            timeline_format=arguments.timeline_format,
            profile=arguments.profile is not None,
            network_report=arguments.network_report is not None,
            save_run=arguments.save_run,
            scalings=scalings,
            debugging=Debugging(arguments.pdb, arguments.break_at),
            output_directory=arguments.rank_stdout,
            fills_rank=arguments.fill_rank,
        )
    )
    sys.stdout.flush()
    if conclusion.failure is not None:
        print(f"pysmpirun: {conclusion.failure}", file=sys.stderr)
    if conclusion.interrupted:
        print("pysmpirun: interrupted", file=sys.stderr)
    findings = conclusion.result.findings
    if findings:
        from pysmpi.instruments.check import report

        print("".join(f"pysmpirun: {line}\n" for line in report(findings)), end="", file=sys.stderr)
    if arguments.verbose:
        print("\n".join(f"pysmpirun: module {line}" for line in conclusion.modules), file=sys.stderr)
        for line in fallbacks():
            print(f"pysmpirun: {line}", file=sys.stderr)
    if not arguments.quiet:
        if conclusion.result.best:
            from pysmpi.experiments.best import describe_choices

            print("\n".join(f"pysmpi: {line}" for line in describe_choices(conclusion.result.best)), file=sys.stderr)
        print(summary.summary(conclusion.result), file=sys.stderr)
    _tell_energy(conclusion.result)
    _tell_profile(arguments, conclusion.result, platform)
    if conclusion.interrupted:
        return _INTERRUPTED, conclusion.result
    failed = conclusion.failure is not None or bool(findings)
    return conclusion.result.exit_status or (_ERROR if failed else 0), conclusion.result


def _run_jobs(arguments: "Arguments", platform: "Platform", configuration: "Configuration") -> int:
    from pysmpi.errors import LaunchError
    from pysmpi.experiments.jobs import describe_jobs, place_jobs, run_jobs
    from pysmpi.experiments.jobs_file import read_jobs
    from pysmpi.launch import summary
    from pysmpi.launch.placement import describe

    part = arguments.parts[0]
    if len(arguments.parts) > 1 or part.script or part.module or part.code or part.ranks is not None:
        raise LaunchError("--jobs takes no program and no -np: the file says what runs on how many ranks")
    arguments.refuse(
        ("hostfile", "trace-ti", "replay", "check", "profile", "network-report", "save-run", "what-if", "slow-host",
         "rank-stdout", "break-at", "pdb", "fill-rank"),
        "--jobs and {option} do not go together",
    )  # fmt: skip
    assert arguments.jobs is not None
    jobs = read_jobs(arguments.jobs)
    if arguments.map:
        for job, hosts in zip(jobs, place_jobs(jobs, platform), strict=True):
            print("\n".join(f"{job.name} {line}" for line in describe(hosts, platform)), flush=True)
    try:
        together = run_jobs(
            jobs,
            platform,
            configuration,
            seed=arguments.seed,
            label=arguments.label,
            progress=not arguments.quiet,
            blas=_blas_model(arguments),
            timeline=arguments.timeline,
            timeline_format=arguments.timeline_format,
        )
    except SyntaxError as error:
        raise LaunchError(f"{error.filename}:{error.lineno}: {error.msg}") from None
    sys.stdout.flush()
    conclusion = together.conclusion
    if conclusion.failure is not None:
        print(f"pysmpirun: {conclusion.failure}", file=sys.stderr)
    print("\n".join(describe_jobs(together.jobs)))
    if not arguments.quiet:
        print(summary.summary(conclusion.result), file=sys.stderr)
    _tell_energy(conclusion.result)
    if conclusion.interrupted:
        return _INTERRUPTED
    return conclusion.result.exit_status or (_ERROR if conclusion.failure is not None else 0)


def _replay(
    arguments: "Arguments", platform: "Platform", configuration: "Configuration", scalings: "Sequence[Scaling]"
) -> "tuple[int, SkeletonResult]":
    from pysmpi.errors import LaunchError
    from pysmpi.launch.machine import place_ranks
    from pysmpi.launch.placement import describe
    from pysmpi.launch.summary import lines_of_run
    from pysmpi.replay import read_skeleton
    from pysmpi.replay.simulate import run

    part = arguments.parts[0]
    arguments.refuse(["trace-ti"], "--replay runs a trace, and {option} records one: one or the other")
    arguments.refuse(
        ("profile", "network-report", "save-run"),
        "--replay and {option} do not go together: traces have no lines of a program",
    )
    arguments.refuse(("pdb", "break-at", "rank-stdout", "fill-rank"), "{option} is for programs, and --replay has none")
    if len(arguments.parts) > 1 or part.script or part.module or part.code:
        raise LaunchError("--replay takes no program: the ranks do what the traces say")
    assert arguments.replay is not None
    skeleton = read_skeleton(arguments.replay, part.ranks)
    placed = place_ranks(skeleton.ranks, platform, arguments.hostfile)
    if arguments.map:
        print("\n".join(describe(placed, platform)), flush=True)
    result = run(
        skeleton,
        platform,
        placed,
        configuration,
        arguments.seed,
        arguments.timeline,
        arguments.timeline_format,
        scalings,
    )
    if not arguments.quiet:
        print(lines_of_run(result, result.ranks), file=sys.stderr)
    _tell_energy(result)
    return 0, result


def _blas_model(arguments: "Arguments") -> "BlasModel | None":
    if arguments.blas is None:
        return None
    from pysmpi.compute.blas import load

    return load(arguments.blas)


def _tell_energy(result: "Result | SkeletonResult") -> None:
    from pysmpi.instruments.energy import lines

    told = lines(result.energy, result.link_energy)
    print("".join(f"pysmpi: {line}\n" for line in told), end="", file=sys.stderr)


def _tell_profile(arguments: "Arguments", result: "Result", platform: "Platform") -> None:
    lines = []
    if arguments.profile is not None and result.profile is not None:
        from pysmpi.instruments import findings
        from pysmpi.instruments.profile.profile_json import write_profile
        from pysmpi.instruments.profile.profile_text import profile_lines

        found = findings(result.profile, result.network)
        lines += profile_lines(result.profile, found)
        if arguments.profile:
            write_profile(result.profile, found, arguments.profile)
    if arguments.network_report is not None and result.network is not None:
        from pysmpi.instruments.network.network_files import write_network_report
        from pysmpi.instruments.network.network_text import network_lines

        lines += network_lines(result.network)
        if arguments.network_report:
            write_network_report(result.network, platform, arguments.network_report)
    print("".join(f"pysmpi: {line}\n" for line in lines), end="", file=sys.stderr)


def _place(arguments: "Arguments", platform: "Platform") -> tuple[list[int], list[int]]:
    from pysmpi.errors import LaunchError
    from pysmpi.launch.placement import by_cores, by_hostfile, places_of

    if len(arguments.parts) == 1 and arguments.parts[0].ranks is None and arguments.hostfile is not None:
        arguments.parts[0].ranks = places_of(arguments.hostfile)
    program_of: list[int] = []
    for index, part in enumerate(arguments.parts):
        if part.script is part.module is part.code is None:
            raise LaunchError("which program? Write script.py, 'python script.py' or '-m module' after the options")
        if part.ranks is None:
            raise LaunchError(f"how many ranks for {part.script or part.module or 'python -c'}? -np N is missing")
        program_of += [index] * part.ranks
    if arguments.hostfile is not None:
        return by_hostfile(len(program_of), arguments.hostfile, platform), program_of
    return by_cores(len(program_of), platform), program_of


def _program(part: "Part") -> "Program":
    from pysmpi.launch.program import code_program, module_program, script_program

    if part.module is not None:
        return module_program(part.module, part.arguments)
    if part.code is not None:
        return code_program(part.code, part.arguments)
    assert part.script is not None
    return script_program(part.script, part.arguments)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, whose modules are the program's and not ours
    sys.exit(main())
