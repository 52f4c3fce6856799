"""Conversion of the syntax trees of Aspen files to source text; parsing the text gives equal trees."""

from collections.abc import Iterable, Iterator

from pysmpi.aspen.machine_writer import component_lines
from pysmpi.aspen.statement_text import arguments_text, param_text, traits_text
from pysmpi.aspen.syntax_tree import (
    Application,
    Call,
    Chain,
    Component,
    Control,
    Data,
    Enum,
    Execute,
    Exposes,
    Expression,
    File,
    Group,
    If,
    Import,
    Include,
    Item,
    Kernel,
    Loop,
    Mapping,
    Need,
    Param,
    Probability,
    Requires,
    Sample,
    Statement,
    Steps,
    Superstep,
    Switch,
)
from pysmpi.formulas.expressions.text import condition_text, expression_text

__all__ = ["file_text"]

_INDENT = "  "


def file_text(file: File) -> str:
    """Return the Aspen source text for the syntax tree of a file."""
    return "".join(f"{line}\n" for item in file.items for line in _item(item))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"{_INDENT}{line}" for line in lines)


def _item(item: Item) -> Iterator[str]:
    match item:
        case Enum(name, values):
            yield f"enum {name} {{ {', '.join(values)} }}"
        case Kernel(name, arguments, body):
            given = ", ".join(f"{each.kind} {each.name}".strip() for each in arguments)
            yield f"kernel {name}{f'({given})' if given else ''} {{"
            for statement in body:
                yield from _indented(_statement(statement))
            yield "}"
        case Control(name, body):
            yield from _block(f"control {name}", body)
        case Include(path):
            yield f'include "{path}"'
        case Component():
            yield from component_lines(item)
        case Application(name, items):
            yield f"model {name} {{"
            for each in items:
                yield from _indented(_item(each))
            yield "}"
        case Mapping():
            yield from _mapping(item)
        case _:
            yield from _statement(item)


def _mapping(mapping: Mapping) -> Iterator[str]:
    yield f"model {mapping.name} {{"
    yield from _indented(map(param_text, mapping.params))
    for word, pairs in (("data", mapping.data), ("kernel", mapping.kernels)):
        if pairs is not None:
            yield f"{_INDENT}{word} {{ {' '.join(f'map {name} to {target}' for name, target in pairs)} }}"
    yield "}"


def _statement(statement: Statement) -> Iterator[str]:
    match statement:
        case Param():
            yield param_text(statement)
        case Data(name, size, traits):
            yield f"data {name}{f' [{expression_text(size)}]' if size is not None else ''}{traits_text(traits)}"
        case Import(name, path, values):
            replaced = ", ".join(f"{key} = {expression_text(value)}" for key, value in values)
            yield f'import {name} from "{path}"{f" with {replaced}" if replaced else ""}'
        case Exposes(parallelism, traits):
            yield f"exposes parallelism [{expression_text(parallelism)}]{traits_text(traits)}"
        case Requires(need):
            yield f"requires {_need(need)}"
        case Chain(steps):
            before: list[str] = []
            for step in steps:
                lines = list(_statement(step))
                if before:
                    before[-1] += f" -> {lines[0]}"
                    lines = lines[1:]
                before += lines
            yield from before
        case _:
            yield from _step(statement)


def _need(need: Need) -> str:
    size = f" of size [{expression_text(need.size)}]" if need.size is not None else ""
    array = f" {need.direction} {need.array}" if need.array else ""
    return f"{need.resource} [{expression_text(need.amount)}]{size}{array}{traits_text(need.traits)}"


def _step(step: Statement) -> Iterator[str]:
    match step:
        case Execute(name, parallelism, label, needs):
            count = f" [{expression_text(parallelism)}]" if parallelism is not None else ""
            yield f"execute{_spaced(name)}{count}{_quoted(label)} {{"
            yield from _indented(map(_need, needs))
            yield "}"
        case Call(name, arguments):
            yield f"call {name}{arguments_text(arguments)}"
        case Loop(kind, counter, count, label, body):
            yield from _block(f"{kind}{_spaced(counter)} [{expression_text(count)}]{_quoted(label)}", body)
        case Group(kind, label, body):
            yield from _block(f"{kind}{_quoted(label)}", body)
        case Superstep(parts):
            yield "{"
            for number, part in enumerate(parts, 1):
                for each in part:
                    yield from _indented(_statement(each))
                if number < len(parts):
                    yield ","
            yield "}"
        case If(condition, then, otherwise):
            yield from _block(f"if ({condition_text(condition)})", then)
            if otherwise is not None:
                yield from _block("else", otherwise)
        case Probability(cases, otherwise):
            yield from _cases("probability", cases, otherwise)
        case Switch(name, cases, otherwise):
            yield from _cases(f"switch ({name})", cases, otherwise)
        case Sample(name, distribution, arguments):
            yield f"sample {name} from {distribution}({', '.join(map(expression_text, arguments))})"


def _cases(opening: str, cases: tuple[tuple[Expression, Steps], ...], otherwise: Steps | None) -> Iterator[str]:
    yield f"{opening} {{"
    for value, body in cases:
        yield from _indented(_block(f"[{expression_text(value)}]", body))
    if otherwise is not None:
        yield from _indented(_block("else", otherwise))
    yield "}"


def _block(opening: str, body: Steps) -> Iterator[str]:
    yield f"{opening} {{"
    for step in body:
        yield from _indented(_statement(step))
    yield "}"


def _spaced(word: str) -> str:
    return f" {word}" if word else ""


def _quoted(label: str) -> str:
    return f' "{label}"' if label else ""
