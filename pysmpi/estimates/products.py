"""Products of traced arrays: matmul, dot, tensordot, einsum and their like, all described as sums of products."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.estimates.axes import contracted
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.traced import current, is_traced, plain, values_of

__all__ = ["PRODUCTS", "product"]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum_flow(data: Any, subscripts: str, operands: tuple[Any, ...]) -> Any:
    """Return a traced result of numpy.einsum for subscripts with an arrow and without dots."""
    left, out = subscripts.replace(" ", "").split("->")
    words = left.split(",")
    values, letters = [], []  # of traced operands; others are constants
    sizes: dict[str, int] = {}
    for word, operand in zip(words, operands, strict=True):
        traced = is_traced(operand) or (isinstance(operand, list | tuple) and any(map(is_traced, operand)))
        found = values_of(operand) if traced else np.empty(np.shape(operand), np.int8)
        for letter in dict.fromkeys(word):  # a repeated letter takes a diagonal
            while word.count(letter) > 1:
                first = word.index(letter)
                second = word.index(letter, first + 1)
                found = np.moveaxis(np.diagonal(found, 0, first, second), -1, first)
                word = word[:second] + word[second + 1 :]  # noqa: PLW2901
        if traced:
            values.append(found)
            letters.append(word)
        sizes.update(zip(word, found.shape, strict=True))
    return contracted(data, letters, out, values, sizes)


def _matmul_subscripts(a: int, b: int) -> str:
    if a == 1 and b == 1:
        return "i,i->"
    batch = _LETTERS[26 : 26 + max(a, b) - 2] if max(a, b) > 2 else ""
    first = "j" if a == 1 else batch[len(batch) - (a - 2) :] + "ij" if a > 2 else "ij"
    second = "j" if b == 1 else batch[len(batch) - (b - 2) :] + "jk" if b > 2 else "jk"
    return f"{first},{second}->{batch}{'' if a == 1 else 'i'}{'' if b == 1 else 'k'}"


def product(a: Any, b: Any) -> Any:
    """Return numpy.matmul of two arrays, and record its flow."""
    return einsum_flow(np.matmul(plain(a), plain(b)), _matmul_subscripts(np.ndim(plain(a)), np.ndim(plain(b))), (a, b))


def _dot(a: Any, b: Any) -> Any:
    x, y = plain(a), plain(b)
    data = np.dot(x, y)
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return np.multiply(a, b)
    if np.ndim(x) <= 2 and np.ndim(y) <= 2:
        return einsum_flow(data, _matmul_subscripts(np.ndim(x), np.ndim(y)), (a, b))
    first = _LETTERS[: np.ndim(x) - 1]
    second = _LETTERS[20 : 20 + np.ndim(y)]
    last = second[-2] if len(second) > 1 else second[0]
    return einsum_flow(data, f"{first}{last},{second}->{first}{second.replace(last, '')}", (a, b))


def _inner(a: Any, b: Any) -> Any:
    first, second = _LETTERS[: np.ndim(plain(a)) - 1], _LETTERS[20 : 20 + np.ndim(plain(b)) - 1]
    return einsum_flow(np.inner(plain(a), plain(b)), f"{first}z,{second}z->{first}{second}", (a, b))


def _vdot(a: Any, b: Any) -> Any:
    return einsum_flow(np.vdot(plain(a), plain(b)), "a,a->", (np.ravel(a), np.ravel(b)))


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    x, y = np.ndim(plain(a)), np.ndim(plain(b))
    if isinstance(axes, int):
        of_a, of_b = list(range(x - axes, x)), list(range(axes))
    else:
        of_a, of_b = ([int(each)] if np.ndim(each) == 0 else [int(i) for i in each] for each in axes)
    first, second = list(_LETTERS[:x]), list(_LETTERS[20 : 20 + y])
    for i, j in zip(of_a, of_b, strict=True):
        second[j] = first[i]
    out = [each for i, each in enumerate(first) if i not in {k % x for k in of_a}]
    out += [each for j, each in enumerate(second) if j not in {k % y for k in of_b}]
    data = np.tensordot(plain(a), plain(b), axes)
    return einsum_flow(data, f"{''.join(first)},{''.join(second)}->{''.join(out)}", (a, b))


def _einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    if not isinstance(subscripts, str):
        raise EstimateError(
            f"{current().here()}numpy.einsum is followed with subscripts such as 'ij,jk->ik' only; name the axes"
        )
    text = subscripts.replace(" ", "")
    if "->" not in text:
        letters = text.replace(",", "").replace("...", "")
        dots = "..." if "..." in text else ""
        text += "->" + dots + "".join(sorted(each for each in set(letters) if letters.count(each) == 1))
    text = _without_dots(text, [np.ndim(plain(each)) for each in operands])
    data = np.einsum(subscripts, *plain(operands), optimize=optimize)
    return einsum_flow(data, text, operands)


def _without_dots(text: str, ndims: list[int]) -> str:
    """Return the subscripts with letters in the places of dots, the same ones for the last axes of all operands."""
    if "..." not in text:
        return text
    left, out = text.split("->")
    words = left.split(",")
    free = [each for each in reversed(_LETTERS) if each not in text]
    counts = [ndim - len(word) + 3 if "..." in word else 0 for word, ndim in zip(words, ndims, strict=True)]
    letters = "".join(free[: max(counts)])
    filled = [word.replace("...", letters[len(letters) - count :]) for word, count in zip(words, counts, strict=True)]
    return f"{','.join(filled)}->{out.replace('...', letters)}"


def _outer(a: Any, b: Any) -> Any:
    return einsum_flow(np.outer(plain(a), plain(b)), "a,b->ab", (np.ravel(a), np.ravel(b)))


PRODUCTS: dict[Any, Callable[..., Any]] = {
    np.dot: _dot,
    np.inner: _inner,
    np.vdot: _vdot,
    np.tensordot: _tensordot,
    np.einsum: _einsum,
    np.outer: _outer,
}
"""Functions that are sums of products."""
