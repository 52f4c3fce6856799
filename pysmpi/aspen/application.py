"""Applications: models of what an algorithm needs, with the values of parameters that a user has set."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy

from pysmpi.aspen.amounts import Amounts, amounts_of
from pysmpi.aspen.aspen_dialect import POWERS_OF_TEN, Place, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.file_grammar import parse_expression
from pysmpi.aspen.flow import Flow
from pysmpi.aspen.module import Module, read_module
from pysmpi.aspen.resolving import Names, resolve
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Expression, Name, Node, Trait, names_in
from pysmpi.errors import did_you_mean
from pysmpi.formulas.expressions.evaluation import Value, evaluate
from pysmpi.formulas.expressions.symbolic import Symbolic
from pysmpi.formulas.expressions.text import expression_text, number_text

__all__ = ["PROCESSORS", "Amount", "Application", "set_values", "value_text"]

PROCESSORS = "P"
"""Name of the parameter that is the number of processors."""


@dataclass(frozen=True)
class Amount:
    """Amount of a resource that a kernel or control flow needs.

    Attributes:
        application: the application, with the values that have been set.
        entry: name of the kernel or control flow.
        resource: name of the resource.
    """

    application: "Application"
    entry: str
    resource: str

    @property
    def value(self) -> Value:
        """The amount as a number, or as an array if a parameter is one.

        Raises:
            AspenError: a value that is needed does not exist.
        """
        return self.application.amounts(self.entry).resources.get(self.resource, 0.0)

    def formula(self) -> str:
        """Return the amount as a formula of the parameters that have not been set."""
        found = self.application.amounts(self.entry, formulas=True).resources
        return str(Symbolic.of(found.get(self.resource, 0.0)))

    def __float__(self) -> float:
        return float(self.value)


@dataclass(frozen=True)
class Application:
    """Model of an application.

    Attributes:
        module: definitions in its files.
        values: values that have been set, by name: numbers, arrays or expressions.
    """

    module: Module
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Self:
        """Read a model of an application.

        Raises:
            AspenError: the file, or one that it includes or imports, cannot be read or is not valid.
        """
        return cls(read_module(str(path)))

    @property
    def path(self) -> str:
        """Path of the file."""
        return self.module.path

    def set(self, **values: Any) -> Self:
        """Return the application with other values of parameters.

        Args:
            values: numbers, arrays that are broadcast, or texts of expressions such as "2^16".

        Raises:
            AspenError: the application has no such parameter.
        """
        return self.with_values(values)

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """Return the application with other values of parameters, by name; see `set` for the forms of values."""
        valid = set(self.parameters())
        return replace(self, values={**self.values, **set_values(values, valid, sorted(valid), self.place)})

    @property
    def place(self) -> Place:
        """File and line for errors about the whole application: its first kernel or control flow, or the first line."""
        return next((flow.place for flow in self.module.flows.values()), Place(self.path, 1))

    @property
    def processors(self) -> Value:
        """Number of processors that has been set, or None."""
        return self.names().scope.value(Name(PROCESSORS)) if PROCESSORS in self.values else None

    def parameters(self) -> Iterator[str]:
        """Yield the names that can be given a value: P (the number of processors), parameters, arguments of kernels.

        Names that are used but not defined can be given a value, too. See `Module.settable`.
        """
        yield from dict.fromkeys([PROCESSORS, *self.module.settable])

    def names(
        self, processors: Value = None, machine: Mapping[str, Value] | None = None, *, formulas: bool = False
    ) -> Names:
        """Return the application, and those that it imports, with the values of all parameters.

        Args:
            processors: number of processors if it has not been set, or None.
            machine: values of a machine's parameters, which take precedence over the application's defaults.
            formulas: whether parameters that have not been set are symbols, so that amounts are formulas of them.
        """
        base = Scope(values={} if processors is None else {PROCESSORS: processors}, is_open=formulas)
        given = {name: each for name, each in (machine or {}).items() if name in self.module.settable}
        own = {**given, **{name: value for name, value in self.values.items() if "." not in name}}
        if formulas:
            own = {**_atoms(self.module, ""), **own}
        scope = Scope(self.module.params, base, own)
        dotted = {name: value for name, value in self.values.items() if "." in name}
        if formulas:
            dotted = {**_imported_atoms(self.module), **dotted}
        return Names(self.module, scope, dotted, dict(machine or {}))

    def entry(self, control: str | None = None, kernel: str | None = None) -> str:
        """Return the name of the kernel or control flow to evaluate.

        It is the given one. If none is given, it is "main", else the only control flow, else the only kernel.

        Args:
            control: name of a control flow, or None.
            kernel: name of a kernel, or None.

        Raises:
            AspenError: the application has none of this name, or several to choose from.
        """
        flows = list(self.module.all_names())
        for kind, name in (("control flow", control), ("kernel", kernel)):
            if name is None:
                continue
            if name not in flows:
                hint = did_you_mean(name, flows)
                raise error_at(self.place, f"no {kind} is called {name!r}{hint} (valid: {', '.join(flows)})")
            return name
        if "main" in self.module.flows:
            return "main"
        for option, table in (("control", self.module.controls), ("kernel", self.module.kernels)):
            if len(table) == 1:
                return next(iter(table))
            if table:
                counted = f"{len(table)} {'control flows' if option == 'control' else 'kernels'}"
                say = ", ".join(f"--{option} {name}" for name in table)
                raise error_at(next(iter(table.values())).place, f"{counted}; choose one: {say}")
        raise error_at(self.place, "the file has no kernel and no control flow")

    def flow(self, entry: str, names: Names) -> Flow:
        """Return a kernel or control flow as a tree of steps with numbers for their repetitions and amounts.

        Args:
            entry: name of the kernel or control flow.
            names: result of `names`, which has the values of parameters.
        """
        return resolve(names, entry, self.place)

    def amounts(self, entry: str, *, formulas: bool = False) -> Amounts:
        """Return the amounts of all resources that a kernel or control flow needs.

        Args:
            entry: name of the kernel or control flow.
            formulas: whether amounts are formulas of the parameters that have not been set.

        Raises:
            AspenError: a value that is needed does not exist.
        """
        return amounts_of(self.flow(entry, self.names(formulas=formulas)))

    def data(self, names: Names) -> dict[str, Value]:
        """Return the bytes of all data by name; data of an imported application has a name such as "fft.grid".

        Args:
            names: result of `names`, which has the values of parameters.
        """
        found: dict[str, Value] = {}
        for each in names.walk():
            for name, data in each.module.data.items():
                size: Value = 1.0 if data.size is None else evaluate(data.size, each.scope)
                for trait in data.traits:
                    size = size * _product(trait, each.scope)
                found[f"{each.prefix}{name}"] = size
        return found

    def flops(self, control: str | None = None, kernel: str | None = None, **values: Any) -> Amount:
        """Return the floating-point operations of a kernel or control flow.

        The arguments are as for `entry`, and `values` are values of parameters as for `set`.
        """
        return self._amount("flops", control, kernel, values)

    def loads(self, control: str | None = None, kernel: str | None = None, **values: Any) -> Amount:
        """Return the bytes that a kernel or control flow loads; `entry` and `set` describe the arguments."""
        return self._amount("loads", control, kernel, values)

    def stores(self, control: str | None = None, kernel: str | None = None, **values: Any) -> Amount:
        """Return the bytes that a kernel or control flow stores; `entry` and `set` describe the arguments."""
        return self._amount("stores", control, kernel, values)

    def messages(self, control: str | None = None, kernel: str | None = None, **values: Any) -> Amount:
        """Return the bytes of messages of a kernel or control flow; `entry` and `set` describe the arguments."""
        return self._amount("messages", control, kernel, values)

    def intensity(self, control: str | None = None, kernel: str | None = None, **values: Any) -> Value:
        """Return the operations for each byte of memory that a kernel or control flow loads or stores.

        `entry` and `set` describe the arguments.
        """
        chosen = self.with_values(values)
        return chosen.amounts(chosen.entry(control, kernel)).intensity

    def _amount(self, resource: str, control: str | None, kernel: str | None, values: dict[str, Any]) -> Amount:
        return Amount(self.with_values(values), self.entry(control, kernel), resource)


def set_values(
    values: Mapping[str, Any], valid: Collection[str], listed: Iterable[str], place: Place
) -> dict[str, Any]:
    """Check the names of values that a user sets, and return the values by name in the form that `Scope` takes.

    Args:
        values: values by name: numbers, arrays, or texts of expressions such as "2^16".
        valid: names that can be set.
        listed: those of the valid names that an error lists.
        place: file and line with which an error begins.

    Returns:
        Numbers, arrays of numbers, or syntax trees of expressions.

    Raises:
        AspenError: a name is not valid.
    """
    for name in values:
        if name not in valid:
            hint = did_you_mean(name, valid)
            raise error_at(place, f"no parameter is called {name!r}{hint} (valid: {', '.join(listed)})")
    return {name: _set_value(name, each) for name, each in values.items()}


def _set_value(name: str, value: Any) -> Any:
    """Return a value as a number, an array of numbers, or the syntax tree of an expression; see `set_values`."""
    if isinstance(value, str):
        return parse_expression(value, f"{name}={value}")
    if isinstance(value, int | float):
        return float(value)
    return numpy.asarray(value, dtype=float)


def value_text(value: Any) -> str:
    """Return the text of a parameter's value; `set_values` converts the text to the same value.

    Raises:
        AspenError: the value is an array.
    """
    if isinstance(value, Node):
        return expression_text(cast(Expression, value))
    if numpy.ndim(value):
        raise AspenError("an array of values can be costed, but not simulated; set one number")
    return number_text(float(value))


def _atoms(module: Module, prefix: str) -> dict[str, Symbolic]:
    """Return a symbol for each parameter whose default is a number, not a formula of others, a list or part of an enum.

    Args:
        module: module with the parameters.
        prefix: text before the names in symbols: name of the import and a dot, or empty.
    """
    return {
        name: Symbolic.atom(f"{prefix}{name}")
        for name, param in module.params.items()
        if param.dimensions == 0
        and not isinstance(param.limits, str)
        and all(each in POWERS_OF_TEN and each not in module.params for each in names_in(param.value))
    }


def _imported_atoms(module: Module, prefix: str = "") -> dict[str, Symbolic]:
    found = {}
    for name, (item, imported) in module.imports.items():
        inner = f"{prefix}{name}."
        replaced = dict(item.values)
        own = _atoms(imported, inner)
        found.update({f"{inner}{key}": value for key, value in own.items() if key not in replaced})
        found.update(_imported_atoms(imported, inner))
    return found


def _product(trait: Trait, scope: Scope) -> Value:
    size: Value = 1.0
    for each in trait.arguments:
        size = size * evaluate(each, scope)
    return size
