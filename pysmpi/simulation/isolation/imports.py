"""Import statements of a module, read from its compiled code without running it."""

from collections.abc import Iterator
from dataclasses import dataclass
from opcode import opmap
from types import CodeType

__all__ = ["Import", "imports_of"]

_IMPORT_NAME = opmap["IMPORT_NAME"]
_EXTENDED_ARG = opmap["EXTENDED_ARG"]
_LOAD_CONST = opmap["LOAD_CONST"]
_LOAD_SMALL_INT = opmap.get("LOAD_SMALL_INT", -1)  # new in CPython 3.14


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement.

    Attributes:
        name: absolute name of the module.
        members: names imported from it, which may be submodules.
        nested: whether the statement is inside a function. It then runs when the function is called, if ever.
        quoted: whether this is not a statement but a string in the code with the name of a module (``"mpi4py.MPI"``),
            which may be the argument of ``importlib.import_module``.
    """

    name: str
    members: tuple[str, ...]
    nested: bool
    quoted: bool = False


def imports_of(code: CodeType, package: str) -> Iterator[Import]:
    """Yield the import statements of a module, including those in functions and classes.

    Each string constant ``"mpi4py"`` or ``"mpi4py.…"`` is yielded like an import statement, because the code may pass
    it to ``importlib.import_module`` or ``__import__``.

    Args:
        code: compiled code of the module.
        package: package that relative imports start from.
    """
    yield from _of_code(code, package, nested=False)


def _of_code(code: CodeType, package: str, nested: bool) -> Iterator[Import]:
    bytecode = code.co_code
    operations = bytecode[::2]
    at = operations.find(_IMPORT_NAME)
    while at >= 0:
        found = _import_at(code, bytecode, at, package, nested)
        if found is not None:
            yield found
        at = operations.find(_IMPORT_NAME, at + 1)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            # A class body runs at once, a function body only when it is called.
            in_function = nested or bool(constant.co_flags & 0x02)  # the flag CO_NEWLOCALS, which functions have
            yield from _of_code(constant, package, in_function)
        elif isinstance(constant, str) and (constant == "mpi4py" or constant.startswith("mpi4py.")):
            yield Import(constant, (), nested, quoted=True)


def _argument(bytecode: bytes, at: int) -> tuple[int, int]:
    """Return the argument of the instruction at index `at`, and the index of the first EXTENDED_ARG prefix before it
    (or `at`)."""
    value, shift = bytecode[2 * at + 1], 8
    while at > 0 and bytecode[2 * at - 2] == _EXTENDED_ARG:
        at -= 1
        value |= bytecode[2 * at + 1] << shift
        shift += 8
    return value, at


def _import_at(code: CodeType, bytecode: bytes, at: int, package: str, nested: bool) -> Import | None:
    index, begin = _argument(bytecode, at)
    name = code.co_names[index]
    members, begin = _constant_before(code, bytecode, begin)
    level, _ = _constant_before(code, bytecode, begin)
    if isinstance(level, int) and level > 0:
        base = package.rsplit(".", level - 1)[0] if level > 1 else package
        name = f"{base}.{name}" if name else base
    if not name:
        return None
    return Import(name, tuple(members) if isinstance(members, tuple) else (), nested)


def _constant_before(code: CodeType, bytecode: bytes, at: int) -> tuple[object, int]:
    at -= 1
    while at > 0 and bytecode[2 * at] not in {_LOAD_CONST, _LOAD_SMALL_INT}:
        at -= 1
    value, begin = _argument(bytecode, at)
    return (value if bytecode[2 * at] == _LOAD_SMALL_INT else code.co_consts[value]), begin
