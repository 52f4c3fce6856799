"""Objects created and freed repeatedly: rate, and growth of memory, which must be zero.

Each row runs a program of churn/, which pysmpirun can run as well:
    pysmpirun -np 4 --platform platforms/cluster.xml benchmarks/churn/messages.py 1000
"""

import json
import re
from collections.abc import Iterator

from rows import Context, Row
from sides import HERE, ours

__all__ = ["NAMES", "measure", "rows"]

NAMES = ("messages", "datatypes", "communicators", "collectives", "windows", "threads")
RANKS = 4
PLATFORM = str(HERE.parent / "platforms" / "cluster.xml")


def measure(name: str, fraction: float) -> dict[str, float]:
    """Return the figures that a program prints after a fraction of its rounds."""
    whole = re.search(r"^churn\(([\d_]+),", (HERE / "churn" / f"{name}.py").read_text(), flags=re.M)
    assert whole is not None
    rounds = max(int(int(whole[1]) * fraction), 20)
    outcome: dict[str, float] = json.loads(ours(PLATFORM, RANKS, f"churn/{name}.py", rounds).output)
    return outcome


def rows(context: Context) -> Iterator[Row]:
    """Yield the rows after a tenth of the rounds, or after all of them with `long`."""
    for name in NAMES:
        outcome = measure(name, 1.0 if context.long else min(0.1, context.most_ranks / 1e4))
        kept = (outcome["end"] - outcome["early"]) / outcome["count"]
        yield Row(f"{name}, one of {outcome['count']:,.0f}", outcome["seconds"] / outcome["count"] * 1e6, "us")
        yield Row(f"{name}, memory kept of each", kept, "B", kind=None, most=16)
