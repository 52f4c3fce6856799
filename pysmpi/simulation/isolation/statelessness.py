"""Proof that a module's top level holds no state: only imports, functions, classes and constant expressions.

Such a module may be shared by all ranks. The check is conservative: anything unknown counts as state. Assignments of
other modules to a shared module's attributes are noticed at run time (pysmpi/native/isolation).

Example: ``LIMIT = 3`` and ``NAMES = ("a", "b")`` hold no state. ``found = {}`` does, because any function may change
the dictionary. So does ``def f(): global limit``.
"""

import ast
from collections.abc import Iterable, Sequence

__all__ = ["state_of"]

# Calls that return immutable values, or objects whose state is private to ranks anyway (loggers).
_PURE = frozenset((
    "frozenset", "tuple", "range", "int", "float", "str", "bytes", "complex", "bool", "len", "min", "max",
    "abs", "round", "slice", "TypeVar", "ParamSpec", "NewType", "namedtuple", "field", "auto", "property",
    "classmethod", "staticmethod", "collections.namedtuple", "typing.TypeVar", "typing.NewType",
    "typing.NamedTuple", "dataclasses.field", "enum.auto", "re.compile", "np.dtype", "numpy.dtype",
    "np.float64", "np.int64", "np.float32", "np.int32", "np.finfo", "np.iinfo", "logging.getLogger",
    "getLogger", "Path", "pathlib.Path", "os.path.join", "os.path.dirname", "os.path.abspath", "struct.Struct",
    "operator.attrgetter", "operator.itemgetter",
))  # fmt: skip
_PURE_MODULES = frozenset(("math", "cmath"))
_DECORATORS = frozenset((
    "staticmethod", "classmethod", "property", "abstractmethod", "abc.abstractmethod", "dataclass",
    "dataclasses.dataclass", "cached_property", "functools.cached_property", "contextmanager",
    "contextlib.contextmanager", "wraps", "functools.wraps", "total_ordering", "functools.total_ordering", "overload",
    "typing.overload", "final", "typing.final", "override", "typing.override", "unique", "enum.unique",
    "runtime_checkable", "typing.runtime_checkable", "shared_cache", "pysmpi.shared_cache",
))  # fmt: skip


class _State(Exception):
    """Exception for a statement that may hold state, with the statement's line."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(f"line {getattr(node, 'lineno', '?')}: {what}")


def state_of(source: str | bytes) -> str | None:
    """Search the top level of a module's source for state.

    Returns:
        The line and a description of the first statement that may hold state, or None if the top level provably holds
        no state.
    """
    try:
        module = ast.parse(source)
        names = _top_level_names(module.body)
        _check_body(module.body)
        _check_functions(module, names)
    except _State as found:
        return str(found)
    return None


def _top_level_names(body: Iterable[ast.stmt]) -> set[str]:
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    return names


def _check_body(body: Sequence[ast.stmt]) -> None:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass():
                pass
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                _check_signature(node)
            case ast.ClassDef():
                _check_class(node)
            case ast.Assign():
                _check_assignment(node, node.targets, node.value)
            case ast.AnnAssign(value=None):
                pass
            case ast.AnnAssign(value=value) if value is not None:
                _check_assignment(node, [node.target], value)
            case ast.If():
                if not _is_main_guard(node.test):
                    _check_constant(node.test)
                    _check_body(node.body)
                _check_body(node.orelse)
            case ast.Try():
                _check_body(node.body)
                for handler in node.handlers:
                    _check_body(handler.body)
                _check_body(node.orelse)
                _check_body(node.finalbody)
            case ast.Assert():
                _check_constant(node.test)
            case _ if type(node).__name__ == "TypeAlias":  # from CPython 3.12 on
                pass
            case _:
                raise _State(node, f"a statement of kind {type(node).__name__} at the top level")


def _is_main_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _check_assignment(node: ast.stmt, targets: Sequence[ast.expr], value: ast.expr) -> None:
    for target in targets:
        named = target.elts if isinstance(target, ast.Tuple) else [target]
        if not all(isinstance(each, ast.Name) for each in named):
            raise _State(node, "an assignment to something other than a name")
        if any(isinstance(each, ast.Name) and each.id in {"__all__", "__slots__"} for each in named):
            return
    _check_constant(value)


def _check_class(node: ast.ClassDef) -> None:
    _check_decorators(node.decorator_list)
    for base in node.bases:
        _check_constant(base)
    for keyword in node.keywords:
        _check_constant(keyword.value)
    _check_body(node.body)


def _check_signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    _check_decorators(node.decorator_list)
    for default in [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]:
        _check_constant(default)


def _check_decorators(decorators: Sequence[ast.expr]) -> None:
    for decorator in decorators:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = ast.unparse(called)
        if name not in _DECORATORS and not name.endswith((".setter", ".getter", ".deleter")):
            raise _State(decorator, f"the decorator {name} may keep state")


def _check_constant(node: ast.expr) -> None:
    match node:
        case ast.Constant() | ast.Name() | ast.Lambda():
            return
        case ast.Attribute(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
            _check_constant(value)
        case ast.UnaryOp(operand=operand):
            _check_constant(operand)
        case ast.BinOp(left=left, right=right):
            _check_constant(left)
            _check_constant(right)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.JoinedStr(values=parts):
            for part in parts:
                _check_constant(part)
        case ast.Compare(left=left, comparators=comparators):
            for part in [left, *comparators]:
                _check_constant(part)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            for part in (test, body, orelse):
                _check_constant(part)
        case ast.Subscript(value=value, slice=index):
            _check_constant(value)
            if not isinstance(index, ast.Slice):
                _check_subscript(index)
        case ast.Call():
            _check_call(node)
        case _:
            raise _State(node, f"{_shortened(node)} may be mutable")


def _check_subscript(index: ast.expr) -> None:
    """Check that the arguments of a generic type, such as ``[int]`` and ``str`` in Callable[[int], str], hold no
    state."""
    if isinstance(index, ast.List):
        for part in index.elts:
            _check_constant(part)
    elif isinstance(index, ast.Tuple):
        for part in index.elts:
            _check_subscript(part)
    else:
        _check_constant(index)


def _check_call(node: ast.Call) -> None:
    name = ast.unparse(node.func)
    if name not in _PURE and name.partition(".")[0] not in _PURE_MODULES:
        raise _State(node, f"{_shortened(node)} may return a mutable object")
    for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
        if isinstance(argument, ast.List | ast.Set) and name not in {"field", "dataclasses.field"}:
            for part in argument.elts:  # the call reads the list and does not keep it
                _check_constant(part)
        else:
            _check_constant(argument)


def _shortened(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:39] + "…"


def _check_functions(module: ast.Module, names: set[str]) -> None:
    """Check that no function changes state of the module.

    Such state is a global variable, an attribute of a class, function or module, or the module's dictionary.
    """
    for node in ast.walk(module):
        if isinstance(node, ast.Global):
            raise _State(node, f"'global {', '.join(node.names)}'")
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            _check_changed(node, node.value, names)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in {"globals", "exec"}:
                raise _State(node, f"a call of {node.func.id}")
            if node.func.id in {"setattr", "delattr"} and node.args:
                _check_changed(node, node.args[0], names)


def _check_changed(node: ast.AST, owner: ast.expr, names: set[str]) -> None:
    if isinstance(owner, ast.Name) and (owner.id in names or owner.id in {"cls", "__class__"}):
        raise _State(node, f"an attribute of {owner.id} is changed")
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "type":
        raise _State(node, "an attribute of a class is changed")
    if isinstance(owner, ast.Attribute):
        if owner.attr == "__class__":
            raise _State(node, "an attribute of a class is changed")
        _check_changed(node, owner.value, names)
