"""Row exchange in binary fashion: HPL's choice for few columns (HPL_pdlaswp00T).

The whole of U goes from the current process row to all others by recursive doubling, and on the way each process puts
its rows into it and takes out those that are to replace them. What a process row has for U travels in the other
direction, packed: rows of one number more, which says where in U it belongs. Process rows are numbered by their
distance from the current one; those beyond the largest power of two take part through a partner.
"""

from typing import NamedTuple

from rounds import powers_down


class SwapRound(NamedTuple):
    """An exchange with a partner: of all of U, or of packed rows, numbered as the process has collected them."""

    partner: int
    send: slice | None = None  # of the packed rows
    receive: slice | None = None
    sends_u: bool = False
    receives_u: bool = False


def exchange(processes: int, me: int, packed: list[int]) -> list[list[SwapRound]]:
    """Return the rounds of the process row at distance `me`; HPL looks for a panel that is broadcast after each list.

    `packed` says how many packed rows each distance begins with: none for the current row, at 0.
    """
    power = 1 << (processes.bit_length() - 1)
    beyond = processes - power
    collected = packed[me]
    held = list(packed)
    stages: list[list[SwapRound]] = [[]]  # first the rows are packed
    before = []
    if me >= power:
        own = slice(0, held[me])
        before.append(SwapRound(me - power, send=own, receives_u=me == power))
    elif me + power < processes:
        theirs = slice(collected, collected + held[me + power])
        before.append(SwapRound(me + power, receive=theirs, sends_u=me == 0))
        collected = theirs.stop if me else 0  # the current row puts them into U at once
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
