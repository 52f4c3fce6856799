"""Cost of estimates of what a sequential NumPy program would send on many nodes."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rows import Context, Row
from sides import FAT_TREE, HERE, Outcome, timed

__all__ = ["rows"]

HEAT = HERE.parent / "apps" / "sequential" / "heat.py"
FEW, MANY = 20_000, 120_000
OPERATIONS = 3
"""Of an iteration of `LOOP`: reading, adding, storing."""
LOOP = f"""\
import sys
import numpy as np
a = np.ones({MANY})
for i in range(1, int(sys.argv[1])):
    a[i] = a[i - 1] + 1.0
"""


def rows(context: Context) -> Iterator[Row]:
    """Yield the cost of recording and counting, of an operation in a Python loop, and of a whole estimate."""
    heat = _estimate(HEAT, 512, 2, "--nodes", 16, "--cut", "blocks")
    yield Row("heat 512 x 512, 2 steps, recorded and counted on 16 nodes", heat.seconds, "s", most=5)
    yield Row("heat 512 x 512, 2 steps, memory", heat.peak / 1e6, "MB", "memory", most=400)
    with tempfile.TemporaryDirectory() as folder:
        loop = Path(folder, "loop.py")
        loop.write_text(LOOP)
        few, many = (_estimate(loop, count, "--nodes", 2, "--cut", "blocks") for count in (FEW, MANY))
    operation = (many.seconds - few.seconds) / (MANY - FEW) / OPERATIONS
    yield Row("an operation on a number in a Python loop", operation * 1e6, "us", most=10)
    nodes = context.ranks(4096)
    sizes = ("--size", "n=128,192,256,384,512", "--at", "n=32768")
    whole = _estimate(HEAT, "{n}", 2, *sizes, "--nodes", f"2:{nodes}", "--platform", FAT_TREE)
    yield Row(f"heat, five sizes, 2 to {nodes} nodes of a fat tree", whole.seconds, "s", most=180)
    yield Row("the same, memory", whole.peak / 1e6, "MB", "memory", most=2000)


def _estimate(program: Path, *words: str | int) -> Outcome:
    return timed([sys.executable, "-m", "pysmpi.cli.main", "estimate", str(program), *map(str, words), "--json"])
