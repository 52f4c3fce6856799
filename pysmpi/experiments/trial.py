"""One trial of the selector ``best``, in a process of its own: the algorithms of one call, simulated one by one.

Reads a JSON object from standard input (operation, ranks' hosts, bytes, platform, settings) and writes one with the
seconds of each algorithm, by its name as an option has it, or with an error.
"""

import json
import os
import sys
import tempfile

from pysmpi.errors import PysmpiError
from pysmpi.experiments.compare_collectives import compare_algorithms

__all__ = ["main"]


def main() -> int:
    """Runs it; the exit status is 0 when there is an answer."""
    asked = json.load(sys.stdin)
    with tempfile.NamedTemporaryFile("w", suffix=".hosts", delete=False) as hostfile:
        hostfile.write("\n".join(asked["hosts"]) + "\n")
    try:
        comparison = compare_algorithms(
            asked["operation"],
            np=len(asked["hosts"]),
            sizes=[asked["bytes"]],
            platform=asked["platform"],
            cfg=asked["cfg"],
            hostfile=hostfile.name,
            selectors=("default",),
        )
    except PysmpiError as error:
        print(json.dumps({"error": str(error)}))
        return 0
    finally:
        os.unlink(hostfile.name)
    trials = {trial.choice: trial.seconds[0] for trial in comparison.algorithms if trial.seconds}
    (default,) = comparison.selectors
    print(json.dumps({"seconds": trials, "default": default.seconds[0] if default.seconds else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
