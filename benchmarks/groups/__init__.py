"""Groups of benchmarks, by their names on the command line; each yields rows."""

from collections.abc import Callable, Iterator

from rows import Context, Row

from groups import (
    churn,
    collectives,
    contention,
    estimate,
    hpl,
    instructions,
    point_to_point,
    requirements,
    scale,
    skeletons,
    start_up,
)

__all__ = ["GROUPS"]

GROUPS: dict[str, Callable[[Context], Iterator[Row]]] = {
    "start-up": start_up.rows,
    "point-to-point": point_to_point.rows,
    "collectives": collectives.rows,
    "contention": contention.rows,
    "hpl": hpl.rows,
    "scale": scale.rows,
    "skeletons": skeletons.rows,
    "churn": churn.rows,
    "requirements": requirements.rows,
    "estimate": estimate.rows,
    "instructions": instructions.rows,
}
