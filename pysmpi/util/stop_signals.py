"""Signals that end a process: SIGINT (Ctrl-C), SIGTERM (batch systems, ``kill``), and SIGHUP (a closed terminal)."""

import signal
import threading
from types import FrameType

__all__ = [
    "STOP_SIGNALS",
    "Terminated",
    "described",
    "exit_status",
    "is_default_or_ours",
    "last_stop",
    "raise_when_terminated",
    "status_of_signal",
]

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """Exception for a received SIGTERM or SIGHUP. As a `KeyboardInterrupt`, it is handled as Ctrl-C is.

    Attributes:
        number: number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(described(number))
        self.number = number


_last = int(signal.SIGINT)  # number of the latest signal that raised an exception


def described(number: int) -> str:
    """Return a text for messages: "interrupted" for SIGINT, else the name of the signal."""
    return "interrupted" if number == signal.SIGINT else f"terminated by {signal.Signals(number).name}"


def exit_status(stop: KeyboardInterrupt) -> int:
    """Return the exit status of a command that has received this exception."""
    return status_of_signal(stop.number if isinstance(stop, Terminated) else signal.SIGINT)


def status_of_signal(number: int) -> int:
    """Return the exit status of a command that a signal has ended, as shells report it: 128 + the signal's number."""
    return 128 + number


def last_stop() -> KeyboardInterrupt:
    """Return the exception for the latest signal, which is raised where the C++ engine notices the signal."""
    return KeyboardInterrupt() if _last == signal.SIGINT else Terminated(_last)


def raise_when_terminated() -> None:
    """Let SIGTERM and SIGHUP raise `Terminated` from now on, unless they are ignored or handled already."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _terminate)


def _terminate(number: int, _frame: FrameType | None) -> None:
    global _last
    _last = number
    raise Terminated(number)


def is_default_or_ours(handler: object) -> bool:
    """Return whether a signal's handler is the system's default or that of `raise_when_terminated`."""
    return handler == signal.SIG_DFL or handler is _terminate
