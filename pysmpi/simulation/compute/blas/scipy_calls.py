"""Functions of ``scipy.linalg.blas`` and ``lapack``: the sizes of a call, and its results for folded arrays
(whose contents do not matter)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pysmpi.simulation.compute.blas.replaced_function import Part, ReplacedFunction
from pysmpi.simulation.compute.blas.routines import ROUTINES, split_name
from pysmpi.simulation.compute.folded import folded_empty, is_folded

__all__ = ["ScipyRoutine"]

Arguments = dict[str, Any]
Sizes = dict[str, int]

_TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}


class _WithoutVectors(Exception):
    """Error for a call that computes no eigenvectors or singular vectors, because models do not cover such calls."""


def _rows(matrix: Any) -> int:
    return int(np.shape(matrix)[0])


def _columns(matrix: Any) -> int:
    shape = np.shape(matrix)
    return int(shape[1]) if len(shape) > 1 else 1


def _length(a: Arguments, name: str = "x") -> int:
    """Return how many elements of a vector argument SciPy passes to the routine."""
    if a.get("n") is not None:
        return int(a["n"])
    return (int(np.size(a[name])) - int(a.get(f"off{name}", 0))) // abs(int(a.get(f"inc{name}", 1)))


def _vector(a: Arguments) -> Sizes:
    return {"n": _length(a)}


def _matrix(a: Arguments) -> Sizes:
    return {"m": _rows(a["a"]), "n": _columns(a["a"])}


def _order(name: str) -> Callable[[Arguments], Sizes]:
    return lambda a: {"n": _rows(a[name])}


def _product(a: Arguments) -> Sizes:
    first, second = (np.shape(a[name]) if np.ndim(a[name]) > 1 else (np.size(a[name]), 1) for name in "ab")
    m, k = reversed(first) if a.get("trans_a") else first
    n = second[0] if a.get("trans_b") else second[1]
    return {"m": int(m), "n": int(n), "k": int(k)}


def _one_sided(a: Arguments) -> Sizes:
    m, n = _rows(a["b"]), _columns(a["b"])
    return {"m": m, "n": n, "k": n if a.get("side") else m}


def _update(a: Arguments) -> Sizes:
    n, k = _rows(a["a"]), _columns(a["a"])
    return {"n": k, "k": n} if a.get("trans") else {"n": n, "k": k}


def _system(matrix: str) -> Callable[[Arguments], Sizes]:
    return lambda a: {"n": _rows(a[matrix]), "nrhs": _columns(a["b"])}


def _reflectors(a: Arguments) -> Sizes:
    return {**_matrix(a), "k": int(np.size(a["tau"]))}


def _with_vectors(*flags: str) -> Callable[[Arguments], Sizes]:
    """Return a function that returns the sizes of a call, or raises `_WithoutVectors` if one of the `flags` is 0."""

    def sizes(a: Arguments) -> Sizes:
        if not all(a.get(flag, 1) for flag in flags):
            raise _WithoutVectors
        return _matrix(a) if flags == ("compute_uv",) else {"n": _rows(a["a"])}

    return sizes


_SIZES: dict[str, Callable[[Arguments], Sizes]] = {
    **dict.fromkeys(["dot", "dotu", "dotc", "axpy", "scal", "copy", "swap", "nrm2", "asum", "amax"], _vector),
    "gemv": _matrix,
    **dict.fromkeys(["ger", "geru", "gerc"], lambda a: {"m": _length(a, "x"), "n": _length(a, "y")}),
    **dict.fromkeys(["symv", "hemv", "trmv", "trsv"], _order("a")),
    "gemm": _product,
    **dict.fromkeys(["symm", "hemm", "trmm", "trsm"], _one_sided),
    **dict.fromkeys(["syrk", "herk", "syr2k", "her2k"], _update),
    **dict.fromkeys(["getrf", "geqrf", "geqp3"], _matrix),
    **dict.fromkeys(["potrf"], _order("a")),
    "laswp": lambda a: {"n": _columns(a["a"]), "k": int(a.get("k2", np.size(a["piv"]) - 1)) - int(a.get("k1", 0)) + 1},
    "getri": _order("lu"),
    **dict.fromkeys(["potri", "trtri", "lauum"], _order("c")),
    "getrs": _system("lu"),
    "potrs": _system("c"),
    **dict.fromkeys(["gesv", "posv", "trtrs"], _system("a")),
    **dict.fromkeys(["gels", "gelsd"], lambda a: {**_matrix(a), "nrhs": _columns(a["b"])}),
    **dict.fromkeys(["orgqr", "ungqr"], _reflectors),
    **dict.fromkeys(["syev", "heev", "syevd", "heevd", "syevr", "heevr"], _with_vectors("compute_v")),
    "geev": _with_vectors("compute_vr", "compute_vl"),
    **dict.fromkeys(["gesdd", "gesvd"], _with_vectors("compute_uv")),
}


class _Outputs:
    """Results of a call on folded arrays, whose contents do not matter: arrays and numbers of the right shape and type.

    Args:
        a: arguments of the call, by name.
        sizes: sizes of the call.
        kind: type of the numbers.
    """

    def __init__(self, a: Arguments, sizes: Sizes, kind: Any) -> None:
        self._a, self._sizes, self._kind = a, sizes, np.dtype(kind)

    def __call__(self, name: str) -> Any:
        """Return the result that SciPy's documentation of the routine calls `name`, such as "info" or "work"."""
        s = self._sizes
        shapes: dict[str, tuple[int, ...]] = {
            "tau": (min(s.get("m", 0), s.get("n", 0)),),
            "work": (1,),
            "w": (s.get("n", 0),),
            "wr": (s.get("n", 0),),
            "wi": (s.get("n", 0),),
            "s": (min(s.get("m", 0), s.get("n", 0)),),
        }
        if name == "info":
            return 0
        if name in {"piv", "jpvt"}:
            return np.arange(min(s["n"], s.get("m", s["n"])) if name == "piv" else s["n"], dtype=np.intc)
        if name in shapes:
            real = np.dtype(self._kind.char.lower())
            return self._new(shapes[name], real if name in {"w", "s"} else self._kind)
        return None

    def changed(self, name: str, shape: tuple[int, ...] | None = None) -> Any:
        """Return the array for the result `name`: the operand itself if the call may overwrite it, else a new array."""
        given = self._a.get(name)
        shape = tuple(np.shape(self._a[name])) if shape is None else shape
        if self._a.get(f"overwrite_{name}", 0) and given is not None and self._fits(given, shape):
            return given
        return self._new(shape, self._kind)

    def _fits(self, given: Any, shape: tuple[int, ...]) -> bool:
        return bool(given.shape == shape and given.dtype == self._kind and given.flags.f_contiguous)

    def _new(self, shape: tuple[int, ...], kind: Any) -> Any:
        return folded_empty(shape, kind, "F")


def _named(*names: str | Callable[[_Outputs], Any]) -> Callable[[_Outputs, Arguments, Sizes], Any]:
    """Return a function that makes a tuple of results, each given by its name in `_Outputs` or by a function."""
    return lambda out, a, s: tuple(out(each) if isinstance(each, str) else each(out) for each in names)


def _changed(name: str) -> Callable[[_Outputs], Any]:
    return lambda out: out.changed(name)


_RESULTS: dict[str, Callable[[_Outputs, Arguments, Sizes], Any]] = {
    **dict.fromkeys(["dot", "nrm2", "asum"], lambda out, a, s: 1.0),
    **dict.fromkeys(["dotu", "dotc"], lambda out, a, s: 1.0 + 0.0j),
    "amax": lambda out, a, s: 0,
    **dict.fromkeys(["axpy", "copy"], lambda out, a, s: a["y"]),
    "scal": lambda out, a, s: a["x"],
    "swap": lambda out, a, s: (a["x"], a["y"]),
    "gemv": lambda out, a, s: out.changed("y", (s["n"] if a.get("trans") else s["m"],)),
    **dict.fromkeys(["ger", "geru", "gerc"], lambda out, a, s: out.changed("a", (s["m"], s["n"]))),
    **dict.fromkeys(["symv", "hemv"], lambda out, a, s: out.changed("y", (s["n"],))),
    **dict.fromkeys(["trmv", "trsv"], lambda out, a, s: out.changed("x")),
    **dict.fromkeys(["gemm", "symm", "hemm"], lambda out, a, s: out.changed("c", (s["m"], s["n"]))),
    **dict.fromkeys(["trmm", "trsm"], lambda out, a, s: out.changed("b")),
    **dict.fromkeys(["syrk", "herk", "syr2k", "her2k"], lambda out, a, s: out.changed("c", (s["n"], s["n"]))),
    "laswp": lambda out, a, s: out.changed("a"),
    "getrf": _named(_changed("a"), "piv", "info"),
    "geqrf": _named(_changed("a"), "tau", "work", "info"),
    "geqp3": _named(_changed("a"), "jpvt", "tau", "work", "info"),
    "potrf": _named(_changed("a"), "info"),
    "getri": _named(_changed("lu"), "info"),
    **dict.fromkeys(["potri", "trtri", "lauum"], _named(_changed("c"), "info")),
    **dict.fromkeys(["getrs", "potrs", "trtrs"], _named(_changed("b"), "info")),
    "gesv": _named(_changed("a"), "piv", _changed("b"), "info"),
    "posv": _named(_changed("a"), _changed("b"), "info"),
    "gels": _named(_changed("a"), _changed("b"), "info"),
    **dict.fromkeys(["orgqr", "ungqr"], _named(_changed("a"), "work", "info")),
    **dict.fromkeys(["syev", "heev", "syevd", "heevd"], _named("w", _changed("a"), "info")),
}


class ScipyRoutine(ReplacedFunction):
    """Stand-in for a routine of BLAS or LAPACK that SciPy wraps with f2py.

    Args:
        original: the wrapped routine; the first line of its documentation is its signature.
        name: routine name, such as "dgemm".
    """

    def __init__(self, original: Any, name: str) -> None:
        super().__init__(original, name)
        self._precision, self._family = split_name(name)
        signature = (original.__doc__ or "").partition("\n")[0].partition("(")[2].rpartition(")")[0]
        self._names = [word for word in signature.replace("[", "").replace("]", "").split(",") if word]

    def _by_name(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Arguments:
        return dict(zip(self._names, arguments, strict=False)) | named

    def parts(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Part]:
        """Return the routine with its sizes; the sizes are empty if the routine is unknown."""
        if self.name not in ROUTINES:
            return [Part(self.name, {})]
        try:
            return [Part(self.name, _SIZES[self._family](self._by_name(arguments, named)))]
        except _WithoutVectors:
            return [Part(f"{self.name} without vectors", {})]

    def carry_out(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the results of the routine; nothing is computed if an operand is a folded array (without real
        contents)."""
        a = self._by_name(arguments, named)
        if self._family not in _RESULTS or not any(isinstance(x, np.ndarray) and is_folded(x) for x in a.values()):
            return super().carry_out(arguments, named)
        sizes = _SIZES[self._family](a)
        return _RESULTS[self._family](_Outputs(a, sizes, _TYPES[self._precision]), a, sizes)
