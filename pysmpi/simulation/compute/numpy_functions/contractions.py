"""Sums of products, such as `numpy.matmul`, `dot` and `einsum`: shape of the result, operations, routine of BLAS.

All are written as subscripts of `numpy.einsum`, with a letter for each axis. Example: ``ij,jk->ik`` is the product of
two matrices. The sizes of i, j and k give the shape of its result and 2 · i · j · k operations, and BLAS computes it by
gemm. Element (i, k) of the result depends on row i of the first matrix and on column k of the second one.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_letters, ascii_lowercase
from typing import Any

import numpy as np

from pysmpi.simulation.compute.flops import multiply_flops

__all__ = ["CALLING_BLAS", "CONTRACTIONS", "Contraction", "Routine", "contractions_of_ufunc", "shape_of"]

_Shape = Sequence[int]
_ShapeOf = Callable[[Any], _Shape]
Routine = tuple[str, Mapping[str, int]]
"""Routine of BLAS or LAPACK, without the letter of its precision, and its sizes."""


@dataclass(frozen=True)
class Contraction:
    """Call of a function that sums products.

    Attributes:
        operands: operands, as they were passed.
        words: letters of the axes of each operand.
        result: letters of the axes of the result.
        out: array for the result, or None.
        is_flat: whether operands are used as vectors, whatever their shape.
        repeated: letters whose axes of length 1 are repeated if another operand has more elements (broadcasting).
    """

    operands: tuple[Any, ...]
    words: tuple[str, ...]
    result: str
    out: Any = None
    is_flat: bool = False
    repeated: frozenset[str] = frozenset()

    def sizes(self, shapes: Sequence[_Shape]) -> dict[str, int]:
        """Return the size of each axis letter (as in einsum) for operands of these shapes.

        Raises:
            ValueError: the shapes do not match.
        """
        sizes: dict[str, int] = {}
        for word, shape in zip(self.words, shapes, strict=True):
            for letter, size in zip(word, (math.prod(shape),) if self.is_flat else shape, strict=True):
                known = sizes.setdefault(letter, size)
                if known == 1 and letter in self.repeated:
                    sizes[letter] = size
                elif size != known and not (size == 1 and letter in self.repeated):
                    raise ValueError(f"operands of shapes {' and '.join(map(str, shapes))} do not match")
        return sizes

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape of the result."""
        return tuple(sizes[letter] for letter in self.result)

    def flops(self, sizes: Mapping[str, int], kind: str) -> float:
        """Return the operations for numbers of a kind ("f", "c" …), if operands are contracted from left to right."""
        flops = 0.0
        held = set(self.words[0])
        for number, word in enumerate(self.words[1:], 1):
            met = held | set(word)
            flops += multiply_flops([sizes[letter] for letter in met], 1, kind)
            held = met & set(self.result).union(*self.words[number + 1 :])
        return flops

    def routine(self, sizes: Mapping[str, int]) -> tuple[Routine, int]:
        """Return the routine that computes a product of two operands, and how often it is called."""
        first, second = (set(word) - self.repeated for word in self.words)
        loops = self.repeated.intersection(self.result)
        groups = first - second, second - first, first & second, loops
        m, n, k, times = (math.prod(sizes[letter] for letter in letters) for letters in groups)
        if m == 1 and n == 1:
            return ("dot", {"n": k}), times
        if m == 1 or n == 1:
            return ("gemv", {"m": max(m, n), "n": k}), times
        return ("gemm", {"m": m, "n": n, "k": k}), times


def shape_of(operand: Any) -> tuple[int, ...]:
    """Return the shape of an operand."""
    return operand.shape if isinstance(operand, np.ndarray) else np.shape(operand)


def contractions_of_ufunc(ufunc: Any, operands: Sequence[Any], shape: _ShapeOf = shape_of) -> list[Contraction]:
    """Return a contraction for each result of a universal function of vectors or matrices, from its signature.

    Example: numpy.matmul has the signature ``(n?,k),(k,m?)->(n?,m?)``. An axis with a question mark is left out for
    operands with fewer axes. The axes before the last ones are repeated like those of all universal functions.

    Raises:
        ValueError: an operand has too few axes.
    """
    before, after = ([core.split(",") if core else [] for core in re.findall(r"\(([^)]*)\)", part)]
                     for part in ufunc.signature.split("->"))  # fmt: skip
    names = dict.fromkeys(name for core in before + after for name in core)
    letter = dict(zip(names, ascii_letters, strict=False))
    loops = ascii_letters[: len(letter) - 1 : -1]
    words, present = [], set()
    longest = 0
    for core, operand in zip(before, operands, strict=True):
        ndim = len(shape(operand))
        kept = [name for name in core if ndim >= len(core) or not name.endswith("?")]
        if len(kept) > ndim:
            raise ValueError(f"{ufunc.__name__}: an operand of {ndim} dimensions has too few")
        present.update(kept)
        longest = max(longest, ndim - len(kept))
        words.append(_last(loops, ndim - len(kept)) + "".join(letter[name] for name in kept))
    made = ["".join(letter[name] for name in core if name in present or not name.endswith("?")) for core in after]
    return [
        Contraction(tuple(operands), tuple(words), _last(loops, longest) + each, repeated=frozenset(loops))
        for each in made
    ]


def _last(letters: str, count: int) -> str:
    return letters[len(letters) - count :]


def _of_ufunc(name: str) -> Callable[..., Contraction | None]:
    def describe(shape: _ShapeOf, a: Any, b: Any, out: Any = None, **options: Any) -> Contraction | None:
        if {"axis", "axes"} & set(options):
            return None
        return replace(contractions_of_ufunc(getattr(np, name), (a, b), shape)[0], out=out)

    return describe


def _dot(shape: _ShapeOf, a: Any, b: Any, out: Any = None) -> Contraction | None:
    x, y = len(shape(a)), len(shape(b))
    if x == 0 or y == 0:
        return None
    first, second = ascii_lowercase[: x - 1], ascii_lowercase[-y:]
    summed = second[max(y - 2, 0)]
    return Contraction((a, b), (first + summed, second), first + second.replace(summed, ""), out)


def _inner(shape: _ShapeOf, a: Any, b: Any) -> Contraction | None:
    x, y = len(shape(a)), len(shape(b))
    return None if x == 0 or y == 0 else _tensordot(shape, a, b, ([x - 1], [y - 1]))


def _vdot(_: _ShapeOf, a: Any, b: Any) -> Contraction:
    return Contraction((a, b), ("a", "a"), "", is_flat=True)


def _outer(_: _ShapeOf, a: Any, b: Any, out: Any = None) -> Contraction:
    return Contraction((a, b), ("a", "b"), "ab", out, is_flat=True)


def _tensordot(shape: _ShapeOf, a: Any, b: Any, axes: Any = 2) -> Contraction:
    x, y = len(shape(a)), len(shape(b))
    pairs = (range(x - axes, x), range(axes)) if isinstance(axes, int | np.integer) else axes
    of_a, of_b = ([range(ndim)[int(each)] for each in ([part] if np.ndim(part) == 0 else part)]
                  for ndim, part in zip((x, y), pairs, strict=True))  # fmt: skip
    first, second = list(ascii_letters[:x]), list(ascii_letters[x : x + y])
    for i, j in zip(of_a, of_b, strict=True):
        second[j] = first[i]
    kept = [each for i, each in enumerate(first) if i not in of_a]
    kept += [each for j, each in enumerate(second) if j not in of_b]
    return Contraction((a, b), ("".join(first), "".join(second)), "".join(kept))


def _einsum(shape: _ShapeOf, subscripts: Any, *operands: Any, out: Any = None, **_: Any) -> Contraction | None:
    if not isinstance(subscripts, str):
        return None
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    words = left.split(",")
    letters = left.replace(",", "").replace("...", "")
    free = [each for each in reversed(ascii_letters) if each not in letters]
    counts = [len(shape(each)) - len(word) + 3 if "..." in word else 0
              for word, each in zip(words, operands, strict=True)]  # fmt: skip
    dots = "".join(free[: max(counts)])
    if not arrow:
        result = "..." + "".join(sorted(each for each in set(letters) if letters.count(each) == 1))
    filled = [word.replace("...", _last(dots, count)) for word, count in zip(words, counts, strict=True)]
    return Contraction(operands, tuple(filled), result.replace("...", dots), out, repeated=frozenset(ascii_letters))


CONTRACTIONS: Mapping[str, Callable[..., Contraction | None]] = {
    **{name: _of_ufunc(name) for name in ("matmul", "vecdot", "matvec", "vecmat")},
    **{f"linalg.{name}": _of_ufunc(name) for name in ("matmul", "vecdot")},
    "dot": _dot,
    "inner": _inner,
    "vdot": _vdot,
    "outer": _outer,
    "tensordot": _tensordot,
    "einsum": _einsum,
    "linalg.outer": _outer,
    "linalg.tensordot": _tensordot,
}
"""Functions that return the `Contraction` of a call, by the name of NumPy's function.

Each takes a function that returns the shape of an operand, then the arguments of NumPy's function. The result is None
for a product with a scalar, for other axes than the last ones, and for subscripts of einsum that are not a string.
"""

CALLING_BLAS = ("dot", "matmul", "inner", "vdot")
"""NumPy functions whose products the BLAS model charges as calls of BLAS routines."""
