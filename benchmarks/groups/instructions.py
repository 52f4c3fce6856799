"""Instructions of the hot paths: counts show regressions that the noise of times would hide."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from rows import Context, Row
from sides import FAT_TREE, count_instructions

__all__ = ["rows"]

# Each entry: program and arguments, number of ranks, few and many calls, and number of operations per call.
PATHS = (
    ("ring 1,024 B, 64 ranks, a sendrecv", "messages", ("ring", 1024), 64, (2, 42), 64),
    ("pingpong 8 B, a message", "messages", ("pingpong", 8), 2, (1, 1001), 2),
    ("allreduce 8 B, 256 ranks, a call", "collective", ("allreduce", 8), 256, (1, 11), 1),
    ("burst 1,024 B, 32 ranks, a message", "messages", ("burst", 1024), 32, (1, 3), 32 * 31),
)


def rows(context: Context) -> Iterator[Row]:
    """Yield the instructions of one additional call, so that start-up does not count."""
    runs = [(ranks, f"patterns/{program}.py", *words, n) for _, program, words, ranks, ns, _ in PATHS for n in ns]
    with ThreadPoolExecutor(os.cpu_count()) as several:  # counts do not depend on other load
        found = several.map(lambda run: count_instructions(FAT_TREE, *run), runs)
    for name, _, _, _, (few, many), each in PATHS:
        counts = next(found), next(found)
        if counts[0] is None or counts[1] is None:
            yield Row(name, 0, "instructions", kind=None, note="valgrind is not here: skipped")
            continue
        yield Row(name, (counts[1] - counts[0]) / (many - few) / each, "instructions", "instructions")
