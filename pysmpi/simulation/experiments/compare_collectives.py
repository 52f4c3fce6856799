"""Comparison of all algorithms of a collective operation."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError, PysmpiError, unknown
from pysmpi.simulation.collectives import OPERATIONS, SELECTORS, fallbacks
from pysmpi.simulation.experiments.collective_call import UNMEASURED, choices, measure, slowest

if TYPE_CHECKING:
    from pysmpi.platform import Description, Platform

__all__ = ["COMPARED", "Comparison", "Trial", "compare_algorithms"]

COMPARED = tuple(selector for selector in SELECTORS if selector != "best")  # "best" compares algorithms itself


@dataclass(frozen=True, slots=True)
class Trial:
    """Simulated times of one algorithm, or of one selector (a rule that chooses the algorithm).

    Attributes:
        choice: name of the algorithm or selector, the value of ``smpi/OPERATION``.
        seconds: for each size, simulated seconds from the call of all ranks to the return of the last one; empty after
            an error.
        notes: error, or other algorithms that ran instead, with the reasons.
    """

    choice: str
    seconds: tuple[float, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Times of all algorithms and selectors of an operation.

    Attributes:
        operation: name of the operation, such as "allreduce".
        ranks: number of ranks.
        sizes: bytes of a rank's buffer, or of one block for operations with one block per rank.
        algorithms: times of each algorithm, in the order of `pysmpi.simulation.collectives.algorithms`.
        selectors: times of each selector, with the algorithms that it chooses.
    """

    operation: str
    ranks: int
    sizes: tuple[int, ...]
    algorithms: tuple[Trial, ...]
    selectors: tuple[Trial, ...]

    def fastest(self, index: int) -> float:
        """Return the seconds of the fastest trial for the size with this index, or NaN if no trial succeeded."""
        trials = (*self.algorithms, *self.selectors)
        return min((trial.seconds[index] for trial in trials if trial.seconds), default=float("nan"))


def compare_algorithms(
    operation: str,
    *,
    np: int,
    sizes: Sequence[int],
    platform: "str | os.PathLike[str] | Platform | Description",
    parameters: Sequence[int] = (2, 4, 8),
    cfg: Mapping[str, Any] | Iterable[str] = (),
    smpi: bool | None = None,
    mpi: str | None = None,
    fabric: str | None = None,
    hostfile: str | os.PathLike[str] | None = None,
    selectors: Sequence[str] = COMPARED,
    progress: Callable[[str, int, int], None] = lambda choice, number, of: None,
) -> Comparison:
    """Simulate one call with each algorithm. All ranks start together, after an untimed warm-up call.

    Args:
        operation: one of `pysmpi.simulation.collectives.OPERATIONS`.
        np: number of ranks.
        sizes: bytes of a rank's buffer, or of one block for operations with one block per rank; ignored for barriers.
        platform: platform as for `pysmpi.simulate`.
        parameters: values of k to try for algorithms with a parameter, such as "ring-k".
        cfg: settings of all simulations.
        smpi: whether to take SMPI's defaults; `smpi`, `mpi` and `fabric` are as for `pysmpi.simulate`.
        mpi: MPI library, or None.
        fabric: network technology, or None.
        hostfile: path of a file of hosts for the ranks, or None.
        selectors: selectors to compare as well.
        progress: callback before each simulation; receives the choice, its number from 1 on, and the number of choices.

    Raises:
        LaunchError: if the operation is unknown, no size is given, or `cfg` sets the algorithm.
        PysmpiError: as raised by `pysmpi.simulate`, if every algorithm fails.
    """
    if operation not in OPERATIONS:
        raise LaunchError(unknown("collective", operation, OPERATIONS))
    if operation == "barrier":
        sizes = [0]
    if not sizes or min(sizes) < 0:
        raise LaunchError(f"sizes {list(sizes)!r} are not valid; give at least one size, and none below 0")
    names = choices(operation, parameters)
    cfg = cfg if isinstance(cfg, Mapping) else list(cfg)  # an iterator could be used only once
    if any(text.partition(":")[0] == f"smpi/{operation}" for text in cfg):
        raise LaunchError(
            f"smpi/{operation} must not be set here, because all of its algorithms are compared; remove it"
        )
    more = {"smpi": smpi, "mpi": mpi, "fabric": fabric, "hosts": hostfile}
    trials: list[Trial] = []
    failure: PysmpiError | None = None
    for number, choice in enumerate((*names, *selectors), 1):
        progress(choice, number, len(names) + len(selectors))
        mine: Mapping[str, Any] | list[str]
        if isinstance(cfg, Mapping):
            mine = {**UNMEASURED, **cfg, f"smpi/{operation}": choice}
        else:
            mine = [*(f"{key}:{value}" for key, value in UNMEASURED.items()), *cfg, f"smpi/{operation}:{choice}"]
        try:
            trials.append(_try(operation, choice, np, sizes, platform, mine, more))
        except PysmpiError as error:
            failure = error
            trials.append(Trial(choice, (), (str(error).splitlines()[0],)))
    if failure is not None and not any(trial.seconds for trial in trials):
        raise failure
    return Comparison(
        operation, np, tuple(sizes), algorithms=tuple(trials[: len(names)]), selectors=tuple(trials[len(names) :])
    )


def _try(
    operation: str,
    choice: str,
    np: int,
    sizes: Sequence[int],
    platform: Any,
    cfg: Mapping[str, Any] | Iterable[str],
    more: Mapping[str, Any],
) -> Trial:
    from pysmpi.simulation.experiments.simulate import simulate

    result = simulate(measure, np=np, platform=platform, cfg=cfg, args=(operation, tuple(sizes)), **more)
    return Trial(choice, slowest(result, len(sizes)), fallbacks())
