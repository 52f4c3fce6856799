"""Sizes of an estimate: the values that stand for ``{n}`` in the program's arguments."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pysmpi.errors import did_you_mean
from pysmpi.estimates.errors import EstimateError

__all__ = ["filled", "sizes_of"]

_PLACE = re.compile(r"\{(\w+)\}")


def sizes_of(arguments: Sequence[Any], sizes: Mapping[str, Sequence[int]]) -> list[dict[str, int]]:
    """Return the sizes to be measured: for each run of the program, the values of the parameters.

    The k-th run gets the k-th value of each parameter; a parameter with one value has it in all runs. Example: n=64,128
    and m=3 give [{"n": 64, "m": 3}, {"n": 128, "m": 3}]. Without parameters there is one run, with an empty mapping.

    Args:
        arguments: command-line arguments of the program, in which ``{n}`` stands for the parameter n.
        sizes: values of each parameter.

    Raises:
        EstimateError: a parameter is not in the arguments, one lacks values, or lists have different lengths.
    """
    used = {name for word in arguments for name in _PLACE.findall(str(word))}
    for name in sizes:
        if name not in used:
            raise EstimateError(
                f"--size {name}: the program's arguments have no {{{name}}}{did_you_mean(name, used)} "
                f"(arguments: {' '.join(map(str, arguments))})"
            )
    for name in sorted(used - set(sizes)):
        raise EstimateError(f"the argument {{{name}}} has no values; give --size {name}=VALUE,VALUE,…")
    if not sizes:
        return [{}]
    runs = max(map(len, sizes.values()))
    for name, values in sizes.items():
        if len(values) not in (1, runs):
            raise EstimateError(
                f"--size {name}: {len(values)} values, but another parameter has {runs}; give one or {runs}"
            )
    return [
        {name: values[number if len(values) > 1 else 0] for name, values in sizes.items()} for number in range(runs)
    ]


def filled(arguments: Sequence[Any], size: Mapping[str, int]) -> list[str]:
    """Return the command-line arguments of one run: each ``{name}`` is replaced by the value of this parameter."""
    return [_PLACE.sub(lambda found: str(size[found[1]]), str(word)) for word in arguments]
