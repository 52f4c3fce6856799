"""Registration of Aspen: its command, and its files as platforms and as programs of ranks."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pysmpi.util.model_language import ModelLanguage
from pysmpi.util.wings import Wing

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["WING", "Aspen"]

_FILE = re.compile(r'\binclude[ \t]+"?([^\s"]+)|\bimport\s+\w+\s+from\s+"([^"\n]+)"')


class Aspen(ModelLanguage):
    """The language Aspen: its files are read as platforms and run as programs of ranks."""

    name = "Aspen"
    suffix = ".aspen"
    module = "pysmpi.aspen"
    options = ("control", "kernel", "machine", "socket", "write")

    def platform(self, name: str) -> "Platform":
        from pysmpi.aspen.platform import read

        return read(name)

    def words(self, path: str, arguments: Sequence[str], platform: str | None) -> list[str]:
        words = [path, *arguments]
        is_named = any(word.partition("=")[0] == "--machine" for word in arguments)
        is_machine = platform is not None and self.divided(platform) is not None
        return [*words, "--machine", str(platform)] if is_machine and not is_named else words

    def check(self, words: list[str], ranks: int) -> None:
        from pysmpi.aspen.program import check_program

        check_program(words, ranks)

    def act_instead(self, words: list[str], ranks: int) -> bool:
        if not any(word.startswith("--write") for word in words):
            return False
        from pysmpi.aspen.program import write_program

        return write_program(words, ranks)

    def files_in(self, text: str) -> list[str]:
        return [included or imported for included, imported in _FILE.findall(text)]


WING = Wing(
    commands={"aspen": "print what Aspen models of applications need, and how long they take on Aspen machines"},
    languages=(Aspen(),),
)
