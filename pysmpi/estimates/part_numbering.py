"""Numbers of the parts of a cut, so that parts that exchange much are near each other on a machine.

Machines have hosts with near numbers at the same switch or in the same group. So the parts are divided into two halves
that exchange little, these again, and so on: recursive spectral bisection (A. Pothen, H. D. Simon, K.-P. Liou,
"Partitioning Sparse Matrices with Eigenvectors of Graphs", SIAM Journal on Matrix Analysis and Applications 11, 1990).

Example: four parts in a ring that exchange with their neighbours in the order 0, 2, 1, 3. Halves {0, 2} and {1, 3}
exchange with two pairs, {0, 1} and {2, 3} with four. So the parts get the numbers 0, 2, 1, 3, or the same backwards.
"""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from pysmpi.estimates.record import Array

__all__ = ["distance", "part_numbers"]

_DENSE = 200  # largest number of parts for which all eigenvectors are computed
_SHIFT = 1e-3  # shift of the Laplacian matrix over the mean degree, so that it can be inverted


def part_numbers(exchanged: scipy.sparse.csr_matrix) -> Array:
    """Number the parts of a cut, each of which one node owns, so that parts that exchange much have near numbers.

    Args:
        exchanged: (parts, parts) number of values that each two parts exchange, symmetric.

    Returns:
        (parts,) the new number of each part.
    """
    number = np.empty(exchanged.shape[0], np.int32)
    number[_order(exchanged, np.arange(exchanged.shape[0]))] = np.arange(exchanged.shape[0], dtype=np.int32)
    return number


def distance(exchanged: scipy.sparse.csr_matrix, number: Array) -> float:
    """Return how much the parts of a cut exchange, weighted by the distance of their numbers; less is better.

    The distance is the number of levels up to the common root of two leaves in a binary tree: 1 for parts 0 and 1, 2
    for 1 and 2, 3 for 3 and 4.

    Args:
        exchanged: (parts, parts) number of values that each two parts exchange.
        number: (parts) numbers of the parts.
    """
    pairs = exchanged.tocoo()
    levels = np.frexp((number[pairs.row] ^ number[pairs.col]).astype(np.float64))[1]
    return float((pairs.data * levels).sum())


def _order(exchanged: scipy.sparse.csr_matrix, members: Array) -> Array:
    """Return parts of a cut in an order in which each half, each quarter and so on exchanges little with the others.

    Args:
        exchanged: (parts, parts) number of values that each two parts exchange.
        members: indices of the parts to be ordered.
    """
    if len(members) <= 2:
        return members
    ranked = members[np.argsort(_fiedler(exchanged[members][:, members]), kind="stable")]
    half = 1 << (len(members) - 1).bit_length() - 1  # a whole subtree, also if the last one is not full
    return np.concatenate([_order(exchanged, ranked[:half]), _order(exchanged, ranked[half:])])


def _fiedler(exchanged: scipy.sparse.csr_matrix) -> Array:
    """Return the eigenvector of the second smallest eigenvalue of a graph's Laplacian matrix.

    Args:
        exchanged: symmetric matrix of the weights of the graph's edges.
    """
    degrees = np.asarray(exchanged.sum(axis=1)).reshape(-1).astype(float)
    laplacian = scipy.sparse.diags(degrees) - exchanged
    if len(degrees) <= _DENSE:
        vectors = np.linalg.eigh(laplacian.toarray())[1]
        return np.asarray(vectors[:, 1])
    shift = -_SHIFT * max(degrees.mean(), 1.0)
    start = np.random.default_rng(0).random(len(degrees))
    values, vectors = scipy.sparse.linalg.eigsh(laplacian.tocsc(), k=2, sigma=shift, v0=start)
    return np.asarray(vectors[:, int(np.argmax(values))])
