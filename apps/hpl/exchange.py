"""Binary exchange of rows: HPL's choice for few columns (HPL_pdlaswp00T).

Recursive doubling carries the whole of U from the current process row to all others. On the way, each process inserts
its rows into U and takes out the rows that replace them. The rows that a process row contributes to U travel in the
opposite direction. They are packed with one additional number, their place in U. Process rows are numbered by their
distance from the current one; rows beyond the largest power of two take part through a partner.
"""

from typing import NamedTuple

from rounds import powers_down


class SwapRound(NamedTuple):
    """Exchange with a partner: all of U, or packed rows in the order in which the process collected them."""

    partner: int
    send: slice | None = None  # of the packed rows
    receive: slice | None = None
    sends_u: bool = False
    receives_u: bool = False


def exchange(processes: int, me: int, packed: list[int]) -> list[list[SwapRound]]:
    """Return the rounds of the process row at distance `me`, as lists; after each list, HPL polls for another panel.

    `packed` is the number of packed rows at each distance before the first round; it is 0 at distance 0,
    the current row.
    """
    power = 1 << (processes.bit_length() - 1)
    beyond = processes - power
    collected = packed[me]
    held = list(packed)
    stages: list[list[SwapRound]] = [[]]  # rows are packed before the first round
    before = []
    if me >= power:
        own = slice(0, held[me])
        before.append(SwapRound(me - power, send=own, receives_u=me == power))
    elif me + power < processes:
        theirs = slice(collected, collected + held[me + power])
        before.append(SwapRound(me + power, receive=theirs, sends_u=me == 0))
        collected = theirs.stop if me else 0  # the current row puts them into U immediately
    stages.append(before)
    for i in range(1, beyond):
        held[i] += held[i + power]
    last: list[SwapRound] = []
    if me < power:
        step = 1
        while step < power:
            partner = me ^ step
            theirs = slice(collected, collected + held[partner])
            own = slice(0, held[me])
            if me < step:
                stages.append([SwapRound(partner, receive=theirs, sends_u=True)])
                collected = theirs.stop
            elif me < 2 * step:
                stages.append([SwapRound(partner, send=own, receives_u=True)])
            else:
                stages.append([SwapRound(partner, send=own, receive=theirs)])
                collected = theirs.stop
            held = [held[i] + held[i ^ step] if i < power else held[i] for i in range(processes)]
            step *= 2
        if me + power < processes:
            last.append(SwapRound(me + power, sends_u=True))
    else:
        mine = me - power
        mask = 0
        steps = powers_down(beyond) if beyond > 1 else []
        mask = 2 * steps[0] - 1 if steps else 0
        for step in steps:
            mask ^= step
            stage = []
            if mine & mask == 0:
                partner = mine ^ step
                if mine & step:
                    stage.append(SwapRound(power + partner, receives_u=True))
                elif partner < beyond:
                    stage.append(SwapRound(power + partner, sends_u=True))
            stages.append(stage)
        last.append(SwapRound(mine, receives_u=True))
    stages.append(last)
    return stages
