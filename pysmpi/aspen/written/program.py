"""Programs for mpi4py that are written from applications: a function for each kernel, loops where the model has them.

A statement that only computes has seconds, which a function returns; a statement that sends messages, or chooses at
random, is executed. Operations are done in the same order as in `RankProgram`, so that simulated times are equal to the
bit.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pysmpi.aspen.exchanges import group_shape
from pysmpi.aspen.flow import Flow
from pysmpi.aspen.lanes import lanes_needed
from pysmpi.aspen.resolving import Names
from pysmpi.aspen.timing import Clock
from pysmpi.aspen.tokens import error_at
from pysmpi.aspen.tree import Call, Control, Kernel, Name
from pysmpi.aspen.written.helpers import HELPERS, NEEDS
from pysmpi.aspen.written.names import PythonNames
from pysmpi.aspen.written.statements import Written, overlaps, sends_side_by_side
from pysmpi.formulas.expressions.evaluation import evaluate

__all__ = ["program_text"]

_MOST_LANES = 50  # communicators of parts side by side that are made in lines of their own
_HEAD = '''"""{title}

{computation}
"""

import argparse{imports}

import pysmpi

pysmpi.untimed_program()  # all computation is injected
from mpi4py import MPI

comm = MPI.COMM_WORLD

parser = argparse.ArgumentParser(description="{title}")
'''


@dataclass(frozen=True)
class Entry:
    """Control flow to write, with its values.

    Attributes:
        name: name of the kernel or control flow.
        flow: its steps.
        names: names of the application.
        clock: times of the machine, or None without one.
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
    """Return the text of a program that does the same as an application.

    Raises:
        AspenError: the application cannot be written.
    """
    found = entry.names.find(entry.name)
    assert found is not None
    python = PythonNames(entry.names, "P" if entry.ranks_are_processors else None)
    written = Written(python, entry.clock)
    flows = list(_reachable(*found))
    for names, flow in flows:
        written.functions[id(flow)] = python.identifier(f"{names.prefix}{flow.name}")
    written.uses_lanes = any(sends_side_by_side(names, flow) for names, flow in flows)
    written.uses_time = entry.clock is not None and any(overlaps(names, flow) for names, flow in flows)
    written.blocks.processors = python.text(Name("P"), entry.names.scope, {})
    functions = [written.function(names, flow) for names, flow in reversed(flows)]
    last = _last(written, *found)
    prepared = _prepared(written, entry.flow, entry.ranks)
    return _joined(entry, written, python, functions, [*prepared, *last])


def _joined(entry: Entry, written: Written, python: PythonNames, functions: list[str], last: list[str]) -> str:
    """Return the parts of a program in their order, with the helpers and imports that they need."""
    constants = list(written.blocks.constants)
    if "Time" in written.blocks.helpers or written.uses_time:
        written.blocks.helpers.add("Time")
        constants.append(f"CONFLICTS = {written.blocks.conflicts!r}  # resources that cannot be used at once")
    body = "\n\n".join(functions)
    needed: set[str] = set()
    waiting = [name for name in HELPERS if name in written.blocks.helpers]
    while waiting:
        name = waiting.pop()
        needed.add(name)
        waiting += [each for each in NEEDS.get(name, ()) if each not in needed]
    helpers = "\n".join(HELPERS[name] for name in HELPERS if name in needed)
    code = f"{helpers}\n{body}\n{chr(10).join([*python.assignments, *last])}"
    imports = [f"import {name}" for name in ("itertools", "random") if re.search(rf"\b{name}\.", code)]
    functions_used = [each for each in ("ceil", "exp", "floor", "log", "log10", "log2", "sqrt") if f"{each}(" in code]
    used = [each for each in functions_used if re.search(rf"(?<![\w.]){each}\(", code)]
    imports += [f"from math import {', '.join(used)}"] if used else []
    third = "\nimport numpy" if "numpy." in code else ""
    text = _HEAD.format(
        title=f"{_kind(entry)} {entry.name} of {_file(entry.path)} as a program of ranks.",
        computation=_computation(entry),
        imports="".join(f"\n{each}" for each in imports),
    ).replace("\nimport pysmpi\n", f"{third}\nimport pysmpi\n", 1)
    arguments = list(python.arguments)
    if "arguments.seed" in code:
        arguments.append(f'parser.add_argument("--seed", type=int, default={entry.seed}, help="of random choices")')
    text += "".join(f"{each}\n" for each in arguments) + "arguments = parser.parse_args()\n"
    text += "".join(f"{each}\n" for each in [*python.assignments, *constants])
    text += "".join(f"\n{HELPERS[name]}" for name in HELPERS if name in needed)
    text += "".join(f"\n\n{each}" for each in functions)
    return text + "\n\n" + "".join(f"{each}\n" for each in last)


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
    """Yield a control flow and all kernels that it may call, each once, callers first.

    Raises:
        AspenError: kernels call each other in a circle.
    """
    order: list[tuple[Names, Kernel | Control]] = []
    done: set[int] = set()

    def visit(owner: Names, current: "Kernel | Control", above: tuple[int, ...]) -> None:
        if id(current) in above:
            raise error_at(current.place, f"{current.name!r} calls itself, which cannot be written as a program")
        if id(current) in done:
            return
        done.add(id(current))
        for call in _calls(current.body):
            target = owner.find(call.name)
            if target is not None:
                visit(*target, (*above, id(current)))
        order.append((owner, current))

    visit(names, flow, ())
    yield from reversed(order)


def _calls(body: Iterable[object]) -> Iterator[Call]:
    from pysmpi.aspen.tree import nodes_of

    yield from (each for each in nodes_of(tuple(body)) if isinstance(each, Call))


def _last(written: Written, names: Names, flow: "Kernel | Control") -> list[str]:
    """Return the lines that begin the control flow."""
    given: list[str] = []
    if isinstance(flow, Kernel):
        given = [written.python.text(Name(each.name, place=flow.place), names.scope, {})
                 for each in flow.arguments if each.kind != "data"]  # fmt: skip
    acts = names.acting.acts(names.module, flow.body)
    lane = ["()"] if acts and written.uses_lanes else []
    call = f"{written.functions[id(flow)]}({', '.join([*lane, *given])})"
    if not acts:
        written.blocks.helpers.add("compute")
        return [f"compute({call}{'.seconds' if written.uses_time else ''})"]
    if written.uses_lanes:
        written.blocks.helpers.add("side_by_side")
        return [f"run({call})"]
    return [call]


def _prepared(written: Written, flow: Flow, ranks: int) -> list[str]:
    """Return lines that make the communicators before any message is under way, in the order of `lanes_needed`."""
    lines: dict[str, None] = {}
    for lane, demand in lanes_needed(flow):
        if lane:
            lines.setdefault(f"communicator({lane!r})")
            written.blocks.helpers.add("communicator")
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
        written.blocks.helpers.add("group")
        lines.setdefault(f"group({', '.join([*given, *([f'lane={lane!r}'] if lane else [])])})")
        if len(lines) > _MOST_LANES:
            raise error_at(
                demand.place, f"more than {_MOST_LANES} communicators of parts side by side cannot be written"
            )
    return list(lines)
