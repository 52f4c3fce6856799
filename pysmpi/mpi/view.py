"""What a rank sees of a file. MPI 4.1, section 14.3."""

from dataclasses import dataclass

from pysmpi.mpi.constants import BYTE
from pysmpi.native import lib

__all__ = ["View"]


@dataclass(frozen=True, slots=True)
class View:
    """A view: copies of the filetype one after the other, whose data is counted in etypes.

    Attributes:
        displacement: where it begins in the file, bytes.
        etype, filetype: datatypes, which the view holds.
        representation: "native", "internal" (the same here) or "external32".
    """

    displacement: int = 0
    etype: int = BYTE
    filetype: int = BYTE
    representation: str = "native"

    @property
    def external(self) -> bool:
        """Numbers have another form in the file."""
        return self.representation == "external32"

    @property
    def etype_size(self) -> int:
        """Bytes of an etype in memory."""
        return int(lib.pysmpi_datatype_size(self.etype))

    @property
    def etype_bytes(self) -> int:
        """Bytes of an etype in the file."""
        return int(lib.pysmpi_datatype_external_size(self.etype)) if self.external else self.etype_size

    @property
    def layout(self) -> int:
        """The datatype that tells where data is in the file."""
        return BYTE if self.external and lib.pysmpi_datatype_is_contiguous(self.filetype) else self.filetype

    def offset(self, position: int) -> int:
        """Where in the file the etype at this position is, bytes."""
        place = position * self.etype_bytes
        if place == 0 and lib.pysmpi_datatype_size(self.filetype) == 0:
            return self.displacement
        return int(lib.pysmpi_view_offset(self.displacement, self.layout, place))

    def end(self, length: int) -> int:
        """The position behind the last etype that begins in a file of so many bytes."""
        etype = self.etype_bytes
        place = int(lib.pysmpi_view_bytes_before(self.displacement, self.layout, length))
        return -(-place // etype) if etype else 0

    def hold(self) -> None:
        """The view is in use: its datatypes stay, whether or not the program frees them."""
        for handle in (self.etype, self.filetype):
            lib.pysmpi_datatype_hold(handle)

    def release(self) -> None:
        """It is no longer."""
        for handle in (self.etype, self.filetype):
            lib.pysmpi_datatype_release(handle)
