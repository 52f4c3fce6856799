"""Definitions in a machine's files: components and parameters."""

from dataclasses import dataclass, field

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.machine_grammar import LINKS, NETWORKS, singular
from pysmpi.aspen.model_files import all_items, read_file
from pysmpi.aspen.module import add_named, params_of
from pysmpi.aspen.syntax_tree import Component, Connected, Enum, Expression, File, Linked, Number, Param, Part, Trait
from pysmpi.errors import unknown

__all__ = ["MachineParts", "Portion"]


@dataclass(frozen=True)
class Portion:
    """Components of one kind inside another component.

    Attributes:
        component: the inner component.
        count: formula of the number of inner components in each outer component.
        traits: words after "as" that describe the connection, such as a topology.
        place: file and line of the statement that names the inner component.
        type: type of the inner component. A network that a socket is linked with has the type "link" there.
    """

    component: Component
    count: Expression
    traits: tuple[Trait, ...]
    place: Place
    type: str


@dataclass
class MachineParts:
    """Definitions in a machine's file and in the files that it includes.

    Attributes:
        path: path of the file.
        params: parameters, and the values of enums, by name.
        components: all components, in the order of the texts.
    """

    path: str
    params: dict[str, Param] = field(default_factory=dict)
    components: list[Component] = field(default_factory=list)

    @classmethod
    def read(cls, path: str, file: File | None = None) -> "MachineParts":
        """Read a machine.

        Args:
            path: path of its file.
            file: syntax tree of the file, or None to read the file.

        Raises:
            AspenError: a file cannot be read or is not a machine, or a name is defined twice.
        """
        found = cls(path)
        for item in all_items(file or read_file(path), path):
            match item:
                case Param() | Enum():
                    for param in params_of(item):
                        add_named(found.params, param)
                case Component():
                    found._add(item)
                case _:
                    noun, name = type(item).__name__.lower(), getattr(item, "name", "")
                    shown = f"{noun} {name!r}" if name else noun
                    raise error_at(
                        item.place,
                        f"{shown} is not allowed in a machine file; move it to an application "
                        "(valid here: param, enum, include, and components such as node)",
                    )
        return found

    def _add(self, component: Component) -> None:
        before = self.find(component.name, component.type)
        if before is not None:
            where = f"line {before.place.line}" if before.place.file == component.place.file else str(before.place)
            raise error_at(component.place, f"{component.type} {component.name!r} is defined twice (first in {where})")
        self.components.append(component)

    def names(self, *types: str) -> list[str]:
        """Return the names of all components of the given types."""
        return [each.name for each in self.components if singular(each.type) in types]

    def find(self, name: str, *types: str) -> Component | None:
        """Return the component that has a name and one of the given types, or None."""
        wanted = {singular(each) for each in types}
        for each in self.components:
            if each.name == name and singular(each.type) in wanted:
                return each
        return None

    def portions(self, component: Component) -> list[Portion]:
        """Return the components that a component directly contains, or that it is linked or connected with.

        Raises:
            AspenError: one of them is not defined in the machine's files.
        """
        found = []
        one = Number(1.0)
        for member in component.members:
            match member:
                case Part(kind, name, count, traits):
                    inner = self._inner(member.place, name, kind)
                    found.append(Portion(inner, count or one, traits, member.place, singular(inner.type)))
                case Linked(name):
                    inner = self._inner(member.place, name, *LINKS)
                    found.append(Portion(inner, one, (), member.place, LINKS[0]))
                case Connected(count, name, traits):
                    inner = self._inner(member.place, name, *NETWORKS)
                    found.append(Portion(inner, count, traits, member.place, singular(inner.type)))
        return found

    def _inner(self, place: Place, name: str, *types: str) -> Component:
        found = self.find(name, *types)
        if found is None:
            raise error_at(place, unknown(types[0], name, self.names(*types)))
        return found
