"""Grids that MPI libraries choose in MPI_Dims_create: `count` extents whose product is `nodes`.

MPI asks for extents "as close to each other as possible" and leaves open what that means. Example: 360 nodes in three
dimensions are 10 × 6 × 6 in all libraries here, although 9 × 8 × 5 has a smaller largest extent.

Each function takes the number of nodes and the number of extents, at least 1, and returns the extents in descending
order. Zero nodes, which a library may have left after a division, are treated as one.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache

from pysmpi.util.divisors import divisors

__all__ = ["mpich_2_extents", "mpich_extents", "open_mpi_extents", "smpi_extents"]


def open_mpi_extents(nodes: int, count: int) -> tuple[int, ...]:
    """Return the extents that Open MPI chooses: each prime factor, largest first, multiplies the smallest extent."""
    return _greedy(_primes(nodes), count)


def smpi_extents(nodes: int, count: int) -> tuple[int, ...]:
    """Return the extents that SMPI 3.32 chooses: those of Open MPI, but it takes the square of a prime for a prime.

    Its search for a divisor ends when the divisor's square is not less than the number left, rather than when it is
    greater. Example: 9 nodes are 9 × 1.
    """
    factors = []
    while nodes > 1 and nodes % 2 == 0:
        factors.append(2)
        nodes //= 2
    divisor = 3
    while nodes > 1 and divisor * divisor < nodes:
        while nodes % divisor == 0:
            factors.append(divisor)
            nodes //= divisor
        divisor += 2
    if nodes > 1:
        factors.append(nodes)
    return _greedy(factors, count)


def mpich_extents(nodes: int, count: int) -> tuple[int, ...]:
    """Return the extents that MPICH chooses since 3.2.

    A prime whose square exceeds what is left is an extent of its own. The others are chosen by `_least_spread`, or are
    the prime factors if there are not enough of them.
    """
    primes = _primes(nodes)
    extents: list[int] = []
    while len(extents) < count - 1 and primes and primes[-1] ** 2 > math.prod(primes) and primes[-1] != primes[0]:
        extents.append(primes.pop())
    left = count - len(extents)
    if len(primes) <= left:
        return (*extents, *reversed(primes), *[1] * (left - len(primes)))
    product = math.prod(primes)
    return (*extents, *(_least_spread(product, left) if left > 1 else [product]))


def _least_spread(number: int, count: int) -> tuple[int, ...]:
    """Return `count` factors of at least 2 in descending order, two or more, whose first and last differ least.

    Of several choices, the one with the greatest last factor is taken, then the one with the greatest before it, and so
    on. Example: 360 = 10 × 6 × 6, where the difference is 4, as in 9 × 8 × 5.
    """
    best: tuple[int, ...] = ()
    spread = number
    factors = divisors(number)
    for least in reversed(factors):
        if least == 1 or least**count > number:
            continue
        for largest in factors:
            if not 0 <= largest - least < spread:
                continue
            rest, remainder = divmod(number, least * largest)
            middle = _greatest_least(rest, count - 2, least, largest) if remainder == 0 else None
            if middle is not None:
                best, spread = (largest, *middle, least), largest - least
                break
    return best


def _greatest_least(number: int, count: int, least: int, most: int) -> tuple[int, ...] | None:
    """Return `count` factors between `least` and `most` in descending order, or None if there are none.

    The last one is as great as possible, then the one before it, and so on.
    """
    if count == 0:
        return () if number == 1 else None
    for factor in reversed(divisors(number)):
        if least <= factor <= most and factor**count <= number:
            others = _greatest_least(number // factor, count - 1, factor, most)
            if others is not None:
                return (*others, factor)
    return None


def mpich_2_extents(nodes: int, count: int) -> tuple[int, ...]:
    """Return the extents that MPICH2 and MPICH 3.0 choose, from which MVAPICH2 1.9 and Intel MPI 4.1 descend.

    The powers of one prime are shared out evenly, rounded up: 16 nodes in three dimensions are 4 × 4 × 1. Otherwise
    extents are multiplied by the factors in turn; an extent that exceeds the *number* of the smallest extent gives its
    turn to that one, an oversight of the library that is kept here.
    """
    factors = list(_mpich_2_factors(nodes))
    if len(set(factors)) == 1 and len(factors) > count:
        each = -(-len(factors) // count)
        shares = [max(0, min(each, len(factors) - each * i)) for i in range(count)]
        return tuple(factors[0] ** share for share in shares)
    extents = [1] * count
    turn = 0
    for factor in factors:
        smallest = extents.index(min(extents))
        if extents[turn] > smallest:
            turn = smallest
        extents[turn] *= factor
        turn = (turn + 1) % count
    return tuple(sorted(extents, reverse=True))


def _mpich_2_factors(number: int) -> Iterator[int]:
    """Yield prime factors: those up to the first prime above an estimate of the square root, falling, then the rest.

    The rest counts as a prime. The estimate is a power of 2, at most the square root, so the rest may be a product of
    two primes: 361 is not divided by 19. The library's table ends with 997.
    """
    estimate = 1 << (number.bit_length() // 2)
    primes = _mpich_2_primes()
    tried = [prime for prime in primes if prime <= estimate]
    for prime in reversed(primes[: len(tried) + 1]):
        while number % prime == 0:
            yield prime
            number //= prime
    if number > 1:
        yield number


@cache
def _mpich_2_primes() -> list[int]:
    return [candidate for candidate in range(2, 998) if _primes(candidate) == [candidate]]


def _greedy(factors: Sequence[int], count: int) -> tuple[int, ...]:
    """Multiply the smallest of `count` extents by each of the ascending factors, the last factor first."""
    extents = [1] * count
    for factor in reversed(factors):
        extents[extents.index(min(extents))] *= factor
    return tuple(sorted(extents, reverse=True))


def _primes(number: int) -> list[int]:
    """Return the prime factors in ascending order, each as often as it divides `number`."""
    found = []
    divisor = 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return [*found, number] if number > 1 else found
