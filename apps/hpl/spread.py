"""Row exchange by spread, equilibrate and roll: HPL's choice for many columns ("long", HPL_pdlaswp01T).

The pivots of a panel move NB rows of the trailing matrix to the top, where they form U, and as many rows of the block
row to the places of the pivots. *Spread*: the process row that holds the block row (the current one) sends rows along a
binary tree. Each process row receives as many rows as it contributes to U, and puts them where its own rows were. Its
own rows are then its piece of U. *Equilibrate*: pieces of different length are evened out. *Roll*: pieces are passed
around among neighbours until every process row has all of U.

Process rows are numbered by *position*: the current row is first, and process rows with many rows of U are near the
root of the tree (`sort_by_rows`). Bounds give the start of each position's piece in U: position i has the rows
bounds[i] to bounds[i + 1].
"""

from itertools import accumulate, pairwise

from rounds import Round, length, powers_down

Bounds = list[int]


def sort_by_rows(rows: list[int], current: int) -> tuple[Bounds, list[int]]:
    """Return the bounds and the process row at each position; `rows` is the number of rows of U from each process row.

    In a binary tree, nodes at positions with few 1 bits have many descendants. These positions are assigned to the
    process rows with the most rows (HPL_logsort).
    """
    count = len(rows)
    process = [(current + i) % count for i in range(count)]
    lengths = [rows[row] for row in process]
    ones = [i.bit_count() for i in range(count)]
    for level in range(1, max(ones) + 1):
        for near in range(1, count):
            if ones[near] != level:
                continue
            for far in range(2, count):
                if ones[far] > level and lengths[far] > lengths[near]:
                    lengths[near], lengths[far] = lengths[far], lengths[near]
                    process[near], process[far] = process[far], process[near]
    return list(accumulate(lengths, initial=0)), process


def spread_right(bounds: Bounds, me: int, source: int = 0) -> list[Round | None]:
    """Return the rounds that spread the rows of `source` down a binary tree to later positions, one entry per step."""
    count = len(bounds) - 1 - source
    distance = me - source
    if distance < 0 or count < 2:
        return []
    end = bounds[source + count]
    rounds: list[Round | None] = []
    steps = powers_down(count)
    rest, piece, mask = distance, steps[0], 2 * steps[0] - 1
    for step in steps:
        mask ^= step
        part = slice(*(bounds[source + i] if i < count else end for i in (piece, piece + step)))
        rounds.append(_along_the_tree(part, distance, step, mask, count, source, 1))
        if rest < step:
            piece -= step // 2
        else:
            rest -= step
            piece += step // 2
    return rounds


def spread_left(bounds: Bounds, me: int, source: int) -> list[Round | None]:
    """Return the rounds that spread the rows of `source` down a binary tree to earlier positions, one entry per
    step."""
    distance = source - me
    if distance < 0 or source == 0:
        return []
    rounds: list[Round | None] = []
    steps = powers_down(source + 1)
    rest, piece, mask = distance, source - steps[0], 2 * steps[0] - 1
    for step in steps:
        mask ^= step
        part = slice(bounds[piece - min(piece, step)], bounds[piece + 1])
        rounds.append(_along_the_tree(part, distance, step, mask, source + 1, source, -1))
        if rest < step:
            piece += step // 2
        else:
            rest -= step
            piece -= step // 2
    return rounds


def _along_the_tree(
    part: slice, distance: int, step: int, mask: int, count: int, source: int, direction: int
) -> Round | None:
    """Return the round of one tree step for the node at a distance from the root: pass a part on, or receive it."""
    partner = distance ^ step
    if distance & mask or length(part) <= 0:
        return None
    if distance & step:
        return Round(source + direction * partner, receive=part)
    return Round(source + direction * partner, send=part) if partner < count else None


def equilibrate(bounds: Bounds, me: int) -> tuple[list[Round | None], Bounds]:
    """Return the rounds that even out the pieces, and the bounds afterwards (HPL_equil).

    Position by position, rows beyond the piece's final length are spread to the left and to the right.
    """
    count, total = len(bounds) - 1, bounds[-1]
    least, longer = divmod(total, count)
    wanted = list(accumulate((least + (i < longer) for i in range(count)), initial=0))
    lengths = [stop - start for start, stop in pairwise(bounds)]
    if count <= 2 or all(rows in (least, -(-total // count)) for rows in lengths[:-1]):
        return [], bounds
    rounds: list[Round | None] = []
    for position in range(count):
        start, stop = bounds[position], bounds[position + 1]
        if start == stop:
            continue
        cuts = [min(max(bound, start), stop) for bound in wanted]
        if start < wanted[position]:
            rounds += spread_left(cuts, me, position)
        if wanted[position + 1] < stop:
            rounds += spread_right(cuts, me, position)
    return rounds, wanted
