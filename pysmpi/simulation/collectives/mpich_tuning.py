"""MPICH's decision trees, by which the selector ``mpich-4`` chooses collective algorithms, and MPICH's tuning files.

For each collective, MPICH 4.1 to 5 has two trees of conditions on the call: one for algorithms that distinguish nodes
(device level), and one for algorithms that do not (maint/tuning/coll/ch4/generic.json and mpir/generic.json, the same
in 4.1 to 5.0.1). Users of MPICH can replace the trees by tuning files, which MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
and MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE name. pysmpi reads the same files.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pysmpi.errors import ConfigurationError, unknown
from pysmpi.native import lib
from pysmpi.simulation.collectives.algorithm_names import OPERATIONS, texts
from pysmpi.util.documents import parse_json

__all__ = ["use_mpich_tuning"]

_DEVICE, _FLAT = 0, 1
_OURS = "pysmpi"
_LEVELS = {"composition": _DEVICE, "algorithm": _FLAT}
_PREFIXES = {_DEVICE: "MPIDI_", _FLAT: "MPIR_"}
_CONDITIONS = texts(lib.pysmpi_decision_condition)

# A decision tree: conditions in the order in which they are tested, each with its subtree. A string names an algorithm.
_Tree = Mapping[str, Any]

_BY_NODES: _Tree = {
    "barrier": {"comm_hierarchy=parent": "Barrier_intra_composition_alpha", "any": "Barrier_intra_composition_beta"},
    "bcast": {
        "comm_hierarchy=parent": {
            "comm_size<8": "Bcast_intra_composition_alpha",
            "avg_msg_size<12288": "Bcast_intra_composition_alpha",
            "comm_size=pow2": {
                "avg_msg_size<524288": "Bcast_intra_composition_beta",
                "any": "Bcast_intra_composition_gamma",
            },
            "any": "Bcast_intra_composition_gamma",
        },
        "any": "Bcast_intra_composition_gamma",
    },
    "allreduce": {
        "comm_size=node_comm_size": "Allreduce_intra_composition_gamma",
        "comm_hierarchy=parent": {
            "is_commutative=yes": "Allreduce_intra_composition_alpha",
            "any": "Allreduce_intra_composition_beta",
        },
        "any": "Allreduce_intra_composition_beta",
    },
    "reduce": {
        "comm_hierarchy=parent": {
            "is_commutative=no": "Reduce_intra_composition_gamma",
            "avg_msg_size<=2048": "Reduce_intra_composition_beta",
            "any": "Reduce_intra_composition_alpha",
        },
        "any": "Reduce_intra_composition_gamma",
    },
}

_GATHERING_ALL: _Tree = {
    operation: {
        "comm_size=pow2": {
            "total_msg_size<524288": f"{operation.capitalize()}_intra_recursive_doubling",
            "any": f"{operation.capitalize()}_intra_ring",
        },
        "total_msg_size<81920": f"{operation.capitalize()}_intra_brucks",
        "any": f"{operation.capitalize()}_intra_ring",
    }
    for operation in ("allgather", "allgatherv")
}

_WITHOUT_NODES: _Tree = {
    **_GATHERING_ALL,
    "barrier": {"any": "Barrier_intra_k_dissemination k=2"},
    "bcast": {
        "comm_size<8": "Bcast_intra_binomial",
        "avg_msg_size<=12288": "Bcast_intra_binomial",
        "comm_size=pow2": {
            "avg_msg_size<=524288": "Bcast_intra_scatter_recursive_doubling_allgather",
            "any": "Bcast_intra_scatter_ring_allgather",
        },
        "any": "Bcast_intra_scatter_ring_allgather",
    },
    "reduce": {
        "avg_msg_size<=2048": "Reduce_intra_binomial",
        "is_op_built_in=no": "Reduce_intra_binomial",
        "count<pow2": "Reduce_intra_binomial",
        "any": "Reduce_intra_reduce_scatter_gather",
    },
    "allreduce": {
        "avg_msg_size<=8": "Allreduce_intra_recursive_doubling",
        "is_op_built_in=no": "Allreduce_intra_recursive_doubling",
        "count<pow2": "Allreduce_intra_recursive_doubling",
        "any": "Allreduce_intra_reduce_scatter_allgather",
    },
    "reduce_scatter": {
        "is_commutative=yes": {
            "total_msg_size<524288": "Reduce_scatter_intra_recursive_halving",
            "any": "Reduce_scatter_intra_pairwise",
        },
        "is_block_regular=yes": {
            "comm_size=pow2": "Reduce_scatter_intra_noncommutative",
            "any": "Reduce_scatter_intra_recursive_doubling",
        },
        "any": "Reduce_scatter_intra_recursive_doubling",
    },
    "gather": {"any": "Gather_intra_binomial"},
    "scatter": {"any": "Scatter_intra_binomial"},
    "gatherv": {"any": "Gatherv_allcomm_linear"},
    "scatterv": {"any": "Scatterv_allcomm_linear"},
    "scan": {"any": "Scan_intra_recursive_doubling"},
    "exscan": {"any": "Exscan_intra_recursive_doubling"},
    "alltoall": {
        "is_sendbuf_inplace=yes": "Alltoall_intra_pairwise_sendrecv_replace",
        "comm_size<8": {"avg_msg_size<=32768": "Alltoall_intra_scattered", "any": "Alltoall_intra_pairwise"},
        "avg_msg_size<=256": "Alltoall_intra_brucks",
        "avg_msg_size<=32768": "Alltoall_intra_scattered",
        "any": "Alltoall_intra_pairwise",
    },
    "alltoallv": {
        "is_sendbuf_inplace=yes": "Alltoallv_intra_pairwise_sendrecv_replace",
        "any": "Alltoallv_intra_scattered",
    },
    "alltoallw": {
        "is_sendbuf_inplace=yes": "Alltoallw_intra_pairwise_sendrecv_replace",
        "any": "Alltoallw_intra_scattered",
    },
}


class _Place(NamedTuple):
    """Decision tree that is being built: its place in the tuning file (for errors), its level (whether its algorithms
    distinguish nodes), and its collective operation."""

    where: str
    level: int
    operation: str


def use_mpich_tuning(file: str | os.PathLike[str] | None) -> None:
    """Let the selector ``mpich-4`` decide by MPICH's default trees, or by those of a tuning file.

    The default trees remain for collectives that the file does not contain.

    Raises:
        ConfigurationError: the file cannot be read, is not a tuning file, or names an unknown collective, condition
            or algorithm.
    """
    for level, trees in ((_DEVICE, _BY_NODES), (_FLAT, _WITHOUT_NODES)):
        for operation in OPERATIONS:
            lib.pysmpi_decision_clear(level, operation.encode())
            if operation in trees:
                _build(_Place(_OURS, level, operation), trees[operation])
    if file is not None:
        _read(os.fspath(file))


def _read(file: str) -> None:
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"coll/mpich-tuning: cannot read {file}: {error.strerror}") from None
    found = parse_json(content, file, ConfigurationError, _without_repetition)
    for key, tree in _branches(file, found):
        name, _, collective = key.partition("=")
        if name != "collective":
            raise ConfigurationError(
                f"{file}: {key!r} is not of the form 'collective=NAME', such as 'collective=bcast'"
            )
        operation = "reduce_scatter" if collective == "reduce_scatter_block" else collective
        if operation not in OPERATIONS:
            if operation.removeprefix("i") in OPERATIONS or operation.removeprefix("i") == "reduce_scatter_block":
                continue  # nonblocking collectives are the same schedules as blocking ones here
            raise ConfigurationError(f"{file}: {unknown('collective', collective, OPERATIONS)}")
        if operation != collective:
            continue  # reduce_scatter's tree is used for both
        levels = {_LEVELS[kind] for kind in _leaves(f"{file}: {key}", tree)}
        if len(levels) != 1:
            raise ConfigurationError(
                f"{file}: {key}: the tree names both algorithms and compositions; use only one of the two"
            )
        level = levels.pop()
        lib.pysmpi_decision_clear(level, operation.encode())
        _build(_Place(f"{file}: {key}", level, operation), tree)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = {key.replace(" ", ""): value for key, value in pairs}
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return found


def _branches(where: str, tree: Any) -> list[tuple[str, Any]]:
    if not isinstance(tree, dict) or not tree:
        raise ConfigurationError(f"{where}: {json.dumps(tree)[:40]} is not an object with conditions")
    return list(tree.items())


def _leaves(where: str, tree: Any) -> set[str]:
    kinds: set[str] = set()
    for key, value in _branches(where, tree):
        kind = key.partition("=")[0]
        kinds |= {kind} if kind in _LEVELS else _leaves(f"{where}: {key}", value)
    return kinds


def _build(place: _Place, tree: Any) -> int:
    """Add the nodes of a decision tree to the native selector; return the number of its first node, or -1 for none."""
    if isinstance(tree, str):
        return _end(place, *tree.partition(" ")[::2])
    nodes: list[tuple[int, int]] = []
    for key, value in tree.items() if place.where == _OURS else _branches(place.where, tree):
        if key.partition("=")[0] in _LEVELS:
            parameters = " ".join(value) if isinstance(value, dict) else ""
            nodes.append((_end(place, key.partition("=")[2].removeprefix(_PREFIXES[place.level]), parameters), -1))
            break
        if key == "comm_type=inter":
            continue  # collectives on intercommunicators have other algorithms
        node = _condition(place, key)
        nodes.append(
            (
                node,
                _build(
                    place._replace(where=place.where if place.where == "pysmpi" else f"{place.where}: {key}"), value
                ),
            )
        )
    for (node, then), after in zip(nodes, [*(node for node, _ in nodes[1:]), -1], strict=True):
        lib.pysmpi_decision_join(place.level, place.operation.encode(), node, then, after)
    return nodes[0][0] if nodes else -1


def _condition(place: _Place, key: str) -> int:
    name, wanted, value = key, 1, 0
    if key.endswith("=any"):
        name = "any"
    elif match := re.match(r"(\w+<=?)(\d+)$", key):
        name, value = match[1], _number(place, key, match[2])
    elif match := re.match(r"(\w+=)(yes|no)$", key):
        name, wanted = match[1], int(match[2] == "yes")
    node = lib.pysmpi_decision_add(place.level, place.operation.encode(), name.encode(), wanted, value)
    if node < 0:
        raise ConfigurationError(f"{place.where}: {unknown('condition', name, _CONDITIONS)}")
    return int(node)


def _number(place: _Place, key: str, digits: str, highest: int = 2**63 - 1) -> int:
    if len(digits) > len(str(highest)) or int(digits) > highest:
        raise ConfigurationError(f"{place.where}: {key[:60]!r}: the number is too large; the largest is {highest}")
    return int(digits)


def _end(place: _Place, algorithm: str, parameters: str) -> int:
    operation = place.operation.encode()
    number = 0
    for parameter in parameters.split():
        match = re.match(r"k=(\d+)$", parameter)
        if match is None:
            raise ConfigurationError(
                f"{place.where}: {algorithm}: {parameter!r} is not a valid parameter; write it as 'k=4'"
            )
        number = _number(place, parameter, match[1], highest=2**31 - 1)
    node = lib.pysmpi_decision_end(place.level, operation, algorithm.encode(), number)
    if node < 0:
        known = texts(lambda index: lib.pysmpi_decision_algorithm(place.level, operation, index))
        prefix = _PREFIXES[place.level]
        raise ConfigurationError(
            f"{place.where}: {unknown('algorithm', prefix + algorithm, [prefix + name for name in known])}"
        )
    return int(node)
