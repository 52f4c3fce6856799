"""Scopes: names of a model with their values, which are evaluated when they are first used."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy

from pysmpi.aspen.aspen_dialect import NOWHERE, POWERS_OF_TEN, Place, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.syntax_tree import Expression, Index, List, Name, Node, Param, names_in
from pysmpi.errors import nearest
from pysmpi.formulas.expressions.evaluation import Value, evaluate
from pysmpi.formulas.expressions.symbolic import Symbolic
from pysmpi.formulas.expressions.text import expression_text

__all__ = ["Scope", "undefined_name"]


class Scope:
    """Names that formulas may use, with their values or definitions. A scope may be inside an outer scope.

    A definition may use names that are defined later, and names of the outer scope. Values take precedence over
    definitions.

    Args:
        definitions: parameters by name.
        parent: outer scope, which has all other names, or None.
        values: values that replace definitions: numbers, arrays, or expressions, which are evaluated in this scope.
        outer: like `values`, but expressions are evaluated in the outer scope.
        is_open: whether names that are not defined are symbols, so that values that depend on them are formulas.
    """

    def __init__(
        self,
        definitions: Mapping[str, Param] | None = None,
        parent: "Scope | None" = None,
        values: Mapping[str, Any] | None = None,
        outer: Mapping[str, Expression] | None = None,
        is_open: bool = False,
    ) -> None:
        self.definitions = dict(definitions or {})
        self.parent = parent
        self.values = dict(values or {})
        self.outer = dict(outer or {})
        self.open: bool = is_open or (parent is not None and parent.open)
        self._found: dict[str, Value] = {}

    def value(self, node: Name) -> Value:
        """Return the value of a name: a number, an array of numbers, or a formula of symbols.

        Raises:
            AspenError: the name is not defined, its definition depends on itself, or it is a list.
        """
        name = node.name
        owner = self._owner(name)
        if owner is None:
            if name in POWERS_OF_TEN:
                return POWERS_OF_TEN[name]
            if self.open:
                return Symbolic.atom(name)
            raise undefined_name(name, node.place, self.names())
        if name not in owner._found:
            owner._resolve(name)
        found = owner._found[name]
        if isinstance(found, List):
            raise error_at(node.place, f"{name!r} is a list; write {name}[0] for its first element")
        return found

    def element(self, node: Index) -> Value:
        """Return an element of a parameter that is a list.

        Raises:
            AspenError: the name is not defined or is not a list, or an index is not that of an element.
        """
        owner = self._owner(node.name)
        if owner is None:
            raise undefined_name(node.name, node.place, self.names())
        param = owner.definitions.get(node.name)
        if param is None or param.dimensions != len(node.indices) or node.name in owner.values:
            dimensions = 0 if param is None or node.name in owner.values else param.dimensions
            kind = ("is a number", "is a list", "is a list of lists")[dimensions]
            indices = "1 index" if len(node.indices) == 1 else f"{len(node.indices)} indices"
            raise error_at(node.place, f"{node.name!r} {kind} and has no element with {indices}")
        if node.name not in owner._found:
            owner._resolve(node.name)
        return self._element(node, param.value, node.indices, owner)

    def _element(self, node: Index, item: "Expression | List", indices: Sequence[Expression], owner: "Scope") -> Value:
        """Return the element of a list at some indices, or an array of elements if the indices are arrays.

        Args:
            node: the whole expression, such as ``a[1][2]``, for errors.
            item: the list, or the element itself if there are no indices left.
            indices: index into the list, then the indices into the lists in it.
            owner: scope that defines the list.
        """
        if not isinstance(item, List):
            return evaluate(item, owner)
        number = evaluate(indices[0], self)
        if isinstance(number, Symbolic):
            raise error_at(node.place, f"the element of {node.name!r} depends on {number}; set a value, such as n=4")
        valid = numpy.equal(number, numpy.floor(number)) & numpy.less_equal(0, number)
        valid &= numpy.less(number, len(item.items))
        if not numpy.all(valid):
            wrong = float(numpy.asarray(number)[~numpy.asarray(valid)].flat[0])
            raise error_at(node.place, f"{node.name!r} has no element {wrong:.6g} (valid: 0 to {len(item.items) - 1})")
        if not isinstance(number, numpy.ndarray):
            return self._element(node, item.items[int(number)], indices[1:], owner)
        chosen = [(each, item.items[int(each)]) for each in numpy.unique(number)]
        elements = [self._element(node, each, indices[1:], owner) for _, each in chosen]
        return numpy.select(numpy.broadcast_arrays(*(number == each for each, _ in chosen)), elements)

    def error(self, place: Place, problem: str) -> AspenError:
        return error_at(place, problem)

    def undefined(self, place: Place, problem: str, given: str, node: Expression) -> AspenError:
        return error_at(place, problem + (f", where {given}" if given else f": {expression_text(node)}"))

    def has(self, name: str) -> bool:
        """Return whether a name has a value or a definition, here or in an outer scope, or is a predefined number."""
        return self._owner(name) is not None or name in POWERS_OF_TEN

    def names(self) -> Iterator[str]:
        """Yield the names that have a value or a definition, here or in an outer scope."""
        yield from dict.fromkeys([*self.values, *self.outer, *self.definitions])
        if self.parent is not None:
            yield from self.parent.names()

    def _owner(self, name: str) -> "Scope | None":
        scope: Scope | None = self
        while scope is not None and not (name in scope.values or name in scope.outer or name in scope.definitions):
            scope = scope.parent
        return scope

    def _resolve(self, name: str) -> None:
        """Evaluate a name, but first all names of this scope that its definition uses.

        A stack takes the place of recursion, because definitions may depend on each other in long chains.
        """
        stack = [(name, self._used(name))]
        while stack:
            current, used = stack[-1]
            following = next((each for each in used if each not in self._found and self._owner(each) is self), None)
            if following is None:
                self._found[current] = self._evaluated(current)
                stack.pop()
                continue
            above = [each for each, _ in stack]
            if following in above:
                raise self._cycle(above[above.index(following) :])
            stack.append((following, self._used(following)))

    def _definition(self, name: str) -> Any:
        for values in (self.values, self.outer):
            if name in values:
                return values[name]
        return self.definitions[name].value

    def _used(self, name: str) -> Iterator[str]:
        if name in self.outer and name not in self.values:
            return iter(())  # its definition is evaluated in the outer scope
        return names_in(*_expressions(self._definition(name)))

    def _evaluated(self, name: str) -> Any:
        definition = self._definition(name)
        if not isinstance(definition, Node) or isinstance(definition, List):
            return definition
        is_outer = name in self.outer and name not in self.values and self.parent is not None
        return evaluate(cast(Expression, definition), cast(Scope, self.parent) if is_outer else self)

    def _cycle(self, names: list[str]) -> AspenError:
        places = [self.definitions[each].place if each in self.definitions else NOWHERE for each in names]
        steps = " → ".join(f"{name} (line {place.line})" for name, place in zip(names, places, strict=True))
        return error_at(places[0], f"{names[0]!r} is defined by itself: {steps} → {names[0]}")


def _expressions(definition: Any) -> list[Expression]:
    """Return the expressions of a definition, which may be a list; a number or an array has none."""
    if isinstance(definition, List):
        return [each for item in definition.items for each in _expressions(item)]
    return [cast(Expression, definition)] if isinstance(definition, Node) else []


def undefined_name(name: str, place: Place, names: Iterable[str]) -> AspenError:
    """Return the error about a name that is not defined; it suggests a similar name, or how to set a value.

    Args:
        name: name that is used.
        place: file and line of its use.
        names: names that are defined there.
    """
    similar = nearest(name, names)
    hint = f"did you mean {similar!r}?" if similar and similar != name else f"set it with {name}=VALUE"
    return error_at(place, f"{name!r} is not defined; {hint}")
