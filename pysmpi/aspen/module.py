"""Definitions of an application: its parameters, data, kernels, control flows and imported applications."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pysmpi.aspen.aspen_dialect import POWERS_OF_TEN, Place, error_at
from pysmpi.aspen.model_files import all_items, find_file, read_file
from pysmpi.aspen.syntax_tree import (
    Component,
    Control,
    Data,
    Enum,
    File,
    Import,
    Item,
    Kernel,
    Number,
    Param,
    names_in,
    nodes_of,
)

__all__ = ["Module", "add_named", "params_of", "read_module"]


@dataclass
class Module:
    """Definitions in the file of an application, and in the files that it includes and imports.

    Attributes:
        path: path of the file.
        params: parameters, and the values of enums, by name.
        data: data by name.
        kernels: kernels by name.
        controls: control flows by name.
        imports: pairs of an import statement and the imported application, by the name in the statement.
    """

    path: str
    params: dict[str, Param] = field(default_factory=dict)
    data: dict[str, Data] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    controls: dict[str, Control] = field(default_factory=dict)
    imports: dict[str, tuple[Import, "Module"]] = field(default_factory=dict)

    @property
    def flows(self) -> dict[str, Kernel | Control]:
        """Kernels and control flows by name; no kernel has the name of a control flow."""
        return {**self.kernels, **self.controls}

    @cached_property
    def settable(self) -> tuple[str, ...]:
        """Names that can be given a value: parameters, arguments of kernels, and names that are used but not defined.

        The names of imported applications are included. Their parameters begin with the name of the import and a dot,
        as in "fft.n". The names are computed once, so read this property only when all definitions have been added.
        """
        return tuple(dict.fromkeys(self._settable()))

    def _settable(self) -> Iterator[str]:
        yield from self.params
        used = (*self.params.values(), *self.data.values(), *self.flows.values())
        local = {each.name for node in used for each in nodes_of(node) if isinstance(each, Param)}
        yield from (name for name in names_in(used) if name not in local and name not in POWERS_OF_TEN)
        for flow in self.kernels.values():
            yield from (each.name for each in flow.arguments)
        for name, (_, imported) in self.imports.items():
            yield from (f"{name}.{each}" for each in imported.settable)
            yield from (each for each in imported.settable if each not in imported.params)

    def all_names(self) -> Iterator[str]:
        """Yield the names of kernels and control flows, also those of imported applications, such as "fft.main"."""
        yield from self.flows
        for name, (_, module) in self.imports.items():
            yield from (f"{name}.{each}" for each in module.all_names())


def read_module(path: str, file: File | None = None) -> Module:
    """Return the definitions of an application, including those of the files that it includes and imports.

    Args:
        path: path of the application's file.
        file: syntax tree of the file, or None to read the file.

    Raises:
        AspenError: a file cannot be read or is not an application, a name is defined twice, or a file imports itself,
            perhaps through other files.
    """
    return _module(path, all_items(file or read_file(path), path), [])


def params_of(item: Param | Enum) -> Iterator[Param]:
    """Yield a parameter itself, or the parameters that an enum defines.

    Example: ``enum E { A, B }`` defines the parameters A = 0 and B = 1. Their `limits` are "E".
    """
    if isinstance(item, Param):
        yield item
        return
    for number, name in enumerate(item.values):
        yield Param(name, 0, Number(float(number), place=item.place), item.name, place=item.place)


_Named = TypeVar("_Named", Param, Data, Kernel, Control)


def add_named(table: dict[str, _Named], item: _Named, others: Iterable[dict[str, Kernel | Control]] = ()) -> None:
    """Add a definition, such as a kernel, to a dict under its name.

    Args:
        table: definitions by name.
        item: definition to add.
        others: further dicts in which the name must not occur either.

    Raises:
        AspenError: one of the dicts has a definition of this name.
    """
    before: Place | None = table[item.name].place if item.name in table else None
    for other in others:
        before = other[item.name].place if item.name in other else before
    if before is not None:
        where = f"line {before.line}" if before.file == item.place.file else str(before)
        raise error_at(item.place, f"{item.name!r} is defined twice (first in {where})")
    table[item.name] = item


def _module(path: str, items: list[Item], opened: list[tuple[str, int]]) -> Module:
    found = Module(path)
    for item in items:
        match item:
            case Param() | Enum():
                for param in params_of(item):
                    add_named(found.params, param)
            case Data():
                add_named(found.data, item)
            case Kernel():
                add_named(found.kernels, item, [dict(found.controls)])
                for statement in item.body:
                    if isinstance(statement, Import):
                        _import(found, statement, opened)
            case Control():
                add_named(found.controls, item, [dict(found.kernels)])
            case Import():
                _import(found, item, opened)
            case Component():
                raise error_at(
                    item.place, f"{item.type} {item.name!r} is not allowed in an application; move it to a machine file"
                )
    return found


def _import(module: Module, item: Import, opened: list[tuple[str, int]]) -> None:
    if item.name in module.imports:
        line = module.imports[item.name][0].place.line
        raise error_at(item.place, f"{item.name!r} is imported twice (first in line {line})")
    path = find_file(item.path, item.place)
    chain = [*opened, (module.path, item.place.line)]
    same = [number for number, (each, _) in enumerate(chain) if Path(each).resolve() == Path(path).resolve()]
    if same:
        steps = " → ".join(f"{Path(each).name} (line {line})" for each, line in chain[same[0] :])
        raise error_at(item.place, f"{Path(path).name!r} imports itself: {steps} → {Path(path).name}")
    module.imports[item.name] = (item, _module(path, all_items(read_file(path), path), chain))
