"""Files in the Executable and Linking Format (ELF) of 64-bit little-endian machines: executables and shared libraries.

The format is that of the "Tool Interface Standard (TIS) Executable and Linking Format Specification" 1.2 (1995), with
the extensions of GNU.
"""

import mmap
import os
import platform
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

__all__ = ["ElfError", "ElfFile", "Entry", "Segment", "Symbol", "Tag"]

_MACHINES = {3: "i386", 8: "MIPS", 20: "PowerPC", 21: "PowerPC64", 22: "S390", 40: "ARM", 50: "IA-64", 62: "x86_64",
             183: "aarch64", 243: "RISC-V", 258: "LoongArch"}  # fmt: skip
_STANDARD = re.compile(r"_Z(GV|T[ISV])?N?K?(St|S[aosid])")  # names in C++'s namespace std
_INDIRECT_RELOCATIONS = (37, 1032)  # R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE


class ElfError(ValueError):
    """Error: a file has not the format."""


class Tag:
    """Tags of entries of the dynamic section."""

    NEEDED, STRING_TABLE, SYMBOL_TABLE, RELOCATIONS, RELOCATION_BYTES, STRING_BYTES = 1, 5, 6, 7, 8, 10
    INIT, FINI = 12, 13
    INIT_ARRAY, FINI_ARRAY, INIT_BYTES, FINI_BYTES = 25, 26, 27, 28
    PREINIT_ARRAY, PREINIT_BYTES = 32, 33
    FLAGS_1, VERSIONS_NEEDED = 0x6FFFFFFB, 0x6FFFFFFE


@dataclass(frozen=True)
class Segment:
    """Part of a file that is loaded, or that tells how to load the file.

    Attributes:
        position: offset of its description in the file.
        kind: 1 for a part that is loaded, and other numbers (``PT_...``).
        flags: sum of 1 for code, 2 for variables, 4 for readable.
        offset: offset of its contents in the file.
        address: address relative to that of the loaded file.
        size: bytes in the file.
        size_in_memory: bytes in memory.
    """

    position: int
    kind: int
    flags: int
    offset: int
    address: int
    size: int
    size_in_memory: int

    LOAD, DYNAMIC, INTERPRETER, NOTE, THREAD_LOCAL = 1, 2, 3, 4, 7
    CODE = 1


@dataclass(frozen=True)
class Entry:
    """Entry of the dynamic section: its offset in the file, its tag and its value."""

    position: int
    tag: int
    value: int


@dataclass(frozen=True)
class Symbol:
    """Symbol of the dynamic linker.

    Attributes:
        position: offset in the file.
        name: its name.
        binding: 1 for global, 2 for weak, 10 for one of which a process has one, however many files define it.
        kind: 2 for a function, 10 for a function that chooses another one, and other numbers (``STT_...``).
        defined: whether the file defines it.
    """

    position: int
    name: str
    binding: int
    kind: int
    defined: bool

    UNIQUE, CHOOSES = 10, 10


class ElfFile:
    """File in the format.

    Args:
        data: contents of the file, in memory or mapped.

    Raises:
        ElfError: the contents have not the format, or are those of another kind of machine.
    """

    SHARED, FIXED, OBJECT = 3, 2, 1  # values of `kind`

    def __init__(self, data: bytes | mmap.mmap) -> None:
        if data[:4] != b"\x7fELF" or len(data) < 64:
            raise ElfError("it is no executable of Linux")
        self.data = data
        (self.kind,) = struct.unpack_from("<H", data, 16)
        (machine,) = struct.unpack_from("<H", data, 18)
        self.machine = _MACHINES.get(machine, f"number {machine}")
        if data[4] != 2 or data[5] != 1 or self.machine != platform.machine():
            raise ElfError(f"it is for another kind of machine, {self.machine}; this one is {platform.machine()}")
        (table,) = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        try:
            self.segments = [self._segment(table + number * size) for number in range(count)]
        except struct.error as error:
            raise ElfError("it is damaged: a part of it is missing") from error

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ElfError: its contents have not the format.
            OSError: it cannot be read.
        """
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise ElfError("it is empty")
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def _segment(self, position: int) -> Segment:
        kind, flags, offset, address, _, size, memory = struct.unpack_from("<IIQQQQQ", self.data, position)
        return Segment(position, kind, flags, offset, address, size, memory)

    def segment(self, kind: int) -> Segment | None:
        """Return the first segment of a kind, or None."""
        return next((each for each in self.segments if each.kind == kind), None)

    @property
    def loaded(self) -> list[Segment]:
        """Segments that are loaded."""
        return [each for each in self.segments if each.kind == Segment.LOAD]

    @property
    def interpreter(self) -> str | None:
        """Path of the dynamic linker that an executable asks for, or None."""
        segment = self.segment(Segment.INTERPRETER)
        return None if segment is None else self._text(segment.offset)

    @cached_property
    def entries(self) -> list[Entry]:
        """Entries of the dynamic section; empty without one, as in statically linked executables."""
        segment = self.segment(Segment.DYNAMIC)
        found: list[Entry] = []
        for position in range(segment.offset, segment.offset + segment.size, 16) if segment else ():
            tag, value = struct.unpack_from("<QQ", self.data, position)
            if tag == 0:
                break
            found.append(Entry(position, tag, value))
        return found

    def value(self, tag: int) -> int | None:
        """Return the value of the first entry with a tag, or None."""
        return next((each.value for each in self.entries if each.tag == tag), None)

    def offset_of(self, address: int) -> int:
        """Return the offset in the file of an address of the loaded file.

        Raises:
            ElfError: no segment of the file contains the address.
        """
        for each in self.loaded:
            if each.address <= address < each.address + each.size:
                return address - each.address + each.offset
        raise ElfError("it is damaged: an address lies outside its segments")

    @cached_property
    def strings(self) -> int:
        """Offset of the dynamic linker's table of texts in the file."""
        return self.offset_of(self.value(Tag.STRING_TABLE) or 0)

    def string(self, number: int) -> str:
        """Return the text with this position in the dynamic linker's table."""
        return self._text(self.strings + number)

    def _text(self, offset: int) -> str:
        return self.data[offset : self.data.find(b"\0", offset)].decode(errors="replace")

    def _texts(self, tag: int) -> list[str]:
        return [self.string(each.value) for each in self.entries if each.tag == tag]

    @property
    def needed(self) -> list[str]:
        """Names of the libraries that the file itself asks for, such as ``libmpi.so.12``."""
        return self._texts(Tag.NEEDED)

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Symbols of the dynamic linker."""
        begin = self.value(Tag.SYMBOL_TABLE)
        if begin is None:
            return []
        first = self.offset_of(begin)
        return list(self._symbols(first, first + 24 * self._symbol_count(first), self.strings))

    def _symbols(self, begin: int, end: int, strings: int) -> Iterator[Symbol]:
        for position in range(begin, end, 24):
            name, info, _, section = struct.unpack_from("<IBBH", self.data, position)
            yield Symbol(position, self._text(strings + name), info >> 4, info & 15, section != 0)

    def _symbol_count(self, first: int) -> int:
        """Return the number of symbols: the table's section has its size, or the table of texts begins behind it."""
        for kind, offset, size, _ in self._sections():
            if kind == 11 and offset == first:
                return size // 24
        return max(self.strings - first, 0) // 24

    def _sections(self) -> list[tuple[int, int, int, int]]:
        """Return kind, offset and size of each section that the file describes, and the number of a related one."""
        (table,) = struct.unpack_from("<Q", self.data, 40)
        size, count = struct.unpack_from("<HH", self.data, 58)
        described = range(count if table + count * size <= len(self.data) else 0)
        found = (struct.unpack_from("<IIQQQQI", self.data, table + number * size) for number in described)
        return [(kind, offset, length, related) for _, kind, _, _, offset, length, related in found]

    def functions(self) -> Iterator[tuple[int, str]]:
        """Yield address and name of each function that the file defines, also of those that the linker does not see."""
        sections = self._sections()
        for kind, offset, length, texts in sections:
            if kind not in (2, 11) or texts >= len(sections):  # a table of symbols, and one of the dynamic linker
                continue
            for position in range(offset, offset + length, 24):
                name, info, _, section, address = struct.unpack_from("<IBBHQ", self.data, position)
                if info & 15 == 2 and section != 0:
                    yield address, self._text(sections[texts][1] + name)

    def imports(self, *names: str) -> bool:
        """Return whether the file uses one of these symbols of other files; a name may end with ``*``."""
        exact = {name for name in names if not name.endswith("*")}
        begins = tuple(name[:-1] for name in names if name.endswith("*"))
        return any(
            not each.defined and (each.name in exact or (begins and each.name.startswith(begins)))
            for each in self.symbols
        )

    def defines(self, name: str) -> bool:
        """Return whether the file defines a symbol, also one that the dynamic linker does not see."""
        if any(each.defined and each.name == name for each in self.symbols):
            return True
        return self.data.find(b"\0" + name.encode() + b"\0") >= 0 and not self.imports(name)

    @property
    def unique_variables(self) -> list[Symbol]:
        """Variables of which a process has one, however many libraries and copies define it.

        C++ has such variables: inline ones, and static ones of templates and inline functions. Those of the standard
        library do not count.
        """
        return [
            each
            for each in self.symbols
            if each.binding == Symbol.UNIQUE and each.defined and not _STANDARD.match(each.name)
        ]

    @property
    def runs_code_when_loaded(self) -> bool:
        """True if the dynamic linker calls functions of the file to find addresses (GNU's indirect functions)."""
        if any(each.kind == Symbol.CHOOSES and each.defined for each in self.symbols):
            return True
        begin, size = self.value(Tag.RELOCATIONS), self.value(Tag.RELOCATION_BYTES)
        if not begin or not size:
            return False
        at = self.offset_of(begin)
        kinds = memoryview(self.data[at : at + size - size % 24]).cast("I")[2::6]
        return not set(kinds).isdisjoint(_INDIRECT_RELOCATIONS)
