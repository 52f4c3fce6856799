"""Creating virtual topologies. MPI 4.1, chapter 8. Queries are native (native/mpi/topologies.cpp).

Ranks keep their order: `reorder` permits reordering but does not require it, and the hostfile decides where ranks run.
Creating a topology costs the same as creating its communicator. A distributed graph in which ranks pass edges of other
ranks also takes a gather and a scatter of the edges (12 bytes each). All messages of the gather and the scatter have
the same length: that needed for the largest number of edges that one rank passes.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi import agreement, collective
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function
from pysmpi.simulation.mpi.communicator import (
    Communicator,
    agree,
    find_communicator,
    made,
    meet,
    next_creation,
)
from pysmpi.simulation.mpi.constants import (
    COMM_NULL,
    ERR_ARG,
    ERR_COMM,
    ERR_DIMS,
    ERR_RANK,
    ERR_TOPOLOGY,
    UNDEFINED,
)
from pysmpi.simulation.mpi.group import Members, my_world_rank
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.intracommunicator import split
from pysmpi.simulation.settings.mpi_libraries.followed import followed

_UNWEIGHTED, _WEIGHTS_EMPTY = 1, 2  # special addresses in place of an array


@lru_cache(maxsize=1024)  # all ranks ask for the same grid
def _chosen_extents(choose: Callable[[int, int], tuple[int, ...]], nodes: int, count: int) -> tuple[int, ...]:
    return choose(nodes, count)


def _left_by_each(nodes: int, extents: Sequence[int]) -> int | None:
    """Return the nodes left for other extents, or None if an extent does not divide `nodes`.

    Example: of 12 nodes, extents 6 and 4 leave none, which is 12 // 6 // 4.
    """
    left = nodes
    for extent in extents:
        if nodes % extent != 0:
            return None
        left //= extent
    return left


def _left_by_all(nodes: int, extents: Sequence[int]) -> int | None:
    left, remainder = divmod(nodes, math.prod(extents))
    return left if remainder == 0 else None


@mpi_function("Dims_create")
def dims_create(nodes: int, dimensions: int, extents: Any) -> None:
    """Replace each extent that is 0 by a number, so that the product of all extents is `nodes`."""
    if nodes < 1:
        raise MpiError(ERR_ARG, f"invalid number of nodes {nodes}; valid: 1 or more")
    if dimensions < 0:
        raise MpiError(ERR_DIMS, f"invalid number of dimensions {dimensions}; valid: 0 or more")
    given = [extents[i] for i in range(dimensions)]
    for i, extent in enumerate(given):
        if extent < 0:
            raise MpiError(ERR_DIMS, f"invalid extent {extent} of dimension {i}; valid: 0 (to be chosen) or more")
    free = [i for i, extent in enumerate(given) if extent == 0]
    behaviour = followed().behaviour
    fixed = [extent for extent in given if extent > 0]
    left = _left_by_each(nodes, fixed) if behaviour.divides_by_each_extent else _left_by_all(nodes, fixed)
    if left is None or (not free and left != 1 and behaviour.divides_by_each_extent):
        text = f"{nodes} nodes do not fill a grid of {' x '.join(str(extent) if extent else '?' for extent in given)}"
        raise MpiError(ERR_DIMS, text)
    if free:
        for i, extent in zip(free, _chosen_extents(behaviour.grid_extents, left, len(free)), strict=True):
            extents[i] = extent


def _parent(comm: int) -> Communicator:
    parent = find_communicator(comm)
    if parent.remote is not None:
        raise MpiError(ERR_COMM, "an intercommunicator has no topology", comm)
    return parent


def _beginning(parent: Communicator, size: int, what: str) -> Members:
    """Return the parent's first `size` ranks, which the topology consists of; raise an error if the parent has
    fewer."""
    if size > len(parent.members):
        text = f"the {what} has {size} places, but the communicator's size is {len(parent.members)}"
        raise MpiError(ERR_TOPOLOGY if what == "graph" else ERR_DIMS, text, parent.handle)
    return Members(parent.members.world_ranks[:size])


def _extents(comm: int, dimensions: int, extents: Any) -> list[int]:
    if dimensions < 0:
        raise MpiError(ERR_DIMS, f"invalid number of dimensions {dimensions}; valid: 0 or more", comm)
    given = [extents[i] for i in range(dimensions)]
    for i, extent in enumerate(given):
        if extent < 1:
            raise MpiError(ERR_DIMS, f"invalid extent {extent} of dimension {i}; valid: 1 or more", comm)
    return given


@mpi_function("Cart_create")
def cart_create(comm: int, dimensions: int, extents: Any, periodic: Any, _reorder: int, newcomm: Any) -> None:
    """Create a grid of the communicator's first ranks. Ranks for which the grid has no place get no communicator."""
    parent = _parent(comm)
    newcomm[0] = COMM_NULL
    given = _extents(comm, dimensions, extents)
    wraps = [bool(periodic[i]) for i in range(dimensions)]  # copied now: the array may lie on the rank's stack
    members = _beginning(parent, math.prod(given), "grid")
    name = next_creation(parent)
    agreement.gave(name, parent.population, lambda: f"extents {given}, periodic {wraps}")
    agreed = agree(parent)
    if members.position(my_world_rank()) == UNDEFINED:
        return
    new = made(name, members, comm, agreed=agreed)
    _set_grid(new, given, wraps)
    newcomm[0] = new.handle


def _set_grid(communicator: Communicator, extents: Sequence[int], periodic: Sequence[bool]) -> None:
    lib.pysmpi_topology_cartesian(
        communicator.handle, len(extents), ffi.new("int32_t[]", list(extents)), ffi.new("int32_t[]", list(periodic))
    )


@mpi_function("Cart_sub")
def cart_sub(comm: int, remain: Any, newcomm: Any) -> None:
    """Create the subgrid of the ranks whose coordinates differ only in the kept dimensions."""
    _parent(comm)
    newcomm[0] = COMM_NULL
    dimensions = int(lib.pysmpi_read_grid(comm, 0, ffi.NULL, ffi.NULL, ffi.NULL))
    if dimensions < 0:
        raise MpiError(ERR_TOPOLOGY, "the communicator has no Cartesian topology", comm)
    extents, periodic, place = (ffi.new("int32_t[]", dimensions) for _ in range(3))
    lib.pysmpi_read_grid(comm, dimensions, extents, periodic, place)
    kept = [i for i in range(dimensions) if remain[i]]
    colour = key = 0
    for i in range(dimensions):
        if remain[i]:
            key = key * extents[i] + place[i]
        else:
            colour = colour * extents[i] + place[i]
    new = split(comm, colour, key)
    assert new is not None
    _set_grid(new, [extents[i] for i in kept], [bool(periodic[i]) for i in kept])
    newcomm[0] = new.handle


@mpi_function("Cart_map")
def cart_map(comm: int, dimensions: int, extents: Any, _periodic: Any, newrank: Any) -> None:
    """Return the rank that the running rank would get from MPI_Cart_create, or MPI_UNDEFINED if it would not be in the
    grid."""
    parent = _parent(comm)
    members = _beginning(parent, math.prod(_extents(comm, dimensions, extents)), "grid")
    newrank[0] = members.position(my_world_rank())


def _graph(parent: Communicator, nodes: int, ends: Any, edges: Any) -> Members:
    """Check a graph that a program has passed, and return the ranks that are its nodes."""
    if nodes < 0:
        raise MpiError(ERR_ARG, f"invalid number of nodes {nodes}; valid: 0 or more", parent.handle)
    members = _beginning(parent, nodes, "graph")
    before = 0
    for node in range(nodes):
        if ends[node] < before:
            text = f"index[{node}] is {ends[node]}, less than the {before} before it"
            raise MpiError(ERR_ARG, text, parent.handle)
        before = ends[node]
    for i in range(before):
        if not 0 <= edges[i] < nodes:
            text = f"edges[{i}] is {edges[i]}; valid: 0 to {nodes - 1}"
            raise MpiError(ERR_RANK, text, parent.handle)
    return members


@mpi_function("Graph_create")
def graph_create(comm: int, nodes: int, ends: Any, edges: Any, _reorder: int, newcomm: Any) -> None:
    """Create a graph of the communicator's first `nodes` ranks. All ranks pass all edges; the other ranks get no
    communicator."""
    parent = _parent(comm)
    newcomm[0] = COMM_NULL
    members = _graph(parent, nodes, ends, edges)
    own_ends = ffi.new("int[]", [ends[i] for i in range(nodes)])  # copied now: the arrays may lie on the rank's stack
    own_edges = ffi.new("int[]", [edges[i] for i in range(ends[nodes - 1] if nodes > 0 else 0)])
    name = next_creation(parent)
    agreement.gave(name, parent.population, lambda: f"index {list(own_ends)} and edges {list(own_edges)}")
    agreed = agree(parent)
    if members.position(my_world_rank()) == UNDEFINED:
        return
    new = made(name, members, comm, agreed=agreed)
    lib.pysmpi_topology_graph(new.handle, nodes, own_ends, own_edges)
    newcomm[0] = new.handle


@mpi_function("Graph_map")
def graph_map(comm: int, nodes: int, ends: Any, edges: Any, newrank: Any) -> None:
    """Return the rank that the running rank would get from MPI_Graph_create, or MPI_UNDEFINED if it would not be in the
    graph."""
    newrank[0] = _graph(_parent(comm), nodes, ends, edges).position(my_world_rank())


def _ranks(parent: Communicator, array: Any, count: int, what: str) -> list[int]:
    if count < 0:
        raise MpiError(ERR_ARG, f"negative number {count} of {what}", parent.handle)
    ranks = [array[i] for i in range(count)]
    for i, rank in enumerate(ranks):
        if not 0 <= rank < len(parent.members):
            text = f"{what}[{i}] is {rank}; valid: 0 to {len(parent.members) - 1}"
            raise MpiError(ERR_RANK, text, parent.handle)
    return ranks


def _weights(parent: Communicator, array: Any, count: int, what: str) -> list[int] | None:
    """Return the weights that a program has passed for `count` edges, or None for MPI_UNWEIGHTED."""
    address = int(ffi.cast("intptr_t", array))
    if address == _UNWEIGHTED or (address == 0 and count > 0):
        return None
    if address in (0, _WEIGHTS_EMPTY):
        return []
    weights = [array[i] for i in range(count)]
    for i, weight in enumerate(weights):
        if weight < 0:
            raise MpiError(ERR_ARG, f"{what}[{i}] is {weight}; valid: 0 or more", parent.handle)
    return weights


def _set_edges(
    communicator: Communicator,
    sources: Sequence[int],
    source_weights: Sequence[int] | None,
    destinations: Sequence[int],
    destination_weights: Sequence[int] | None,
) -> None:
    weighted = source_weights is not None and destination_weights is not None
    lib.pysmpi_topology_adjacent(
        communicator.handle,
        weighted,
        len(sources),
        ffi.new("int32_t[]", list(sources)),
        ffi.new("int32_t[]", list(source_weights or [0] * len(sources))),
        len(destinations),
        ffi.new("int32_t[]", list(destinations)),
        ffi.new("int32_t[]", list(destination_weights or [0] * len(destinations))),
    )


@mpi_function("Dist_graph_create_adjacent")
def dist_graph_create_adjacent(
    comm: int,
    indegree: int,
    sources: Any,
    source_weights: Any,
    outdegree: int,
    destinations: Any,
    destination_weights: Any,
    info: int,
    _reorder: int,
    newcomm: Any,
) -> None:
    """Create a graph in which each rank passes the edges that begin or end at itself."""
    parent = _parent(comm)
    newcomm[0] = COMM_NULL
    copy_info(info)
    edges = (
        _ranks(parent, sources, indegree, "sources"),
        _weights(parent, source_weights, indegree, "sourceweights"),
        _ranks(parent, destinations, outdegree, "destinations"),
        _weights(parent, destination_weights, outdegree, "destweights"),
    )
    new = made(next_creation(parent), parent.members, comm, agreed=agree(parent))
    _set_edges(new, *edges)
    newcomm[0] = new.handle


@dataclasses.dataclass(slots=True)
class _Edges:
    """Edges (from, to, weight) that begin or end at each rank, and the largest number of edges that one rank has
    passed."""

    of_ranks: dict[int, list[tuple[int, int, int]]]
    most: int


@mpi_function("Dist_graph_create")
def dist_graph_create(
    comm: int,
    n: int,
    sources: Any,
    degrees: Any,
    destinations: Any,
    weights: Any,
    info: int,
    _reorder: int,
    newcomm: Any,
) -> None:
    """Create a graph of all edges that the ranks pass; a rank may pass edges between other ranks.

    The neighbours of a rank are ordered by the rank that passed the edge.
    """
    parent = _parent(comm)
    newcomm[0] = COMM_NULL
    copy_info(info)
    begins = _ranks(parent, sources, n, "sources")
    for i in range(n):
        if degrees[i] < 0:
            raise MpiError(ERR_ARG, f"degrees[{i}] is {degrees[i]}; valid: 0 or more", comm)
    count = sum(degrees[i] for i in range(n))
    ends = _ranks(parent, destinations, count, "destinations")
    weighing = _weights(parent, weights, count, "weights")
    edges: list[tuple[int, int, int]] = []
    for i, begin in enumerate(begins):
        for _ in range(degrees[i]):
            place = len(edges)
            edges.append((begin, ends[place], weighing[place] if weighing else 0))
    name = next_creation(parent)

    def decide(given: dict[int, list[tuple[int, int, int]]]) -> _Edges:
        of_ranks: dict[int, list[tuple[int, int, int]]] = {}
        for world_rank in parent.members.world_ranks:
            for edge in given[world_rank]:
                for rank in dict.fromkeys(edge[:2]):
                    of_ranks.setdefault(rank, []).append(edge)
        return _Edges(of_ranks, max(len(edges) for edges in given.values()))

    mine = parent.members.position(my_world_rank())
    decided: _Edges = meet(parent, name, edges, 4, decide)
    if decided.most > 0:
        collective.gather(comm, 12 * decided.most)
        collective.scatter(comm, 12 * decided.most)
    found = decided.of_ranks.get(mine, [])
    new = made((*name, "graph"), parent.members, comm, agreed=agree(parent))
    into = [(begin, weight) for begin, end, weight in found if end == mine]
    out = [(end, weight) for begin, end, weight in found if begin == mine]
    weighted = weighing is not None
    _set_edges(
        new,
        [rank for rank, _ in into],
        [weight for _, weight in into] if weighted else None,
        [rank for rank, _ in out],
        [weight for _, weight in out] if weighted else None,
    )
    newcomm[0] = new.handle
