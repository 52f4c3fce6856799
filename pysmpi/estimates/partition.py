"""Cuts by partitioners of graphs, for programs that blocks do not fit, such as those with indirect access.

Mt-KaHyPar minimises the words themselves: a net joins an element and all elements that are computed from it, and a net
that is cut into k parts costs k - 1 words (objective KM1). METIS minimises the total communication volume of a graph
(objective VOL). Both are optional packages.

Sources: L. Gottesbüren, T. Heuer, N. Maas, P. Sanders, S. Schlag, "Scalable High-Quality Hypergraph Partitioning", ACM
Transactions on Algorithms 20 (2024); G. Karypis, V. Kumar, "A Fast and High Quality Multilevel Scheme for Partitioning
Irregular Graphs", SIAM Journal on Scientific Computing 20 (1998).
"""

import importlib.util
from typing import Any

import numpy as np
import scipy.sparse

from pysmpi.estimates.block_cuts import BlockCuts, Cut
from pysmpi.estimates.owners import NOBODY, Neighbours
from pysmpi.estimates.part_numbering import distance, part_numbers
from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow

__all__ = ["GraphCuts", "missing_partitioners"]

_IMBALANCE = 0.03  # largest imbalance that partitioners may leave
_WORST_IMBALANCE = 1.1  # largest imbalance (see Cut) of a partition, unless the usual blocks have a larger one
_MOST_PINS = 4_000_000  # largest number of pins (pairs of a net and an element in it)
_MOST_PLACES = {"km1": 30_000, "vol": 300_000}  # largest numbers of elements, so that a cut takes seconds
_POPULAR = 16  # elements with more than this times the mean number of readers are left out of the search

_library: Any = None  # Mt-KaHyPar, which is initialised once a process


def missing_partitioners() -> list[str]:
    """Return which of the optional packages "mtkahypar" and "pymetis", the graph partitioners, are not installed."""
    return [name for name in ("mtkahypar", "pymetis") if importlib.util.find_spec(name) is None]


class GraphCuts:
    """Cuts of a data-flow graph by partitioners.

    Args:
        flow: the data-flow graph.
        blocks: search for its cuts into blocks, which also computes the balance and words of other cuts.
        seed: seed of the partitioners.
    """

    def __init__(self, flow: Flow, blocks: BlockCuts, seed: int) -> None:
        self._flow = flow
        self._blocks = blocks
        self._seed = seed
        self._near = Neighbours(flow)
        self._missing = missing_partitioners()
        source, sink = self._readers()
        places = np.union1d(source, sink)
        readers = np.bincount(source, minlength=flow.vertices)
        popular = readers > _POPULAR * max(readers[readers > 0].mean(), 4.0) if len(source) else readers > 0
        kept = ~popular[source] & ~popular[sink]
        self._places = np.setdiff1d(places, np.flatnonzero(popular))
        self._source, self._sink = (np.searchsorted(self._places, each[kept]) for each in (source, sink))
        work = flow.work_at(flow.vertices)[self._places]
        self._weights = np.maximum(1, np.rint(work / max(work[work > 0].min(initial=1.0), 1e-9))).astype(np.int64)

    def cuts(self, nodes: int, usual: Cut) -> list[Cut]:
        """Return a cut by each installed partitioner, unless the graph is too small or too large for it.

        Cuts with an imbalance above 1.1 and above that of `usual` are left out.

        Args:
            nodes: number of nodes.
            usual: best cut into blocks.
        """
        if len(self._places) < nodes or len(self._source) + len(self._places) > _MOST_PINS:
            return []
        # Partitioners hardly use their seeds if parts are small, so the seed also determines the order of the elements.
        number = np.arange(len(self._places))
        if self._seed:
            number = np.random.default_rng(self._seed).permutation(number)
        source, sink = number[self._source], number[self._sink]
        pairs = np.lexsort((sink, source))
        source, sink = source[pairs], sink[pairs]
        weights = np.empty_like(self._weights)
        weights[number] = self._weights
        found = []
        for name, by, divide in (("mtkahypar", "km1", self._km1), ("pymetis", "vol", self._vol)):
            if name in self._missing or len(self._places) > _MOST_PLACES[by]:
                continue
            part = np.asarray(divide(nodes, source, sink, weights), np.int32)[number]
            owner = np.full(self._flow.vertices, NOBODY, np.int32)
            owner[self._places] = self._numbered(part, nodes)
            owner = self._near.owned(owner, nodes, np.zeros(self._flow.vertices, bool))
            cut = self._blocks.cut(by, nodes, owner)
            if cut.imbalance <= max(_WORST_IMBALANCE, usual.imbalance):
                found.append(cut)
        return found

    def _numbered(self, part: Array, nodes: int) -> Array:
        """Renumber the parts of a cut, so that parts that exchange much have near numbers.

        Parts are numbered by the mean position of their elements, or by `part_numbers` if this brings parts that
        exchange much nearer to each other.

        Args:
            part: (elements) number of the part that each element belongs to, from a partitioner.
            nodes: number of parts.

        Returns:
            (elements) new number of the part that each element belongs to.
        """
        size = np.maximum(np.bincount(part, minlength=nodes), 1)
        position = np.bincount(part, np.arange(len(part)), minlength=nodes) / size
        by_position = np.empty(nodes, np.int32)
        by_position[np.argsort(position, kind="stable")] = np.arange(nodes, dtype=np.int32)
        source, sink = part[self._source], part[self._sink]
        apart = source != sink
        pairs = scipy.sparse.csr_matrix((np.ones(apart.sum()), (source[apart], sink[apart])), shape=(nodes, nodes))
        exchanged = (pairs + pairs.T).tocsr()
        found: Array = min((by_position, part_numbers(exchanged)), key=lambda each: distance(exchanged, each))[part]
        return found

    def _readers(self) -> tuple[Array, Array]:
        """Return the pairs of array elements of which the second is computed from the first; each pair once.

        Pairs that an auxiliary vertex of the data-flow graph joins are included, unless they are too many.

        Returns:
            Numbers of the first elements, and numbers of the second ones.
        """
        flow = self._flow
        plain = flow.plain()
        source, sink = [plain.source, flow.sums.source], [plain.sink, flow.sums.sink]
        if len(flow.leaving):
            into = scipy.sparse.csr_matrix(
                (np.ones(len(flow.entering), np.int32), (flow.entering.source, flow.entering.sink)),
                shape=(flow.values, flow.values),
            )
            out_of = scipy.sparse.csr_matrix(
                (np.ones(len(flow.leaving), np.int32), (flow.leaving.source, flow.leaving.sink)),
                shape=(flow.values, flow.values),
            )
            counts = np.diff(out_of.indptr)
            if int(counts[flow.entering.sink].sum()) <= _MOST_PINS:
                through = (into @ out_of).tocoo()
                source.append(through.row)
                sink.append(through.col)
        first = flow.vertex[np.concatenate(source)].astype(np.int64)
        second = flow.vertex[np.concatenate(sink)].astype(np.int64)
        keys = np.sort(first * flow.vertices + second)
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys
        first, second = keys // flow.vertices, keys % flow.vertices
        return first[first != second], second[first != second]

    def _km1(self, nodes: int, source: Array, sink: Array, weights: Array) -> Array:
        global _library
        import mtkahypar

        if _library is None:
            _library = mtkahypar.initialize(1)
        context = _library.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
        context.set_partitioning_parameters(nodes, _IMBALANCE, mtkahypar.Objective.KM1)
        context.logging = False
        mtkahypar.set_seed(self._seed)
        begins = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
        nets = [
            [int(source[begin]), *readers.tolist()]
            for begin, readers in zip(begins, np.split(sink, begins[1:]), strict=True)
        ]
        count = len(self._places)
        graph = _library.create_hypergraph(context, count, len(nets), nets, weights.tolist(), [1] * len(nets))
        found = graph.partition(context)
        return np.array([found.block_id(place) for place in range(count)])

    def _vol(self, nodes: int, source: Array, sink: Array, weights: Array) -> Array:
        import pymetis

        count = len(self._places)
        graph = scipy.sparse.coo_matrix((np.ones(len(source), np.int32), (source, sink)), shape=(count, count)).tocsr()
        graph = (graph + graph.T).tocsr()
        options = pymetis.Options()
        options.seed = self._seed
        options.objtype = getattr(pymetis.ObjType.VOL, "value", pymetis.ObjType.VOL)
        found = pymetis.part_graph(
            nodes,
            pymetis.CSRAdjacency(graph.indptr, graph.indices),
            vweights=weights,
            options=options,
            recursive=False,
        )
        return np.array(found[1])
