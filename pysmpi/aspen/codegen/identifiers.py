"""Identifiers of a generated program: those of kernels and parameters, and the parameters' definitions."""

import builtins
import keyword
import math
import re
from collections.abc import Mapping
from typing import cast

from pysmpi.aspen.aspen_dialect import POWERS_OF_TEN
from pysmpi.aspen.codegen.expressions import Python, number_python
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.resolving import Names
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Expression, Index, List, Name, Node, Number, Param, Range, names_in
from pysmpi.formulas.expressions.dialect import Strength
from pysmpi.formulas.expressions.evaluation import evaluate

__all__ = ["PythonNames"]

_NO_VALUE = 'float("nan")'

_RESERVED = frozenset({
    "Rank", "Time", "argparse", "arguments", "case", "ceil", "exp", "floor", "lane", "log", "log10", "log2", "nodes",
    "once", "parser", "rank", "requests", "rest", "seconds", "size", "sockets", "sqrt",
})  # fmt: skip
"""Identifiers that a generated program uses itself, so that parameters and kernels cannot have them."""


class PythonNames:
    """Identifiers that parameters and kernels have in a generated program, and the lines that define parameters.

    Args:
        names: the application with the values of its parameters.
        processors: name of the parameter that is the number of ranks, or None if no parameter is.
        has_arguments: whether parameters that are numbers are arguments of the program's command line.

    Attributes:
        arguments: lines of the program that define arguments of its command line, for ``parser`` of argparse.
        assignments: lines of the program that define parameters.
    """

    def __init__(self, names: Names, processors: str | None, *, has_arguments: bool) -> None:
        self.arguments: list[str] = []
        self.assignments: list[str] = []
        self._processors, self._has_arguments = processors, has_arguments
        self._taken = {*_RESERVED, *keyword.kwlist, *dir(builtins)}
        self._prefixes = {id(each.scope): each.prefix for each in names.walk()}
        self._local_words: set[str] = set()
        self._known: dict[tuple[int, str], str] = {}
        self._unknown = Scope()

    def identifier(self, name: str) -> str:
        """Return an identifier that is not used yet for a name of the model; it is the name itself if possible."""
        word = re.sub(r"\W", "_", name)
        word = f"_{word}" if word[:1].isdigit() else word
        while word in self._taken:
            word += "_"
        self._taken.add(word)
        return word

    def local(self, name: str) -> str:
        """Return an identifier for a name that is local to a function; other functions may use the identifier, too."""
        word = re.sub(r"\W", "_", name)
        while word in self._taken and word not in self._local_words:
            word += "_"
        self._taken.add(word)
        self._local_words.add(word)
        return word

    def text(self, node: Expression, scope: Scope, local: Mapping[str, str], least: Strength = Strength.SUM) -> str:
        """Return the Python code of an expression.

        Args:
            node: the expression.
            scope: names that are defined outside of kernels in the application that has the expression.
            local: identifiers of names in the kernel: arguments, parameters, counters of loops, random samples.
            least: precedence of the operation around the expression. If the precedence of the expression is lower, it
                gets parentheses.
        """
        return Python(lambda each: self.name(each, scope, local)).text(node, least)

    def name(self, node: Name | Index, scope: Scope, local: Mapping[str, str]) -> str:
        """Return the Python code for a name, or for an element of a list; the arguments are as for `text`."""
        if isinstance(node, Index):
            text = self._outer(node.name, node, scope)
            for each in node.indices:
                index = self.text(each, scope, local)
                text += f"[{index}]" if isinstance(each, Number) else f"[int({index})]"
            return text
        return local[node.name] if node.name in local else self._outer(node.name, node, scope)

    def is_global(self, node: Expression, scope: Scope) -> bool:
        """Return whether an expression uses only names that are defined outside of kernels."""
        owners = [scope._owner(each) for each in names_in(node)]
        return all(each is None or id(each) in self._prefixes for each in owners)

    def _outer(self, name: str, node: Node, scope: Scope) -> str:
        owner = scope._owner(name)
        if owner is None:
            if name in POWERS_OF_TEN:
                return number_python(POWERS_OF_TEN[name])
            owner = self._unknown  # its value is never needed, because the model has been evaluated without errors
        key = (id(owner), name)
        if key not in self._known:
            self._known[key] = self._define(owner, name)
        return self._known[key]

    def _define(self, owner: Scope, name: str) -> str:
        word = self.identifier(f"{self._prefixes.get(id(owner), '')}{name}")
        if name == self._processors:
            self.assignments.append(f"{word} = float(rank.comm.size)  # number of processors")
            return word
        value = math.nan if owner is self._unknown else owner._definition(name)
        if isinstance(value, List):
            self.assignments.append(f"{word} = {self._list(value, owner)}")
        elif not isinstance(value, Node):
            self._argument(word, float(value), owner.definitions.get(name))
        else:
            value = cast(Expression, value)
            inside = owner.parent if name in owner.outer and name not in owner.values and owner.parent else owner
            if any(each not in POWERS_OF_TEN or inside._owner(each) is not None for each in names_in(value)):
                self.assignments.append(f"{word} = {self._value(value, inside)}")
            else:
                self._argument(word, float(evaluate(value, inside)), owner.definitions.get(name))
        return word

    def _argument(self, word: str, value: float, param: Param | None) -> None:
        text = repr(value) if math.isfinite(value) else _NO_VALUE
        if not self._has_arguments:
            self.assignments.append(f"{word} = {text}")
            return
        limits = param.limits if param is not None else None
        meaning = ""
        if isinstance(limits, Range) and not any(True for _ in names_in(limits.low, limits.high)):
            low, high = (number_python(float(evaluate(each, Scope()))) for each in (limits.low, limits.high))
            meaning = f', help="{low} .. {high}"'
        self.arguments.append(f'parser.add_argument("--{word}", type=float, default={text}{meaning})')
        self.assignments.append(f"{word} = arguments.{word}")

    def _value(self, value: Expression, scope: Scope) -> str:
        """Return the Python code for an expression, or for NaN if the expression cannot be evaluated.

        No step needs a value that is NaN, because the model has been evaluated without errors.
        """
        try:
            evaluate(value, scope)
        except AspenError:
            return _NO_VALUE
        return self.text(value, scope, {})

    def _list(self, value: List, owner: Scope) -> str:
        items = [self._list(each, owner) if isinstance(each, List) else self._value(each, owner)
                 for each in value.items]  # fmt: skip
        return f"[{', '.join(items)}]"
