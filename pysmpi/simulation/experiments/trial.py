"""Program that runs one trial of the selector ``best``: simulate all algorithms of one collective call, one by one.

Standard input holds the call's description as a JSON object. The answer on standard output, also JSON, holds the
simulated seconds of each algorithm by name and of the default selector, or an error.
"""

import json
import os
import sys
import tempfile

from pysmpi.errors import PysmpiError
from pysmpi.simulation.experiments.compare_collectives import compare_algorithms
from pysmpi.simulation.instruments.best_selector import Question

__all__ = ["main"]


def main() -> int:
    """Run one trial; return 0 if an answer was written, even if the answer is an error."""
    question = Question(**json.load(sys.stdin))
    with tempfile.NamedTemporaryFile("w", suffix=".hosts", delete=False) as hostfile:
        hostfile.write("\n".join(question.hosts) + "\n")
    try:
        comparison = compare_algorithms(
            question.operation,
            np=len(question.hosts),
            sizes=[question.bytes],
            platform=question.platform,
            cfg=question.cfg,
            hostfile=hostfile.name,
            selectors=("default",),
        )
    except PysmpiError as error:
        print(json.dumps({"error": str(error)}))
        return 0
    finally:
        os.unlink(hostfile.name)
    seconds = {trial.choice: trial.seconds[0] for trial in comparison.algorithms if trial.seconds}
    (default,) = comparison.selectors
    print(json.dumps({"seconds": seconds, "default": default.seconds[0] if default.seconds else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
