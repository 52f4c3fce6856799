"""Recorder of a running program: its statements, the values in its arrays, and which value is computed from which."""

import ast
import bisect
import dis
import itertools
import linecache
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.record import (
    INDEX,
    MEETING,
    NOWHERE,
    PLAIN,
    TEMPORARY,
    Array,
    Block,
    Lease,
    Record,
    Statement,
)  # fmt: skip
from pysmpi.estimates.repeats import Repeats

__all__ = ["Recorder", "like"]

_MARK = 0x3FFFFFFFFFFFF  # mask of the hash of an execution, which has 50 bits
_MOST_VALUES = 2**31 - 1  # numbers of values have 32 bits
_BYTES_PER_EDGE = 64  # bytes of the record and of the graph made from it, measured with a 5-point stencil


class Recorder(Record):
    """Record of one run of a program.

    Args:
        program: path of the program. Files in its directory belong to the program.
        memory: largest size of the record in bytes.
        probe: names of functions without a rule whose dependences are found by calls with NaN (`probing`).

    Attributes:
        probes: names of functions that were probed.
        busy: depth of nested `one_event` contexts.
    """

    def __init__(self, program: Path, memory: float = float("inf"), probe: Collection[str] = ()) -> None:
        super().__init__()
        self.program = program
        self.probe = probe
        self.probes: set[str] = set()
        self._directory = str(program.resolve().parent) + "/"
        self._most_edges = memory / _BYTES_PER_EDGE
        self._repeats = Repeats(self, self._most_edges)
        self.busy = 0
        self._own: dict[str, dict[int, int] | None] = {}
        self._assignments: dict[CodeType, tuple[list[int], list[str | None]]] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._pools: dict[Any, list[Block]] = {}
        self._codes: dict[CodeType, int] = {}
        self._last: tuple[int, int, int] = (0, 0, 0)
        self._site: Any = None
        self._results = 0  # number of arrays that the running operation has made

    # ---- the statement that runs

    def enter(self) -> None:
        """Determine which statement of the program runs now, and begin a new execution unless the last one continues.

        Inside `one_event` this does nothing, because functions that a rule calls belong to the same execution.
        """
        if self.busy:
            return
        self._results = 0
        frame = self._frame()
        if frame is None:
            self._site = None
            if not self.statement:
                self._begin((str(self.program), 1))
            return
        code, lasti = frame.f_code, frame.f_lasti
        lines = self._own[code.co_filename]
        assert lines is not None
        line = lines.get(frame.f_lineno, frame.f_lineno)
        frame_id, last_line, last_lasti = self._last
        if frame_id != id(frame) or last_line != line or lasti <= last_lasti:
            self._begin((code.co_filename, line), self._calls(frame))
        self._last = (id(frame), line, lasti)
        self._site = (code, lasti)

    @contextmanager
    def one_event(self) -> Iterator[None]:
        """Determine which statement runs now, and record everything in the context as part of this execution of it."""
        self.enter()
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1

    def _calls(self, frame: FrameType) -> int:
        """Return a hash of the calls of the program that led to a frame.

        It is the same in all iterations of a loop, and differs between calls of a function at several places.
        """
        found = 0
        above: FrameType | None = frame
        while above is not None and above.f_code.co_name != "<module>":
            above = above.f_back
            if above is not None and self._own.get(above.f_code.co_filename) is not None:
                number = self._codes.setdefault(above.f_code, len(self._codes) + 1)
                found = found * 31 + number * 1009 + above.f_lasti
        return found & _MARK

    def _begin(self, key: tuple[str, int], calls: int = 0) -> None:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.statements)
            self.statements.append(Statement(*key))
        self._repeats.remove()
        self.statement.append(number)
        self.mark.append(calls)
        self.executed.append(len(self.statement) - 1)
        self.first_edge.append(len(self.source))

    def here(self) -> str:
        """Return the beginning of an error message: ``file:line: `` of the running statement, or "" if none runs."""
        frame = self._frame()
        return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}: "

    def called(self) -> str | None:
        """Return the name of the function that the program calls now, as the program writes it, or None."""
        frame = self._frame()
        if frame is None:
            return None
        first, last, begin, end = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
        if first is None or last is None:
            return None
        lines = [line.encode() for line in linecache.getlines(frame.f_code.co_filename)[first - 1 : last]]
        if not lines:
            return None
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][begin:]
        try:
            found = ast.parse(b"".join(lines), mode="eval").body
        except SyntaxError:
            return None
        return ast.unparse(found.func) if isinstance(found, ast.Call) else None

    def _frame(self) -> FrameType | None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            own = self._own.get(name, 0)
            if own == 0:
                own = self._own[name] = _statement_lines(name) if self.is_own(name) else None
            if own is not None:
                return frame
            frame = frame.f_back
        return None

    def is_own(self, file: str) -> bool:
        """Return whether a source file belongs to the program."""
        path = str(Path(file).resolve())
        return path.startswith(self._directory) and "site-packages" not in path[len(self._directory) :]

    # ---- element positions

    def _assigned(self) -> str | None:
        """Return the variable that the result of the running operation is assigned to, or None."""
        if self._site is None:
            return None
        code, lasti = self._site
        if code not in self._assignments:
            self._assignments[code] = _assignments(code)
        begins, names = self._assignments[code]
        return names[bisect.bisect_right(begins, lasti) - 1]

    def named_block(self, data: Array) -> Lease:
        """Return numbers for the elements of an array that a function such as numpy.zeros has made.

        As in `temporary_block`, they are used again after the array has been freed.
        """
        return self._block(data, temporary=False)

    def _new_block(self, data: Array, *, temporary: bool) -> Block:
        places = like(data, np.arange(self.places, self.places + data.size, dtype=np.int32))
        block = Block(self.places, places, self._assigned(), temporary=temporary)
        self.places += data.size
        self.blocks.append(block)
        return block

    def temporary_block(self, data: Array) -> Lease:
        """Return numbers for the elements of an expression's result: those of its earlier result, if that was freed.

        The result of an expression in a loop then has the same numbers in each step. An operation in stages, such as a
        Fourier transform along two axes, has numbers of its own for each stage.
        """
        return self._block(data, temporary=True)

    def _block(self, data: Array, *, temporary: bool) -> Lease:
        pool = self._pools.setdefault((self._site, self._results, data.shape, data.strides, temporary), [])
        self._results += 1
        return Lease(pool.pop() if pool else self._new_block(data, temporary=temporary), pool)

    # ---- values and edges

    def fresh(self, places: Array, kind: int = PLAIN, work: float = 0.0, words: int = 1) -> Array:
        """Create values, which the running statement computes, and return their numbers in the shape of `places`.

        Args:
            places: number of the array element that holds each value, or NOWHERE.
            kind: properties of the values, as bits: PLAIN, SUM and others of `pysmpi.estimates.record`.
            work: floating-point operations for each value.
            words: size of each value in words of 8 bytes.
        """
        count, first = places.size, len(self.home) + self.numbers.removed
        if first + count > _MOST_VALUES:
            raise EstimateError(f"{self.here()}more than {_MOST_VALUES:,} values; take a smaller size or fewer steps")
        self.home.frombytes(np.ascontiguousarray(places, dtype=np.int32).tobytes())
        self.kind.frombytes(bytes([kind]) * count)
        self.event.frombytes(np.full(count, len(self.statement) - 1, dtype=np.int32).tobytes())
        self.work.frombytes(np.full(count, work, dtype=np.float32).tobytes())
        self.words.frombytes(bytes([words]) * count)
        return np.arange(first, first + count, dtype=np.int32).reshape(places.shape)

    def fresh_scalar(self, kind: int = TEMPORARY, work: float = 1.0, words: int = 1) -> int:
        """Create a value that no array holds, such as a sum, and return its number; for the arguments see `fresh`."""
        self.home.append(NOWHERE)
        self.kind.append(kind)
        self.event.append(len(self.statement) - 1)
        self.work.append(work)
        self.words.append(words)
        return len(self.home) - 1 + self.numbers.removed

    def flow(self, sources: Any, sinks: Any) -> None:
        """Record that values are computed from other values, element by element.

        Args:
            sources: numbers of the values that are read.
            sinks: numbers of the values that are computed from them; both arrays are broadcast to one shape.

        Raises:
            EstimateError: the record exceeds the memory.
        """
        sources, sinks = np.broadcast_arrays(sources, sinks)
        for column, values in ((self.source, sources), (self.sink, sinks)):
            column.frombytes(self.numbers.stored(np.ascontiguousarray(values, dtype=np.int32)).tobytes())
        if len(self.source) > self._most_edges:
            error = EstimateError(
                f"{self.here()}the record has {len(self.source):,} dependence edges, more than --memory allows "
                f"({self._most_edges * _BYTES_PER_EDGE:,.0f} bytes); take a smaller size or more memory"
            )
            error.too_large = True
            raise error

    def flow_scalar(self, source: int, sink: int) -> None:
        """Record an edge from one value to another one that is computed from it."""
        self.source.append(self.numbers.stored_one(source))
        self.sink.append(self.numbers.stored_one(sink))

    def meet(self, sources: Array, sinks: Array) -> None:
        """Record that all values of a row of `sinks` are computed from all values of the same row of `sources`.

        A row with n sources and m sinks takes n + m edges of the data-flow graph, which meet in an auxiliary vertex.

        Args:
            sources: (rows, sources of a row) numbers of values.
            sinks: (rows, sinks of a row) numbers of values.
        """
        if sources.size == 0 or sinks.size == 0:
            return
        if sources.shape[1] == 1 or sinks.shape[1] == 1:
            self.flow(sources, sinks)
            return
        meetings = self.fresh(np.full(len(sources), NOWHERE), MEETING)[:, None]
        self.flow(sources, meetings)
        self.flow(meetings, sinks)

    def stored(self, values: Array, places: Array) -> None:
        """Record that values are assigned to elements of an array.

        The first element to which a temporary value is assigned becomes its home.

        Args:
            values: numbers of the values, broadcast to the shape of `places`.
            places: numbers of the element positions.
        """
        values = self.numbers.stored(np.broadcast_to(values, places.shape).ravel())
        places = places.ravel()
        kinds, homes = np.frombuffer(self.kind, np.uint8), np.frombuffer(self.home, np.int32)
        moving = (kinds[values] & TEMPORARY) != 0
        homes[values[moving]] = places[moving]
        kinds[values[moving]] &= 255 - TEMPORARY

    def stored_scalar(self, value: int, place: int, first: int) -> None:
        """Record that one value is assigned to an element of an array.

        Args:
            value: number of the value.
            place: number of the element position.
            first: number of the array's first element position.
        """
        self.mark[-1] = (self.mark[-1] * 31 + place - first + 1) & _MARK
        value = self.numbers.stored_one(value)
        if self.kind[value] & TEMPORARY:
            self.kind[value] &= 255 - TEMPORARY
            self.home[value] = place

    def touch(self, places: Array, first: int) -> None:
        """Add assigned element positions to the hash of the running execution.

        By this hash, iterations of a loop that assign the same elements are recognised as repetitions. Positions count
        from the array's first one, so two arrays that swap their roles in each step give the same hash.

        Args:
            places: numbers of the positions; the hash contains their number, and the first and last one.
            first: number of the array's first element position.
        """
        if places.size:
            flat = places.flat
            ends = (int(flat[0]) - first) * 7 + (int(flat[places.size - 1]) - first) * 3
            self.mark[-1] = (self.mark[-1] * 31 + ends + places.size) & _MARK

    def indexes(self, values: Array) -> None:
        """Record that values are used as indices or shapes, so that they need not count as data.

        Args:
            values: numbers of the values.
        """
        np.frombuffer(self.kind, np.uint8)[self.numbers.stored(np.asarray(values))] |= INDEX

    def steers(self, value: int) -> None:
        """Record that a value decides what the program does next, as in an if statement, so that all nodes need it.

        Args:
            value: number of the value.
        """
        self.enter()
        self.steering.append((self.numbers.stored_one(value), len(self.statement) - 1))


def like(data: Array, flat: Array) -> Array:
    """Return numbers of values as an array with the shape and memory order of `data`, so that views of both agree.

    Args:
        data: array of the program.
        flat: a number for each element of `data`, in C order.
    """
    if data.flags.c_contiguous:
        return flat.reshape(data.shape)
    found = np.empty_like(data, dtype=flat.dtype, subok=False)
    found[...] = flat.reshape(data.shape)
    return found


def _statement_lines(file: str) -> dict[int, int]:
    """Return for each line in a statement of a Python file the line in which the statement begins.

    Statements with a body, such as loops, are left out. A file that cannot be read or parsed gives an empty mapping.
    """
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    return {
        line: node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _assignments(code: CodeType) -> tuple[list[int], list[str | None]]:
    """Return which variables or attributes the bytecode instructions of a function assign their results to.

    Returns:
        Offset of each instruction, and the name that its result is assigned to, or None.
    """
    following = list(dis.get_instructions(code))
    names: list[str | None] = [None] * len(following)
    for number, (first, second) in enumerate(itertools.pairwise(following)):
        if second.opname in {"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"}:
            names[number] = str(second.argval)
        elif second.opname == "STORE_ATTR" and first.opname.startswith("LOAD") and number:  # self.u = …
            names[number - 1] = str(second.argval)
    return [each.offset for each in following], names
