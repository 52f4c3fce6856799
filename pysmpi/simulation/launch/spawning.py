"""Start of programs while a simulation runs: the command of MPI_Comm_spawn, and the hosts of its ranks.

The command is a Python program: an interpreter (``sys.executable``, or one named python) with a script, ``-m module``
or ``-c code``, or a script itself. Its ranks are placed in turn on the hosts that the info object names (``host``,
``hostfile``), or on the platform's free cores in order. If no core is free, several ranks share one.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pysmpi.errors import LaunchError, PlacementError
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.simulation.executables.executable import BEGINNINGS
from pysmpi.simulation.isolation import Isolated
from pysmpi.simulation.launch.hostfile import Places, places_in, places_named
from pysmpi.simulation.launch.interpreter_options import parse
from pysmpi.simulation.launch.placement import free_cores
from pysmpi.simulation.launch.program import (
    ExecutableProgram,
    MainProgram,
    Program,
    code_program,
    located_module_program,
    script_program,
)
from pysmpi.simulation.launch.ranks import Ranks
from pysmpi.simulation.launch.worlds import Worlds
from pysmpi.simulation.mpi.bindings import CallbackError
from pysmpi.simulation.mpi.constants import ERR_STOPPED
from pysmpi.simulation.mpi.spawn import Command

__all__ = ["Spawner", "placed", "program_of"]

_Started = MainProgram | ExecutableProgram


@dataclass
class Spawner:
    """Starter of programs while a simulation runs, for MPI_Comm_spawn.

    Attributes:
        platform: simulated machine.
        placed: host number of each rank; new ranks are appended.
        programs: programs of the simulation; new ones are appended.
        program_of: index into `programs` for each rank; entries of new ranks are appended.
        seconds: simulated time that starting programs takes.
        ranks: ranks of the simulation; notified of new ones.
        worlds: worlds of the simulation (ranks with a common MPI_COMM_WORLD); notified of new ones.
        isolated: isolation of ranks; notified of new ranks and programs.
        search_path: directories of modules for new ranks, after the working directory.
    """

    platform: Platform
    placed: list[int]
    programs: list[Program]
    program_of: list[int]
    seconds: float
    ranks: Ranks
    worlds: Worlds
    isolated: Isolated
    search_path: Sequence[str]

    def __call__(self, commands: Sequence[Command]) -> tuple[int, list[int]]:
        """Start programs, for MPI_Comm_spawn. This is called in the rank that spawns, which waits for `seconds`.

        Args:
            commands: programs to start, each with its arguments, number of processes and info hints.

        Returns:
            Number of the first new rank, and number of ranks of each command.

        Raises:
            LaunchError: a command is neither a Python program nor an executable.
            PlacementError: the ranks of a command cannot be placed.
            CallbackError: the spawning rank is being stopped.
        """
        programs = [_program(command, self.search_path) for command in commands]
        if lib.pysmpi_sleep(self.seconds) < 0:
            raise CallbackError(ERR_STOPPED)
        alive = (host for rank, host in enumerate(self.placed) if not lib.pysmpi_has_ended(rank))
        hosts = placed(commands, self.platform, alive, lambda host: bool(lib.pysmpi_is_host_on(host)))
        for program, of_program in zip(programs, hosts, strict=True):
            if isinstance(program, MainProgram):
                self.isolated.add_program(program.search_path, program.package)
            if program not in self.programs:  # a program that is started again and again is kept once
                self.programs.append(program)
            self.program_of += [self.programs.index(program)] * len(of_program)
            self.placed += of_program
        for number, of_program in enumerate(hosts):
            for _ in of_program:
                lib.pysmpi_add_application_number(number)
        count = sum(len(of_program) for of_program in hosts)
        self.isolated.add_ranks(count)
        self.ranks.add(count)
        self.worlds.add(len(self.placed) - count)
        first = lib.pysmpi_add_ranks(count, ffi.new("uint32_t[]", self.placed[-count:] if count else []))
        return first, [len(of_program) for of_program in hosts]


def _program(command: Command, search_path: Sequence[str]) -> _Started:
    try:
        return program_of(command, search_path)
    except SyntaxError as error:
        raise LaunchError(f"{error.filename}:{error.lineno}: {error.msg}") from error


_INTERPRETER = re.compile(r"(pypy|python)[\d.]*(\.exe)?")


def program_of(command: Command, search_path: Sequence[str]) -> _Started:
    """Return the program that a command of MPI_Comm_spawn runs.

    Args:
        command: program or interpreter to start, with its arguments and info hints, such as the working directory.
        search_path: directories to search for modules, after the working directory.

    Raises:
        LaunchError: the program does not exist, or is neither a Python program nor an executable.
        SyntaxError: the program is not valid Python.
    """
    directory = os.path.abspath(command.info.get("wdir", ""))
    program = _program_in(directory, command, search_path)
    return replace(program, directory=directory) if "wdir" in command.info else program


def _program_in(directory: str, command: Command, search_path: Sequence[str]) -> _Started:
    if not _is_interpreter(command.program):
        return script_program(_script(command, directory), command.arguments)
    asked = parse(command.arguments)
    if asked.kind == "-m":
        program = located_module_program(asked.program, asked.arguments, [directory, *search_path])
    elif asked.kind == "-c":
        program = code_program(asked.program, asked.arguments)
    elif asked.kind == "script":
        script = script_program(os.path.join(directory, asked.program), asked.arguments)
        if not isinstance(script, MainProgram):
            raise LaunchError(f"{asked.program!r} is not a Python program")
        program = script
    else:
        raise LaunchError(f"{command.program!r} is started without a program; give a script, -m module or -c code")
    return replace(program, flags=asked.flags)


def _is_interpreter(program: str) -> bool:
    return program == sys.executable or _INTERPRETER.fullmatch(Path(program).name) is not None


def _script(command: Command, directory: str) -> str:
    """Return the path of a program that a command names directly, without an interpreter."""
    name = command.program
    folders = [directory]
    if os.sep not in name:
        folders += [*command.info.get("path", "").split(os.pathsep), *os.environ.get("PATH", "").split(os.pathsep)]
    for folder in folders:
        path = Path(folder, name)
        if not path.is_file():
            continue
        with path.open("rb") as file:
            first = file.readline()
        is_script = path.suffix in {".py", ".pyz"} or (first.startswith(b"#!") and b"python" in first)
        if is_script or first.startswith(BEGINNINGS):
            return str(path)
        raise LaunchError(f"{str(path)!r} is neither a Python program nor an executable; no others can be simulated")
    raise LaunchError(f"cannot find the program {name!r}")


def placed(
    commands: Sequence[Command], platform: Platform, taken: Iterable[int], is_on: Callable[[int], bool]
) -> list[list[int]]:
    """Place the processes that MPI_Comm_spawn starts; return the host number of each process of each command.

    With the info key ``soft``, a command may start fewer processes than it asks for.

    Args:
        commands: commands that are started at once.
        platform: the machine.
        taken: host number of each running rank.
        is_on: function that returns whether a host is on.

    Raises:
        PlacementError: a host is unknown or off, or ``soft`` permits no valid number of processes.
    """
    free = free_cores(platform, taken, is_on)
    all_of_them: list[list[int]] = []
    for command in commands:
        named = _named(command, platform)
        for host in named:
            if not is_on(host):
                raise PlacementError(f"host {platform.hosts[host].name!r} is off, so no process can start on it")
        if named:
            all_of_them.append([named[i % len(named)] for i in range(command.processes)])
            continue
        hosts = [host for _, host in zip(range(command.processes), free, strict=False)]
        wanted = _count(command, len(hosts))
        if wanted > len(hosts):
            hosts += islice(_cores_again(platform, is_on), wanted - len(hosts))
        all_of_them.append(hosts[:wanted])
    return all_of_them


def _cores_again(platform: Platform, is_on: Callable[[int], bool]) -> Iterator[int]:
    """Yield the host number of each core whose host is on, again and again, to place several ranks on a core.

    Raises:
        PlacementError: all hosts are off.
    """
    while True:
        cores = 0
        for host in free_cores(platform, (), is_on):
            cores += 1
            yield host
        if cores == 0:
            raise PlacementError("all hosts of the platform are off")


def _named(command: Command, platform: Platform) -> list[int]:
    places: Places = []
    for key in ("host", "add-host"):
        places += places_named(command.info.get(key, ""), platform)
    for key in ("hostfile", "add-hostfile"):
        if key in command.info:
            places += places_in(command.info[key], platform)
    return [host for host, count in places for _ in range(count)]


def _count(command: Command, free: int) -> int:
    """Return the number of processes that a spawn command starts if `free` cores run no rank."""
    if "soft" not in command.info:
        return command.processes
    allowed = sorted(count for count in _soft(command.info["soft"]) if 0 <= count <= command.processes)
    if not allowed:
        raise PlacementError(
            f"info key 'soft' is {command.info['soft']!r}, which allows no number of processes from 0 to "
            f"{command.processes}"
        )
    return max((count for count in allowed if count <= free), default=allowed[0])


def _soft(text: str) -> Iterator[int]:
    """Yield the numbers of processes that MPI's info key ``soft`` permits (MPI 4.1, section 11.8.3).

    Its value is a list of ``first:last:stride``, such as "1:8" or "2,4,8".
    """
    for part in text.split(","):
        try:
            first, last, stride = _triplet([int(number) for number in part.split(":")])
            yield from range(first, last + (1 if stride > 0 else -1), stride)
        except ValueError as error:
            raise PlacementError(
                f"info key 'soft' is {text!r}; valid: lists of first:last:stride, such as 1:8 or 2,4,8"
            ) from error


def _triplet(numbers: Sequence[int]) -> tuple[int, int, int]:
    if len(numbers) > 3:
        raise ValueError("more than three numbers")
    return numbers[0], numbers[1] if len(numbers) > 1 else numbers[0], numbers[2] if len(numbers) > 2 else 1
