"""Generation of Python code from the statements of applications."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.codegen.blocks import Blocks
from pysmpi.aspen.codegen.expressions import Python, number_python
from pysmpi.aspen.codegen.identifiers import PythonNames
from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.resolving import ROUNDING, Names
from pysmpi.aspen.syntax_tree import (
    Call,
    Chain,
    Condition,
    Control,
    Data,
    Execute,
    Exposes,
    Expression,
    Group,
    If,
    Import,
    Index,
    Kernel,
    Loop,
    Name,
    Need,
    Node,
    Number,
    Param,
    Probability,
    Requires,
    Sample,
    Statement,
    Superstep,
    Switch,
    children_of,
    names_in,
    nodes_of,
)
from pysmpi.aspen.timing import Clock
from pysmpi.formulas.expressions.dialect import Strength

__all__ = ["MARK", "Written", "overlaps", "sends_side_by_side"]

MARK = "#@"
"""Beginning of a comment with the line and file of the model's statement that the following lines come from."""

_INDENT = "    "
_SIMPLE = re.compile(r"[\w.]+(\([^()]*\))?( \* [\w.]+(\([^()]*\))?)*")


def marked(place: Place) -> str:
    """Return the comment with the line and file of a statement; see `MARK`."""
    return f"{MARK}{place.line} {place.file}"


def _parallel_nodes(flow: Kernel | Control) -> Iterable[Loop | Group | Superstep]:
    for node in nodes_of(flow.body):
        if (
            (isinstance(node, Loop) and node.kind == "map")
            or (isinstance(node, Group) and node.kind == "par")
            or (isinstance(node, Superstep) and len(node.parts) > 1)
        ):
            yield node


def sends_side_by_side(names: Names, flow: Kernel | Control) -> bool:
    """Return whether a kernel or control flow of an application has parallel parts that send messages."""
    return any(names.effects.sends(names.module, [node]) for node in _parallel_nodes(flow))


def overlaps(names: Names, flow: Kernel | Control) -> bool:
    """Return whether a kernel or control flow of an application has parallel parts that only compute."""
    return any(not names.effects.sends(names.module, [node]) for node in _parallel_nodes(flow))


class Written:
    """Generator of a program's Python functions from kernels and control flows.

    Args:
        python: identifiers of the program.
        clock: times of steps on the machine, or None without a machine.

    Attributes:
        functions: name of the function of each kernel and control flow, by the `id` of its syntax tree.
        expected: kernels and control flows that need a second function, which returns their expected seconds. They make
            random choices, and parallel parts call them. By `id`: name of that function, application, syntax tree.
        uses_lanes: whether parallel parts send messages, so that functions that execute steps are generators.
        uses_time: whether seconds are of the type `Time`, because some parallel parts only compute.
    """

    def __init__(self, python: PythonNames, clock: Clock | None) -> None:
        self.python, self.clock = python, clock
        self.blocks = Blocks(python, clock)
        self.functions: dict[int, str] = {}
        self.expected: dict[int, tuple[str, Names, Kernel | Control]] = {}
        self.uses_lanes = self.uses_time = False

    def function(self, names: Names, flow: Kernel | Control, expected: str = "") -> str:
        """Return the definition of a kernel or control flow as a function.

        Args:
            names: application that has the kernel or control flow, with the values of its parameters.
            flow: the kernel or control flow.
            expected: name of a function that returns its expected seconds, or empty for the function that executes it.
        """
        body = _Body(self, names)
        acts = not expected and names.effects.acts(names.module, flow.body)
        given = ["lane"] if acts and self.uses_lanes else []
        statements: Sequence[Statement] = flow.body
        if isinstance(flow, Kernel):
            given += [body.argument(each.name) for each in flow.arguments if each.kind != "data"]
            body.params = {each.name: each for each in flow.body if isinstance(each, Param)}
            statements = [each for each in flow.body if not isinstance(each, Exposes | Requires | Param)]
            needs = [each.need for each in flow.body if isinstance(each, Requires)]
            if needs:
                exposed = next((each for each in flow.body if isinstance(each, Exposes)), None)
                block = Execute("", exposed.parallelism if exposed else None, "", tuple(needs), place=flow.place)
                statements = [block, *statements]
        body.define_params(statements)
        label = f'"{names.prefix}{flow.name}"'
        decorator = [f"@rank.{'kernel' if acts else 'cost'}({label})"] if isinstance(flow, Kernel) else []
        head = f"def {expected or self.functions[id(flow)]}({', '.join(given)}):"
        meaning = f'{_INDENT}"""{self._meaning(flow, acts)}"""'
        if acts:
            body.act(statements)
            lines = body.lines
            if self.uses_lanes and not any(re.match(r"\s*yield", each) for each in lines):
                lines = [*lines, "yield 0.0"]
        else:
            lines = body.returned(statements)
        return (
            "\n".join([marked(flow.place), *decorator, head, meaning, *(f"{_INDENT}{each}" for each in lines)]) + "\n"
        )

    def _meaning(self, flow: Kernel | Control, acts: bool) -> str:
        noun = "Kernel" if isinstance(flow, Kernel) else "Control flow"
        return f"{noun} {flow.name}, line {flow.place.line}: {'execute it' if acts else 'return its seconds'}."


class _Body:
    """Generator of the lines of one function, or of a function inside it for a parallel part.

    Attributes:
        lines: the lines so far.
        params: parameters that the kernel defines, by name.
    """

    def __init__(self, written: Written, names: Names, above: "_Body | None" = None) -> None:
        self._written, self._names = written, names
        self.lines: list[str] = []
        self.params: dict[str, Param] = above.params if above else {}
        self._given: dict[str, str] = dict(above._given) if above else {}  # identifiers of arguments and parameters
        self._inner: dict[str, str] = dict(above._inner) if above else {}  # identifiers of counters and samples
        self._sampled: dict[str, str] = {}  # identifiers of samples of this function
        self._is_deferred: bool = above._is_deferred if above else False  # whether the lines are in a deferred loop

    def argument(self, name: str) -> str:
        """Return a Python identifier for an argument of the kernel, and use it in all later lines."""
        self._given[name] = self._written.python.local(name)
        return self._given[name]

    def define_params(self, statements: Sequence[Statement]) -> None:
        """Add lines that define the kernel's parameters that some statements use.

        A parameter is defined after those that its definition uses.

        A parameter that is used only in an alternative or in rounds of a loop is defined there, because its definition
        may fail elsewhere, for example by a division by zero.
        """
        for name in _names_used(statements):
            if name in self.params and name not in self._given:
                self._define(self.params[name])

    def returned(self, statements: Iterable[Statement]) -> list[str]:
        """Return the lines of a function that returns the seconds of statements, which must not send messages."""
        lines, value = self._sum(statements, "seconds")
        return [*self.lines, *lines, f"return {value}"]

    def act(self, statements: Iterable[Statement]) -> None:
        """Add lines that execute statements one after the other."""
        for each in statements:
            self.lines.append(marked(each.place))
            self._act(each)

    def _text(self, node: Expression, least: Strength = Strength.SUM) -> str:
        return self._written.python.text(node, self._names.scope, self._local, least)

    def _condition(self, node: Condition) -> str:
        return Python(lambda each: self._written.python.name(each, self._names.scope, self._local)).condition(node)

    @property
    def _local(self) -> dict[str, str]:
        return {**self._given, **self._inner}

    def _define(self, param: Param) -> None:
        self._given[param.name] = self._written.python.local(param.name)
        for name in names_in(param.value):
            if name in self.params and name not in self._given:
                self._define(self.params[name])
        if not param.dimensions:
            text = self._written.python.text(cast(Expression, param.value), self._names.scope, self._given)
            self.lines.append(f"{self._given[param.name]} = {text}")

    def _sample(self, sample: Sample) -> None:
        given = "".join(f", {self._text(each)}" for each in sample.arguments)
        self._inner[sample.name] = self._sampled[sample.name] = self._written.python.local(sample.name)
        drawn = f'rank.sample({sample.place.line}, "{sample.distribution}"{given})'
        self.lines.append(f"{self._inner[sample.name]} = {drawn}")

    # Statements that only compute

    def _sum(self, statements: Iterable[Statement], target: str) -> tuple[list[str], str]:
        """Return lines that compute the seconds of statements, and an expression for their sum.

        Args:
            statements: statements that only compute, one after the other.
            target: name of a variable for the sum; if one expression can be the sum, the variable is not used.
        """
        outer, self.lines = self.lines, []
        self._add_all(statements, target)
        lines, self.lines = self.lines, outer
        adding = f"{target} += "
        adds = [number for number, line in enumerate(lines) if line.lstrip().startswith(adding)]
        terms = [lines[number].removeprefix(adding) for number in adds]
        is_plain = all(lines[number].startswith(adding) for number in adds)
        if not adds:
            return lines, "0.0"
        if is_plain and (len(adds) == len(lines) or adds == [len(lines) - 1]):
            rest = [line for number, line in enumerate(lines) if number not in adds]
            joined = terms[0] if len(terms) == 1 else " + ".join(map(_term, terms))
            return rest, joined
        return [f"{target} = 0.0", *lines], target

    def _add_all(self, statements: Iterable[Statement], target: str) -> None:
        for each in statements:
            self._add(each, target)

    def _add(self, statement: Statement, target: str) -> None:
        """Add lines that add the seconds of a statement to a variable."""
        match statement:
            case Execute(_, parallelism, _, needs):
                lines, value = self._seconds(needs, parallelism)
                self.lines += [*lines, f"{target} += {value}"]
            case Call():
                self.lines.append(f"{target} += {self._call(statement)}")
            case Chain(steps) | Superstep((steps,)):
                self._add_all(steps, target)
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
                self._cases(statement, functools.partial(self._add_all, target=target))
            case Probability():
                self._add_expected(statement, target)
            case Sample():
                self._sample(statement)

    def _seconds(self, needs: Sequence[Need], parallelism: Expression | None) -> tuple[list[str], str]:
        if self._written.clock is None:
            return [], "0.0"
        return self._written.blocks.seconds(needs, parallelism, self._names, self._local, self._written.uses_time)

    def _add_overlapped(self, parts: Sequence[Sequence[Statement]], target: str) -> None:
        values = []
        for number, part in enumerate(parts):
            lines, value = self._sum(part, f"{target}_{number}")
            values.append(value)
            self.lines += lines
        self.lines.append(f"{target} += rank.overlapped([{', '.join(values)}])")

    def _add_loop(self, loop: Loop, target: str) -> None:
        is_map = loop.kind == "map"
        if self._uses_counter(loop):
            zero = "[]" if is_map else "0.0"
            self.lines.append(f"{target}_all = {zero}")
            self._add_rounds(loop, functools.partial(self._add_round, loop, target))
            value = f"rank.overlapped({target}_all)" if is_map else f"{target}_all"
            self.lines.append(f"{target} += {value}")
        else:
            lines, value = self._sum(loop.body, f"{target}_once")
            count = self._text(loop.count, Strength.SUM if is_map else Strength.SIGNED)
            self.lines += lines
            total = f"rank.overlapped([{value}], {count})" if is_map else f"{_term(value)} * {count}"
            self.lines.append(f"{target} += {total}")

    def _add_round(self, loop: Loop, target: str) -> None:
        lines, value = self._sum(loop.body, f"{target}_once")
        self.lines += [*lines, f"{target}_all += {f'[{value}]' if loop.kind == 'map' else value}"]

    def _add_expected(self, statement: Probability, target: str) -> None:
        rest = ["1"]
        for chance, body in statement.cases:
            lines, value = self._sum(body, f"{target}_inside")
            rest.append(self._text(chance, Strength.PRODUCT))
            self.lines += [*lines, f"{target} += {_term(value)} * {self._text(chance, Strength.SIGNED)}"]
        if statement.otherwise:
            lines, value = self._sum(statement.otherwise, f"{target}_inside")
            self.lines += [*lines, f"{target} += {_term(value)} * max({' - '.join(rest)}, 0.0)"]

    # Statements that send messages or make random choices

    def _act(self, statement: Statement) -> None:
        match statement:
            case Chain(steps) | Superstep((steps,)):
                self.act(steps)
            case If() | Switch():
                self._cases(statement, self.act)
            case Sample():
                self._sample(statement)
            case Data() | Import():
                pass
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
                self._act_loop(statement)
            case Probability():
                self._choose(statement)

    def _compute(self, statements: Sequence[Statement]) -> None:
        """Add lines that add up the seconds of statements, and let the rank compute for this time."""
        lines, value = self._sum(statements, "seconds")
        self.lines += lines
        self._compute_for(value)

    def _compute_for(self, value: str) -> None:
        self.lines.append(f"yield {value}" if self._written.uses_lanes else f"rank.compute({value})")

    def _act_block(self, needs: Sequence[Need], parallelism: Expression | None) -> None:
        uses_lanes = self._written.uses_lanes
        messages = [
            self._written.blocks.messages(each, parallelism, self._names, self._local, uses_lanes)
            for each in needs
            if each.resource in CARRIED
        ]
        rest = [each for each in needs if each.resource not in CARRIED]
        if not rest and not uses_lanes:
            self.lines.append(f"rank.exchange({', '.join(messages)})")
        elif not rest and len(messages) == 1:
            self.lines.append(f"yield {messages[0]}")
        else:
            self.lines.append(f"requests = rank.start({', '.join(messages)})")
            if rest:
                lines, value = self._seconds(rest, parallelism)
                self.lines += lines
                self._compute_for(value)
            self.lines.append("yield [requests]" if uses_lanes else "rank.wait(requests)")

    def _part(self, statements: Sequence[Statement]) -> None:
        """Add the lines of a parallel part, or of an alternative.

        If the statements only compute, the rank computes once, for the sum of their seconds.
        """
        if self._acts(statements):
            self.act(statements)
        else:
            self._compute(statements)

    def _act_loop(self, loop: Loop) -> None:
        if self._is_deferred or not self._names.effects.only_neighbours(self._names.module, loop.body):
            self._add_rounds(loop, functools.partial(self.act, loop.body))
            return
        self._is_deferred = True
        self.lines.append("with rank.deferred():")
        self._indented(functools.partial(self._add_rounds, loop, functools.partial(self.act, loop.body)))
        self._is_deferred = False

    def _choose(self, statement: Probability) -> None:
        word = self._written.python.local("case")
        lane = ", lane" if self._written.uses_lanes else ""
        chances = ", ".join(self._text(chance) for chance, _ in statement.cases)
        self.lines.append(f"{word} = rank.choose({statement.place.line}, [{chances}]{lane})")
        bodies = [body for _, body in statement.cases] + [statement.otherwise or ()] * bool(statement.otherwise)
        for number, body in enumerate(bodies):
            self.lines.append(f"{'if' if number == 0 else 'elif'} {word} == {number}:")
            self._indented(functools.partial(self._part, body))

    def _side_by_side(self, parts: Sequence[Sequence[Statement]]) -> None:
        sending = [self._names.effects.sends(self._names.module, part) for part in parts]
        calls = []
        for number, part in enumerate(parts):
            word = self._nested(part, "")
            calls.append(f"{word}({f'(*lane, {number})' if sum(sending) > 1 else 'lane'})")
        self.lines.append(f"yield from rank.side_by_side({', '.join(calls)})")

    def _map(self, loop: Loop) -> None:
        count, before = self._rounds(loop), dict(self._inner)
        if self._uses_counter(loop):
            counter = self._counter(loop)
            lane = f"(*lane, {counter}) if {count} > 1 else lane, {counter}"
            word = self._nested(loop.body, f", {counter}")
        else:
            counter, lane = "copy", "(*lane, copy)"
            word = self._nested(loop.body, "")
        self._inner = before
        self.lines.append(f"yield from rank.side_by_side(*({word}({lane}) for {counter} in range({count})))")

    def _nested(self, statements: Sequence[Statement], arguments: str) -> str:
        """Add a function for a parallel part, and return its name.

        Args:
            statements: statements of the part.
            arguments: text after the argument ``lane``, such as ``, i`` for the counter of a map.
        """
        inner = _Body(self._written, self._names, self)
        inner.define_params(statements)
        inner._part(statements)
        word = self._written.python.identifier("part")
        if not any(re.match(r"\s*yield", each) for each in inner.lines):
            inner.lines.append("yield 0.0")
        for sampled in inner._sampled.values():  # statements after the part may use the sample, too
            self.lines.append(f"{sampled} = 0.0")
            inner.lines.insert(0, f"nonlocal {sampled}")
        self._inner |= inner._sampled
        self._sampled |= inner._sampled
        self.lines += ["", f"def {word}(lane{arguments}):", *(f"{_INDENT}{each}" for each in inner.lines), ""]
        return word

    # All statements

    def _acts(self, statements: Sequence[Statement]) -> bool:
        return self._names.effects.acts(self._names.module, statements)

    def _add_rounds(self, loop: Loop, write: Callable[[], None]) -> None:
        """Add a ``for`` loop over the rounds of a loop in the model; `write` adds the lines of the body."""
        count, before = self._rounds(loop), dict(self._inner)
        uses = self._uses_counter(loop)
        self.lines.append(f"for {self._counter(loop) if uses else '_'} in range({count}):")
        self._indented(write, loop.body if uses else ())
        if uses:
            self._inner = before

    def _counter(self, loop: Loop) -> str:
        self._inner[loop.counter] = self._written.python.local(loop.counter)
        return self._inner[loop.counter]

    def _rounds(self, loop: Loop) -> str:
        """Return a Python expression for a loop's number of rounds, rounded to a whole number."""
        if isinstance(loop.count, Number) and loop.count.value.is_integer():
            return number_python(loop.count.value)
        if self._uses_counter(loop):
            return f"int({self._text(loop.count, Strength.SUM)} + {number_python(ROUNDING)})"
        return f"round({self._text(loop.count)})"

    def _uses_counter(self, loop: Loop) -> bool:
        return bool(loop.counter) and loop.counter in set(names_in(loop.body))

    def _indented(self, write: Callable[[], None], conditional: Sequence[Statement] = ()) -> None:
        """Add indented lines, such as the body of a loop or an alternative.

        Args:
            write: function that adds the lines without this indentation.
            conditional: statements from which the lines are generated, if they are executed under a condition.
                Parameters that only these statements use are defined in the lines, not before them.
        """
        outer, given = self.lines, dict(self._given)
        self.lines = []
        self.define_params(conditional)
        write()
        lines, self.lines, self._given = self.lines, outer, given
        self.lines += [f"{_INDENT}{each}" if each else "" for each in lines or ["pass"]]

    def _cases(self, statement: If | Switch, write: Callable[[Sequence[Statement]], None]) -> None:
        """Add alternatives, such as ``if n > 4:``, with the lines that `write` adds for the statements of each."""
        if isinstance(statement, If):
            found: list[tuple[str, Sequence[Statement]]] = [
                (f"if {self._condition(statement.condition)}:", statement.then)
            ]
        else:
            value = Name(statement.name, place=statement.place)
            name = self._written.python.name(value, self._names.scope, self._local)
            found = [
                (f"{'elif' if number else 'if'} {name} == {self._text(each, Strength.PRODUCT)}:", body)
                for number, (each, body) in enumerate(statement.cases)
            ]
        if statement.otherwise:
            found.append(("else:" if found else "if True:", statement.otherwise))
        for head, body in found:
            self.lines.append(head)
            self._indented(functools.partial(write, body), body)

    def _call(self, call: Call, *, acts: bool = False) -> str:
        found = self._names.find(call.name)
        if found is None:
            raise error_at(call.place, f"no kernel is called {call.name!r}")
        owner, target = found
        word = self._written.functions[id(target)]
        if not acts and owner.effects.acts(owner.module, target.body):
            if id(target) not in self._written.expected:
                name = self._written.python.identifier(f"expected_{word}")
                self._written.expected[id(target)] = (name, *found)
            word = self._written.expected[id(target)][0]
        given = ["lane"] if acts and self._written.uses_lanes else []
        if isinstance(target, Kernel):
            for argument, expression in zip(target.arguments, call.arguments, strict=True):
                if argument.kind != "data":
                    is_data = isinstance(expression, Name) and self._is_data(expression.name)
                    given.append("None" if is_data else self._text(expression))
        return f"{word}({', '.join(given)})"

    def _is_data(self, name: str) -> bool:
        return name in self._names.module.data and name not in self._local and not self._names.scope.has(name)


def _names_used(statements: Iterable[Node]) -> Iterator[str]:
    """Yield the names that statements use unconditionally.

    Names in the alternatives of ``if`` and ``switch``, and in the bodies of loops that use the loop's counter, are left
    out. Names in conditions, in the values of alternatives and in numbers of rounds are included.
    """
    waiting = list(statements)[::-1]
    while waiting:
        node = waiting.pop()
        match node:
            case Name(name) | Index(name, _):
                yield name
            case If(condition):
                yield from names_in(condition)
                continue
            case Switch(name, cases):
                yield name
                yield from names_in(tuple(value for value, _ in cases))
                continue
            case Loop(_, counter, count, _, body) if counter and counter in set(names_in(body)):
                yield from names_in(count)
                continue
        waiting += list(children_of(node))[::-1]


def _term(value: str) -> str:
    """Return an expression with the parentheses that it needs as an operand of a sum or product."""
    return value if _SIMPLE.fullmatch(value) else f"({value})"
