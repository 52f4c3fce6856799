"""The ranks of a simulation: greenlets that the engine switches between, and the rules by which they end.

The main greenlet starts ranks and handles failures. Everything else happens in the native engine, inside blocking MPI
calls. A rank ends by itself when its program returns, raises or calls sys.exit. An uncaught exception, MPI_Abort, a
deadlock and Ctrl-C stop all other ranks: their MPI calls fail, RankStopped is raised in them, and their ``finally:``
clauses run. A rank whose host fails, or that SIGKILL ends, stays suspended with all its objects: its ``finally:``
clauses do not run. The same holds for a rank that is stopped while compiled code waits for another rank.
"""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from dataclasses import dataclass
from types import FrameType
from typing import Any, TextIO

from greenlet import greenlet

from pysmpi.errors import DeadlockError, PysmpiError, SimulationError
from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.outcome import Ending, RankOutcome
from pysmpi.simulation.isolation.current import set_handlers_of_children
from pysmpi.simulation.isolation.locks import pass_on_released
from pysmpi.simulation.isolation.patching import object_at
from pysmpi.simulation.isolation.process import hide_handler
from pysmpi.simulation.isolation.stopping import RankStopped, protected, register, stop_all
from pysmpi.simulation.launch import deadlock
from pysmpi.simulation.launch.debugging import Debugger, left_debugger
from pysmpi.simulation.launch.stop_reasons import blocked_rank, exhausted, refused, unreachable, unreceived_messages
from pysmpi.simulation.launch.watch import Watch
from pysmpi.util import open_files
from pysmpi.util.stop_signals import STOP_SIGNALS, described, is_default_or_ours, status_of_signal
from pysmpi.util.traceback_text import call_of, place_of, text_of

__all__ = ["Ranks"]

# Results of pysmpi_next_rank that are not ranks. -3 means that Python has handled a signal.
_ALL_ENDED, _DEADLOCK, _ABORTED, _UNREACHABLE, _UNSUCCESSFUL_POLLS, _EXHAUSTED, _STOPPED = -1, -2, -4, -5, -6, -7, -8
_REFUSED = -9
_KILLED_STATUS = 137  # 128 + SIGKILL
_FIRST_THREAD = 1 << 30  # smallest number of a thread that a rank has started


def _with_short_frames(body: Callable[[int], None]) -> Callable[[int], None]:
    """Return an equivalent function whose greenlet allocates little memory for its frames."""
    functions = [body]
    lib.pysmpi_shorten_frames(ffi.cast("void *", id(functions)))
    return functions[0]


def _waiting(number: int, first: greenlet) -> greenlet:
    """Return the greenlet in which a rank or thread waits: its first one, or another one that its program has made."""
    address = lib.pysmpi_greenlet(number)
    return first if address == ffi.NULL else object_at(address)


def _program_place(number: int) -> str | None:
    """Return where the executable of a blocked rank waits, as ``file:line``, or None if it runs Python code."""
    place = lib.pysmpi_program_place(number)
    return None if place == ffi.NULL else str(ffi.string(place).decode(errors="replace"))


@dataclass
class _Thread:
    """Thread that a rank has started: the rank, the function that it runs, and its greenlet once it has begun."""

    rank: int
    body: Callable[[], None]
    runner: greenlet | None = None


class Ranks:
    """All ranks of a simulation; `run_all` runs them until they have ended.

    Args:
        count: number of ranks at the beginning.
        host_name: function that returns the host name of a rank.
        run: function called in each rank; returns the value of the rank. Its exceptions end the rank.
        ended: function called in each rank after its program, while MPI still works; it runs exit handlers and flushes
            streams.
        forget: function called when a rank has ended and its objects can be released.
        aborts_at_its_end: function that returns True if a failed rank will call MPI_Abort in `ended`.
        all_sends_wait: True if standard sends wait for their receives; a deadlock report then gives a hint.
        errors: stream for tracebacks and reports.
        hook: ``sys.excepthook`` when the simulation begins: the interpreter's own, or that of an environment such as a
            notebook, which shows the error that the caller of the simulation raises.
        report: function called with a rank and the traceback that was printed about its exception.
        debugger: object that starts pdb in ranks.

    Attributes:
        outcomes: outcome of each rank; complete after `run_all`.
        interrupted: number of the signal that has ended the simulation, such as SIGINT (Ctrl-C), or 0.
        failure: error that no single rank has caused, or None: a deadlock, hosts without a route, or a counter of the
            engine that has reached its maximum.
    """

    def __init__(
        self,
        *,
        count: int,
        host_name: Callable[[int], str],
        run: Callable[[int], Any],
        ended: Callable[[int], None],
        forget: Callable[[int], None],
        aborts_at_its_end: Callable[[int], bool],
        all_sends_wait: bool,
        errors: TextIO,
        hook: Callable[..., Any],
        report: Callable[[int, str], None],
        debugger: Debugger,
    ) -> None:
        self._run = run
        self._ended = ended
        self._forget = forget
        self._aborts_at_its_end = aborts_at_its_end
        self._all_sends_wait = all_sends_wait
        self._host_name = host_name
        self._errors = errors
        self._hook = hook
        self._report = report
        self._debugger = debugger
        self._greenlets: list[greenlet | None] = [None] * count
        self._threads: dict[int, _Thread] = {}  # threads of ranks that have not ended, by number
        self._outcomes: list[RankOutcome | None] = [None] * count
        self._values: dict[int, Any] = {}  # values of ranks whose program has just returned
        self._failed = False
        self._context = Context()
        self._rank_body = self._body()
        self._watch = Watch(self.whereabouts, errors)
        self._abort: tuple[int, int] | None = None  # the rank that called MPI_Abort, and its exit status
        self.interrupted = 0
        self.failure: PysmpiError | None = None

    @property
    def outcomes(self) -> list[RankOutcome]:
        """Outcome of each rank, in rank order."""
        return [
            outcome or RankOutcome(rank, self._host_name(rank), Ending.STOPPED, 1)
            for rank, outcome in enumerate(self._outcomes)
        ]

    @property
    def failed(self) -> bool:
        """True if the run failed: a rank raised an exception or called MPI_Abort, the ranks were deadlocked, an error
        or limit of the simulation was met, or a signal ended the run.

        Ranks that a simulated failure of the machine ends do not count.
        """
        return self._failed

    def run_all(self) -> None:
        """Run the ranks until all have ended.

        Raises:
            SimulationError: stopped ranks do not end; a defect of pysmpi.
        """
        register()
        self._debugger.begin()
        self._context = copy_context()
        self._rank_body = _with_short_frames(self._body())
        with self._interrupts(), self._watch:
            while True:
                rank = lib.pysmpi_next_rank()
                if rank >= 0:
                    self._switch_to(rank)
                elif rank == _ALL_ENDED:
                    self._judge_failed()
                    if not self._failed and (text := self._debugger.end()):
                        self._write(f"pysmpi: {text}")
                    return
                elif rank == _DEADLOCK:
                    if not pass_on_released():
                        self._report_deadlock()
                elif rank == _ABORTED:
                    self._report_abort()
                elif rank == _UNREACHABLE:
                    self._stop_for(unreachable(self._host_name))
                elif rank == _EXHAUSTED:
                    self._stop_for(exhausted())
                elif rank == _REFUSED:
                    self._stop_for(refused())
                elif rank == _UNSUCCESSFUL_POLLS:
                    self._report_unsuccessful_polls()
                elif rank == _STOPPED:
                    self._stop()

    def add(self, count: int) -> None:
        """Add `count` ranks, which have neither a greenlet nor an outcome yet."""
        self._greenlets += [None] * count
        self._outcomes += [None] * count

    def start_thread(self, number: int, body: Callable[[], None]) -> None:
        """Add a thread to the running rank.

        Args:
            number: number of the thread.
            body: function that the thread runs.
        """
        self._threads[number] = _Thread(lib.pysmpi_running_rank(), body)

    def _switch_to(self, rank: int) -> None:
        if rank >= _FIRST_THREAD:
            self._switch_to_thread(rank)
            return
        runner = self._greenlets[rank]
        if runner is not None:
            _waiting(rank, runner).switch()
        elif lib.pysmpi_is_stopping(rank):
            lib.pysmpi_rank_ended(rank)
        else:
            runner = self._greenlets[rank] = self._greenlet(self._rank_body)
            runner.switch(rank)

    def _switch_to_thread(self, number: int) -> None:
        thread = self._threads[number]
        if thread.runner is not None:
            _waiting(number, thread.runner).switch()
        else:
            thread.runner = self._greenlet(self._thread_body)
            thread.runner.switch(number)

    def _greenlet(self, body: Callable[[int], None]) -> greenlet:
        # The context is a copy of the launcher's, which contains NumPy's allocator of array data.
        runner = greenlet(body)
        runner.gr_context = self._context.copy()
        return runner

    def _thread_body(self, number: int) -> None:
        lib.pysmpi_garbage_of(lib.pysmpi_running_rank())
        body = self._threads[number].body
        protected(number, lambda _: body())
        del self._threads[number]
        lib.pysmpi_rank_ended(number)

    def _body(self) -> Callable[[int], None]:
        """Return the function of the ranks' greenlets.

        It is no method, because the interpreter's call of a method takes 144 bytes more of the stack, which is kept in
        memory for each blocked rank.
        """

        run = self._run_and_keep  # one bound method for all ranks

        def body(rank: int) -> None:
            # This frame holds as little as possible, because it exists once for each running rank.
            lib.pysmpi_garbage_of(rank)
            self._finish(rank, protected(rank, run))

        return body

    def _finish(self, rank: int, error: BaseException | None) -> None:
        """End a rank after its program: run its exit handlers, and store its outcome.

        Args:
            rank: the rank.
            error: exception that ended its program, or None if the program returned.
        """
        outcome = self._outcomes[rank] = RankOutcome(rank, self._host_name(rank), Ending.RETURNED)
        outcome.value = self._values.pop(rank, None)
        self._judge(outcome, error)
        self._judge(outcome, protected(rank, self._ended))
        outcome.ended_at = lib.pysmpi_now()
        self._greenlets[rank] = None
        lib.pysmpi_rank_ended(rank)
        self._forget(rank)

    def _run_and_keep(self, rank: int) -> None:
        if rank == self._debugger.entering:
            self._debugger.enter_program()
        value = self._run(rank)
        if value is not None:
            self._values[rank] = value

    def _judge_failed(self) -> None:
        """Set how ranks ended whose code has not run to its end: they failed, or were stopped in compiled code."""
        for rank, outcome in enumerate(self._outcomes):
            failed_at = lib.pysmpi_failure_time(rank)
            if failed_at >= 0:
                self._outcomes[rank] = RankOutcome(
                    rank, self._host_name(rank), Ending.FAILED, _KILLED_STATUS, failed_at=failed_at
                )
            if failed_at >= 0 or outcome is None:
                self._forget(rank)

    def _judge(self, outcome: RankOutcome, error: BaseException | None) -> None:
        """Set how a rank ended and its exit status; if it failed, report its exception and stop all ranks.

        Args:
            outcome: outcome of the rank, which is changed.
            error: exception that ended its program or its exit handlers, or None.
        """
        if lib.pysmpi_is_stopping(outcome.rank):
            if self._abort is not None and self._abort[0] == outcome.rank:
                outcome.ending, outcome.status = Ending.ABORTED, self._abort[1]
            elif outcome.ending is not Ending.RAISED:
                outcome.ending, outcome.status = Ending.STOPPED, 1
        elif isinstance(error, SystemExit):
            outcome.ending, outcome.status = Ending.EXITED, self._exit_status(error.code)
        elif error is not None:
            outcome.ending, outcome.exception = Ending.RAISED, error
            outcome.status = status_of_signal(signal.SIGINT) if isinstance(error, KeyboardInterrupt) else 1
            self._failed = True
            open_files.explain(error)
            self._report_exception(outcome, error)
            self._debugger.after(outcome.rank, error)
            if not self._aborts_at_its_end(outcome.rank):
                stop_all()

    def _report_exception(self, outcome: RankOutcome, error: BaseException) -> None:
        if left_debugger(error):
            self._write(f"rank {outcome.rank} (host {outcome.host}) was ended in pdb; all ranks are stopped\n")
            return
        header = (
            f"rank {outcome.rank} (host {outcome.host}) raised {type(error).__name__}; the other ranks are stopped\n"
        )
        self._write(header)
        hook = sys.excepthook
        if hook is not self._hook and hook is not sys.__excepthook__:
            # A hook may do what a program does: it may wait, and be stopped.
            failure = protected(outcome.rank, lambda _: hook(type(error), error, error.__traceback__))
            if failure is None or isinstance(failure, RankStopped):
                return
            self._write(f"sys.excepthook of rank {outcome.rank} failed: {failure!r}\n")
        text = text_of(error)
        if self._hook is sys.__excepthook__:
            self._write(text)
        self._report(outcome.rank, text)

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the disk is full, or the stream is closed
            self._errors.write(text)
            self._errors.flush()

    def _exit_status(self, code: object) -> int:
        """Return the exit status for ``sys.exit(code)``, determined as in the interpreter."""
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        self._write(f"{code}\n")
        return 1

    def _report_abort(self) -> None:
        rank, code = lib.pysmpi_abort_rank(), lib.pysmpi_abort_code()
        host = self._host_name(rank)
        call = ffi.string(lib.pysmpi_abort_call()).decode() or f"MPI_Abort({code})"
        self._write(f"rank {rank} (host {host}) called {call}; all ranks are stopped\n")
        self._failed = True
        self._abort = rank, code & 0xFF or int(code != 0)
        stop_all()

    def _stop_for(self, failure: PysmpiError) -> None:
        self._failed = True
        self.failure = failure
        stop_all()

    def _report_deadlock(self) -> None:
        if self._failed:
            raise SimulationError("stopped ranks do not end: this is a defect of pysmpi, please report it")
        self._failed = True
        self.failure = DeadlockError(
            deadlock.report(
                self._all_blocked(),
                len(self._greenlets),
                lib.pysmpi_now(),
                all_sends_wait=self._all_sends_wait,
                unreceived=unreceived_messages(),
            )
        )
        stop_all()

    def _report_unsuccessful_polls(self) -> None:
        text = deadlock.polling_report(self._all_blocked(), len(self._greenlets), lib.pysmpi_now())
        self._write(f"pysmpi: {text}\n")

    def _stop(self) -> None:
        number = lib.pysmpi_broken_off()
        thread = self._threads.get(number)
        rank, runner = (number, self._greenlets[number]) if thread is None else (thread.rank, thread.runner)
        blocked, count = self._all_blocked(), len(self._greenlets)
        text = deadlock.stop_report(blocked, count, lib.pysmpi_now(), rank, self._unbegun())
        if self._debugger.enter(number, runner):
            self._write(f"pysmpi: {text}\n")
            return
        self._failed = True
        self.failure = SimulationError(text)
        stop_all()

    def whereabouts(self, frame: FrameType | None, since: float | None) -> str:
        """Return a report on the rank that computes, and on what all other ranks wait for.

        Args:
            frame: current frame of the main thread.
            since: seconds for which the rank has been computing, or None if unknown.
        """
        number = lib.pysmpi_running_thread()
        computing = "the engine works"
        if number >= 0:
            thread = self._threads.get(number)
            rank = number if thread is None else thread.rank
            place = place_of(frame)
            lasting = "" if since is None else f" for {since:.0f} s" if since >= 1 else " for less than a second"
            at = "" if place is None else f", at {place}"
            computing = f"rank {rank} ({self._host_name(rank)}) computes{lasting}{at}"
        blocked = self._all_blocked()
        waiting = {each.rank for each in blocked} | {lib.pysmpi_running_rank()}
        alive = [rank for rank, outcome in enumerate(self._outcomes) if outcome is None]
        unbegun = self._unbegun()
        ready = sorted(set(alive) - waiting - set(unbegun))
        count = len(self._greenlets)
        return deadlock.whereabouts_report(blocked, computing, count, lib.pysmpi_now(), ready, unbegun)

    def _unbegun(self) -> list[int]:
        return [
            each for each, (made, outcome) in enumerate(zip(self._greenlets, self._outcomes, strict=True))
            if made is None and outcome is None
        ]  # fmt: skip

    def _all_blocked(self) -> list[deadlock.Blocked]:
        runners = [(rank, rank, runner) for rank, runner in enumerate(self._greenlets)]
        runners += [(number, thread.rank, thread.runner) for number, thread in self._threads.items()]
        blocked = [found for which in runners if (found := self._blocked(*which)) is not None]
        return sorted(blocked, key=lambda each: each.rank)

    def _blocked(self, number: int, rank: int, runner: greenlet | None) -> deadlock.Blocked | None:
        if runner is None:
            return None
        waiting = _waiting(number, runner)
        return blocked_rank(
            number,
            rank,
            self._host_name(rank),
            lambda: _program_place(number) or place_of(waiting.gr_frame),
            lambda: call_of(waiting.gr_frame),
        )

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Let Ctrl-C, SIGTERM and SIGHUP stop all ranks, and a second such signal raise KeyboardInterrupt."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def interrupt(number: int, frame: FrameType | None) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self._watch.report(described(number), frame)
            self.interrupted, self._failed = number, True
            stop_all()
            if lib.pysmpi_running_rank() >= 0:
                raise RankStopped

        before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
        handled = [number for number in STOP_SIGNALS if number == signal.SIGINT or is_default_or_ours(before[number])]
        for number in handled:
            signal.signal(number, interrupt)
            if number != signal.SIGINT:
                hide_handler(number, signal.SIG_DFL)
        shown = {number: signal.SIG_DFL if is_default_or_ours(before[number]) else before[number] for number in handled}
        set_handlers_of_children({number: (interrupt, shown[number]) for number in handled})
        try:
            yield
        finally:
            set_handlers_of_children({})
            for number in handled:
                signal.signal(number, before[number])
                hide_handler(number, None)
