"""Messages between two: what they cost without contention, and among many posted receives."""

from collections.abc import Iterator

from rows import Context, Row

from groups.beside import Pattern, cost, row

__all__ = ["rows"]


def rows(context: Context) -> Iterator[Row]:
    """A ring, a ping-pong, a message inside a collective, and matching."""
    ring = context.ranks(1024)
    yield row(
        Pattern("messages", "ring", 1024, ring, (10, 110), (10, 60), "us", ring, "a blocking sendrecv", most=5),
        context,
    )
    yield row(Pattern("messages", "pingpong", 8, 2, (1, 50_001), (1, 20_001), "us", 2, "a message", most=4), context)
    # Recursive doubling: each of 2^k ranks sends k messages. LogGPS has no contention, and the program is not asked.
    exponent = context.ranks(1024).bit_length() - 1
    messages = exponent << exponent
    taken = cost("collective", ("allreduce", 8), 1 << exponent, (1, 101), "--cfg=network/model:LogGPS") / messages
    yield Row(f"engine, a message of an allreduce, {1 << exponent:,} ranks, LogGPS", taken * 1e6, "us", most=0.4)
    few, many = (cost("messages", ("posted", 8), 2, (1, n)) for n in (2_001, 32_001))
    yield Row(
        "matching among 32,000 posted receives over among 2,000",
        many / few,
        "x",
        kind=None,
        most=1.5,
        note=f"{many * 1e6:.2f} us and {few * 1e6:.2f} us a message",
    )
