"""Choice of algorithms by option: ``smpi/coll-selector`` and ``smpi/OPERATION``."""

import os
import re
from collections.abc import Mapping

from pysmpi.errors import ConfigurationError, did_you_mean, unknown
from pysmpi.native import lib
from pysmpi.simulation.collectives.algorithm_names import OPERATIONS, SELECTORS, algorithms, texts
from pysmpi.simulation.collectives.mpich_tuning import TREE_READERS, use_mpich_tuning

__all__ = ["choose_algorithms", "fallbacks", "parse_algorithm"]


def parse_algorithm(operation: str, text: str) -> str:
    """Check that the text names an algorithm of the operation, or a selector, and return it unchanged.

    Raises:
        ValueError: the name is unknown.
    """
    names = [algorithm.name for algorithm in algorithms(operation)]
    general = re.sub(r"-[1-9]\d{0,8}$", "-k", text)
    if text in SELECTORS or (text in names and not text.endswith("-k")) or (general != text and general in names):
        return text
    raise ValueError(f"unknown algorithm {text!r}{did_you_mean(text, [*names, *SELECTORS])}")


def choose_algorithms(
    selector: str, by_operation: Mapping[str, str], *, mpich_tuning: str | os.PathLike[str] | None = None
) -> None:
    """Choose the algorithms for all later collectives.

    Args:
        selector: one of `SELECTORS`, for all operations not in `by_operation`.
        by_operation: algorithm or selector, by operation.
        mpich_tuning: path of a tuning file of MPICH with decisions for the selectors of MPICH, or None.

    Raises:
        ConfigurationError: a selector or algorithm is unknown, or the file is not valid.
    """
    if lib.pysmpi_choose_selector(selector.encode()) != 0:
        raise ConfigurationError(f"smpi/coll-selector: {unknown('selector', selector, SELECTORS)}")
    if not TREE_READERS.keys().isdisjoint((selector, *by_operation.values())):
        use_mpich_tuning(mpich_tuning, dict.fromkeys(OPERATIONS, selector) | dict(by_operation))
    for operation, name in by_operation.items():
        if lib.pysmpi_choose_algorithm(operation.encode(), name.encode()) != 0:
            try:
                parse_algorithm(operation, name)
            except ValueError as error:
                raise ConfigurationError(f"smpi/{operation}: {error}") from error


def fallbacks() -> tuple[str, ...]:
    """Return a sentence for each algorithm that was chosen but replaced by another, with the reason.

    Replacements before the last `choose_algorithms` are not included.
    """
    return texts(lib.pysmpi_fallback)
