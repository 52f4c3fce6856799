"""Choosing algorithms by option: ``smpi/coll-selector`` and ``smpi/OPERATION``."""

import os
import re
from collections.abc import Mapping

from pysmpi.collectives.catalogue import SELECTORS, algorithms, texts
from pysmpi.collectives.mpich_tuning import use_mpich_tuning
from pysmpi.errors import ConfigurationError, nearest
from pysmpi.native import lib

__all__ = ["choose_algorithms", "fallbacks", "parse_algorithm"]


def parse_algorithm(operation: str, text: str) -> str:
    """The text, if it names an algorithm of the operation or a selector.

    Raises:
        ValueError: it does not.
    """
    names = [algorithm.name for algorithm in algorithms(operation)]
    general = re.sub(r"-[1-9]\d{0,8}$", "-k", text)
    if text in SELECTORS or (text in names and not text.endswith("-k")) or (general != text and general in names):
        return text
    match = nearest(text, [*names, *SELECTORS])
    raise ValueError(f"{text!r} is none of them" + (f"; did you mean {match!r}?" if match else ""))


def choose_algorithms(
    selector: str, by_operation: Mapping[str, str], *, mpich_tuning: str | os.PathLike[str] | None = None
) -> None:
    """Has the selector choose the algorithms from now on, but for these operations.

    Args:
        selector: one of `SELECTORS`.
        by_operation: algorithms or selectors by operation.
        mpich_tuning: decisions of the selector ``mpich-4``: a tuning file of MPICH's.

    Raises:
        ConfigurationError: there is no selector or algorithm of that name, or the file is none.
    """
    if lib.pysmpi_choose_selector(selector.encode()) != 0:
        raise ConfigurationError(f"smpi/coll-selector: {selector!r} is none of {', '.join(SELECTORS)}")
    if "mpich-4" in (selector, *by_operation.values()):
        use_mpich_tuning(mpich_tuning)
    for operation, name in by_operation.items():
        if lib.pysmpi_choose_algorithm(operation.encode(), name.encode()) != 0:
            try:
                parse_algorithm(operation, name)
            except ValueError as error:
                raise ConfigurationError(f"smpi/{operation}: {error}") from error


def fallbacks() -> tuple[str, ...]:
    """Which algorithms have turned to others since algorithms were last chosen, and why; a sentence each."""
    return texts(lib.pysmpi_fallback)
