"""Run random programs: program.py FOLDER SEED… [--steps NUMBER,…]; rank 0 prints a digest of each step of each program.

All ranks make the same draws, so a program is the list of steps that its seed draws. Data do not depend on the order of
events.
"""

import pathlib
import sys
import traceback

import collectives
import messages
import windows
import world
from mpi4py import MPI
from state import Draw, State

__all__ = ["steps_of"]

KINDS = (messages.STEPS, collectives.STEPS, windows.STEPS, world.STEPS)


def steps_of(seed: int) -> list[str]:
    """Return the names of a program's steps."""
    draw = Draw(str(seed))
    names = [draw.of(draw.of(KINDS)).__name__ for _ in range(draw.between(3, 10))]
    return [*names, world.RARE[0].__name__] if draw.chance(0.04) else names


def run(seed: int, folder: pathlib.Path, only: set[int] | None) -> None:
    """Run a program, or some of its steps."""
    functions = {step.__name__: step for step in (*sum(KINDS, ()), *world.RARE)}
    digests = []
    comm = MPI.COMM_WORLD.Dup()
    for number, name in enumerate(steps_of(seed)):
        if only is not None and number not in only:
            continue
        state = State(str(seed), number, comm, folder)
        try:
            functions[name](state)
        except Exception:
            traceback.print_exc()
            print(f"rank {comm.rank} failed in step {number} ({name}) of {seed}", file=sys.stderr, flush=True)
            MPI.COMM_WORLD.Abort(3)
        digests.append(f"{number}:{name}:{state.digest()}")
    collected = comm.gather(" ".join(digests))
    comm.Free()
    if collected is not None:
        for rank, text in enumerate(collected):
            print("program", seed, rank, text, flush=True)
        print("end", seed, flush=True)


def main() -> None:
    arguments = sys.argv[1:]
    only = None
    if "--steps" in arguments:
        at = arguments.index("--steps")
        only = {int(number) for number in arguments[at + 1].split(",")}
        del arguments[at : at + 2]
    for seed in arguments[1:]:
        run(int(seed), pathlib.Path(arguments[0]), only)


if __name__ == "__main__":
    main()
