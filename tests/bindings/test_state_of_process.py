"""State of the engine belongs to the simulation: no variable outlives it unless a comment says why."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pysmpi.native import _native

NATIVE = Path(__file__).parents[2] / "pysmpi/native"
COMMENT = NATIVE / "bindings/simulation_parts.hpp"


def test_variables_of_the_process_are_listed_with_a_reason():
    found = {f"{path.relative_to(NATIVE)}: {name}" for path in sources() for name in variables(path.read_text())}
    assert found == set(allowed(COMMENT.read_text()))


def test_the_mpi_library_has_no_parts_of_its_own():
    library = Path(_native.__file__).parent / "libmpi.so.12"
    symbols = subprocess.run(["nm", "-C", library], capture_output=True, text=True).stdout if shutil.which("nm") else ""
    if not symbols:
        pytest.skip("nm is missing, or the library is stripped")
    parts = [line for line in symbols.splitlines() if "SimulationPart<" in line and line.endswith("::current_")]
    assert parts
    assert all(line.split()[0] == "U" for line in parts)


def test_the_scan_finds_variables():
    assert list(variables("namespace a {\nnamespace {\nint count = 0;  // of all\n}\n}")) == ["count"]
    assert list(variables("std::map<int, std::vector<int>>\n    by_rank;")) == ["by_rank"]
    assert list(variables("int (*hook)(const char*, int) = nullptr;")) == ["hook"]
    assert list(variables("struct All {\n  int one;\n} all;")) == ["all"]
    assert list(variables("std::vector<Text> texts(kTexts);")) == ["texts"]
    assert list(variables("PyMethodDef calling{1, 2};\nint block[kMost];")) == ["calling", "block"]
    assert list(variables("int next() {\n  static int number = 1;\n  return number++;\n}")) == ["number"]
    assert list(variables("std::uintptr_t begin = 0, length = 0;")) == ["begin", "length"]


def test_the_scan_passes_over_what_is_no_variable():
    assert not list(variables("constexpr int kMost = 3;\nextern int count;\nusing Name = int;\nstruct Later;"))
    assert not list(variables("int sum(int a, int b);\nbool ends(const Fiber& fiber) { return true; }"))
    assert not list(variables("struct All {\n  static int of(int rank);\n  int count = 0;\n};"))
    assert not list(variables("const char* const kNames[] = {\n    1,\n};\nnamespace b = a;"))


def sources() -> Iterator[Path]:
    return (path for path in NATIVE.rglob("*.?pp") if path.suffix in (".cpp", ".hpp"))


def allowed(text: str) -> Iterator[str]:
    """Yield "file: name" for each line "//   file: name, name" of the comment."""
    for path, names in re.findall(r"^//   (\S+\.[ch]pp): (.*)$", text, re.M):
        yield from (f"{path}: {name}" for name in names.split(", "))


def variables(text: str) -> Iterator[str]:
    """Yield the names of the mutable variables with static storage that a source file defines."""
    literals = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    text = re.sub(rf"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|{literals}", " ", text, flags=re.S | re.M)
    text = re.sub(r"\[\[.*?\]\]", " ", text)
    yield from (name for block in at_namespace_scope(text) for name in names_in(block))
    for statement in re.findall(r"^ +((?:static|thread_local)\b[^;{=]*)", text, re.M):
        yield from names_in(re.sub(r"\b(static|thread_local)\b", "", statement) + ";")


def at_namespace_scope(text: str) -> Iterator[str]:
    """Yield the statements outside functions and classes, their braces empty."""
    statement = ""
    depth = 0
    for token in re.findall(r"[{};]|[^{};]+", text):
        if token == "{" and not depth and re.fullmatch(r"\s*(namespace\b[^=]*|extern)\s*", statement):
            statement = ""
        elif token == "{":
            depth += 1
            statement += "{" if depth == 1 else ""
        elif token == "}":
            statement += "}" if depth == 1 else ""
            depth = max(depth - 1, 0)
            if not depth and (re.search(r"\)[\w\s]*\{\}$", statement) or statement == "}"):
                statement = ""  # a function, or the end of a namespace
        elif not depth:
            statement += token
            if token == ";":
                yield statement
                statement = ""


def names_in(statement: str) -> Iterator[str]:
    """Yield the names of the mutable variables that the statement defines."""
    statement = " ".join(statement.split())
    if re.match(r"(extern|using|typedef|template|friend|static_assert|namespace|__extension__)\b", statement):
        return
    if re.search(r"\b(constexpr|operator)\b", statement) or re.match(r"(static |inline )*const [^*]*;", statement):
        return
    statement = re.sub(r"^(struct|class|enum|union)\b[^{;]*(\{\})?", "", statement)  # its definition or declaration
    while "<" in statement:
        shorter = re.sub(r"<[^<>]*>", "", statement)
        if shorter == statement:
            break
        statement = shorter
    if pointer := re.match(r"[^()]*\(\*(\w+(?:::\w+)*)\)\(", statement):
        yield pointer[1].rpartition("::")[2]
        return
    statement = re.sub(r"\{\}|= [^,;]*", "", statement)
    if re.search(r"\((?!k[A-Z]\w*\))", statement):  # a function
        return
    for part in statement.rstrip(";").split(","):
        name = re.search(r"(\w+)(?:\[\w*\])*\s*(?:\(k\w+\))?\s*$", part)
        if name and not re.match(r"k[A-Z]", name[1]):
            yield name[1]
