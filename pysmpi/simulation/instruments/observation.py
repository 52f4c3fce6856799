"""Observation of a run for profiles and network reports. The engine records the data, which are read at the end."""

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.network.link_use import LinkUse
from pysmpi.simulation.instruments.network.network_use import Matrix, NetworkUse
from pysmpi.simulation.instruments.network.packet_use import PacketDelays, PacketLinkUse
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.instruments.profile.categories import CATEGORIES, PATH_KINDS
from pysmpi.simulation.instruments.profile.finding import findings
from pysmpi.simulation.instruments.profile.profile import LinkWait, PathStep, PeerWait, PlaceTime, Profile
from pysmpi.simulation.instruments.timeline.overview import STATES, Overview

__all__ = ["Observation"]

_Path = str | os.PathLike[str]

# These types must equal the structures in native/instrumentation/c_api.h.
_RANK = np.dtype([("begun", "f8"), ("ended", "f8"), ("caused", "f8")])
_PLACE = np.dtype(
    [("rank", "i4"), ("place", "i4"), ("calls", "u8"), ("messages", "u8"), ("bytes", "u8"),
     ("seconds", "f8", (len(CATEGORIES),))]
)  # fmt: skip
_WAITS = np.dtype(
    [("place", "u4"), ("awaited", "u4"), ("waiting_rank", "i4"), ("awaited_rank", "i4"), ("first_rank", "i4"),
     ("last_rank", "i4"), ("count", "u8"), ("seconds", "f8"), ("longest", "f8")]
)  # fmt: skip
_LINK = np.dtype([("bytes", "f8"), ("flow_seconds", "f8"), ("saturated", "f8"), ("flows", "u8"), ("number", "u8")])
_PORT = np.dtype(
    [("bytes", "f8"), ("waited", "f8"), ("longest", "f8"), ("saturated", "f8"), ("stalled", "f8"),
     ("head_of_line", "f8"), ("caused", "f8"), ("packets", "u8")]
)  # fmt: skip
_INTERVALS = 256  # number of intervals of an overview
_PARTS_OF_HOSTS = ("memory", "card (outgoing)", "card (incoming)")  # by number, as pysmpi_part_of_host writes it
_WAYS = ("receive", "send", "collective")


class Observation(Instrument):
    """Instrument for the profile of the ranks' time (``--profile``) and the network report (``--network-report``).

    Args:
        profile: True to report the profile of the ranks' time, or path of a file for it.
        network_report: True to report the use of links and the communication matrix, or directory for them.
        is_saved: whether the run is saved (``--save-run``), which needs both.
    """

    def __init__(self, profile: bool | _Path, network_report: bool | _Path, *, is_saved: bool) -> None:
        self._reported_profile = profile
        self._reported_network = network_report
        self._times = bool(profile) or is_saved
        self._traffic = bool(network_report) or is_saved

    def begin(self, run: Run) -> None:
        self._platform = run.platform
        self._host_name = run.host_name
        lib.pysmpi_begin_profile(self._times, self._traffic)

    def end(self, run: Run, result: Result) -> None:
        if self._times:
            result.parts["profile"] = self._profile()
        if self._traffic:
            result.parts["network"] = self._network()
        if self._reported_profile:
            self._findings = findings(result.profile, result.network)

    def lines(self, result: Result) -> list[str]:
        lines = []
        if self._reported_profile:
            from pysmpi.simulation.instruments.profile.profile_text import profile_lines

            lines += profile_lines(result.profile, self._findings)
        if self._reported_network:
            from pysmpi.simulation.instruments.network.network_text import network_lines

            lines += network_lines(result.network)
        return lines

    def write(self, result: Result) -> None:
        if self._reported_profile and self._reported_profile is not True:
            from pysmpi.simulation.instruments.profile.profile_json import write_profile

            write_profile(result.profile, self._findings, self._reported_profile)
        if self._reported_network and self._reported_network is not True:
            from pysmpi.simulation.instruments.network.network_files import write_network_report

            write_network_report(result.network, self._platform, self._reported_network)

    def close(self) -> None:
        lib.pysmpi_end_profile()

    def _profile(self) -> Profile:
        size = ffi.new("pysmpi_profile_size *")
        lib.pysmpi_profile_sizes(size)
        ranks, places = np.empty(size.ranks, _RANK), np.empty(size.places, _PLACE)
        peers, links = np.empty(size.waits_for_peers, _WAITS), np.empty(size.waits_for_links, _WAITS)
        path = np.empty((size.path, len(PATH_KINDS)))
        kinds = ("pysmpi_rank_time[]", "pysmpi_place_time[]", "pysmpi_waits[]", "pysmpi_waits[]", "double[]")
        arrays = (ranks, places, peers, links, path)
        lib.pysmpi_read_profile(*(_view(kind, array) for kind, array in zip(kinds, arrays, strict=True)))
        texts = tuple(ffi.string(lib.pysmpi_call_site(i)).decode() for i in range(lib.pysmpi_call_sites()))
        seconds = np.zeros((ranks.size, len(CATEGORIES)))
        np.add.at(seconds, places["rank"], places["seconds"])
        ended = np.where(ranks["ended"] < 0, lib.pysmpi_now(), ranks["ended"])
        names = _names_of_links(self._platform, links, self._link_rows())
        return Profile(
            hosts=tuple(self._host_name(rank) for rank in range(ranks.size)),
            begun=ranks["begun"].copy(),
            ended=ended,
            caused=ranks["caused"].copy(),
            seconds=seconds,
            places=tuple(_sums(places, texts)),
            by_rank=places,
            texts=texts,
            peer_waits=tuple(
                PeerWait(texts[row["place"]], texts[row["awaited"] // len(_WAYS)], _WAYS[row["awaited"] % len(_WAYS)],
                         *_numbers(row, "seconds", "count", "longest", "waiting_rank", "awaited_rank", "first_rank",
                                   "last_rank"))
                for row in _longest_first(peers)
            ),
            link_waits=tuple(
                LinkWait(texts[row["place"]], names[int(row["awaited"])],
                         *_numbers(row, "seconds", "count", "longest", "waiting_rank", "first_rank", "last_rank"))
                for row in _longest_first(links)
            ),
            critical_path=tuple(_path(path, texts)),
            overview=_overview(ranks.size),
        )  # fmt: skip

    def _network(self) -> NetworkUse:
        count = lib.pysmpi_matrix_rows()
        sent, messages = np.zeros((count, count), np.int64), np.zeros((count, count), np.int64)
        lib.pysmpi_read_matrix(_view("int64_t[]", sent), _view("int64_t[]", messages))
        matrix = Matrix(sent, messages, lib.pysmpi_matrix_ranks_per_row(), lib.pysmpi_rank_count())
        bins = lib.pysmpi_packet_delay_bins()
        if bins == 0:
            return NetworkUse(lib.pysmpi_now(), len(self._platform.links), self._links(), matrix)
        delays = PacketDelays(np.zeros(bins), np.zeros(bins, np.uint64), np.zeros((count, count)))
        lib.pysmpi_read_packet_delays(_view("double[]", delays.begins), _view("uint64_t[]", delays.packets))
        lib.pysmpi_read_delay_matrix(_view("double[]", delays.by_ranks))
        return NetworkUse(lib.pysmpi_now(), len(self._platform.links), self._ports(), matrix, delays)

    def _links(self) -> tuple[LinkUse, ...]:
        rows = self._link_rows()
        used = np.flatnonzero(rows["bytes"] > 0)
        return tuple(
            LinkUse(link.name, link.policy, link.bandwidth, *_numbers(rows[index], "bytes", "saturated", "flow_seconds",
                                                                     "flows"))
            for index, link in ((int(each), self._platform.links[int(each)]) for each in used)
        )  # fmt: skip

    def _ports(self) -> tuple[PacketLinkUse, ...]:
        rows = np.zeros(len(self._platform.links), _PORT)
        lib.pysmpi_read_ports(_view("pysmpi_port[]", rows))
        order = ("bytes", "saturated", "waited", "packets", "longest", "stalled", "head_of_line", "caused")
        used = (int(each) for each in np.flatnonzero(rows["packets"]))
        return tuple(
            PacketLinkUse(link.name, link.policy, link.bandwidth, *_numbers(rows[link.index], *order))
            for link in (self._platform.links[index] for index in used)
        )

    def _link_rows(self) -> np.ndarray:
        rows = np.zeros(len(self._platform.links), _LINK)
        lib.pysmpi_read_link_use(_view("pysmpi_link_use[]", rows))
        return rows


def _view(kind: str, array: np.ndarray) -> Any:
    return ffi.from_buffer(kind, array)


def _numbers(row: Any, *names: str) -> list[Any]:
    return [row[name].item() for name in names]


def _longest_first(rows: np.ndarray) -> Iterator[Any]:
    yield from rows[np.argsort(-rows["seconds"], kind="stable")]


def _names_of_links(platform: Platform, waits: np.ndarray, rows: np.ndarray) -> dict[int, str]:
    wanted = set(waits["awaited"].tolist())
    names = {
        int(number): platform.links[index].name for index, number in enumerate(rows["number"]) if int(number) in wanted
    }
    for number in wanted - names.keys():  # not links of the platform, but memories and network cards
        part = ffi.new("int32_t *")
        host = platform.hosts[lib.pysmpi_part_of_host(number, part)].name
        names[number] = f"{_PARTS_OF_HOSTS[part[0]]} of {host}"
    return names


def _sums(rows: np.ndarray, texts: tuple[str, ...]) -> list[PlaceTime]:
    places = []
    for place in np.unique(rows["place"]):
        own = rows[rows["place"] == place]
        totals = own["seconds"].sum(axis=1)
        worst = int(np.argmax(totals))
        places.append(
            PlaceTime(
                texts[place],
                own.size,
                int(own["calls"].sum()),
                int(own["messages"].sum()),
                int(own["bytes"].sum()),
                tuple(own["seconds"].sum(axis=0).tolist()),
                float(totals[worst]),
                int(own["rank"][worst]),
            )
        )
    return sorted(places, key=lambda each: -each.total)


def _overview(ranks: int) -> Overview:
    size = ffi.new("pysmpi_overview_size *")
    lib.pysmpi_overview_sizes(size)
    seconds = np.empty((size.rows, _INTERVALS, len(STATES)))
    lib.pysmpi_read_overview(_view("double[]", seconds))
    used = math.ceil(lib.pysmpi_now() / size.width)
    return Overview(size.width, ranks, size.ranks_per_row, seconds[:, :used].copy())


def _path(path: np.ndarray, texts: tuple[str, ...]) -> list[PathStep]:
    steps = [PathStep(texts[place], tuple(row)) for place, row in enumerate(path.tolist()) if any(row)]
    return sorted(steps, key=lambda step: -step.total)
