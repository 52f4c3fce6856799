"""Start-up costs of the command and of each rank."""

import sys
from collections.abc import Callable, Iterator

from rows import BUDGETS, Context, Row
from sides import HERE, Outcome, ours, timed

__all__ = ["rows"]

EMPTY, BARE, ASLEEP = "start_up/empty.py", HERE / "start_up" / "bare.py", "start_up/asleep.py"


def rows(context: Context) -> Iterator[Row]:
    """Yield rows that compare an empty script with the import of mpi4py, and a rank with a greenlet that runs the same
    code."""
    script = _best(lambda: ours("flat:1", 1, EMPTY).seconds)
    imported = "import mpi4py.MPI"
    try:
        plain = _best(lambda: _python("-c", imported).seconds)
    except SystemExit:  # no real MPI here
        imported = "import mpi4py"
        plain = _best(lambda: _python("-c", imported).seconds)
    yield Row("pysmpirun -np 1 of an empty script", script, "s", note=f"python -c '{imported}': {plain:.2f} s")
    yield Row(f"the same, over {imported}", script - plain, "s", kind=None, most=0.3)
    few, many = context.ranks(2_000), context.ranks(20_000)
    ranks = [ours(f"flat:{many}", count, ASLEEP) for count in (few, many)]
    bare = [_python(str(BARE), str(count)) for count in (few, many)]
    seconds, memory = (_slope(ranks, few, many)[i] - _slope(bare, few, many)[i] for i in (0, 1))
    yield Row("isolation, a rank over a bare greenlet", seconds * 1e6, "us", most=60, table=BUDGETS[10])
    yield Row(
        "isolation, a rank over a bare greenlet, memory", memory / 1024, "KiB", "memory", most=3, table=BUDGETS[10]
    )


def _python(*words: str) -> Outcome:
    return timed([sys.executable, *words])


def _best(measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(3))


def _slope(runs: list[Outcome], few: int, many: int) -> tuple[float, float]:
    """Return the seconds and bytes of one additional rank."""
    more = max(many - few, 1)
    return (runs[1].seconds - runs[0].seconds) / more, (runs[1].peak - runs[0].peak) / more
