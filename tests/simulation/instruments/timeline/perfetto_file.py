"""Minimal protobuf reader for Perfetto files; field numbers are those of perfetto_trace.proto."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Event", "Trace", "read"]

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


@dataclass
class Event:
    time: int  # ns
    kind: int
    track: int
    name: str
    categories: list[str]
    flows: list[int]
    ended_flows: list[int]
    value: float
    annotations: dict[str, int]


@dataclass
class Trace:
    tracks: dict[int, tuple[str, int]] = field(default_factory=dict)  # by uuid: name and parent
    events: list[Event] = field(default_factory=list)

    def of(self, name: str) -> list[Event]:
        """Return the events of the track with this name."""
        [track] = [uuid for uuid, (text, _) in self.tracks.items() if text == name]
        return [event for event in self.events if event.track == track]


def read(path: Path) -> Trace:
    trace = Trace()
    names: dict[int, dict[int, str]] = {1: {}, 2: {}, 3: {}}  # interned: categories, events, annotations
    for number, packet in _fields(path.read_bytes()):
        assert number == 1
        parts = dict(_fields(packet))
        assert parts[10] == 1
        for kind, entry in _fields(parts.get(12, b"")):
            text = dict(_fields(entry))
            assert text[1] not in names[kind]
            names[kind][text[1]] = text[2].decode()
        if 60 in parts:
            track = dict(_fields(parts[60]))
            assert track[1] not in trace.tracks
            trace.tracks[track[1]] = track[2].decode(), track.get(5, 0)
        if 11 not in parts:
            continue
        assert parts[13] == 2
        every = list(_fields(parts[11]))
        event = dict(every)
        annotations = [dict(_fields(value)) for number, value in every if number == 4]
        trace.events.append(
            Event(
                parts[8],
                event[9],
                event[11],
                names[2][event[10]] if 10 in event else "",
                [names[1][value] for number, value in every if number == 3],
                [value for number, value in every if number == 47],
                [value for number, value in every if number == 48],
                struct.unpack("<d", struct.pack("<Q", event[44]))[0] if 44 in event else 0.0,
                {names[3][each[1]]: each[4] for each in annotations},
            )
        )
    return trace


def _fields(message: bytes) -> Iterator[tuple[int, "int | bytes"]]:
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        if key & 7 == 0:
            value, place = _varint(message, place)
            yield key >> 3, value
        elif key & 7 == 1:
            yield key >> 3, int.from_bytes(message[place : place + 8], "little")
            place += 8
        else:
            assert key & 7 == 2
            length, place = _varint(message, place)
            yield key >> 3, message[place : place + length]
            place += length
    assert place == len(message)


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if byte < 0x80:
            return value, place
