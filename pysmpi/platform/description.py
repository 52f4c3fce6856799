"""Platforms described in Python."""

import os
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from xml.etree import ElementTree

from pysmpi.platform.builder import Builder
from pysmpi.platform.machine import Platform

__all__ = ["Description"]


class Description(ABC):
    """A platform, or a zone of one. ``pysmpi.simulate(platform=…)`` takes it as it is."""

    name: str

    @abstractmethod
    def add_to(self, builder: Builder) -> None:
        """Describe this to a builder."""

    @abstractmethod
    def element(self) -> ElementTree.Element:
        """This as SimGrid's XML has it.

        Raises:
            PlatformError: SimGrid's XML has no such thing.
        """

    def build(self, source: str | None = None) -> Platform:
        """The platform that this describes; errors and reports name it by `source`.

        Raises:
            PlatformError: a name is there twice, a route names what is not there, or there is too much of something.
        """
        builder = Builder()
        self.add_to(builder)
        return builder.finish(source or f"{type(self).__name__} {self.name!r}")

    def to_xml(self) -> str:
        """A platform file (SimGrid's DTD 4.1) of the same platform.

        Raises:
            PlatformError: SimGrid's XML cannot express it.
        """
        root = ElementTree.Element("platform", version="4.1")
        root.append(self.element())
        ElementTree.indent(root)
        text = ElementTree.tostring(root, encoding="unicode")
        return '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n' + text + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `to_xml` to a file. Whoever reads it meanwhile finds what was there before, or all of it.

        Raises:
            PlatformError: SimGrid's XML cannot express it; then no file is written.
            OSError: the file cannot be written.
        """
        text = self.to_xml()
        target = Path(path)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                umask = os.umask(0)
                os.umask(umask)
                os.chmod(file.name, 0o666 & ~umask)
                os.replace(file.name, target)
            except BaseException:
                os.unlink(file.name)
                raise
