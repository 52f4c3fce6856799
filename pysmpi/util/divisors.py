"""Divisors of a number."""

import math

__all__ = ["divisors"]


def divisors(number: int) -> list[int]:
    """Return all divisors in ascending order."""
    small = [divisor for divisor in range(1, math.isqrt(number) + 1) if number % divisor == 0]
    return small + [number // divisor for divisor in reversed(small) if divisor * divisor != number]
