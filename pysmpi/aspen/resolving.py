"""Resolution of control flows: calls are replaced by the called kernels' steps, and all formulas by their values."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.distributions import drawn_value, expected_value
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.flow import Demand, Flow
from pysmpi.aspen.module import Module
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.statement_effects import Effects
from pysmpi.aspen.syntax_tree import (
    Call,
    Chain,
    Control,
    Data,
    Execute,
    Exposes,
    Expression,
    Group,
    If,
    Import,
    Kernel,
    Loop,
    Name,
    Need,
    Node,
    Param,
    Probability,
    Requires,
    Sample,
    Statement,
    Superstep,
    Switch,
    names_in,
)
from pysmpi.errors import did_you_mean
from pysmpi.formulas.expressions.evaluation import Value, evaluate, plain, tested
from pysmpi.formulas.expressions.symbolic import Symbolic

__all__ = ["ROUNDING", "Names", "resolve"]

_DEEPEST = 60  # largest number of nested calls
_MOST_ROUNDS = 100_000  # a loop whose body uses its counter becomes a step for each round
ROUNDING = 1e-6
"""Tolerance for rounding errors: how far a number of rounds may be from a whole number, and a count below 0."""


@dataclass
class _Rounds:
    """State that the resolution of loops shares with that of the steps inside them.

    Attributes:
        is_partial: whether these steps are in the last, incomplete round of a loop, such as the fourth of 3.5 rounds.
    """

    is_partial: bool = False


class Names:
    """Application and the applications that it imports, each with the values of its parameters.

    Args:
        module: definitions of the application.
        scope: values of its parameters.
        set_values: values of parameters of imported applications, by names such as "fft.n".
        machine: values of a machine's parameters, which take precedence over defaults of imported applications.
        prefix: name of the import and a dot, such as "fft.", or empty for the application that is not imported.

    Attributes:
        replaced: expressions that the import statement gives for parameters; empty if `prefix` is empty.
        is_drawn: whether samples are drawn and numbers of rounds are rounded to whole numbers, as on ranks. Otherwise,
            samples have their expected value, and a loop of 3.5 rounds ends with half a round.
    """

    def __init__(
        self, module: Module, scope: Scope, set_values: dict[str, Any], machine: dict[str, Value], prefix: str = ""
    ) -> None:
        self.module, self.scope, self.prefix = module, scope, prefix
        self.imports: dict[str, Names] = {}
        self.replaced: dict[str, Expression] = {}
        self.is_drawn = False
        self.sampled: Callable[[str, Sequence[Value], Place], Value] = expected_value
        self.resolved: dict[str, Flow] = {}  # control flows and kernels without arguments, by name
        self.effects = Effects()
        self.rounds = _Rounds()
        for name, (item, imported) in module.imports.items():
            begin = f"{name}."
            values = {key.removeprefix(begin): value for key, value in set_values.items() if key.startswith(begin)}
            replaced = dict(item.values)
            own = {key: value for key, value in values.items() if "." not in key}
            own |= {key: machine[key] for key in imported.params if key in machine and key not in {*own, *replaced}}
            inner = Scope(imported.params, scope, own, replaced)
            self.imports[name] = Names(imported, inner, values, machine, f"{prefix}{begin}")
            self.imports[name].effects, self.imports[name].rounds = self.effects, self.rounds
            self.imports[name].replaced = replaced

    def find(self, name: str) -> "tuple[Names, Kernel | Control] | None":
        """Return the `Names` of the application that defines `name`, and the kernel or control flow of this name.

        Return None if there is none. In "fft.main", "fft" is the name of an imported application.
        """
        if name in self.module.flows:
            return self, self.module.flows[name]
        first, _, rest = name.partition(".")
        return self.imports[first].find(rest) if rest and first in self.imports else None

    def draw(self, seed: int) -> None:
        """Switch to the values that ranks have: drawn samples and whole numbers of rounds; see `is_drawn`.

        Args:
            seed: seed of the samples; each statement has one number, the same on all ranks.
        """
        for each in self.walk():
            each.is_drawn = True
            each.sampled = functools.partial(drawn_value, seed)

    def walk(self) -> "Iterator[Names]":
        """Yield this object and those of all imported applications, also of those that they import."""
        yield self
        for each in self.imports.values():
            yield from each.walk()


def resolve(names: Names, name: str, place: Place) -> Flow:
    """Return a kernel or control flow as a tree of steps with numbers for their repetitions and amounts.

    Args:
        names: the application with the values of its parameters.
        name: name of the kernel or control flow.
        place: file and line with which the error about an unknown name begins.

    Raises:
        AspenError: no kernel or control flow has this name, or a value that is needed is missing or not valid.
    """
    return _flow(names, name, place, None, 0)


def _flow(
    names: Names, name: str, place: Place, arguments: "tuple[tuple[Expression, ...], Scope] | None", depth: int
) -> Flow:
    found = names.find(name)
    if found is None:
        hint = did_you_mean(name, names.module.all_names())
        raise error_at(place, f"no kernel is called {name!r}{hint}")
    if depth >= _DEEPEST:
        raise error_at(place, f"more than {_DEEPEST} nested calls")
    owner, flow = found
    if flow.name in owner.resolved and not (arguments and arguments[0]):
        return owner.resolved[flow.name]
    full = f"{owner.prefix}{flow.name}"
    if isinstance(flow, Control):
        steps = _Steps(owner, Scope({}, owner.scope), depth)
        resolved = Flow("control", full, flow.place, steps=steps.all(flow.body), sends=steps.sends(flow.body))
    else:
        resolved = _kernel(owner, flow, full, _kernel_scope(owner, flow, place, arguments), depth)
    if isinstance(flow, Control) or not flow.arguments:
        owner.resolved[flow.name] = resolved
    return resolved


def _kernel_scope(
    owner: Names, kernel: Kernel, place: Place, arguments: "tuple[tuple[Expression, ...], Scope] | None"
) -> Scope:
    values: dict[str, Any] = {}
    if arguments is not None:
        given, scope = arguments
        if len(given) != len(kernel.arguments):
            count = f"{len(kernel.arguments)} argument{'s' * (len(kernel.arguments) != 1)}"
            raise error_at(place, f"kernel {kernel.name!r} has {count}, but the call has {len(given)}")
        for argument, expression in zip(kernel.arguments, given, strict=True):
            if isinstance(expression, Name) and (argument.kind == "data" or _is_data(owner, expression, scope)):
                continue
            values[argument.name] = evaluate(expression, scope)
    local = {each.name: each for each in kernel.body if isinstance(each, Param)}
    return Scope(local, owner.scope, values)


def _is_data(owner: Names, expression: Name, scope: Scope) -> bool:
    return expression.name in owner.module.data and not scope.has(expression.name)


def _kernel(owner: Names, kernel: Kernel, full: str, scope: Scope, depth: int) -> Flow:
    steps = _Steps(owner, scope, depth)
    exposed = next((each for each in kernel.body if isinstance(each, Exposes)), None)
    parallelism = 1.0 if exposed is None else steps.count(exposed.parallelism, exposed.place, "a block of {} elements")
    demands = [steps.demand(each.need) for each in kernel.body if isinstance(each, Requires)]
    rest = steps.all(each for each in kernel.body if not isinstance(each, Exposes | Requires | Param | Data))
    sends = steps.sends(kernel.body)
    if not demands:
        return Flow("kernel", full, kernel.place, steps=rest, sends=sends)
    if len(demands) == len([each for each in kernel.body if not isinstance(each, Exposes | Param | Data | Import)]):
        return Flow("kernel", full, kernel.place, parallelism=parallelism, demands=demands, sends=sends)
    own = steps.sends([each for each in kernel.body if isinstance(each, Requires)])
    block = Flow("block", "", (exposed or kernel).place, parallelism=parallelism, demands=demands, sends=own)
    return Flow("kernel", full, kernel.place, steps=[block, *rest], sends=sends)


class _Steps:
    """Resolution of the statements of one kernel or control flow to steps."""

    def __init__(self, names: Names, scope: Scope, depth: int) -> None:
        self.names, self.scope, self.depth = names, scope, depth

    def all(self, statements: "Iterator[Statement] | Sequence[Statement]") -> list[Flow]:
        """Return the steps of several statements in one list, in order."""
        return [flow for each in statements for flow in self.one(each)]

    def count(self, expression: Expression, place: Place, described: str) -> Value:
        """Return the value of an expression that must not be negative, such as a number of rounds.

        In the last, incomplete round of a loop, a negative value becomes 0.

        Args:
            expression: the expression.
            place: file and line of the statement, for errors.
            described: description of the number for errors, with braces for its value, such as "a loop of {} rounds".

        Raises:
            AspenError: the number is negative.
        """
        value = evaluate(expression, self.scope)
        if isinstance(value, Symbolic) or not numpy.any(numpy.less(value, 0)):
            return value
        if numpy.any(numpy.less(value, -ROUNDING)) and not self.names.rounds.is_partial:
            shown = described.format(f"{float(numpy.min(value)):.6g}")
            raise error_at(place, f"{shown}; the number must not be negative")
        return plain(numpy.maximum(value, 0.0))

    def sends(self, statements: Sequence[Node]) -> bool:
        """Return whether statements may send messages."""
        return self.names.effects.sends(self.names.module, statements)

    def demand(self, need: Need) -> Demand:
        """Return the amount of a resource in a statement, with the values of its expressions."""
        described = f"a need of {{}} {need.resource}"
        amount = self.count(need.amount, need.place, described)
        size = 1.0 if need.size is None else self.count(need.size, need.place, described)
        return Demand(
            need.resource, amount * size, amount, size, need.traits, need.direction, need.array, self.scope, need.place
        )

    def one(self, statement: Statement) -> list[Flow]:
        """Return the steps that a statement consists of.

        A definition has no steps, and a chain ``A -> B`` has two. An ``if`` has the steps of the alternative that is
        taken.
        """
        match statement:
            case Execute(name, parallelism, label, needs):
                count = 1.0
                if parallelism is not None:
                    count = self.count(parallelism, statement.place, "a block of {} elements")
                demands = [self.demand(each) for each in needs]
                sends = self.sends([statement])
                return [Flow("block", label or name, statement.place, parallelism=count, demands=demands, sends=sends)]
            case Call(name, arguments):
                return [_flow(self.names, name, statement.place, (arguments, self.scope), self.depth + 1)]
            case Chain(steps):
                return self.all(steps)
            case Loop():
                return [self._loop(statement)]
            case Group("par", label, body):
                parts = [self._part([each], each.place) for each in body]
                return [
                    Flow("par", label, statement.place, steps=parts, is_parallel=True, sends=self.sends([statement]))
                ]
            case Group(_, label, body):
                return [Flow("seq", label, statement.place, steps=self.all(body), sends=self.sends(body))]
            case Superstep(parts):
                if len(parts) == 1:
                    return self.all(parts[0])
                flows = [self._part(part, statement.place) for part in parts]
                return [Flow("par", "", statement.place, steps=flows, is_parallel=True, sends=self.sends([statement]))]
            case If(condition, then, otherwise):
                return self._cases([(tested(condition, self.scope), then)], otherwise, statement)
            case Switch(name, cases, otherwise):
                value = self.scope.value(Name(name, place=statement.place))
                matched = [(self._equal(value, each, statement), body) for each, body in cases]
                return self._cases(matched, otherwise, statement)
            case Probability():
                alternatives = self._probability(statement)
                return [Flow("choice", "", statement.place, steps=alternatives, sends=self.sends([statement]))]
            case Sample(name, distribution, arguments):
                values = [evaluate(each, self.scope) for each in arguments]
                value = self.names.sampled(distribution, values, statement.place)
                self.scope = Scope({}, self.scope, {name: value})
                return []
            case Param():
                self.scope = Scope({statement.name: statement}, self.scope)
                return []
            case _:
                return []

    def _part(self, steps: Sequence[Statement], place: Place) -> Flow:
        found = self.all(steps)
        return found[0] if len(found) == 1 else Flow("seq", "", place, steps=found, sends=self.sends(steps))

    def _loop(self, loop: Loop) -> Flow:
        noun = "a loop of {} rounds" if loop.kind == "iterate" else "a map of {} parts"
        count = self.count(loop.count, loop.place, noun)
        name = loop.label or loop.counter
        is_map = loop.kind == "map"
        if not loop.counter or loop.counter not in set(names_in(loop.body)):
            inside = [self._part(loop.body, loop.place)] if is_map else self.all(loop.body)
            return Flow(loop.kind, name, loop.place, count, steps=inside, is_parallel=is_map, sends=self.sends([loop]))
        if not isinstance(count, float) or count > _MOST_ROUNDS:
            error = AspenError(
                f"{loop.place}: a loop whose steps use its counter {loop.counter!r} needs a single number of rounds, "
                f"at most {_MOST_ROUNDS:,}"
            )
            error.needs_one_number = True
            raise error
        whole = int(count + ROUNDING)
        rounds = [self._round(loop, number) for number in range(whole)]
        if count - whole > ROUNDING and not self.names.is_drawn:
            rounds += self._last_round(loop, whole, count - whole)
        kind = "par" if is_map else loop.kind
        return Flow(kind, name, loop.place, steps=rounds, is_parallel=is_map, sends=self.sends([loop]))

    def _round(self, loop: Loop, number: int) -> Flow:
        outer = self.scope
        self.scope = Scope({}, outer, {loop.counter: float(number)})
        try:
            return self._part(loop.body, loop.place)
        finally:
            self.scope = outer

    def _last_round(self, loop: Loop, number: int, part: float) -> list[Flow]:
        """Return a list with the last, incomplete round of a loop, or an empty list if the round cannot be evaluated.

        Example of the latter: in a loop over rows of a matrix, no rows may be left for this round.

        Args:
            loop: the loop.
            number: number of the round, which is the counter's value.
            part: share of the round that is executed, such as 0.5 if the loop has 3.5 rounds.
        """
        before, self.names.rounds.is_partial = self.names.rounds.is_partial, True
        try:
            found = self._round(loop, number)
        except AspenError:
            return []
        finally:
            self.names.rounds.is_partial = before
        weighted = Flow("case", "", loop.place, part, steps=[found], sends=self.sends([loop]))
        return [Flow("seq", "", loop.place, steps=[weighted], sends=self.sends([loop]))]

    def _equal(self, value: Value, case: Expression, switch: Node) -> Value:
        other = evaluate(case, self.scope)
        if isinstance(value, Symbolic) or isinstance(other, Symbolic):
            raise error_at(switch.place, "a case depends on a parameter that has no value; set it with NAME=VALUE")
        return value == other

    def _cases(self, cases: list[tuple[Value, Any]], otherwise: Any, statement: Node) -> list[Flow]:
        """Return the steps of the first alternative whose condition holds.

        If conditions are arrays, return a step for each case that is taken at some point. Its weight is an array, 1 at
        the points where it is the first case that holds, and 0 at the others.

        Args:
            cases: condition and steps of each alternative.
            otherwise: steps that are executed if no condition holds, or None.
            statement: the statement with the alternatives.
        """
        open_cases: Value = True
        found: list[Flow] = []
        for holds, body in [*cases, (True, otherwise or ())]:
            taken = numpy.logical_and(open_cases, holds)
            if numpy.all(taken):
                return [*found, *self.all(body)]
            if numpy.any(taken):
                weight = taken.astype(float)
                found.append(Flow("case", "", statement.place, weight, steps=self.all(body), sends=self.sends(body)))
            open_cases = numpy.logical_and(open_cases, numpy.logical_not(holds))
        return found

    def _probability(self, statement: Probability) -> list[Flow]:
        rest: Value = 1.0
        found = []
        for expression, body in statement.cases:
            weight = self.count(expression, statement.place, "a probability of {}")
            rest = rest - weight
            found.append(Flow("case", "", statement.place, weight, steps=self.all(body), sends=self.sends(body)))
        if not isinstance(rest, Symbolic) and numpy.any(numpy.less(rest, -1e-12)):
            total = float(numpy.max(1 - rest))
            raise error_at(statement.place, f"the probabilities add up to {total:.6g}; at most 1 is valid")
        if statement.otherwise:
            rest = rest if isinstance(rest, Symbolic) else numpy.maximum(rest, 0.0)
            steps = self.all(statement.otherwise)
            found.append(Flow("case", "", statement.place, rest, steps=steps, sends=self.sends(statement.otherwise)))
        return found
