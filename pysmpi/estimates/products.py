"""Products of traced arrays: matmul, dot, tensordot, einsum and their like, all described as sums of products."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates.axes import contracted
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.traced import current, is_traced, plain, values_of
from pysmpi.simulation.compute.numpy_functions.contractions import Contraction

__all__ = ["product"]


def product(
    function: Callable[..., Any], describe: Callable[..., Contraction | None] | None, inputs: Any, options: Any
) -> tuple[Any, Any]:
    """Compute a sum of products, such as numpy.dot, and record which values the result depends on.

    Args:
        function: NumPy's function.
        describe: function that describes a call as a contraction; see
            `pysmpi.simulation.compute.numpy_functions.contractions.CONTRACTIONS`.
        inputs: positional arguments.
        options: keyword arguments, without ``out``.

    Returns:
        The traced result, and the array in which the caller has to store it, or None. Such an array is a positional
        argument in `inputs`.
    """
    assert describe is not None
    found = describe(lambda x: np.shape(plain(x)), *inputs, **options)
    if found is None:
        if function in {np.dot, np.inner}:
            return np.multiply(*inputs[:2]), inputs[2] if len(inputs) > 2 else None
        raise EstimateError(
            f"{current().here()}this product cannot be followed; numpy.einsum needs subscripts such as 'ij,jk->ik', "
            "and other products must be along the last axes; write it by numpy.einsum with such subscripts"
        )
    data = function(*plain(inputs), **plain(options))
    operands = map(np.ravel, found.operands) if found.is_flat else found.operands
    return _flow(data, found, list(operands)), found.out


def _flow(data: Any, found: Contraction, operands: list[Any]) -> Any:
    values, letters = [], []  # for traced operands only; the others are constants
    shapes = [np.shape(plain(each)) for each in operands]
    sizes = found.sizes(shapes)
    for word, operand in zip(found.words, operands, strict=True):
        if not (is_traced(operand) or (isinstance(operand, list | tuple) and any(map(is_traced, operand)))):
            continue
        each = np.broadcast_to(values_of(operand), [sizes[letter] for letter in word])
        for letter in dict.fromkeys(word):  # a repeated letter takes a diagonal
            while word.count(letter) > 1:
                first = word.index(letter)
                second = word.index(letter, first + 1)
                each = np.moveaxis(np.diagonal(each, 0, first, second), -1, first)
                word = word[:second] + word[second + 1 :]  # noqa: PLW2901
        values.append(each)
        letters.append(word)
    return contracted(data, letters, found.result, values, sizes)
