"""Drawing of wrong calls: a template whose slots have valid values, except one."""

import dataclasses
import random
import re

from templates import TEMPLATES, VALID, WRONG

__all__ = ["Case", "draw_cases"]

_SLOT = re.compile(r"\{(\w+)(?::\w+)?\}")
_SHARES = {"raw": 28, "message": 14, "collective": 18, "datatype": 8, "group": 4, "communicator": 9, "info": 2,
           "request": 4, "window": 8, "file": 5}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    """A call and the number of ranks that make it."""

    ranks: int
    call: str


def _fill(rng: random.Random, template: str) -> str:
    slots = list(_SLOT.finditer(template))
    wrong = rng.randrange(len(slots)) if slots else -1
    pieces, end = [], 0
    for number, slot in enumerate(slots):
        values = WRONG if number == wrong else VALID
        pieces += [template[end : slot.start()], rng.choice(values[slot[1]])]
        end = slot.end()
    return "".join([*pieces, template[end:]])


def draw_cases(seed: int, count: int) -> list[Case]:
    """Return `count` different cases."""
    rng = random.Random(seed)
    kinds, shares = list(_SHARES), list(_SHARES.values())
    cases: dict[Case, None] = {}
    while len(cases) < count:
        kind = rng.choices(kinds, shares)[0]
        ranks = rng.choices([1, 2, 3], [6, 2, 2])[0]
        cases[Case(ranks, _fill(rng, rng.choice(TEMPLATES[kind])))] = None
    return list(cases)
