"""Base of platforms described in Python."""

import os
from abc import ABC, abstractmethod
from xml.etree import ElementTree

from pysmpi.platform.builder import Builder
from pysmpi.platform.machine import Platform
from pysmpi.util.whole_file import write_whole

__all__ = ["Description"]


class Description(ABC):
    """A description of a platform or of a zone, which ``pysmpi.simulate(platform=…)`` accepts."""

    name: str

    @abstractmethod
    def add_to(self, builder: Builder) -> None:
        """Add the described platform or zone to a platform builder."""

    @abstractmethod
    def element(self) -> ElementTree.Element:
        """Return the XML element that describes the platform or zone in a platform file.

        Raises:
            PlatformError: SimGrid's XML cannot express it.
        """

    def build(self, source: str | None = None) -> Platform:
        """Return the built platform.

        Args:
            source: name of the platform in errors and reports, or None for its class and name.

        Raises:
            PlatformError: a name is used twice, a route names something unknown, or a limit is exceeded.
        """
        builder = Builder()
        self.add_to(builder)
        return builder.finish(source or f"{type(self).__name__} {self.name!r}")

    def to_xml(self) -> str:
        """Return the text of a platform file (SimGrid's DTD 4.1) that describes the same platform.

        Raises:
            PlatformError: SimGrid's XML cannot express it.
        """
        root = ElementTree.Element("platform", version="4.1")
        root.append(self.element())
        ElementTree.indent(root)
        text = ElementTree.tostring(root, encoding="unicode")
        return '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n' + text + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the result of `to_xml` to a file atomically: readers see either the old or the complete new contents.

        Raises:
            PlatformError: SimGrid's XML cannot express the platform; the file is not changed.
            OSError: the file cannot be written.
        """
        write_whole(path, self.to_xml().encode())
