"""Generation of Python programs for MPI ranks from applications, with a function for each kernel.

A kernel that only computes becomes a function that returns its seconds. A kernel that sends messages or makes random
choices becomes a function that executes it. Expressions have the operations of the model, in the same order.
"""

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType

from pysmpi.aspen.codegen.identifiers import PythonNames
from pysmpi.aspen.codegen.statements import MARK, Written, marked, overlaps, sends_side_by_side
from pysmpi.aspen.communicators import lanes_needed
from pysmpi.aspen.exchanges import group_shape
from pysmpi.aspen.flow import Flow
from pysmpi.aspen.resolving import Names
from pysmpi.aspen.syntax_tree import Call, Control, Kernel, Name, nodes_of
from pysmpi.aspen.timing import Clock
from pysmpi.formulas.expressions.evaluation import evaluate

__all__ = ["Entry", "program_code", "program_text"]

_MATH = ("ceil", "exp", "floor", "log", "log10", "log2", "sqrt")
_HEAD = '''"""{title}

{computation}
"""

{imports}
from pysmpi.aspen.runtime import {runtime}

{arguments}rank = {rank}
'''


@dataclass(frozen=True)
class Entry:
    """Kernel or control flow from which a program is generated.

    Attributes:
        name: name of the kernel or control flow.
        flow: its steps, with numbers for their repetitions and amounts.
        names: the application with the values of its parameters.
        clock: times of steps on the machine, or None without a machine.
        path: path of the application.
        ranks_are_processors: whether P is the number of ranks.
        seed: seed of random choices.
        ranks: number of ranks.
    """

    name: str
    flow: Flow
    names: Names
    clock: Clock | None
    path: str
    ranks_are_processors: bool
    seed: int
    ranks: int


def program_text(entry: Entry) -> str:
    """Return the text of a program for mpi4py that computes and sends messages as an application does.

    Raises:
        AspenError: the machine lacks a resource, messages have no pattern, or a value cannot be evaluated.
    """
    return re.sub(rf"^ *{MARK}.*\n", "", _text(entry, has_arguments=True), flags=re.MULTILINE)


def program_code(entry: Entry) -> list[CodeType]:
    """Return the compiled parts of the program, which must be executed in order, in the same namespace.

    Tracebacks and profiles of this code name the files and lines of the application. When all parts have been executed,
    ``rank`` in the namespace is the object of the type `Rank`.

    Args:
        entry: kernel or control flow to compile. Its parameters are numbers in the program.
    """
    text = _text(entry, has_arguments=False)
    places: list[tuple[str, int]] = [(entry.path, 1)]
    for line in text.splitlines():
        found = re.match(rf" *{MARK}(\d+) (.*)", line)
        places.append((found[2], int(found[1])) if found else places[-1])
    parts = []
    for node in ast.parse(text).body:
        begin = node.decorator_list[0] if isinstance(node, ast.FunctionDef) and node.decorator_list else node
        file = places[begin.lineno][0]
        for each in ast.walk(node):
            if isinstance(each, ast.stmt | ast.expr | ast.arg | ast.keyword):
                each.lineno = each.end_lineno = places[each.lineno][1]
                each.col_offset = each.end_col_offset = 0
        parts.append(compile(ast.Module([node], []), file, "exec"))
    return parts


def _text(entry: Entry, *, has_arguments: bool) -> str:
    """Return the text of the program. A comment before each statement has the line of the application; see `MARK`.

    Args:
        entry: kernel or control flow to write.
        has_arguments: whether parameters are arguments of the program's command line; otherwise, they are numbers.
    """
    found = entry.names.find(entry.name)
    assert found is not None
    python = PythonNames(entry.names, "P" if entry.ranks_are_processors else None, has_arguments=has_arguments)
    written = Written(python, entry.clock)
    flows = list(_reachable(*found))
    for names, flow in flows:
        written.functions[id(flow)] = python.identifier(f"{names.prefix}{flow.name}")
    written.uses_lanes = any(sends_side_by_side(names, flow) for names, flow in flows)
    written.uses_time = entry.clock is not None and any(overlaps(names, flow) for names, flow in flows)
    written.blocks.processors = python.text(Name("P"), entry.names.scope, {})
    functions = [written.function(names, flow) for names, flow in reversed(flows)]
    done: set[int] = set()
    while left := [each for each in written.expected if each not in done]:
        done |= set(left)
        for name, names, flow in [written.expected[each] for each in left]:
            functions.append(written.function(names, flow, expected=name))
    last = [marked(found[1].place), *_communicators(written, entry.flow, entry.ranks), *_start(written, *found)]
    lines = [*python.assignments, *written.blocks.constants]
    body = "\n".join([*lines, *functions, *last])
    arguments = list(python.arguments)
    if re.search(r'rank\.(sample|choose)\(|rank\.messages\("random"', body):
        arguments.append(f'parser.add_argument("--seed", type=int, default={entry.seed}, help="of random choices")')
    text = _head(entry, written, body, arguments if has_arguments else None)
    text += "".join(f"{each}\n" for each in lines)
    text += "".join(f"\n\n{each}" for each in functions)
    return text + "\n\n" + "".join(f"{each}\n" for each in last)


def _head(entry: Entry, written: Written, body: str, arguments: list[str] | None) -> str:
    """Return the first lines of the program: docstring, imports, command line, and the definition of ``rank``.

    Args:
        entry: kernel or control flow to write.
        written: generator of the functions.
        body: rest of the program, for which the imports are needed.
        arguments: lines that define arguments of the command line, or None for a program without a command line.
    """
    title = f"{_kind(entry)} {entry.name} of {_file(entry.path)} as a program of ranks."
    imports, lines, seed = [], [], str(entry.seed)
    if arguments is not None:
        imports.append("import argparse")
        parser = f'parser = argparse.ArgumentParser(description="{title}")'
        lines = [parser, *arguments, "arguments = parser.parse_args()", ""]
        seed = "arguments.seed" if any("--seed" in each for each in arguments) else ""
    functions = [each for each in _MATH if re.search(rf"(?<![\w.]){each}\(", body)]
    imports += [f"from math import {', '.join(functions)}"] if functions else []
    given = [f"seed={seed}"] if seed else []
    given += [f"conflicts={written.blocks.conflicts!r}"] if written.blocks.conflicts else []
    return _HEAD.format(
        title=title,
        computation=_computation(entry),
        imports="".join(f"{each}\n" for each in imports),
        runtime="Rank, Time" if re.search(r"\bTime\(", body) else "Rank",
        arguments="".join(f"{each}\n" for each in lines),
        rank=f"Rank({', '.join(given)})",
    )


def _kind(entry: Entry) -> str:
    return "Kernel" if entry.flow.kind == "kernel" else "Control flow"


def _file(path: str) -> str:
    return re.sub(r"""[\\"{}%]""", "_", os.path.basename(path))


def _computation(entry: Entry) -> str:
    if entry.clock is None:
        return "No machine was named, so nothing is computed."
    socket = f"one socket '{entry.clock.socket.component.name}' of " if entry.clock.socket else ""
    return (
        f"In a simulation, each rank computes on {socket}{_file(entry.clock.machine.path)};\n"
        "in a real run, messages are sent and nothing is computed."
    )


def _reachable(names: Names, flow: "Kernel | Control") -> "Iterator[tuple[Names, Kernel | Control]]":
    """Yield a kernel or control flow and all that it may call, each once, callers before callees if possible.

    Yields:
        Pairs of the application that has the kernel or control flow, and the kernel or control flow.
    """
    order: list[tuple[Names, Kernel | Control]] = []
    done: set[int] = set()

    def visit(owner: Names, current: "Kernel | Control") -> None:
        if id(current) in done:
            return
        done.add(id(current))
        for call in _calls(current.body):
            target = owner.find(call.name)
            if target is not None:
                visit(*target)
        order.append((owner, current))

    visit(names, flow)
    yield from reversed(order)


def _calls(body: Iterable[object]) -> Iterator[Call]:
    yield from (each for each in nodes_of(tuple(body)) if isinstance(each, Call))


def _start(written: Written, names: Names, flow: "Kernel | Control") -> list[str]:
    """Return the lines that execute the kernel or control flow, at the end of the program."""
    given: list[str] = []
    if isinstance(flow, Kernel):
        given = [written.python.text(Name(each.name, place=flow.place), names.scope, {})
                 for each in flow.arguments if each.kind != "data"]  # fmt: skip
    acts = names.effects.acts(names.module, flow.body)
    lane = ["()"] if acts and written.uses_lanes else []
    call = f"{written.functions[id(flow)]}({', '.join([*lane, *given])})"
    if not acts:
        return [f"rank.compute({call})"]
    return [f"rank.run({call})" if written.uses_lanes else call]


def _communicators(written: Written, flow: Flow, ranks: int) -> list[str]:
    """Return the lines of the program that create all communicators before the first message.

    Args:
        written: generator of the functions.
        flow: steps of the program.
        ranks: number of ranks.
    """
    lines: dict[str, None] = {}
    for lane, demand in lanes_needed(flow):
        if lane:
            lines.setdefault(f"rank.communicator({lane!r})")
        trait = next((each for each in demand.traits if each.name.lower() == "within"), None)
        if trait is None:
            continue
        group_shape(demand, ranks)
        given = [
            written.python.text(each, demand.scope, {})
            if written.python.is_global(each, demand.scope)
            else f"{float(evaluate(each, demand.scope)):g}"
            for each in trait.arguments
        ]
        lines.setdefault(f"rank.communicator({lane!r}, ({', '.join(given)},))")
    return list(lines)
