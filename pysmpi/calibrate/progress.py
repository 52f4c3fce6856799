"""Messages and the progress bar of measurements, on standard error."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["followed", "notify"]

Item = TypeVar("Item")


def notify(text: str) -> None:
    """Print a message to standard error."""
    print(f"pysmpi-calibrate: {text}", file=sys.stderr)


def followed(items: Sequence[Item], what: str, done: int = 0) -> Iterable[Item]:
    """Return the items for iteration, with a progress bar if standard error is a terminal.

    Args:
        items: items that remain to be processed.
        what: description of the items for the bar.
        done: number of items processed before.
    """
    if not sys.stderr.isatty():
        return items
    try:
        from tqdm import tqdm
    except ImportError:
        return _counted(items, what, done)
    bar: Iterable[Item] = tqdm(items, desc=what, initial=done, total=done + len(items), unit="", leave=False)
    return bar


def _counted(items: Sequence[Item], what: str, done: int) -> Iterator[Item]:
    for number, item in enumerate(items, done + 1):
        print(f"\r\033[K{what}: {number} of {done + len(items)}", end="", file=sys.stderr, flush=True)
        yield item
    print("\r\033[K", end="", file=sys.stderr)
