"""Things that are made and freed again and again: how many a second, while the memory stays as it was.

Each is a program of churn/, which pysmpirun runs too:
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
    """What a program prints about itself, of such a fraction of its rounds."""
    whole = re.search(r"^churn\(([\d_]+),", (HERE / "churn" / f"{name}.py").read_text(), flags=re.M)
    assert whole is not None
    rounds = max(int(int(whole[1]) * fraction), 20)
    outcome: dict[str, float] = json.loads(ours(PLATFORM, RANKS, f"churn/{name}.py", rounds).output)
    return outcome


def rows(context: Context) -> Iterator[Row]:
    """A tenth of the rounds; with `long`, all."""
    for name in NAMES:
        outcome = measure(name, 1.0 if context.long else min(0.1, context.most_ranks / 1e4))
        kept = (outcome["end"] - outcome["early"]) / outcome["count"]
        yield Row(f"{name}, one of {outcome['count']:,.0f}", outcome["seconds"] / outcome["count"] * 1e6, "us")
        yield Row(f"{name}, memory kept of each", kept, "B", kind=None, most=16)
