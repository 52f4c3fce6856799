"""Checks of a file that need no values of parameters: names, types, and definitions that use themselves."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pysmpi.aspen.aspen_dialect import POWERS_OF_TEN, Place, error_at
from pysmpi.aspen.machine_parts import MachineParts
from pysmpi.aspen.model_files import all_items, read_file
from pysmpi.aspen.module import Module, read_module
from pysmpi.aspen.references import (
    Reference,
    cycle_of,
    flow_calls,
    references_of_component,
    references_of_module,
)
from pysmpi.aspen.syntax_tree import (
    Application,
    Component,
    Control,
    Data,
    File,
    Import,
    Kernel,
    Mapping,
    Param,
    names_in,
)
from pysmpi.errors import did_you_mean

__all__ = ["Checked", "check_file", "is_machine"]

_IMPLICIT = {"P"}  # names that need no definition: P is the number of processors


@dataclass(frozen=True)
class Checked:
    """Result of the check of a valid file.

    Attributes:
        summary: kind of the file and the number of its definitions, such as "application: 2 parameters, 1 kernel".
        warnings: pairs of file and line, and text, of each warning, in the order of the lines.
    """

    summary: str
    warnings: list[tuple[Place, str]]


def check_file(path: str) -> Checked:
    """Check the names, types and definitions in the file of an application, a machine or a mapping.

    Raises:
        AspenError: the file, or one that it includes or imports, is not valid.
    """
    file = read_file(path)
    if any(isinstance(item, Mapping) for item in file.items):
        return Checked("mapping", [])
    if is_machine(file):
        return _check_machine(path, file)
    return _check_application(path, file)


def is_machine(file: File) -> bool:
    """Return whether a file describes a machine or a part of one.

    The file has components itself, or it includes files with components and has no statements of an application.
    """
    items = [*file.items, *(each for item in file.items if isinstance(item, Application) for each in item.items)]
    if any(isinstance(item, Component) for item in items):
        return True
    is_application = any(isinstance(item, Kernel | Control | Data | Import | Application) for item in items)
    return not is_application and any(isinstance(item, Component) for item in all_items(file, _path_of(items)))


def _path_of(items: Iterable[object]) -> str:
    for item in items:
        place = getattr(item, "place", None)
        if isinstance(place, Place):
            return place.file
    return ""


def _check_application(path: str, file: File) -> Checked:
    module = read_module(path, file)
    _check_params(module.params)
    _check_calls(module)
    warnings = list(_unknown_names(references_of_module(module), {*module.params, *_IMPLICIT}))
    counts = [
        (len(module.params), "parameter"),
        (len(module.data), "data statement"),
        (len(module.kernels), "kernel"),
        (len(module.controls), "control flow"),
        (len(module.imports), "import"),
    ]
    return Checked(f"application: {_counted(counts)}", _sorted(warnings))


def _check_machine(path: str, file: File) -> Checked:
    parts = MachineParts.read(path, file)
    _check_params(parts.params)
    references = [each for component in parts.components for each in references_of_component(component, parts)]
    warnings = list(_unknown_names(references, {*parts.params, *_IMPLICIT}))
    by_type: dict[str, int] = {}
    for component in parts.components:
        by_type[component.type] = by_type.get(component.type, 0) + 1
    counts = [(len(parts.params), "parameter"), *((count, kind) for kind, count in by_type.items())]
    return Checked(f"machine: {_counted(counts)}", _sorted(warnings))


def _counted(counts: Iterable[tuple[int, str]]) -> str:
    plurals = {"memory": "memories"}
    return (
        ", ".join(f"{count} {noun if count == 1 else plurals.get(noun, f'{noun}s')}" for count, noun in counts if count)
        or "nothing"
    )


def _sorted(warnings: list[tuple[Place, str]]) -> list[tuple[Place, str]]:
    return sorted(dict.fromkeys(warnings), key=lambda each: (each[0].file, each[0].line))


def _check_params(params: dict[str, Param]) -> None:
    """Check that no parameter's definition uses the parameter itself, directly or through others."""
    cycle = cycle_of({name: list(names_in(param.value)) for name, param in params.items()})
    if cycle:
        steps = " → ".join(f"{name} (line {params[name].place.line})" for name in cycle)
        raise error_at(params[cycle[0]].place, f"{cycle[0]!r} is defined by itself: {steps} → {cycle[0]}")


def _check_calls(module: Module) -> None:
    """Check that no kernel or control flow calls itself unconditionally, directly or through others."""
    flows = module.flows
    cycle = cycle_of({name: list(flow_calls(flow)) for name, flow in flows.items()})
    if cycle:
        steps = " → ".join(f"{name} (line {flows[name].place.line})" for name in cycle)
        raise error_at(flows[cycle[0]].place, f"{cycle[0]!r} calls itself: {steps} → {cycle[0]}")


def _unknown_names(references: Iterable[Reference], known: set[str]) -> Iterator[tuple[Place, str]]:
    for each in references:
        if each.valid is None:
            if each.name in known or each.name in each.local or each.name in POWERS_OF_TEN:
                continue
            choices = [*each.local, *known]
        else:
            if each.name in each.valid:
                continue
            choices = list(each.valid)
        problem = f"{each.subject} is called {each.name!r}" if each.subject else f"{each.name!r} is not defined"
        yield each.place, f"{problem}{did_you_mean(each.name, choices)}"
