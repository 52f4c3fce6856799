"""Program that runs one trial of the selector ``best``: simulate all algorithms of one collective call, one by one.

Standard input holds the call's description as a JSON object. The answer on standard output, also JSON, holds the
simulated seconds of each algorithm by name and of the default selector, or an error.
"""

import json
import sys

from pysmpi.errors import PysmpiError
from pysmpi.simulation.experiments.collective_call import UNMEASURED, choices, measure, slowest
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.machine_setup import configured_machine, place_ranks
from pysmpi.simulation.launch.program import FunctionProgram
from pysmpi.simulation.launch.run import run
from pysmpi.simulation.modifiers.best_selector import Question
from pysmpi.simulation.settings.run_options import RunOptions

__all__ = ["main"]


def main() -> int:
    """Run one trial; return 0 if an answer was written, even if the answer is an error."""
    question = Question(**json.load(sys.stdin))
    seconds: dict[str, float] = {}
    failure: PysmpiError | None = None
    for choice in (*choices(question.operation), "default"):
        try:
            seconds[choice] = _seconds(question, choice)
        except PysmpiError as error:
            failure = error
    if failure is not None and not seconds:
        print(json.dumps({"error": str(failure)}))
        return 0
    default = seconds.pop("default", None)
    print(json.dumps({"seconds": seconds, "default": default}))
    return 0


def _seconds(question: Question, choice: str) -> float:
    """Return the simulated seconds of the call with one algorithm, or with the default selector."""
    cfg = {**UNMEASURED, **question.cfg, f"smpi/{question.operation}": choice}
    machine, configuration = configured_machine(question.platform, cfg)
    placed = place_ranks(len(question.hosts), machine, hosts=question.hosts)
    size = 0 if question.operation == "barrier" else question.bytes
    program = FunctionProgram(measure, (question.operation, (size,)), {})
    conclusion = run(Job(machine, placed, [program], [0] * len(placed), configuration, RunOptions(quiet=True)))
    conclusion.raise_failure()
    return slowest(conclusion.result, 1)[0]


if __name__ == "__main__":
    sys.exit(main())
