"""NumPy as a traced program sees it: functions that create arrays return traced arrays, which record their values.

Only the program's own modules get this version of NumPy. Libraries that the program uses keep the original functions.
"""

import builtins
import math
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pysmpi.estimates.editing_rules import Vectorized
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.function_rules import meshgrid
from pysmpi.estimates.recorder import Recorder
from pysmpi.estimates.scalars import SCALAR_FUNCTIONS, extreme
from pysmpi.estimates.traced import (
    TracedArray,
    TracedScalar,
    Wrapped,
    current,
    indices,
    is_traced,
    leaves,
    moved,
    named,
    plain,
    values_of,
)  # fmt: skip

__all__ = ["program_view"]

_CREATING = [
    "zeros", "ones", "empty", "full", "arange", "linspace", "logspace", "geomspace", "eye", "identity", "tri",
    "fromfunction", "fromiter", "loadtxt", "genfromtxt", "load", "indices", "frombuffer", "fromstring", "vander",
    "hanning", "hamming", "blackman", "kaiser", "bartlett", "diag_indices", "triu_indices", "tril_indices",
]  # fmt: skip
_CONVERTING = ["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy"]
_LEAVING = ["save", "savetxt", "savez", "savez_compressed"]
_REFUSED = {"threading", "multiprocessing", "concurrent", "_thread", "subprocess"}


class ArrayType(type):
    """Metaclass of `Ndarray`, which a traced program gets as numpy.ndarray.

    Calls such as ``numpy.ndarray((2, 3))`` return traced arrays, and isinstance accepts traced and plain arrays.
    """

    def __call__(cls, *inputs: Any, **options: Any) -> Any:
        return _creating(np.ndarray)(*inputs, **options)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, np.ndarray)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, np.ndarray)

    def __getattr__(cls, name: str) -> Any:
        return getattr(np.ndarray, name)


class Ndarray(metaclass=ArrayType):
    """numpy.ndarray as a traced program sees it."""


class View(types.ModuleType):
    """Module as a traced program sees it, with some functions replaced.

    Args:
        module: the module that it stands for.
        replaced: objects that replace those of the module, by name.
    """

    def __init__(self, module: Any, replaced: dict[str, Any]) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(replaced)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def __dir__(self) -> list[str]:
        return dir(self._module)


class Generator(Wrapped):
    """Random number generator whose arrays are traced."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.wrapped, name)
        if name == "shuffle":
            return _shuffling(found)
        return _drawing(found) if callable(found) and not name.startswith("_") else found


def _shuffling(function: Callable[..., Any]) -> Callable[..., Any]:
    def shuffle(x: Any, *inputs: Any, **options: Any) -> None:
        if not isinstance(x, TracedArray):
            function(x, *inputs, **options)
            return
        if x.ndim != 1 or inputs or options:
            raise EstimateError(
                f"{current().here()}shuffle of an array with several axes has no rule; use x[rng.permutation(len(x))]"
            )
        order = np.arange(len(x.data))
        function(order)
        x[...] = x[order]

    return shuffle


def _made(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(map(_made, found))
    if isinstance(found, np.ndarray) and found.dtype.kind not in "mM":  # dates and times are not traced
        return named(found if found.flags.owndata and found.flags.writeable else np.array(found))
    return found


def _creating(function: Callable[..., Any]) -> Callable[..., Any]:
    def create(*inputs: Any, **options: Any) -> Any:
        if function is np.fromfunction:
            return _from_function(*inputs, **options)
        if function is np.fromiter:
            inputs = (list(inputs[0]), *inputs[1:])
            if any(map(is_traced, inputs[0])):
                return _convert(np.array, inputs[0], *inputs[1:], **options)
        options.pop("like", None)
        made = _made(function(*indices(inputs), **plain(options)))
        if isinstance(made, TracedArray):  # numpy.full(n, s) and the like depend on traced scalars
            for each in (*inputs, *options.values()):
                if is_traced(each) and each.dtype.kind in "fc":
                    current().flow(values_of(each), made.val)
        return made

    create.__name__ = function.__name__
    return create


def _from_function(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **options: Any) -> Any:
    return function(*[named(np.array(each)) for each in np.indices(shape, dtype=dtype)], **options)


def _converting(function: Callable[..., Any]) -> Callable[..., Any]:
    def convert(x: Any, *inputs: Any, **options: Any) -> Any:
        return _convert(function, x, *inputs, **options)

    convert.__name__ = function.__name__
    return convert


def _convert(function: Callable[..., Any], x: Any, *inputs: Any, **options: Any) -> Any:
    recorder = current()
    recorder.enter()
    if isinstance(x, types.GeneratorType | map | range | zip):
        x = list(x)
    if is_traced(x):
        data = function(x.data, *inputs, **options)
        if isinstance(x, TracedArray) and np.may_share_memory(data, x.data):
            return x if data.shape == x.shape else x.reshape(data.shape)
        return moved(data, np.asarray(x.val).reshape(np.shape(data)))
    if _has_traced(x):
        return moved(function(plain(x), *inputs, **options), values_of(x))
    data = function(x, *inputs, **options)
    return _made(data) if isinstance(data, np.ndarray) else data


def _has_traced(x: Any) -> bool:
    return is_traced(x) or (isinstance(x, list | tuple) and any(map(_has_traced, x)))


def _drawing(function: Callable[..., Any]) -> Callable[..., Any]:
    name = getattr(function, "__name__", "")

    def draw(*inputs: Any, **options: Any) -> Any:
        recorder = current()
        recorder.enter()
        if (
            name in {"permutation", "choice"}
            and inputs
            and isinstance(inputs[0], TracedArray)
            and not options.get("axis")
        ):
            return inputs[0][function(len(inputs[0]), *plain(inputs[1:]), **plain(options))]
        recorder.random_events.append(len(recorder.statement) - 1)
        made = _made(function(*plain(inputs), **plain(options)))
        if isinstance(made, TracedArray):
            for each in (*inputs, *options.values()):  # a mean or a deviation, for example
                if is_traced(each) and each.dtype.kind in "fc" and each.shape == made.shape[made.ndim - each.ndim :]:
                    recorder.flow(values_of(each), made.val)
        return made

    return draw


def _generating(name: str) -> Callable[..., Generator]:
    return lambda *inputs, **options: Generator(getattr(np.random, name)(*plain(inputs), **plain(options)))


def _leaving(name: str) -> Callable[..., Any]:
    def leave(*_: Any, **__: Any) -> Any:
        raise leaves(f"numpy.{name}")

    return leave


def _as_strided(x: Any, shape: Any = None, strides: Any = None, **options: Any) -> Any:
    function = np.lib.stride_tricks.as_strided
    shape, strides = plain(shape), plain(strides)
    if not isinstance(x, TracedArray):
        return function(plain(x), shape, strides, **options)

    def view(each: Any) -> Any:
        if each.strides != tuple(step * each.itemsize // x.itemsize for step in x.strides):
            raise EstimateError(f"{current().here()}as_strided of this array has no rule; use sliding_window_view")
        wanted = None if strides is None else tuple(step * each.itemsize // x.itemsize for step in strides)
        return function(each, shape, wanted, **options)

    return x.view_by(view)


def numpy_view() -> View:
    """Return NumPy as a traced program sees it: functions that create arrays return traced ones."""
    drawing = [
        name
        for name in [*dir(np.random.RandomState), "sample", "ranf"]
        if hasattr(np.random, name)
        and name[0] != "_"
        and name not in {"bytes", "get_state", "seed", "set_state", "shuffle"}
    ]
    random = View(
        np.random,
        {
            **{name: _drawing(getattr(np.random, name)) for name in drawing},
            "shuffle": _shuffling(np.random.shuffle),
            **{name: _generating(name) for name in ("default_rng", "Generator", "RandomState")},
        },
    )
    return View(
        np,
        {
            **{name: _creating(getattr(np, name)) for name in _CREATING},
            **{name: _converting(getattr(np, name)) for name in _CONVERTING},
            **{name: _leaving(name) for name in _LEAVING},
            "ndarray": Ndarray,
            "ndenumerate": _enumerated,
            "mgrid": _Grid(np.mgrid),
            "ogrid": _Grid(np.ogrid),
            "r_": _Grid(np.r_),
            "c_": _Grid(np.c_),
            "meshgrid": meshgrid,
            "random": random,
            "vectorize": Vectorized,
            "lib": View(np.lib, {"stride_tricks": View(np.lib.stride_tricks, {"as_strided": _as_strided})}),
        },
    )


def _enumerated(array: Any) -> Iterator[Any]:
    return ((place, array[place]) for place in np.ndindex(np.shape(plain(array))))


class _Grid:
    """Replacement of numpy.mgrid, ogrid, r_ or c_, which returns traced arrays when it is indexed.

    Args:
        grid: the object of NumPy.
    """

    def __init__(self, grid: Any) -> None:
        self._grid = grid

    def __getitem__(self, key: Any) -> Any:
        if _has_traced(key):
            parts = key if isinstance(key, tuple) else (key,)
            return np.concatenate(parts) if self._grid is np.r_ else np.column_stack(parts)
        found = self._grid[plain(key)]
        return type(found)(map(_made, found)) if isinstance(found, list | tuple) else _made(found)


def _scipy_view(found: types.ModuleType) -> types.ModuleType:
    """Return SciPy, or one of its modules, with functions of scipy.sparse that return traced matrices."""
    if found.__name__ == "scipy" and "scipy.sparse" in sys.modules:
        return View(found, {"sparse": _scipy_view(sys.modules["scipy.sparse"])})
    if found.__name__ != "scipy.sparse":
        return found
    from pysmpi.estimates.sparse import SPARSE

    return View(found, SPARSE)


def _identity(plain_id: Callable[[Any], int], recorder: Recorder) -> Callable[[Any], int]:
    """Return a replacement of the built-in id that raises an error for traced arrays."""

    def call(x: Any) -> int:
        if type(x) is TracedArray and recorder.is_own(sys._getframe(1).f_code.co_filename):
            raise EstimateError(
                f"{recorder.here()}the program asks for the address of an array (id), which differs in each run; "
                "compare arrays by 'is' or by their contents"
            )
        return plain_id(x)

    return call


@contextmanager
def program_view() -> Iterator[None]:
    """Give modules of the traced program other versions of NumPy, math and scipy.sparse, while the context lasts.

    Their functions record which values are computed from which. The built-in max, min and id are replaced, too.
    """
    recorder = current()
    view = numpy_view()
    views = [
        (np, view),
        (np.random, view.random),
        (np.lib, view.lib),
        (np.lib.stride_tricks, view.lib.stride_tricks),
        (math, View(math, SCALAR_FUNCTIONS)),
    ]
    plain_import = builtins.__import__

    def program_import(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> types.ModuleType:
        file = (globals or {}).get("__file__")
        if level == 0 and isinstance(file, str) and recorder.is_own(file):
            top = name.partition(".")[0]
            if top in _REFUSED:
                raise EstimateError(
                    f"{recorder.here()}the program imports {top}; threads and processes inside a program cannot be "
                    "followed; run the sequential part only"
                )
            found = plain_import(name, globals, locals, fromlist, level)
            if top == "scipy":
                return _scipy_view(found)
            return next((view for module, view in views if found is module), found)
        return plain_import(name, globals, locals, fromlist, level)

    plain_isscalar = np.isscalar
    builtins.__import__ = program_import
    plain_extremes = builtins.max, builtins.min
    builtins.max, builtins.min = extreme(builtins.max), extreme(builtins.min)
    plain_id = builtins.id
    builtins.id = _identity(plain_id, recorder)
    try:
        view.__dict__["isscalar"] = lambda x: isinstance(x, TracedScalar) or plain_isscalar(x)
        yield
    finally:
        builtins.__import__ = plain_import
        builtins.max, builtins.min = plain_extremes
        builtins.id = plain_id
