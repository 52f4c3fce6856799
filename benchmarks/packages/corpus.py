"""Table of packages and programs: corpus.toml, read and checked."""

import dataclasses
import hashlib
import pathlib
import re
import tomllib
from typing import Any

__all__ = ["FOLDER", "Corpus", "Program", "read", "sources"]

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Program:
    """One program of the corpus: a row of the table in docs/packages.md.

    Attributes:
        name: unique name, such as "emcee".
        package: package on PyPI that the program is about; the environment pins its version.
        environment: environment that the program runs in; "" for that of this interpreter.
        exercises: what the program uses of the package and of MPI, in one line.
        command: words after `pysmpirun …` and after `mpiexec -n N python`.
        ranks: number of ranks.
        source: requirement of a source archive that the program runs in, such as "mpi4py-fft==2.0.6"; "" for none.
        compare: "lines" if the sorted lines of output must be equal to those under MPICH, "status" if only the exit
            status must be.
        keep: regular expression; lines without a match are not compared.
        drop: regular expression; matches are removed from the output before it is compared.
        tolerance: relative difference that numbers may have.
        expected: expected verdict, or two joined by " or ", where MPICH itself ends now one way, now the other.
        reason: why the verdict is not "same", in one line.
        limit: seconds after which a run is stopped.
        options: options of pysmpirun.
    """

    name: str
    package: str
    environment: str
    exercises: str
    command: str
    ranks: int = 4
    source: str = ""
    compare: str = "lines"
    keep: str = ""
    drop: str = ""
    tolerance: float = 0.0
    expected: str = "same"
    reason: str = ""
    limit: float = 300.0
    options: str = ""


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The whole table.

    Attributes:
        folder: folder of the table, with the files of requirements and the programs.
        programs: programs by name, in the order of the table.
        unavailable: packages that cannot run here, with the reason.
    """

    folder: pathlib.Path
    programs: dict[str, Program]
    unavailable: dict[str, str]

    def requirements(self, program: Program) -> pathlib.Path | None:
        """Return the file of pinned requirements of a program's environment."""
        return self.folder / "environments" / f"{program.environment}.txt" if program.environment else None

    def version(self, program: Program) -> str:
        """Return the version of a program's package, "" if nothing pins it."""
        text = self._pins(program)
        name = re.sub(r"[-_.]+", "[-_.]+", re.escape(program.package).replace(r"\-", "-"))
        found = re.search(rf"(?:^|\s){name}==(\S+)", text, re.MULTILINE | re.IGNORECASE)
        return found[1] if found else ""

    def digest(self, program: Program) -> str:
        """Return a digest of everything in the table that a program's results depend on."""
        parts = [repr(dataclasses.astuple(program)[:7]), program.options, self._pins(program)]
        for word in program.command.split():
            if word.endswith(".py") and (file := self.folder / "programs" / word).is_file():
                parts.append(file.read_text(encoding="utf-8"))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def _pins(self, program: Program) -> str:
        path = self.requirements(program)
        return "".join(file.read_text(encoding="utf-8") for file in sources(path)) if path else ""


def sources(requirements: pathlib.Path) -> list[pathlib.Path]:
    """Return the files that an environment is made from: its requirements and, if it exists, the script that compiles
    further packages, such as libraries.sh beside libraries.txt."""
    return [file for file in (requirements, requirements.with_suffix(".sh")) if file.is_file()]


def _program(row: dict[str, Any], path: pathlib.Path) -> Program:
    try:
        program = Program(**row)
    except TypeError as error:
        raise SystemExit(f"{path}: [[program]] {row.get('name', '')!r}: {error}") from None
    if program.compare not in ("lines", "status"):
        raise SystemExit(f"{path}: {program.name!r}: compare is {program.compare!r}; valid are 'lines' and 'status'")
    return program


def read(folder: pathlib.Path = FOLDER) -> Corpus:
    """Return the table in a folder. Raises SystemExit with the place of a mistake."""
    path = folder / "corpus.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    programs = {row["name"]: _program(row, path) for row in table["program"]}
    if len(programs) < len(table["program"]):
        raise SystemExit(f"{path}: two programs have the same name")
    return Corpus(folder, programs, dict(table.get("unavailable", {})))
