"""Profiles of hosts and links that change during a simulation, in the format of SimGrid's profile files.

Each line is a date (seconds from the beginning of the simulation) and the value from then on; dates ascend. Empty lines
and lines that begin with ``#`` or ``%`` are ignored. ``LOOPAFTER s`` repeats the list s seconds after its last date,
``PERIODICITY s`` repeats it every s seconds (SimGrid 3.32 src/kernel/resource/profile/ProfileBuilder.cpp).
"""

import io
import math
import re
from array import array
from dataclasses import dataclass, field

from pysmpi.errors import PlatformError
from pysmpi.native import lib
from pysmpi.platform.files import open_regular
from pysmpi.platform.source_location import Place, error_at

__all__ = ["KINDS", "Kind", "Profile", "ProfileText", "read_profile"]

MAX_EVENTS = 1_000_000
MAX_LINE = 1000  # characters
SHORTEST_LOOP = 1e-9  # seconds, the resolution of simulated time
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
LAWS = frozenset(["NORM", "NORMAL", "GAUSS", "GAUSSIAN", "EXP", "EXPONENTIAL", "UNIF", "UNIFORM"])


@dataclass(frozen=True, slots=True)
class Kind:
    """A quantity that profiles can change, such as the bandwidth of links."""

    native: int
    what: str
    of_link: bool
    least: float = 0.0
    """Least valid value."""
    is_state: bool = False
    """True if values above 0 mean on and all others off."""


KINDS = {
    "HOST_AVAIL": Kind(lib.PYSMPI_PROFILE_HOST_STATE, "state", of_link=False, least=-math.inf, is_state=True),
    "SPEED": Kind(lib.PYSMPI_PROFILE_SPEED, "speed", of_link=False),
    "LINK_AVAIL": Kind(lib.PYSMPI_PROFILE_LINK_STATE, "state", of_link=True, least=-math.inf, is_state=True),
    "BANDWIDTH": Kind(lib.PYSMPI_PROFILE_BANDWIDTH, "bandwidth", of_link=True, least=math.ulp(0.0)),
    "LATENCY": Kind(lib.PYSMPI_PROFILE_LATENCY, "latency", of_link=True),
}
"""All quantities that profiles can change, by the names that ``trace_connect`` uses."""


@dataclass(slots=True)
class Profile:
    """A profile: dates in seconds, the value from each date on, and the line of each date in its file."""

    file: str
    dates: "array[float]" = field(default_factory=lambda: array("d"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    lines: "array[int]" = field(default_factory=lambda: array("L"))
    loop_after: float = -1.0
    """Seconds from the last date until the list repeats; negative if it does not repeat."""

    def values_for(self, kind: Kind) -> "array[float]":
        """Check and return the values for the quantity that the profile changes; for on/off states, as 1 and 0."""
        for value, line in zip(self.values, self.lines, strict=True):
            if value < kind.least:
                need = "above 0 (to cut a link, give it a profile of its state)" if kind.least > 0 else "0 or more"
                raise error_at(Place(self.file, line), f"{kind.what} {value:g} is not valid; it must be {need}")
        return array("d", (float(value > 0) for value in self.values)) if kind.is_state else self.values


class ProfileText:
    """A parser of profiles whose text arrives in pieces."""

    def __init__(self, place: Place, periodicity: float = 0.0) -> None:
        """Begin a profile at a place in a file.

        ``periodicity`` is the time in seconds after which the list of dates repeats; 0 or less if it does not repeat.
        """
        self._profile = Profile(place.file)
        self._begin = place
        self._rest = ""
        self._rest_line = place.line
        self._loop_after: float | None = None
        self._periodicity = periodicity if periodicity > 0 else None
        self._end = place

    def feed(self, text: str, line: int) -> None:
        """Parse the next piece of text, given the line of the file in which the piece begins."""
        if not self._rest:
            self._rest_line = line
        *whole, self._rest = (self._rest + text).split("\n")
        for each in whole:
            self._take(each)
            self._rest_line += 1
        if len(self._rest) > MAX_LINE:
            raise self._error(f"the line is longer than {MAX_LINE} characters")

    def finish(self) -> Profile:
        """Return the profile, after the last piece of text."""
        self._take(self._rest)
        profile = self._profile
        if not profile.dates:
            raise error_at(self._begin, "the profile is empty; write a date in seconds and a value on each line")
        if self._loop_after is not None and self._periodicity is not None:
            raise error_at(self._end, "a profile takes a periodicity or LOOPAFTER, not both")
        if self._loop_after is not None:
            profile.loop_after = self._loop_after
        elif self._periodicity is not None:
            profile.loop_after = self._periodicity - profile.dates[-1]
            if profile.loop_after < 0:
                raise error_at(
                    self._end,
                    f"the profile repeats after {self._periodicity:g} s, but its last date is {profile.dates[-1]:g} s",
                )
        if 0 <= profile.loop_after < SHORTEST_LOOP - profile.dates[-1]:
            raise error_at(self._end, f"the profile repeats after less than {SHORTEST_LOOP:g} s; make it longer")
        return profile

    def _error(self, message: str) -> PlatformError:
        return error_at(Place(self._profile.file, self._rest_line), message)

    def _take(self, line: str) -> None:
        words = line.split()
        if not words or words[0][0] in "#%":
            return
        self._end = Place(self._profile.file, self._rest_line)
        if words[0] in ("LOOPAFTER", "PERIODICITY"):
            self._take_loop(words)
            return
        if "STOCHASTIC" in words or not LAWS.isdisjoint(words):
            raise self._error("stochastic profiles are not supported; list dates and values")
        words = [word for word in words if word != "DET"]
        if len(words) != 2:
            raise self._error(f"{line.strip()!r} is not a date in seconds and a value, such as '10.5 0.5'")
        date, value = (self._number(word, what) for word, what in zip(words, ("date", "value"), strict=True))
        profile = self._profile
        if profile.dates and date < profile.dates[-1]:
            raise self._error(f"date {words[0]} comes after date {profile.dates[-1]:g}; dates must ascend")
        if len(profile.dates) == MAX_EVENTS:
            raise self._error(f"the profile has more than {MAX_EVENTS} events; shorten it")
        profile.dates.append(date)
        profile.values.append(value)
        profile.lines.append(self._rest_line)

    def _take_loop(self, words: list[str]) -> None:
        if len(words) != 2:
            raise self._error(f"{words[0]} takes one number of seconds, such as '{words[0]} 10'")
        seconds = self._number(words[1], words[0])
        if words[0] == "LOOPAFTER":
            self._loop_after = seconds
        elif seconds > 0:
            self._periodicity = seconds
        else:
            raise self._error(f"PERIODICITY {words[1]!r} must be above 0")

    def _number(self, word: str, what: str) -> float:
        number = float(word) if NUMBER.fullmatch(word) else math.nan
        if not math.isfinite(number):
            raise self._error(f"{what} {word!r} is not a number")
        if number < 0 and what != "value":
            raise self._error(f"{what} {word!r} is negative; it must be 0 or more")
        return number


def read_profile(path: str) -> Profile:
    """Read a profile from a file.

    Raises:
        PlatformError: the file cannot be read, or a line is not valid.
    """
    with io.TextIOWrapper(open_regular(path), encoding="utf-8", errors="replace") as file:
        text = ProfileText(Place(path, 1))
        number = 0
        while line := file.readline(MAX_LINE + 2):
            number += 1
            text.feed(line, number)
    return text.finish()
