"""Map over the pool of ezMPI, with functions pickled by pickle and by dill, as in its README."""

from ezmpi import MPIPool


def square(x: int) -> int:
    """Return the square."""
    return x * x


with MPIPool(use_dill=True) as pool:
    print(pool.map(square, [1, 2, 3, 4, 5]))
    print(pool.map(lambda data: sum(data) / len(data), [[1, 2, 3], [4, 5, 6]]))
