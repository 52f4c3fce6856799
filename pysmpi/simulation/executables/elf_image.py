"""Contents of the copy of an executable or library that a rank loads.

They differ from the original in little. Tags of the dynamic section are larger by `_HIDDEN` if they belong to functions
that initialise variables, or to those for the end of the process: the engine calls these functions in the rank
(``native/executables/image.cpp``), and the dynamic linker must not. Executables lose the mark that forbids to load them
into a process. Names of needed libraries become paths of the rank's copies, or names of the simulator's MPI libraries.
The new names are in a table behind the file's contents, which a segment that had only notes loads.
"""

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.util.elf_file import ElfError, ElfFile, Entry, Segment, Tag

__all__ = ["Image", "copied_image"]

_HIDDEN = 0x60001000
_PIE = 0x08000000  # flag of an executable among DT_FLAGS_1
_GLOBAL = 1  # binding of a symbol
_PAGE = 1 << 16  # bytes; pages are not larger on any machine that is supported
_FUNCTIONS = {Tag.INIT, Tag.FINI, Tag.INIT_ARRAY, Tag.INIT_BYTES, Tag.FINI_ARRAY, Tag.FINI_BYTES, Tag.PREINIT_ARRAY,
              Tag.PREINIT_BYTES}  # fmt: skip


@dataclass(frozen=True)
class Image:
    """Contents of copies of a file.

    Attributes:
        data: the contents.
        numbers: offsets at which a copy has its own number, in `DIGITS` decimal digits.
        holes: ranges of offsets, without contents in a copy, because its code comes from the original.
    """

    data: bytes
    numbers: list[int]
    holes: list[tuple[int, int]]

    DIGITS = 8

    def write(self, descriptor: int, number: int) -> None:
        """Write the contents of a copy to an empty file.

        Args:
            descriptor: the file.
            number: the copy's own number.
        """
        content = bytearray(self.data) if self.numbers else self.data
        for place in self.numbers:
            content[place : place + self.DIGITS] = b"%0*d" % (self.DIGITS, number)  # type: ignore[index]
        position = 0
        for begin, end in (*self.holes, (len(content), len(content))):
            _write_all(descriptor, memoryview(content)[position:begin], position)
            position = end


def copied_image(file: ElfFile, renamed: Mapping[str, str]) -> Image:
    """Return the contents of copies of a file.

    Args:
        file: the original.
        renamed: new names of needed libraries, in which ``%NUMBER%`` stands for the copy's own number.

    Raises:
        ElfError: the file has no segment of notes, which the new names need.
    """
    data = bytearray(file.data)
    for entry in file.entries:
        if entry.tag in _FUNCTIONS:
            _set_entry(data, entry, tag=entry.tag + _HIDDEN)
        elif entry.tag == Tag.FLAGS_1:
            _set_entry(data, entry, value=entry.value & ~_PIE)
    for symbol in file.unique_variables:
        data[symbol.position + 4] = _GLOBAL << 4 | symbol.kind
    numbers = _rename(file, data, renamed) if renamed.keys() & set(file.needed) else []
    code = [] if file.runs_code_when_loaded else [each for each in file.loaded if each.flags & Segment.CODE]
    return Image(bytes(data), numbers, [_pages_in(each) for each in code])


def _set_entry(data: bytearray, entry: Entry, tag: int | None = None, value: int | None = None) -> None:
    new = entry.tag if tag is None else tag, entry.value if value is None else value
    struct.pack_into("<QQ", data, entry.position, *new)


def _rename(file: ElfFile, data: bytearray, renamed: Mapping[str, str]) -> list[int]:
    """Give the file a new table of texts with other names of libraries; return where copies have their number."""
    size = file.value(Tag.STRING_BYTES) or 0
    table = bytearray(file.data[file.strings : file.strings + size])
    places: dict[str, int] = {}
    numbers = []
    for name, new in renamed.items():
        places[name] = len(table)
        before, number, after = new.partition("%NUMBER%")
        if number:
            numbers.append(len(table) + len(before.encode()))
            number = "0" * Image.DIGITS
        table += f"{before}{number}{after}\0".encode()
    notes = file.segment(Segment.NOTE)
    if notes is None:
        raise ElfError("it has no segment of notes (PT_NOTE), in whose place names of libraries would be")
    offset = -(-len(data) // _PAGE) * _PAGE
    address = max(-(-(each.address + each.size_in_memory) // _PAGE) * _PAGE for each in file.loaded)
    data += bytes(offset - len(data)) + table
    described = Segment.LOAD, 4, offset, address, address, len(table), len(table), _PAGE
    struct.pack_into("<IIQQQQQQ", data, notes.position, *described)
    for entry in file.entries:
        if entry.tag == Tag.STRING_TABLE:
            _set_entry(data, entry, value=address)
        elif entry.tag == Tag.STRING_BYTES:
            _set_entry(data, entry, value=len(table))
        elif entry.tag == Tag.NEEDED and file.string(entry.value) in places:
            _set_entry(data, entry, value=places[file.string(entry.value)])
        elif entry.tag == Tag.VERSIONS_NEEDED:
            _rename_versions(file, data, file.offset_of(entry.value), places)
    return [offset + each for each in numbers]


def _rename_versions(file: ElfFile, data: bytearray, position: int, places: Mapping[str, int]) -> None:
    """Change the names of libraries in the list of the versions that are needed of them."""
    while True:
        _, _, name, _, step = struct.unpack_from("<HHIII", data, position)
        if file.string(name) in places:
            struct.pack_into("<I", data, position + 4, places[file.string(name)])
        if step == 0:
            return
        position += step


def _pages_in(segment: Segment) -> tuple[int, int]:
    """Return the range of offsets of the whole pages in a segment's contents."""
    begin = -(-segment.offset // _PAGE) * _PAGE
    return begin, max((segment.offset + segment.size) // _PAGE * _PAGE, begin)


def _write_all(descriptor: int, content: memoryview, position: int) -> None:
    while content:
        done = os.pwrite(descriptor, content, position)
        content, position = content[done:], position + done
