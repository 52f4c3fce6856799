"""Simulation of a study's program on a system scaled down to few processes, with unchanged rates for each process."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pysmpi.errors import StudyError
from pysmpi.study.study_class import Study
from pysmpi.study.verification import simulate_point

__all__ = ["simulate_scaled", "simulated_rates"]

_SPEED, _MEMORY, _NETWORK = "flops", "accesses", ("sent.bytes", "sent")
_MEMORY_SETTING = "cfg.smpi/memory-bandwidth"


def simulated_rates(rates: Mapping[str, float]) -> list[str]:
    """Return the names of those rates that a simulated machine can have: of operations, memory traffic and messages."""
    return [name for name in rates if name in (_SPEED, _MEMORY, *_NETWORK)]


def simulate_scaled(study: Study, results: Path, processes: int, n: int, rates: Mapping[str, float]) -> float:
    """Return the simulated seconds of a study's program on a machine with one process per host and the given rates.

    Args:
        study: study with the factors ``ranks`` and ``n``.
        results: folder of the study's results, where the outcome is stored.
        processes: number of processes.
        n: problem size per process.
        rates: what each process can do in a second, by requirement: operations ("flops"), bytes of memory traffic
            ("accesses"), or bytes sent ("sent.bytes").

    Raises:
        StudyError: the study has other factors, or the simulation fails.
    """
    for name in ("ranks", "n"):
        if name not in study.varied():
            raise StudyError(f"the study has no factor {name!r}; a scaled system needs the factors ranks and n")
    platform = f"flat:{processes}"
    if _SPEED in rates:
        platform += f":speed={rates[_SPEED]:.12g}f"
    bandwidth = next((rates[name] for name in _NETWORK if name in rates), None)
    if bandwidth is not None:
        platform += f":bw={bandwidth:.12g}Bps"
    fixed = dict(study.flat_fixed)
    if _MEMORY in rates:
        fixed[_MEMORY_SETTING] = f"{rates[_MEMORY]:.12g}"
    scaled = replace(study, platform=platform, fixed=fixed)
    row = next(iter(simulate_point(scaled, results, {"ranks": processes, "n": n})))
    return float(str(row["simulated_time"]))
