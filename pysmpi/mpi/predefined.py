"""The predefined datatypes: names, alignment, and which one has a given kind and size. Handles: MPICH's ABI."""

from pysmpi.mpi.constants import from_bits

__all__ = ["MATCHING", "NAMES", "alignment"]

_NAMES = {
    0x4C000010: "MPI_LB",
    0x4C000011: "MPI_UB",
    0x4C000101: "MPI_CHAR",
    0x4C000102: "MPI_UNSIGNED_CHAR",
    0x4C00010D: "MPI_BYTE",
    0x4C00010F: "MPI_PACKED",
    0x4C000118: "MPI_SIGNED_CHAR",
    0x4C00011A: "MPI_CHARACTER",
    0x4C00012D: "MPI_INTEGER1",
    0x4C000133: "MPI_CXX_BOOL",
    0x4C000137: "MPI_INT8_T",
    0x4C00013B: "MPI_UINT8_T",
    0x4C00013F: "MPI_C_BOOL",
    0x4C000147: "MPI_LOGICAL1",
    0x4C000203: "MPI_SHORT",
    0x4C000204: "MPI_UNSIGNED_SHORT",
    0x4C000226: "MPI_REAL2",
    0x4C00022F: "MPI_INTEGER2",
    0x4C000238: "MPI_INT16_T",
    0x4C00023C: "MPI_UINT16_T",
    0x4C000246: "MPIX_C_FLOAT16",
    0x4C000248: "MPI_LOGICAL2",
    0x4C000405: "MPI_INT",
    0x4C000406: "MPI_UNSIGNED",
    0x4C00040A: "MPI_FLOAT",
    0x4C00040E: "MPI_WCHAR",
    0x4C00041B: "MPI_INTEGER",
    0x4C00041C: "MPI_REAL",
    0x4C00041D: "MPI_LOGICAL",
    0x4C000427: "MPI_REAL4",
    0x4C00042E: "MPI_COMPLEX4",
    0x4C000430: "MPI_INTEGER4",
    0x4C000439: "MPI_INT32_T",
    0x4C00043D: "MPI_UINT32_T",
    0x4C000449: "MPI_LOGICAL4",
    0x4C000807: "MPI_LONG",
    0x4C000808: "MPI_UNSIGNED_LONG",
    0x4C000809: "MPI_LONG_LONG_INT",
    0x4C00080B: "MPI_DOUBLE",
    0x4C000816: "MPI_2INT",
    0x4C000819: "MPI_UNSIGNED_LONG_LONG",
    0x4C00081E: "MPI_COMPLEX",
    0x4C00081F: "MPI_DOUBLE_PRECISION",
    0x4C000820: "MPI_2INTEGER",
    0x4C000821: "MPI_2REAL",
    0x4C000828: "MPI_COMPLEX8",
    0x4C000829: "MPI_REAL8",
    0x4C000831: "MPI_INTEGER8",
    0x4C000834: "MPI_CXX_FLOAT_COMPLEX",
    0x4C00083A: "MPI_INT64_T",
    0x4C00083E: "MPI_UINT64_T",
    0x4C000840: "MPI_C_FLOAT_COMPLEX",
    0x4C000843: "MPI_AINT",
    0x4C000844: "MPI_OFFSET",
    0x4C000845: "MPI_COUNT",
    0x4C00084A: "MPI_LOGICAL8",
    0x4C00100C: "MPI_LONG_DOUBLE",
    0x4C001022: "MPI_DOUBLE_COMPLEX",
    0x4C001023: "MPI_2DOUBLE_PRECISION",
    0x4C00102A: "MPI_COMPLEX16",
    0x4C00102B: "MPI_REAL16",
    0x4C001032: "MPI_INTEGER16",
    0x4C001035: "MPI_CXX_DOUBLE_COMPLEX",
    0x4C001041: "MPI_C_DOUBLE_COMPLEX",
    0x4C00104B: "MPI_LOGICAL16",
    0x4C00202C: "MPI_COMPLEX32",
    0x4C002036: "MPI_CXX_LONG_DOUBLE_COMPLEX",
    0x4C002042: "MPI_C_LONG_DOUBLE_COMPLEX",
    0x8C000000: "MPI_FLOAT_INT",
    0x8C000001: "MPI_DOUBLE_INT",
    0x8C000002: "MPI_LONG_INT",
    0x8C000003: "MPI_SHORT_INT",
    0x8C000004: "MPI_LONG_DOUBLE_INT",
}
NAMES = {from_bits(bits): name for bits, name in _NAMES.items()}
_HANDLES = {name: handle for handle, name in NAMES.items()}

# MPI_TYPECLASS_ REAL, INTEGER and COMPLEX, and bytes: the datatypes that MPI_Type_match_size finds.
MATCHING = {
    **{(1, size): _HANDLES[f"MPI_REAL{size}"] for size in (2, 4, 8, 16)},
    **{(2, size): _HANDLES[f"MPI_INTEGER{size}"] for size in (1, 2, 4, 8, 16)},
    **{(3, size): _HANDLES[f"MPI_COMPLEX{size}"] for size in (4, 8, 16, 32)},
}

_PAIRS = {"MPI_FLOAT_INT": 4, "MPI_DOUBLE_INT": 8, "MPI_LONG_INT": 8, "MPI_SHORT_INT": 4, "MPI_LONG_DOUBLE_INT": 16}


def alignment(handle: int) -> int:
    """Bytes to a multiple of which C aligns a predefined datatype inside a structure."""
    name = NAMES[handle]
    size = (handle >> 8) & 0xFF
    if name in _PAIRS:
        return _PAIRS[name]
    if "COMPLEX" in name or name.startswith("MPI_2"):
        return size // 2
    return max(size, 1)
