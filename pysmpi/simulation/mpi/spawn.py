"""Processes that a program starts: MPI_Comm_spawn and related functions. MPI 4.1, section 11.8.

New ranks run in the same simulation, in their own MPI_COMM_WORLD. Starting them takes ``smpi/spawn-time`` seconds,
whatever their number, during which the root waits. It then informs the other ranks in two broadcasts. The launcher
finds programs and places them on hosts (pysmpi/simulation/launch/spawning.py).
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

from pysmpi.errors import PysmpiError
from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import Communicator, begin_pair, enter, find_communicator
from pysmpi.simulation.mpi.constants import COMM_NULL, COMM_WORLD, ERR_ARG, ERR_COMM, ERR_ROOT, ERR_SPAWN
from pysmpi.simulation.mpi.group import Members, my_world_rank
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.intercommunicator import Offer, joined
from pysmpi.simulation.mpi.texts import read_text

__all__ = ["Command", "reset_spawning", "set_launcher"]


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """One program to start.

    Attributes:
        program: name or path.
        arguments: command-line arguments.
        processes: number of processes.
        info: hints on where and how to run it.
    """

    program: str
    arguments: list[str]
    processes: int
    info: dict[str, str]


Launcher = Callable[[Sequence[Command]], tuple[int, list[int]]]

_launcher: Launcher | None = None
# Intercommunicators to the parents of spawned worlds, by first rank, until they are freed.
_parents: WeakValueDictionary[int, Communicator] = WeakValueDictionary()


def set_launcher(launcher: Launcher) -> None:
    """Set the function that starts programs.

    Args:
        launcher: function that the root rank of a spawn calls with the commands to start. It returns the number of the
            first new rank, and the number of ranks started for each command, or raises PysmpiError.
    """
    global _launcher
    _launcher = launcher


def reset_spawning() -> None:
    """Forget which ranks have spawned which programs."""
    _parents.clear()


@mpi_function("Comm_spawn")
def comm_spawn(
    command: Any, arguments: Any, processes: int, info: int, root: int, comm: int, newcomm: Any, codes: Any
) -> None:
    """Start a program with the command, arguments and hints that the root passes."""

    def commands() -> list[Command]:
        return [_command(command, arguments, processes, info)]

    _spawn(commands, root, comm, newcomm, codes)


@mpi_function("Comm_spawn_multiple")
def comm_spawn_multiple(
    count: int,
    programs: Any,
    arguments: Any,
    processes: Any,
    infos: Any,
    root: int,
    comm: int,
    newcomm: Any,
    codes: Any,
) -> None:
    """Start several programs with one MPI_COMM_WORLD."""

    def commands() -> list[Command]:
        if count < 1:
            raise MpiError(ERR_ARG, f"invalid number of commands {count}; valid: 1 or more", comm)
        return [
            _command(programs[i], ffi.NULL if arguments == ffi.NULL else arguments[i], processes[i], infos[i])
            for i in range(count)
        ]

    _spawn(commands, root, comm, newcomm, codes)


def _command(program: Any, arguments: Any, processes: int, info: int) -> Command:
    texts: list[str] = []
    while arguments != ffi.NULL and arguments[len(texts)] != ffi.NULL:
        texts.append(read_text(arguments[len(texts)]))
    if processes < 0:
        raise MpiError(ERR_SPAWN, f"invalid number of processes {processes}; valid: 0 or more")
    return Command(read_text(program), texts, processes, copy_info(info))


def _spawn(commands: Callable[[], list[Command]], root: int, comm: int, newcomm: Any, codes: Any) -> None:
    local = find_communicator(comm)
    newcomm[0] = COMM_NULL
    if local.remote is not None:
        raise MpiError(ERR_COMM, "an intercommunicator cannot spawn", comm)
    if not 0 <= root < len(local.members):
        raise MpiError(ERR_ROOT, f"invalid root {root}; valid: 0 to {len(local.members) - 1}", comm)
    enter(local)
    found = _launched(commands, local.members) if my_world_rank() == local.members.world_ranks[root] else None
    communicator, offer = joined(local, root, found)
    newcomm[0] = communicator.handle
    if codes != ffi.NULL:
        for i, code in enumerate(offer.codes):
            codes[i] = code


def _launched(commands: Callable[[], list[Command]], parents: Members) -> Offer | MpiError:
    """Start the programs, and return the group of new ranks, or the error if they cannot be started."""
    if _launcher is None or running_rank() < 0:
        return MpiError(ERR_SPAWN, "programs can be started only inside the ranks of a simulation")
    try:
        asked = commands()
        first, started = _launcher(asked)
    except PysmpiError as error:
        return MpiError(ERR_SPAWN, str(error))
    except MpiError as error:
        return error
    children = Members(range(first, first + sum(started)))
    name = ("spawned", first)
    _parents[first] = begin_pair(name, parents, children)
    codes: list[int] = []
    for command, count in zip(asked, started, strict=True):
        codes += [0] * count + [ERR_SPAWN] * (command.processes - count)
    return Offer(children, name, codes)


@mpi_function("Comm_get_parent")
def comm_get_parent(parent: Any) -> None:
    """Return the intercommunicator with the ranks that spawned the running rank.

    The result is MPI_COMM_NULL if the rank was not spawned or has freed the intercommunicator.
    """
    parent[0] = COMM_NULL
    found = _parents.get(int(lib.pysmpi_communicator_world_rank(COMM_WORLD, 0)))
    if found is not None and not found.mine().freed:
        parent[0] = found.handle
