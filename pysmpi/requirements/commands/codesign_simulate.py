"""Option ``--simulate`` of ``pysmpi codesign systems``: compare least times with simulated times on few processes."""

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError
from pysmpi.util.columns import aligned

if TYPE_CHECKING:
    from pysmpi.requirements.codesign import Requirements, System

__all__ = ["Scaled", "add_option", "lines_of", "scaled_systems"]

_SUFFIX = ".models.toml"
_GROWS = 1.01  # a ratio that rises by less counts as constant


@dataclass(frozen=True)
class Scaled:
    """System scaled down to few processes, with the program that fills its memory.

    Attributes:
        processes: number of processes.
        n: problem size per process, a whole number.
        bound: least time in seconds, computed from those rates that the simulated machine has.
        bottleneck: requirement that determines the bound, because it needs more time than all others.
        simulated: simulated seconds.
    """

    processes: int
    n: int
    bound: float
    bottleneck: str
    simulated: float

    @property
    def ratio(self) -> float:
        """Simulated time as a multiple of the bound."""
        return self.simulated / self.bound

    def to_json(self) -> dict[str, Any]:
        """Return the values as ``--json`` prints them."""
        return {"processes": self.processes, "n": self.n, "bound": self.bound, "bottleneck": self.bottleneck,
                "simulated": self.simulated, "ratio": self.ratio}  # fmt: skip


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--simulate``."""
    parser.add_argument("--simulate", action="append", default=[], metavar="P",
                        help="simulate the program on P processes of each system, as NAME.toml beside NAME.models.toml "
                        "describes it, and print its time beside the bound (repeatable)")  # fmt: skip


def scaled_systems(
    arguments: argparse.Namespace, models: "Mapping[str, Requirements]", systems: "Mapping[str, System]"
) -> dict[str, dict[str, list[Scaled]]]:
    """Simulate each model's program on each system, scaled down to the numbers of processes of ``--simulate``.

    Return the results by model and system; numbers of processes on which the program does not fit are left out.
    """
    numbers = [_processes(text) for text in arguments.simulate]
    studies = _studies(arguments.models, models)
    return {
        name: {
            system: [found for number in numbers if (found := _scaled(model, each, number, studies[name])) is not None]
            for system, each in systems.items()
        }
        for name, model in models.items()
    }


def _processes(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise LaunchError(f"option --simulate: {text!r} is not valid; write a whole number of processes, 1 or more")
    return int(text)


def _studies(files: Sequence[str], models: "Mapping[str, Requirements]") -> dict[str, Path]:
    """Return the study of each model: NAME.toml beside the file NAME.models.toml that has the model NAME."""
    found = {}
    for file in files:
        if file.endswith(_SUFFIX):
            study = Path(f"{file.removesuffix(_SUFFIX)}.toml")
            if study.is_file():
                found[study.stem] = study
    for name in models:
        if name not in found:
            raise LaunchError(
                f"option --simulate: model {name!r} has no study; it needs {name}{_SUFFIX}, which 'pysmpi study model' "
                f"writes, beside {name}.toml"
            )
    return found


def _scaled(model: "Requirements", system: "System", processes: int, path: Path) -> Scaled | None:
    from pysmpi.requirements.codesign import fill
    from pysmpi.study import Study
    from pysmpi.study.scaled import simulate_scaled, simulated_rates

    point = fill(model, processes, system.memory)
    if point.n is None:
        return None
    n = math.floor(point.n)
    rates = {name: rate.value for name, rate in system.rates.items() if name in model}
    usable = simulated_rates(rates)
    if not usable:
        raise LaunchError(
            "option --simulate: a system needs a rate of flops, accesses or sent.bytes, and a formula for it"
        )
    at = {"p": processes, "n": n}
    seconds = {name: model[name].expression.evaluate(at) / rates[name] for name in usable}
    bottleneck = max(seconds, key=lambda name: seconds[name])
    study = Study.read(path)
    simulated = simulate_scaled(
        study, path.with_suffix(".results"), processes, n, {name: rates[name] for name in usable}
    )
    return Scaled(processes, n, seconds[bottleneck], bottleneck, simulated)


def lines_of(systems: Mapping[str, Sequence[Scaled]]) -> list[str]:
    """Return a table of bounds and simulated times, and for several numbers of processes how the gap changes."""
    rows = [["system", "processes", "n", "bound, s", "simulated, s", "ratio", "bottleneck"]]
    notes = []
    for system, found in systems.items():
        for each in found:
            rows.append([system, f"{each.processes:,}", f"{each.n:,}", f"{each.bound:.6g}", f"{each.simulated:.6g}",
                         f"{each.ratio:.4g}", each.bottleneck])  # fmt: skip
        if not found:
            rows.append([system, *("-" for _ in range(5)), "does not fit, even with n = 1"])
        if len(found) > 1:
            first, last = (min(found, key=lambda each: each.processes), max(found, key=lambda each: each.processes))
            change = "grows" if last.ratio > _GROWS * first.ratio else "does not grow"
            notes.append(
                f"  {system}: what the bound leaves out (waiting, latency, contention, set-up) {change}: "
                f"{first.ratio:.4g} times on {first.processes:,} processes, {last.ratio:.4g} on {last.processes:,}"
            )
    return [*aligned(rows, right=range(1, 6), indent="  "), *notes]
