"""View of a rank on a file. MPI 4.1, section 14.3."""

from dataclasses import dataclass

from pysmpi.native import lib
from pysmpi.simulation.mpi.constants import BYTE

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """View of a file: repeated copies of the filetype, whose data is counted in etypes.

    Attributes:
        displacement: start of the view in the file, in bytes.
        etype, filetype: datatypes; `hold` keeps them alive while the view is in use.
        representation: "native", "internal" (here the same as "native") or "external32".
    """

    displacement: int = 0
    etype: int = BYTE
    filetype: int = BYTE
    representation: str = "native"

    @property
    def external(self) -> bool:
        """True if the file stores numbers in another representation than memory ("external32")."""
        return self.representation == "external32"

    @property
    def etype_size(self) -> int:
        """Size of an etype in memory, in bytes."""
        return int(lib.pysmpi_datatype_size(self.etype))

    @property
    def etype_bytes(self) -> int:
        """Size of an etype in the file, in bytes."""
        return int(lib.pysmpi_datatype_external_size(self.etype)) if self.external else self.etype_size

    @property
    def layout(self) -> int:
        """Datatype that describes the layout of data in the file."""
        return BYTE if self.external and lib.pysmpi_datatype_is_contiguous(self.filetype) else self.filetype

    def offset(self, position: int) -> int:
        """Return the byte offset in the file of the etype with this index in the view."""
        place = position * self.etype_bytes
        if place == 0 and lib.pysmpi_datatype_size(self.filetype) == 0:
            return self.displacement
        return int(lib.pysmpi_view_offset(self.displacement, self.layout, place))

    def end(self, length: int) -> int:
        """Return the position of the end of a file of `length` bytes: the number of the view's etypes that begin in the
        file."""
        etype = self.etype_bytes
        place = int(lib.pysmpi_view_bytes_before(self.displacement, self.layout, length))
        return -(-place // etype) if etype else 0

    def hold(self) -> None:
        """Keep the datatypes alive, even if the program frees them."""
        for handle in (self.etype, self.filetype):
            lib.pysmpi_datatype_hold(handle)

    def release(self) -> None:
        """Release the datatypes that `hold` keeps alive."""
        for handle in (self.etype, self.filetype):
            lib.pysmpi_datatype_release(handle)
