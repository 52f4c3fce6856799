"""Messages between two ranks: cost without contention, and with many posted receives."""

from collections.abc import Iterator

from rows import BUDGETS, Context, Row
from sides import FAT_TREE, ours

from groups.beside import Pattern, row

__all__ = ["rows"]


def rows(context: Context) -> Iterator[Row]:
    """Yield rows for a ring, a ping-pong, a message inside a collective, and matching."""
    ring = context.ranks(1024)
    yield row(
        Pattern("messages", "ring", 1024, ring, 100, 50, "us", ring, "a blocking sendrecv", most=3, table=BUDGETS[0]),
        context,
    )
    yield row(Pattern("messages", "pingpong", 8, 2, 50_000, 20_000, "us", 2, "a message", most=4), context)
    # Recursive doubling: each of 2^k ranks sends k messages. LogGPS has no contention and needs no platform.
    exponent = context.ranks(1024).bit_length() - 1
    options, calls = ["--cfg=network/model:LogGPS", "--cfg=smpi/allreduce:rdb"], 50
    told = ours(FAT_TREE, 1 << exponent, "patterns/collective.py", "allreduce", 8, calls, options=options).told
    taken = told["seconds"] / calls / (exponent << exponent)
    yield Row(f"engine, a message of an allreduce, {1 << exponent:,} ranks, LogGPS", taken * 1e6, "us", most=0.4)
    for pattern, what in (("posted", "matching among"), ("waitall", "one MPI_Waitall of")):
        few, many = (
            ours(FAT_TREE, 2, "patterns/messages.py", pattern, 8, count).told["seconds"] / count
            for count in (4_000, 16_000)
        )
        name = f"{what} 16,000 receives over 4,000, a message"
        note = f"{many * 1e6:.2f} us and {few * 1e6:.2f} us"
        yield Row(name, many / few, "x", kind=None, most=1.5, note=note)
