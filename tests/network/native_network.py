"""The engine's network for tests: links, flows, and a clock that goes from event to event."""

from collections.abc import Callable, Sequence

from pysmpi.native import ffi, lib


def reset_settings() -> None:
    """The engine's defaults."""
    lib.pysmpi_reset_options()


def set_number(name: str, value: float) -> None:
    """An option of the engine by SimGrid's name."""
    assert lib.pysmpi_set_number(name.encode(), value) == 0, name


def set_table(name: str, steps: Sequence[tuple[float, float]]) -> None:
    """Factors by size: pairs (above this many bytes, factor)."""
    above = ffi.new("double[]", [step[0] for step in steps])
    value = ffi.new("double[]", [step[1] for step in steps])
    zeros = ffi.new("double[]", len(steps))
    assert lib.pysmpi_set_table(name.encode(), len(steps), above, value, zeros) == 0, name


class NativeNetwork:
    """pysmpi::Network, driven as the engine does it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._handle = ffi.gc(lib.pysmpi_network_create(), lib.pysmpi_network_destroy)
        self._next_token = 0

    def add_link(self, bandwidth: float, fatpipe: bool = False) -> int:
        """The new link's number."""
        return int(lib.pysmpi_network_add_link(self._handle, bandwidth, fatpipe))

    def start(
        self, route: Sequence[int], back: Sequence[int], latency: float, size: float, order: int = 0
    ) -> tuple[int, int]:
        """The new flow's token and number."""
        token = self._next_token
        self._next_token += 1
        flow = lib.pysmpi_network_start(
            self._handle, self.now, list(route), len(route), list(back), len(back), latency, size, token, order
        )
        return token, int(flow)

    def cancel(self, flow: int) -> None:
        """The flow is gone."""
        lib.pysmpi_network_cancel(self._handle, self.now, flow)

    def set_bandwidth(self, link: int, bandwidth: float) -> bool:
        """The link carries so many bytes/s from now on; says whether flows are concerned."""
        return bool(lib.pysmpi_network_set_bandwidth(self._handle, link, bandwidth, self.now))

    def change_latency(self, link: int, by: float) -> bool:
        """The link's latency grows by so many seconds; says whether flows are concerned."""
        return bool(lib.pysmpi_network_change_latency(self._handle, link, by))

    def set_state(self, link: int, on: bool) -> bool:
        """The link fails, or is back; says whether flows are concerned."""
        return bool(lib.pysmpi_network_set_state(self._handle, link, on, self.now))

    def take_failed(self) -> list[int]:
        """The tokens of the flows that have failed."""
        return self._tokens(lib.pysmpi_network_take_failed)

    def rate(self, flow: int) -> float:
        """Bytes/s since the last solve."""
        return float(lib.pysmpi_network_rate(self._handle, flow))

    def remaining(self, flow: int) -> float:
        """Bytes still to be moved."""
        return float(lib.pysmpi_network_remaining(self._handle, self.now, flow))

    def next_event(self) -> float:
        """Solves, and says when something happens next."""
        return float(lib.pysmpi_network_next_event(self._handle, self.now))

    def settle(self) -> list[int]:
        """The tokens of the flows that finish now."""
        return self._tokens(lambda handle, *room: lib.pysmpi_network_settle(handle, self.now, *room))

    def _tokens(self, function: Callable[..., int]) -> list[int]:
        tokens = ffi.new("uint32_t[]", self._next_token + 1)
        count = function(self._handle, tokens, self._next_token + 1)
        return list(tokens[0:count])

    def counters(self) -> dict[str, int]:
        """Work done so far."""
        out = ffi.new("pysmpi_network_counters*")
        lib.pysmpi_network_read_counters(self._handle, out)
        return {name: getattr(out, name) for name in ("flows", "solves", "flows_touched", "links_touched")}
