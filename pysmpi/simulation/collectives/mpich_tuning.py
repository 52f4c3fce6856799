"""MPICH's decision trees, by which the selectors of MPICH choose collective algorithms, and MPICH's tuning files.

For each collective, MPICH 4.1 to 5 has two trees of conditions on the call: one for algorithms that distinguish nodes
(device level, mpich_device.json), and one for algorithms that do not (flat level, mpich_flat.json). Nonblocking and
persistent collectives have a tree of their own (mpich_nonblocking.json). Users of MPICH can replace the trees by tuning
files, which MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE and MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE name. pysmpi
reads the same files.
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

__all__ = ["MPICH_SELECTORS", "TREE_READERS", "use_mpich_tuning"]

MPICH_SELECTORS = ("mpich-4", "mpich-5")
TREE_READERS = {"mpich-4": 0, "mpich-5": 1, "impi-2021": 2}
"""Selectors that decide by these trees, with the engine's number of the library. Intel MPI derives from MPICH. The
default trees are equal; the libraries differ in some conditions and algorithms."""

_DEVICE, _FLAT, _NONBLOCKING = 0, 1, 2
_DEFAULTS = ("mpich_device.json", "mpich_flat.json", "mpich_nonblocking.json")
_SOURCE = "source"  # key of the default trees' origin; MPICH's own files do not have it
_LEVELS = {"composition": _DEVICE, "algorithm": _FLAT}
_PREFIXES = {_DEVICE: "MPIDI_", _FLAT: "MPIR_", _NONBLOCKING: "MPIR_"}
_OF_COMMUNICATOR = ("any", "comm_", "is_node_consecutive=")  # how conditions begin that do not depend on the call
_CONDITIONS = texts(lib.pysmpi_decision_condition)


class _Place(NamedTuple):
    """Decision tree that is being built: its place in the tuning file (for errors), its level (of blocking collectives
    whose algorithms distinguish nodes or do not, or of nonblocking ones), and its collective operation."""

    where: str
    level: int
    operation: str


def use_mpich_tuning(file: str | os.PathLike[str] | None, selectors: Mapping[str, str]) -> None:
    """Let the selectors of MPICH decide by MPICH's default trees, or by those of a tuning file.

    The default trees remain for collectives that the file does not contain.

    Args:
        file: path of the tuning file, or None.
        selectors: selector or algorithm of each operation; it tells which library reads the tree. Intel MPI reads no
            tuning files.

    Raises:
        ConfigurationError: the file cannot be read, is not a tuning file, or names an unknown collective, condition
            or algorithm.
    """
    readers = {operation: TREE_READERS.get(selectors[operation], 0) for operation in OPERATIONS}
    for level in _PREFIXES:
        for operation, reader in readers.items():
            lib.pysmpi_decision_clear(level, operation.encode(), reader)
    for default in _DEFAULTS:
        _read(str(Path(__file__).with_name(default)), readers)
    if file is not None:
        _read(os.fspath(file), readers)


def _read(file: str, readers: Mapping[str, int]) -> None:
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"coll/mpich-tuning: cannot read {file}: {error.strerror}") from None
    found = parse_json(content, file, ConfigurationError, _without_repetition)
    for key, tree in _branches(file, found):
        if key == _SOURCE:
            continue
        name, _, collective = key.partition("=")
        if name != "collective":
            raise ConfigurationError(
                f"{file}: {key!r} is not of the form 'collective=NAME', such as 'collective=bcast'"
            )
        if collective in ("reduce_scatter_block", "ireduce_scatter_block"):
            continue  # reduce_scatter's tree is used for both
        operation = collective if collective in OPERATIONS else collective.removeprefix("i")
        if operation not in OPERATIONS:
            raise ConfigurationError(f"{file}: {unknown('collective', collective, OPERATIONS)}")
        level = _level(f"{file}: {key}", tree, is_nonblocking=operation != collective)
        lib.pysmpi_decision_clear(level, operation.encode(), readers[operation])
        _build(_Place(f"{file}: {key}", level, operation), tree)


def _level(where: str, tree: Any, *, is_nonblocking: bool) -> int:
    levels = {_LEVELS[kind] for kind in _leaves(where, tree)}
    if len(levels) != 1:
        raise ConfigurationError(f"{where}: the tree names both algorithms and compositions; use only one of the two")
    if is_nonblocking and levels == {_DEVICE}:
        raise ConfigurationError(f"{where}: nonblocking collectives have no compositions; name algorithms")
    return _NONBLOCKING if is_nonblocking else levels.pop()


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


def _build(place: _Place, tree: Any, *, is_pruned: bool = True) -> int:
    """Add the nodes of a decision tree to the native selector; return the number of its first node, or -1 for none.

    MPICH evaluates conditions on the communicator as soon as it is made, up to the first condition on the call
    (`is_pruned`; prune_tree in csel.c). When it evaluates ``comm_size<N`` in a call, it takes ``<`` for ``<=``.
    """
    nodes: list[tuple[int, int]] = []
    for key, value in _branches(place.where, tree):
        if key.partition("=")[0] in _LEVELS:
            parameters = " ".join(value) if isinstance(value, dict) else ""
            nodes.append((_end(place, key.partition("=")[2].removeprefix(_PREFIXES[place.level]), parameters), -1))
            break
        if key == "comm_type=inter":
            continue  # collectives on intercommunicators have other algorithms
        is_pruned = is_pruned and key.startswith(_OF_COMMUNICATOR)
        node = _condition(place, key if is_pruned else re.sub(r"^comm_size<(?=\d)", "comm_size<=", key))
        nodes.append((node, _build(place._replace(where=f"{place.where}: {key}"), value, is_pruned=is_pruned)))
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
