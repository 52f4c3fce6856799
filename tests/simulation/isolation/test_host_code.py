"""Hooks and streams of the host of a simulation, threads outside ranks, and hooks of the program itself."""

import io
import os
import sys
import threading
import time
from collections import deque

import pytest

import pysmpi
from pysmpi.errors import RankError


class HostStream(io.TextIOBase):
    """Stream that hands text to another thread and waits for it, as the streams of consoles do."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str]] = []

    def write(self, text: str) -> int:
        self.flush()
        self.lines.append((os.getpid(), text))
        return len(text)

    def flush(self) -> None:
        done = threading.Event()
        thread = threading.Thread(target=done.set)
        thread.start()
        assert done.wait(10)
        thread.join()


def test_streams_and_hooks_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host sees the real process, and can wait for threads; the hook for errors of ranks is not called."""
    stream, calls = HostStream(), []
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "excepthook", lambda *error: calls.append(("excepthook", os.getpid(), str(error[1]))))
    monkeypatch.setattr(threading, "excepthook", lambda error: calls.append(("thread", os.getpid(), str(error[1]))))

    def program() -> None:
        print("printed by", os.getpid())
        thread = threading.Thread(target=lambda: {}[1])
        thread.start()
        thread.join()
        sys.excepthook(ValueError, ValueError("called"), None)
        raise ValueError("raised")

    with pytest.raises(RankError, match="raised ValueError: raised") as caught:
        pysmpi.simulate(program, np=1, platform="flat:1", cfg={"smpi/simulate-computation": "no"})
    here = os.getpid()
    assert (here, "printed by 100000\n") in stream.lines
    assert calls == [("thread", here, "1"), ("excepthook", here, "called")]
    names = []
    trace = caught.tb
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert names == ["test_streams_and_hooks_of_the_host", "program"]


def test_hook_of_the_program_that_waits(capfd: pytest.CaptureFixture[str]) -> None:
    """Ranks that fail while another one's hook waits are stopped in their hooks, with their own class attributes."""
    kind = type("Kind", (), {"__module__": "decimal", "__qualname__": "Kind"})
    import decimal

    decimal.Kind = kind  # type: ignore[attr-defined]  # a class that all ranks share

    def program() -> None:
        def hook(*error: object) -> None:
            kind.cache = {"of": error}  # type: ignore[attr-defined]  # private to the rank
            time.sleep(1)
            print("hook:", error[1])

        sys.excepthook = hook
        raise ValueError("late")

    try:
        for _ in range(3):
            with pytest.raises(RankError, match="raised ValueError: late"):
                pysmpi.simulate(program, np=3, platform="flat:3")
    finally:
        del decimal.Kind  # type: ignore[attr-defined]
    assert not hasattr(kind, "cache")
    assert capfd.readouterr().out == "hook: late\n" * 3


def test_locks_that_other_threads_release() -> None:
    """A thread outside ranks that sets an event of a rank leaves the engine alone."""
    asked: deque[threading.Event] = deque()
    ended = threading.Event()

    def answer() -> None:
        while not ended.is_set():
            while asked:
                asked.popleft().set()
            time.sleep(0)

    def program() -> int:
        from mpi4py import MPI

        for _ in range(100):
            event = threading.Event()
            asked.append(event)
            event.wait(10)
            MPI.COMM_WORLD.barrier()
        return 100

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        for _ in range(3):
            assert pysmpi.simulate(program, np=3, platform="flat:3").values == [100] * 3
    finally:
        ended.set()
        thread.join()
