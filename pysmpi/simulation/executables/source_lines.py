"""Source lines of executables, from the debugging information in their files (DWARF, option ``-g`` of compilers).

pyelftools reads it. Without this package or the information, the function's name is used.
"""

import bisect
import functools
import itertools
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pysmpi.util.elf_file import ElfError, ElfFile

__all__ = ["describe"]


def describe(path: str, address: int) -> str:
    """Return the source line of an instruction, such as ``jacobi.c:24``, or its function, such as ``main in jacobi``.

    Args:
        path: file of an executable or library.
        address: address of the instruction, relative to that of the loaded file.
    """
    lines, functions = _lines_of(path), _functions_of(path)
    name = Path(path).name
    found = bisect.bisect_right(lines, (address, "\U0010ffff", 0)) - 1
    if found >= 0 and lines[found][1]:
        return f"{lines[found][1]}:{lines[found][2]}"
    found = bisect.bisect_right(functions, (address, "\U0010ffff")) - 1
    return f"{functions[found][1]} in {name}" if found >= 0 else name


@functools.cache
def _lines_of(path: str) -> list[tuple[int, str, int]]:
    """Return begins of the code of lines in ascending order: address, file, line. Code without a line has no file."""
    try:
        from elftools.elf.elffile import ELFFile
    except ImportError:
        return []
    with open(path, "rb") as file:
        elf = ELFFile(file)
        if not elf.has_dwarf_info():
            return []
        debugging = elf.get_dwarf_info()
        return sorted(itertools.chain.from_iterable(_lines_in(debugging, unit) for unit in debugging.iter_CUs()))


def _lines_in(debugging: Any, unit: Any) -> Iterator[tuple[int, str, int]]:
    """Yield begins of the code of lines in a unit of compilation."""
    program = debugging.line_program_for_CU(unit)
    if program is None:
        return
    first = 0 if program["version"] >= 5 else 1  # number of the first file
    folder = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    files = list(_files_of(program, "" if folder is None else folder.value.decode(errors="replace")))
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if state.end_sequence:
            yield state.address, "", 0
            continue
        number = state.file - first
        yield state.address, files[number] if 0 <= number < len(files) else "", state.line


def _files_of(program: Any, folder: str) -> Iterator[str]:
    """Yield the files of a unit of compilation: relative to the working directory, if they lie in it."""
    folders = [each if isinstance(each, bytes) else each.dir for each in program["include_directory"]]
    # Before version 5, the folder of the compilation is not in the list, and has the number 0.
    names = ["" if each is None else each.decode(errors="replace") for each in folders]
    names = names if program["version"] >= 5 else ["", *names]
    here = os.getcwd()
    for entry in program["file_entry"]:
        within = names[entry.dir_index] if entry.dir_index < len(names) else ""
        path = os.path.normpath(os.path.join(folder, within, entry.name.decode(errors="replace")))
        yield os.path.relpath(path, here) if path.startswith(here + os.sep) else path


@functools.cache
def _functions_of(path: str) -> list[tuple[int, str]]:
    """Return addresses and names of functions, in ascending order."""
    try:
        file = ElfFile.read(Path(path))
    except (OSError, ElfError, struct.error):
        return []
    return sorted(file.functions())
