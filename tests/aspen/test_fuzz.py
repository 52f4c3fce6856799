"""Mutated models end in a result or an error of Aspen, whatever is asked of them.

The test tries some hundred models. ``make aspen-fuzz`` tries 100,000.
"""

import pathlib
import random
import re
import sys
import tempfile

from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_info import machine_json
from pysmpi.aspen.model_checks import check_file

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
APPLICATIONS = [
    HERE / "hand_application.aspen",
    HERE / "models" / "paper_application.aspen",
    HERE / "models" / "tool_application.aspen",
    ROOT / "models" / "fft3d.aspen",
    ROOT / "models" / "md.aspen",
]
MACHINES = [
    HERE / "hand_machine.aspen",
    HERE / "models" / "paper_machine.aspen",
    HERE / "models" / "tool_machine.aspen",
    ROOT / "models" / "machines" / "keeneland.aspen",
    ROOT / "models" / "machines" / "parts" / "x5660.aspen",
]
HAND = aspen.read_machine(str(HERE / "hand_machine.aspen"))
WORDS = re.compile(r"\w+|\s+|[^\w\s]")
PLACE = re.compile(r"[^\n]+?:\d+: [^\n]+\Z")


def mutated(text: str, drawn: random.Random) -> str:
    """Return a text in which words are left out, doubled, exchanged or replaced."""
    words = WORDS.findall(text)
    for _ in range(drawn.randint(1, 3)):
        at = drawn.randrange(len(words))
        other = drawn.choice([drawn.choice(words), "0", "-1", "1e300", "0.5", "P", "n", "", "{", "]", "^", "1e-300"])
        words[at : at + drawn.choice([0, 1, 1, 1, 4])] = [other] * drawn.choice([1, 1, 1, 2])
    return "".join(words)


def asked_of_application(path: str) -> None:
    """Ask for everything that an application can be asked for; all errors are errors of Aspen."""
    check_file(path)
    application = aspen.read_application(path).set(P=8)
    for name in application.module.all_names():
        for formulas in (False, True):
            try:
                application.amounts(name, formulas=formulas).to_json()
            except AspenError as error:
                assert PLACE.match(str(error)), error
        for rules in ("overlap", "ornl"):
            try:
                application.cost(HAND, kernel=name, rules=rules).to_json()
            except AspenError as error:
                assert PLACE.match(str(error)), error


def asked_of_machine(path: str) -> None:
    """Ask for everything that a machine can be asked for."""
    check_file(path)
    machine = aspen.read_machine(path)
    machine_json(machine)
    machine.platform().build()


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Try mutated models, and return how many ended in a result and in an error."""
    drawn = random.Random(seed)
    ends = {"result": 0, "error": 0}
    with tempfile.TemporaryDirectory() as folder:
        for path in [*APPLICATIONS, *MACHINES, HERE / "models" / "imported.aspen", HERE / "models" / "parts.aspen"]:
            (pathlib.Path(folder) / path.name).write_text(path.read_text())
        (pathlib.Path(folder) / "parts").symlink_to(ROOT / "models" / "machines" / "parts")
        for number in range(count):
            is_machine = drawn.random() < 0.4
            text = mutated(drawn.choice(MACHINES if is_machine else APPLICATIONS).read_text(), drawn)
            target = pathlib.Path(folder) / "mutated.aspen"
            target.write_text(text)
            try:
                (asked_of_machine if is_machine else asked_of_application)(str(target))
                ends["result"] += 1
            except AspenError as error:
                assert PLACE.match(str(error)), (number, error)
                ends["error"] += 1
            except Exception as error:
                raise AssertionError(f"model {number} of seed {seed}: {error!r}\n{text}") from error
    return ends


def test_mutated_models_end_in_a_result_or_an_error() -> None:
    ends = fuzz(400, seed=11)
    assert min(ends.values()) > 40


if __name__ == "__main__":
    print(fuzz(int(sys.argv[1]), seed=1))
