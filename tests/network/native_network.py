"""The engine's network for tests: links, flows, and a clock that jumps from event to event."""

from collections.abc import Callable, Sequence

from pysmpi.native import ffi, lib


def reset_settings() -> None:
    lib.pysmpi_reset_options()


def set_number(name: str, value: float) -> None:
    assert lib.pysmpi_set_number(name.encode(), value) == 0, name


def set_table(name: str, steps: Sequence[tuple[float, float]]) -> None:
    """Set factors by size: pairs (above this number of bytes, factor)."""
    above = ffi.new("double[]", [step[0] for step in steps])
    value = ffi.new("double[]", [step[1] for step in steps])
    zeros = ffi.new("double[]", len(steps))
    assert lib.pysmpi_set_table(name.encode(), len(steps), above, value, zeros) == 0, name


class NativeNetwork:
    """pysmpi::Network, driven as the engine drives it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._handle = ffi.gc(lib.pysmpi_network_create(), lib.pysmpi_network_destroy)
        self._next_token = 0

    def always_group(self) -> None:
        """Keep flows in groups with clocks whenever possible."""
        lib.pysmpi_network_always_group(self._handle)

    def add_link(self, bandwidth: float, fatpipe: bool = False) -> int:
        return int(lib.pysmpi_network_add_link(self._handle, bandwidth, fatpipe))

    def start(
        self, route: Sequence[int], back: Sequence[int], latency: float, size: float, order: int = 0
    ) -> tuple[int, int]:
        """Return the new flow's token and number."""
        token = self._next_token
        self._next_token += 1
        flow = lib.pysmpi_network_start(
            self._handle, self.now, list(route), len(route), list(back), len(back), latency, size, token, order
        )
        return token, int(flow)

    def cancel(self, flow: int) -> None:
        lib.pysmpi_network_cancel(self._handle, self.now, flow)

    def set_bandwidth(self, link: int, bandwidth: float) -> bool:
        """Set the bandwidth in bytes/s and return whether moving flows are affected."""
        return bool(lib.pysmpi_network_set_bandwidth(self._handle, link, bandwidth, self.now))

    def change_latency(self, link: int, by: float) -> bool:
        """Add seconds to the latency and return whether moving flows are affected."""
        return bool(lib.pysmpi_network_change_latency(self._handle, link, by))

    def set_state(self, link: int, on: bool) -> bool:
        """Switch the link on or off and return whether moving flows are affected."""
        return bool(lib.pysmpi_network_set_state(self._handle, link, on, self.now))

    def take_failed(self) -> list[int]:
        """Return the tokens of the flows that have failed."""
        return self._tokens(lib.pysmpi_network_take_failed)

    def rate(self, flow: int) -> float:
        return float(lib.pysmpi_network_rate(self._handle, flow))

    def remaining(self, flow: int) -> float:
        return float(lib.pysmpi_network_remaining(self._handle, self.now, flow))

    def next_event(self) -> float:
        return float(lib.pysmpi_network_next_event(self._handle, self.now))

    def settle(self) -> list[int]:
        """Return the tokens of the flows that finish now."""
        return self._tokens(lambda handle, *room: lib.pysmpi_network_settle(handle, self.now, *room))

    def _tokens(self, function: Callable[..., int]) -> list[int]:
        tokens = ffi.new("uint32_t[]", self._next_token + 1)
        count = function(self._handle, tokens, self._next_token + 1)
        return list(tokens[0:count])

    def counters(self) -> dict[str, int]:
        out = ffi.new("pysmpi_network_counters*")
        lib.pysmpi_network_read_counters(self._handle, out)
        return {name: getattr(out, name) for name in ("flows", "solves", "flows_touched", "links_touched")}
