"""Steps of an application with numbers for their repetitions and amounts, from which their times are computed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pysmpi.aspen.aspen_dialect import Place
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Trait
from pysmpi.formulas.expressions.evaluation import Value

__all__ = ["Demand", "Flow"]


@dataclass(frozen=True)
class Demand:
    """Amount of a resource that each of several parallel elements needs, with computed values.

    Example: if n is 100, ``loads [n] of size [8] from a as simd`` needs 100 units of 8 bytes of the resource "loads",
    so the amount is 800. The direction is "from", the array is "a", and the only trait is simd.

    Attributes:
        resource: name of the resource.
        amount: `units` times `size`.
        units: number of units.
        size: bytes of a unit, or 1 if the statement gives no size.
        traits: words after "as", in the order in which the application names them.
        direction: "to" or "from", or empty if no data is named.
        array: name of the data, or empty.
        scope: names and values with which the traits' arguments are computed.
        place: file and line of the statement.
    """

    resource: str
    amount: Value
    units: Value
    size: Value
    traits: tuple[Trait, ...]
    direction: str
    array: str
    scope: Scope
    place: Place

    @property
    def label(self) -> str:
        """Names of the traits, such as "dp, simd"."""
        return ", ".join(trait.name for trait in self.traits)


@dataclass(frozen=True)
class Flow:
    """Step of a control flow, with the steps inside it.

    A block is a step that consists of equal, parallel elements, each of which needs the same amounts of resources.

    Attributes:
        kind: "kernel", "control", "block", "iterate", "par", "map", "seq", "choice" for
            alternatives with probabilities, or "case" for one of several alternatives.
        name: name of the kernel or control flow, label of a block or loop, or empty.
        place: file and line of the statement.
        count: number of times that the steps inside are executed: iterations of a loop, copies of a map, or the
            probability of an alternative; else 1.
        parallelism: number of elements of a block.
        demands: amounts of resources that each element of a block needs.
        steps: steps inside.
        is_parallel: whether the steps inside are executed in parallel.
        sends: whether the statement may send messages; see `Effects`.
    """

    kind: str
    name: str
    place: Place
    count: Value = 1.0
    parallelism: Value = 1.0
    demands: Sequence[Demand] = ()
    steps: Sequence["Flow"] = field(default=())
    is_parallel: bool = False
    sends: bool = False

    @property
    def is_block(self) -> bool:
        """True for a step that needs resources itself: a block, or a kernel that consists of one block."""
        return bool(self.demands)
