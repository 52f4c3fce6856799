"""Import the most used scientific packages in all ranks together, one at a time, and call one function of each.

    imports.py [PACKAGE…]

Rank 0 prints a line for each package: the value, which must be the same in all ranks, or the ranks that failed.
"""

import pathlib
import sys
import tomllib

from mpi4py import MPI

USES = tomllib.loads(pathlib.Path(__file__).with_suffix(".toml").read_text())


def use(program: str) -> str:
    """Return the value of a program as text, or how it failed."""
    names: dict[str, object] = {}
    try:
        exec(program, names)
    except Exception as error:
        return f"FAILED: {type(error).__name__}: {error}".splitlines()[0]
    return str(names["value"])


def main() -> int:
    """Use all packages, or those named; return 1 if one fails or differs between ranks."""
    world = MPI.COMM_WORLD
    failures = 0
    for name in sys.argv[1:] or USES:
        values = world.gather(use(USES[name]))
        if values is not None:
            different = sorted(set(values))
            failed = len(different) > 1 or different[0].startswith("FAILED")
            failures += failed
            print(f"{name}: {different if failed else different[0]}", flush=True)
    return min(world.bcast(failures), 1)


sys.exit(main())
