"""Statements of applications as lines of Python."""

import functools
import re
from collections.abc import Callable, Iterable, Sequence

from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.resolving import ROUNDING, Names
from pysmpi.aspen.timing import Clock
from pysmpi.aspen.tokens import error_at
from pysmpi.aspen.tree import (
    Call,
    Chain,
    Condition,
    Control,
    Execute,
    Exposes,
    Expression,
    Group,
    If,
    Kernel,
    Loop,
    Name,
    Need,
    Number,
    Param,
    Probability,
    Requires,
    Sample,
    Statement,
    Superstep,
    Switch,
    names_in,
    nodes_of,
)
from pysmpi.aspen.written.blocks import Blocks
from pysmpi.aspen.written.names import PythonNames
from pysmpi.aspen.written.python_text import Python, number_python
from pysmpi.formulas.expressions.dialect import Strength

__all__ = ["Written", "overlaps", "sends_side_by_side"]

_INDENT = "    "
_SIMPLE = re.compile(r"[\w.]+(\([^()]*\))?( \* [\w.]+(\([^()]*\))?)*")


def _parallel_nodes(flow: Kernel | Control) -> Iterable[Loop | Group | Superstep]:
    for node in nodes_of(flow.body):
        if (
            (isinstance(node, Loop) and node.kind == "map")
            or (isinstance(node, Group) and node.kind == "par")
            or (isinstance(node, Superstep) and len(node.parts) > 1)
        ):
            yield node


def sends_side_by_side(names: Names, flow: Kernel | Control) -> bool:
    """Return whether a kernel has parts side by side that send messages."""
    return any(names.acting.sends(names.module, [node]) for node in _parallel_nodes(flow))


def overlaps(names: Names, flow: Kernel | Control) -> bool:
    """Return whether a kernel has parts side by side that only compute."""
    return any(not names.acting.sends(names.module, [node]) for node in _parallel_nodes(flow))


class Written:
    """Texts of kernels and control flows.

    Args:
        python: names of the program.
        clock: times of the machine, or None without one.

    Attributes:
        functions: names of kernels by their identity.
        uses_lanes: whether parts side by side send messages, so that steps are generators.
        uses_time: whether seconds are `Time`, because parts side by side only compute.
    """

    def __init__(self, python: PythonNames, clock: Clock | None) -> None:
        self.python, self.clock = python, clock
        self.blocks = Blocks(python, clock)
        self.functions: dict[int, str] = {}
        self.uses_lanes = self.uses_time = False

    @property
    def zero(self) -> str:
        """Text of no time."""
        return "Time()" if self.uses_time else "0.0"

    def function(self, names: Names, flow: Kernel | Control) -> str:
        """Return the definition of a kernel or control flow as a function."""
        body = _Body(self, names)
        acts = names.acting.acts(names.module, flow.body)
        given = ["lane"] if acts and self.uses_lanes else []
        statements: Sequence[Statement] = flow.body
        if isinstance(flow, Kernel):
            for argument in flow.arguments:
                if argument.kind != "data":
                    given.append(body.local_word(argument.name))
            body.local_params(flow)
            statements = [each for each in flow.body if not isinstance(each, Exposes | Requires | Param)]
            needs = [each.need for each in flow.body if isinstance(each, Requires)]
            if needs:
                exposed = next((each for each in flow.body if isinstance(each, Exposes)), None)
                block = Execute("", exposed.parallelism if exposed else None, "", tuple(needs), place=flow.place)
                statements = [block, *statements]
        head = f"def {self.functions[id(flow)]}({', '.join(given)}):"
        meaning = f'{_INDENT}"""{self._meaning(flow, acts)}"""'
        if acts:
            body.act(statements)
            lines = body.lines
            if self.uses_lanes and not any(re.match(r"\s*yield", each) for each in lines):
                lines = [*lines, "yield 0.0"]
        else:
            lines = body.returned(statements)
        return "\n".join([head, meaning, *(f"{_INDENT}{each}" for each in lines)]) + "\n"

    def _meaning(self, flow: Kernel | Control, acts: bool) -> str:
        noun = "Kernel" if isinstance(flow, Kernel) else "Control flow"
        return f"{noun} {flow.name}, line {flow.place.line}: {'execute it' if acts else 'return its seconds'}."


class _Body:
    """Lines of one function, or of a part of it."""

    def __init__(self, written: Written, names: Names, above: "_Body | None" = None) -> None:
        self._written, self._names = written, names
        self.lines: list[str] = []
        self._local: dict[str, str] = above._local if above else {}

    def local_word(self, name: str) -> str:
        """Return the identifier of a name of this function."""
        self._local[name] = self._written.python.local(name)
        return self._local[name]

    def local_params(self, kernel: Kernel) -> None:
        """Define the kernel's own parameters that are used, each after those that it uses."""
        params = {each.name: each for each in kernel.body if isinstance(each, Param)}
        waiting = [name for each in kernel.body if not isinstance(each, Param) for name in names_in(each)]
        waiting += [each.name for each in nodes_of(kernel.body) if isinstance(each, Switch)]
        done: set[str] = set()

        def define(name: str) -> None:
            if name in params and name not in done:
                done.add(name)
                for each in names_in(params[name].value):
                    define(each)
                self._assign(params[name])

        for name in waiting:
            define(name)

    def returned(self, statements: Iterable[Statement]) -> list[str]:
        """Return lines that return the seconds of statements which only compute."""
        lines, value = self._sum(statements, "seconds")
        return [*self.lines, *lines, f"return {value}"]

    def act(self, statements: Iterable[Statement]) -> None:
        """Add lines that execute statements one after the other."""
        for each in statements:
            self._act(each)

    def _text(self, node: Expression, least: Strength = Strength.SUM) -> str:
        return self._written.python.text(node, self._names.scope, self._local, least)

    def _condition(self, node: Condition) -> str:
        return Python(lambda each: self._written.python.name(each, self._names.scope, self._local)).condition(node)

    def _assign(self, param: Param) -> None:
        if not param.dimensions:
            text = self._text(param.value)  # type: ignore[arg-type]
            self.lines.append(f"{self.local_word(param.name)} = {text}")

    def _sample(self, sample: Sample) -> None:
        from pysmpi.aspen.distributions import DISTRIBUTIONS

        if sample.distribution not in DISTRIBUTIONS:
            raise error_at(sample.place, f"no distribution is called {sample.distribution!r}")
        given = ", ".join(map(self._text, sample.arguments))
        drawn = f"numpy.random.default_rng([arguments.seed, {sample.place.line}]).{sample.distribution}({given})"
        self.lines.append(f"{self.local_word(sample.name)} = float({drawn})")

    # Statements that only compute

    def _sum(self, statements: Iterable[Statement], target: str) -> tuple[list[str], str]:
        """Return lines, and the seconds of statements one after the other as an expression."""
        outer, self.lines = self.lines, []
        adding = f"{target} += "
        for each in statements:
            self._add(each, target)
        lines, self.lines = self.lines, outer
        adds = [number for number, line in enumerate(lines) if line.lstrip().startswith(adding)]
        terms = [lines[number].removeprefix(adding) for number in adds]
        is_plain = all(lines[number].startswith(adding) for number in adds)
        if not adds:
            return lines, self._written.zero
        if is_plain and (len(adds) == len(lines) or adds == [len(lines) - 1]):
            rest = [line for number, line in enumerate(lines) if number not in adds]
            joined = terms[0] if len(terms) == 1 else " + ".join(map(_term, terms))
            return rest, joined
        return [f"{target} = {self._written.zero}", *lines], target

    def _add_all(self, statements: Iterable[Statement], target: str) -> None:
        for each in statements:
            self._add(each, target)

    def _add(self, statement: Statement, target: str) -> None:
        """Add lines that add the seconds of a statement to a variable."""
        match statement:
            case Execute(_, parallelism, _, needs):
                self._add_block(needs, parallelism, target)
            case Call():
                self.lines.append(f"{target} += {self._call(statement)}")
            case Chain(steps):
                self._add_all(steps, target)
            case Superstep(parts) if len(parts) == 1:
                self._add_all(parts[0], target)
            case Group("par", _, body):
                self._add_overlapped([[each] for each in body], target)
            case Superstep(parts):
                self._add_overlapped(parts, target)
            case Group(_, _, body):
                lines, value = self._sum(body, f"{target}_inside")
                self.lines += [*lines, f"{target} += {value}"]
            case Loop():
                self._add_loop(statement, target)
            case If() | Switch():
                for head, chosen in self._cases(statement):
                    self.lines.append(head)
                    self._indented(functools.partial(self._add_all, chosen, target))
            case Probability(cases, otherwise):
                rest = ["1"]
                for chance, body in cases:
                    lines, value = self._sum(body, f"{target}_inside")
                    rest.append(self._text(chance, Strength.PRODUCT))
                    self.lines += [*lines, f"{target} += {_term(value)} * {self._text(chance, Strength.SIGNED)}"]
                if otherwise:
                    lines, value = self._sum(otherwise, f"{target}_inside")
                    self.lines += [*lines, f"{target} += {_term(value)} * max({' - '.join(rest)}, 0.0)"]
            case Param():
                self._assign(statement)
            case Sample():
                self._sample(statement)

    def _add_block(self, needs: Sequence[Need], parallelism: Expression | None, target: str) -> None:
        if self._written.clock is None:
            return
        timed = self._written.uses_time
        lines, value = self._written.blocks.seconds(needs, parallelism, self._names, self._local, timed)
        self.lines += [*lines, f"{target} += {value}"]

    def _add_overlapped(self, parts: Sequence[Sequence[Statement]], target: str) -> None:
        if self._written.clock is None:
            return
        values = []
        for number, part in enumerate(parts):
            lines, value = self._sum(part, f"{target}_{number}")
            values.append(value)
            self.lines += lines
        self._written.blocks.helpers.add("Time")
        self.lines.append(f"{target} += overlapped([{', '.join(values)}])")

    def _add_loop(self, loop: Loop, target: str) -> None:
        is_map = loop.kind == "map"
        if is_map and self._written.clock is None:
            return
        inside = f"{target}_once"
        if self._uses_counter(loop):
            word = self.local_word(loop.counter)
            zero = "[]" if is_map else self._written.zero
            self.lines += [f"{target}_all = {zero}", f"for {word} in range({self._rounds(loop)}):"]
            lines, value = self._sum(loop.body, inside)
            self.lines += [f"{_INDENT}{each}" for each in lines]
            self.lines.append(f"{_INDENT}{target}_all += {f'[{value}]' if is_map else value}")
            value = f"overlapped({target}_all)" if is_map else f"{target}_all"
            self.lines.append(f"{target} += {value}")
        else:
            lines, value = self._sum(loop.body, inside)
            count = self._text(loop.count, Strength.SUM if is_map else Strength.SIGNED)
            self.lines += lines
            total = f"overlapped([{value}], {count})" if is_map else f"{_term(value)} * {count}"
            self.lines.append(f"{target} += {total}")
        if is_map:
            self._written.blocks.helpers.add("Time")

    # Statements that act

    def _act(self, statement: Statement) -> None:
        match statement:
            case Chain(steps):
                self.act(steps)
            case Superstep(parts) if len(parts) == 1:
                self.act(parts[0])
            case If() | Switch():
                for head, taken in self._cases(statement):
                    self.lines.append(head)
                    self._indented(functools.partial(self.act, taken))
            case Param():
                self._assign(statement)
            case Sample():
                self._sample(statement)
            case _ if not self._acts([statement]):
                self._compute([statement])
            case Execute(_, parallelism, _, needs):
                self._act_block(needs, parallelism)
            case Call():
                call = self._call(statement, acts=True)
                self.lines.append(f"yield from {call}" if self._written.uses_lanes else call)
            case Group("par", _, body):
                self._side_by_side([[each] for each in body])
            case Superstep(parts):
                self._side_by_side(parts)
            case Group(_, _, body):
                self.act(body)
            case Loop("map"):
                self._map(statement)
            case Loop():
                count = self._rounds(statement)
                word = self.local_word(statement.counter) if self._uses_counter(statement) else "_"
                self.lines.append(f"for {word} in range({count}):")
                self._indented(functools.partial(self.act, statement.body))
            case Probability(cases, otherwise):
                self._choose(statement, cases, otherwise)

    def _compute(self, statements: Sequence[Statement]) -> None:
        """Add a line that computes for the seconds of statements."""
        if self._written.clock is None:
            value = "0.0"
        else:
            lines, value = self._sum(statements, "seconds")
            self.lines += lines
            if self._written.uses_time:
                value = f"{value}.seconds" if _SIMPLE.fullmatch(value) and " " not in value else f"({value}).seconds"
        self._compute_for(value)

    def _compute_for(self, value: str) -> None:
        self._written.blocks.helpers.add("compute")
        self.lines.append(f"yield {value}" if self._written.uses_lanes else f"compute({value})")

    def _act_block(self, needs: Sequence[Need], parallelism: Expression | None) -> None:
        written, uses_lanes = self._written, self._written.uses_lanes
        starts = [
            written.blocks.messages(each, parallelism, self._names, self._local, uses_lanes)
            for each in needs
            if each.resource in CARRIED
        ]
        rest = [each for each in needs if each.resource not in CARRIED]
        if not rest and len(starts) == 1 and not uses_lanes:
            self.lines.append(f"MPI.Request.Waitall({starts[0]})")
            return
        self.lines.append(f"requests = {starts[0]}")
        self.lines += [f"requests += {each}" for each in starts[1:]]
        if rest and written.clock is not None:
            lines, value = written.blocks.seconds(rest, parallelism, self._names, self._local, timed=False)
            self.lines += lines
            self._compute_for(value)
        elif rest:
            self._compute_for("0.0")
        self.lines.append("yield [requests]" if uses_lanes else "MPI.Request.Waitall(requests)")

    def _part(self, statements: Sequence[Statement]) -> None:
        """Add lines of one part or alternative, which computes at once if it only computes."""
        if self._acts(statements):
            self.act(statements)
        else:
            self._compute(statements)

    def _choose(
        self,
        statement: Probability,
        cases: Sequence[tuple[Expression, Sequence[Statement]]],
        otherwise: Sequence[Statement] | None,
    ) -> None:
        self._written.blocks.helpers.add("drawn")
        place = f'f"{statement.place.line} {{lane}}"' if self._written.uses_lanes else f'"{statement.place.line} ()"'
        chances = ", ".join(self._text(chance) for chance, _ in cases)
        word = self._written.python.local("case")
        self.lines.append(f"{word} = drawn({place}, [{chances}])")
        for number, body in enumerate([*(body for _, body in cases), *([otherwise] if otherwise else [])]):
            self.lines.append(f"{'if' if number == 0 else 'elif'} {word} == {number}:")
            self._indented(functools.partial(self._part, body))

    def _side_by_side(self, parts: Sequence[Sequence[Statement]]) -> None:
        self._written.blocks.helpers.add("side_by_side")
        sending = [self._names.acting.sends(self._names.module, part) for part in parts]
        calls = []
        for number, part in enumerate(parts):
            word = self._nested(part, "")
            calls.append(f"{word}({f'(*lane, {number})' if sum(sending) > 1 else 'lane'})")
        self.lines.append(f"yield from side_by_side({', '.join(calls)})")

    def _map(self, loop: Loop) -> None:
        self._written.blocks.helpers.add("side_by_side")
        uses = self._uses_counter(loop)
        counter = self.local_word(loop.counter) if uses else "copy"
        word = self._nested(loop.body, f", {counter}" if uses else "")
        count = self._rounds(loop)
        given = f"(*lane, {counter}){f', {counter}' if uses else ''}"
        self.lines.append(f"yield from side_by_side(*({word}({given}) for {counter} in range({count})))")

    def _nested(self, statements: Sequence[Statement], arguments: str) -> str:
        """Add a function for one part, and return its name."""
        inner = _Body(self._written, self._names, self)
        inner._part(statements)
        word = self._written.python.identifier("part")
        if not any(re.match(r"\s*yield", each) for each in inner.lines):
            inner.lines.append("yield 0.0")
        self.lines += ["", f"def {word}(lane{arguments}):", *(f"{_INDENT}{each}" for each in inner.lines), ""]
        return word

    # Both

    def _acts(self, statements: Sequence[Statement]) -> bool:
        return self._names.acting.acts(self._names.module, statements)

    def _rounds(self, loop: Loop) -> str:
        """Return the whole number of rounds of a loop, as the model itself has it on ranks."""
        if isinstance(loop.count, Number) and loop.count.value.is_integer():
            return number_python(loop.count.value)
        if self._uses_counter(loop):
            return f"int({self._text(loop.count, Strength.SUM)} + {number_python(ROUNDING)})"
        return f"round({self._text(loop.count)})"

    def _uses_counter(self, loop: Loop) -> bool:
        return bool(loop.counter) and loop.counter in set(names_in(loop.body))

    def _indented(self, write: Callable[[], None]) -> None:
        outer, self.lines = self.lines, []
        write()
        lines, self.lines = self.lines, outer
        self.lines += [f"{_INDENT}{each}" if each else "" for each in lines or ["pass"]]

    def _cases(self, statement: If | Switch) -> "list[tuple[str, Sequence[Statement]]]":
        """Return the heads of alternatives, such as ``if n > 4:``, with their statements."""
        if isinstance(statement, If):
            found = [(f"if {self._condition(statement.condition)}:", statement.then)]
        else:
            name = self._written.python.name(
                Name(statement.name, place=statement.place), self._names.scope, self._local
            )
            found = [
                (f"{'elif' if number else 'if'} {name} == {self._text(each, Strength.PRODUCT)}:", body)
                for number, (each, body) in enumerate(statement.cases)
            ]
        if statement.otherwise and found:
            found.append(("else:", statement.otherwise))
        return [*found] if found else [("if True:", statement.otherwise or ())]

    def _call(self, call: Call, *, acts: bool = False) -> str:
        found = self._names.find(call.name)
        if found is None:
            raise error_at(call.place, f"no kernel is called {call.name!r}")
        target = found[1]
        given = ["lane"] if acts and self._written.uses_lanes else []
        if isinstance(target, Kernel):
            for argument, expression in zip(target.arguments, call.arguments, strict=True):
                if argument.kind != "data":
                    is_data = isinstance(expression, Name) and self._is_data(expression.name)
                    given.append("None" if is_data else self._text(expression))
        return f"{self._written.functions[id(target)]}({', '.join(given)})"

    def _is_data(self, name: str) -> bool:
        return name in self._names.module.data and name not in self._local and not self._names.scope.has(name)


def _term(value: str) -> str:
    """Return an expression with the parentheses that it needs as an operand of a sum or product."""
    return value if _SIMPLE.fullmatch(value) else f"({value})"
