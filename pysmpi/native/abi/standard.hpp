// The ABI of the MPI standard (MPI 5.0, chapter 20; libmpi_abi.so): values and layouts of the standard's mpi.h.
#pragma once

#include <cstdint>

#include "abi/tables.hpp"
#include "mpi/mpi.h"

namespace pysmpi::abi {

struct Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int count_lo, count_hi_and_cancelled;  // as in MPICH's ABI
  int unused[3];
};

inline void take_count(const Status& status, MPI_Status& internal) {
  internal.count_lo = status.count_lo;
  internal.count_hi_and_cancelled = status.count_hi_and_cancelled;
}

inline void give_count(const MPI_Status& internal, Status& status) {
  status.count_lo = internal.count_lo;
  status.count_hi_and_cancelled = internal.count_hi_and_cancelled;
}

inline constexpr int kVersion = 5, kSubversion = 0;
using PartitionedCount = int;  // of MPI_Psend_init
inline constexpr char kName[] = "the MPI standard";
inline constexpr int kAnySource = -1, kProcNull = -3, kRoot = -4, kAnyTag = -2, kKeyvalInvalid = 0;
inline constexpr MPI_Offset kDisplacementCurrent = -1;
inline constexpr std::uintptr_t kInPlace = 1, kBufferAutomatic = 2, kUnweighted = 10, kWeightsEmpty = 11;
inline constexpr int kMaxErrorString = 512, kMaxObjectName = 128, kMaxLibraryVersion = 8192, kMaxInfoKey = 256;

inline constexpr Pair kErrors[] = {
    {MPI_ERR_BUFFER, 1},
    {MPI_ERR_COUNT, 2},
    {MPI_ERR_TYPE, 3},
    {MPI_ERR_TAG, 4},
    {MPI_ERR_COMM, 5},
    {MPI_ERR_RANK, 6},
    {MPI_ERR_REQUEST, 7},
    {MPI_ERR_ROOT, 8},
    {MPI_ERR_GROUP, 9},
    {MPI_ERR_OP, 10},
    {MPI_ERR_TOPOLOGY, 11},
    {MPI_ERR_DIMS, 12},
    {MPI_ERR_ARG, 13},
    {MPI_ERR_UNKNOWN, 14},
    {MPI_ERR_TRUNCATE, 15},
    {MPI_ERR_OTHER, 16},
    {MPI_ERR_INTERN, 17},
    {MPI_ERR_PENDING, 18},
    {MPI_ERR_IN_STATUS, 19},
    {MPI_ERR_ACCESS, 20},
    {MPI_ERR_AMODE, 21},
    {MPI_ERR_ASSERT, 22},
    {MPI_ERR_BAD_FILE, 23},
    {MPI_ERR_BASE, 24},
    {MPI_ERR_CONVERSION, 25},
    {MPI_ERR_DISP, 26},
    {MPI_ERR_DUP_DATAREP, 27},
    {MPI_ERR_FILE_EXISTS, 28},
    {MPI_ERR_FILE_IN_USE, 29},
    {MPI_ERR_FILE, 30},
    {MPI_ERR_INFO_KEY, 31},
    {MPI_ERR_INFO_NOKEY, 32},
    {MPI_ERR_INFO_VALUE, 33},
    {MPI_ERR_INFO, 34},
    {MPI_ERR_IO, 35},
    {MPI_ERR_KEYVAL, 36},
    {MPI_ERR_LOCKTYPE, 37},
    {MPI_ERR_NAME, 38},
    {MPI_ERR_NO_MEM, 39},
    {MPI_ERR_NOT_SAME, 40},
    {MPI_ERR_NO_SPACE, 41},
    {MPI_ERR_NO_SUCH_FILE, 42},
    {MPI_ERR_PORT, 43},
    {MPI_ERR_QUOTA, 44},
    {MPI_ERR_READ_ONLY, 45},
    {MPI_ERR_RMA_ATTACH, 46},
    {MPI_ERR_RMA_CONFLICT, 47},
    {MPI_ERR_RMA_RANGE, 48},
    {MPI_ERR_RMA_SHARED, 49},
    {MPI_ERR_RMA_SYNC, 50},
    {MPI_ERR_SERVICE, 51},
    {MPI_ERR_SIZE, 52},
    {MPI_ERR_SPAWN, 53},
    {MPI_ERR_UNSUPPORTED_DATAREP, 54},
    {MPI_ERR_WIN, 56},
    {MPI_ERR_UNSUPPORTED_OPERATION, 55},
    {MPI_ERR_RMA_FLAVOR, 57},
    {MPI_ERR_PROC_ABORTED, 58},
    {MPI_ERR_SESSION, 60},
    {MPI_ERR_VALUE_TOO_LARGE, 59},
    {MPI_ERR_ERRHANDLER, 61},
    {MPI_ERR_ABI, 62},
    // The standard has no class for these; they become MPI_ERR_OTHER.
    {kErrProcFailed, 16},
    {kErrProcFailedPending, 16},
    {kErrRevoked, 16},
};

inline constexpr Pair kKeys[] = {
    {MPI_TAG_UB, 501},        {MPI_IO, 502},           {MPI_HOST, 503},          {MPI_WTIME_IS_GLOBAL, 504},
    {MPI_APPNUM, 505},        {MPI_LASTUSEDCODE, 506}, {MPI_UNIVERSE_SIZE, 507}, {MPI_WIN_BASE, 601},
    {MPI_WIN_DISP_UNIT, 602}, {MPI_WIN_SIZE, 603},     {MPI_WIN_MODEL, 605},     {MPI_WIN_CREATE_FLAVOR, 604},
};

inline constexpr Pair kCombiners[] = {
    {MPI_COMBINER_NAMED, 101},          {MPI_COMBINER_DUP, 102},           {MPI_COMBINER_CONTIGUOUS, 103},
    {MPI_COMBINER_VECTOR, 104},         {MPI_COMBINER_HVECTOR, 105},       {MPI_COMBINER_INDEXED, 106},
    {MPI_COMBINER_HINDEXED, 107},       {MPI_COMBINER_INDEXED_BLOCK, 108}, {MPI_COMBINER_STRUCT, 110},
    {MPI_COMBINER_HINDEXED_BLOCK, 109}, {MPI_COMBINER_SUBARRAY, 111},      {MPI_COMBINER_DARRAY, 112},
    {MPI_COMBINER_F90_REAL, 113},       {MPI_COMBINER_F90_COMPLEX, 114},   {MPI_COMBINER_F90_INTEGER, 115},
    {MPI_COMBINER_RESIZED, 116},        {MPI_COMBINER_VALUE_INDEX, 117},
};

inline constexpr Pair kSplitTypes[] = {{MPI_COMM_TYPE_SHARED, 221},
                                       {MPI_COMM_TYPE_HW_UNGUIDED, 222},
                                       {MPI_COMM_TYPE_HW_GUIDED, 223},
                                       {MPI_COMM_TYPE_RESOURCE_GUIDED, 224}};
inline constexpr Pair kOrders[] = {{MPI_ORDER_C, 12}, {MPI_ORDER_FORTRAN, 15}};
inline constexpr Pair kDistributions[] = {
    {MPI_DISTRIBUTE_NONE, 16}, {MPI_DISTRIBUTE_BLOCK, 17}, {MPI_DISTRIBUTE_CYCLIC, 18}};
inline constexpr int kDefaultDarg = 19;
inline constexpr Pair kLocks[] = {{MPI_LOCK_EXCLUSIVE, 301}, {MPI_LOCK_SHARED, 302}};
inline constexpr Pair kAssertions[] = {{MPI_MODE_NOCHECK, 1024},
                                       {MPI_MODE_NOPRECEDE, 2048},
                                       {MPI_MODE_NOPUT, 4096},
                                       {MPI_MODE_NOSTORE, 8192},
                                       {MPI_MODE_NOSUCCEED, 16384}};
inline constexpr Pair kAccessModes[] = {
    {MPI_MODE_APPEND, 1},          {MPI_MODE_CREATE, 2},      {MPI_MODE_EXCL, 8},
    {MPI_MODE_DELETE_ON_CLOSE, 4}, {MPI_MODE_RDONLY, 16},     {MPI_MODE_RDWR, 32},
    {MPI_MODE_WRONLY, 256},        {MPI_MODE_SEQUENTIAL, 64}, {MPI_MODE_UNIQUE_OPEN, 128}};
inline constexpr Pair kWhence[] = {{MPI_SEEK_CUR, 401}, {MPI_SEEK_END, 402}, {MPI_SEEK_SET, 403}};
inline constexpr Pair kTopologies[] = {{MPI_CART, 211}, {MPI_GRAPH, 212}, {MPI_DIST_GRAPH, 213}};
inline constexpr Pair kComparisons[] = {{MPI_IDENT, 201}, {MPI_CONGRUENT, 202}, {MPI_SIMILAR, 203}, {MPI_UNEQUAL, 204}};
inline constexpr Pair kThreadLevels[] = {
    {MPI_THREAD_SINGLE, 0}, {MPI_THREAD_FUNNELED, 1024}, {MPI_THREAD_SERIALIZED, 2048}, {MPI_THREAD_MULTIPLE, 4096}};
inline constexpr Pair kTypeClasses[] = {
    {MPI_TYPECLASS_INTEGER, 192}, {MPI_TYPECLASS_REAL, 193}, {MPI_TYPECLASS_COMPLEX, 194}};
inline constexpr Pair kFlavors[] = {{MPI_WIN_FLAVOR_CREATE, 311},
                                    {MPI_WIN_FLAVOR_ALLOCATE, 312},
                                    {MPI_WIN_FLAVOR_DYNAMIC, 313},
                                    {MPI_WIN_FLAVOR_SHARED, 314}};
inline constexpr Pair kModels[] = {{MPI_WIN_UNIFIED, 321}, {MPI_WIN_SEPARATE, 322}};

// Predefined handles: small numbers.
// clang-format off
#define PYSMPI_PREDEFINED(X)                     \
  X(Comm, MPI_COMM_NULL, 0x100)                  \
  X(Comm, MPI_COMM_WORLD, 0x101)                 \
  X(Comm, MPI_COMM_SELF, 0x102)                  \
  X(Group, MPI_GROUP_NULL, 0x108)                \
  X(Group, MPI_GROUP_EMPTY, 0x109)               \
  X(Request, MPI_REQUEST_NULL, 0x180)            \
  X(Message, MPI_MESSAGE_NULL, 0x128)            \
  X(Message, MPI_MESSAGE_NO_PROC, 0x129)         \
  X(Errhandler, MPI_ERRHANDLER_NULL, 0x140)      \
  X(Errhandler, MPI_ERRORS_ARE_FATAL, 0x141)     \
  X(Errhandler, MPI_ERRORS_ABORT, 0x142)         \
  X(Errhandler, MPI_ERRORS_RETURN, 0x143)        \
  X(Info, MPI_INFO_NULL, 0x130)                  \
  X(Info, MPI_INFO_ENV, 0x131)                   \
  X(Win, MPI_WIN_NULL, 0x110)                    \
  X(Session, MPI_SESSION_NULL, 0x120)            \
  X(File, 0, 0x118)                              \
  X(Op, MPI_OP_NULL, 0x20)                       \
  X(Op, MPI_SUM, 0x21)                           \
  X(Op, MPI_MIN, 0x22)                           \
  X(Op, MPI_MAX, 0x23)                           \
  X(Op, MPI_PROD, 0x24)                          \
  X(Op, MPI_BAND, 0x28)                          \
  X(Op, MPI_BOR, 0x29)                           \
  X(Op, MPI_BXOR, 0x2a)                          \
  X(Op, MPI_LAND, 0x30)                          \
  X(Op, MPI_LOR, 0x31)                           \
  X(Op, MPI_LXOR, 0x32)                          \
  X(Op, MPI_MINLOC, 0x38)                        \
  X(Op, MPI_MAXLOC, 0x39)                        \
  X(Op, MPI_REPLACE, 0x3c)                       \
  X(Op, MPI_NO_OP, 0x3d)                         \
  X(Datatype, MPI_DATATYPE_NULL, 0x200)          \
  X(Datatype, MPI_AINT, 0x201)                   \
  X(Datatype, MPI_COUNT, 0x202)                  \
  X(Datatype, MPI_OFFSET, 0x203)                 \
  X(Datatype, MPI_PACKED, 0x207)                 \
  X(Datatype, MPI_SHORT, 0x208)                  \
  X(Datatype, MPI_INT, 0x209)                    \
  X(Datatype, MPI_LONG, 0x20a)                   \
  X(Datatype, MPI_LONG_LONG, 0x20b)              \
  X(Datatype, MPI_UNSIGNED_SHORT, 0x20c)         \
  X(Datatype, MPI_UNSIGNED, 0x20d)               \
  X(Datatype, MPI_UNSIGNED_LONG, 0x20e)          \
  X(Datatype, MPI_UNSIGNED_LONG_LONG, 0x20f)     \
  X(Datatype, MPI_FLOAT, 0x210)                  \
  X(Datatype, MPI_C_FLOAT_COMPLEX, 0x212)        \
  X(Datatype, MPI_CXX_FLOAT_COMPLEX, 0x213)      \
  X(Datatype, MPI_DOUBLE, 0x214)                 \
  X(Datatype, MPI_C_DOUBLE_COMPLEX, 0x216)       \
  X(Datatype, MPI_CXX_DOUBLE_COMPLEX, 0x217)     \
  X(Datatype, MPI_LOGICAL, 0x218)                \
  X(Datatype, MPI_INTEGER, 0x219)                \
  X(Datatype, MPI_REAL, 0x21a)                   \
  X(Datatype, MPI_COMPLEX, 0x21b)                \
  X(Datatype, MPI_DOUBLE_PRECISION, 0x21c)       \
  X(Datatype, MPI_DOUBLE_COMPLEX, 0x21d)         \
  X(Datatype, MPI_CHARACTER, 0x21e)              \
  X(Datatype, MPI_LONG_DOUBLE, 0x220)            \
  X(Datatype, MPI_C_LONG_DOUBLE_COMPLEX, 0x224)  \
  X(Datatype, MPI_CXX_LONG_DOUBLE_COMPLEX, 0x225)\
  X(Datatype, MPI_FLOAT_INT, 0x228)              \
  X(Datatype, MPI_DOUBLE_INT, 0x229)             \
  X(Datatype, MPI_LONG_INT, 0x22a)               \
  X(Datatype, MPI_2INT, 0x22b)                   \
  X(Datatype, MPI_SHORT_INT, 0x22c)              \
  X(Datatype, MPI_LONG_DOUBLE_INT, 0x22d)        \
  X(Datatype, MPI_2REAL, 0x230)                  \
  X(Datatype, MPI_2DOUBLE_PRECISION, 0x231)      \
  X(Datatype, MPI_2INTEGER, 0x232)               \
  X(Datatype, MPI_C_BOOL, 0x238)                 \
  X(Datatype, MPI_CXX_BOOL, 0x239)               \
  X(Datatype, MPI_WCHAR, 0x23c)                  \
  X(Datatype, MPI_INT8_T, 0x240)                 \
  X(Datatype, MPI_UINT8_T, 0x241)                \
  X(Datatype, MPI_CHAR, 0x243)                   \
  X(Datatype, MPI_SIGNED_CHAR, 0x244)            \
  X(Datatype, MPI_UNSIGNED_CHAR, 0x245)          \
  X(Datatype, MPI_BYTE, 0x247)                   \
  X(Datatype, MPI_INT16_T, 0x248)                \
  X(Datatype, MPI_UINT16_T, 0x249)               \
  X(Datatype, MPI_INT32_T, 0x250)                \
  X(Datatype, MPI_UINT32_T, 0x251)               \
  X(Datatype, MPI_INT64_T, 0x258)                \
  X(Datatype, MPI_UINT64_T, 0x259)               \
  X(Datatype, MPI_LOGICAL1, 0x2c0)               \
  X(Datatype, MPI_INTEGER1, 0x2c1)               \
  X(Datatype, MPI_LOGICAL2, 0x2c8)               \
  X(Datatype, MPI_INTEGER2, 0x2c9)               \
  X(Datatype, MPI_REAL2, 0x2ca)                  \
  X(Datatype, MPI_LOGICAL4, 0x2d0)               \
  X(Datatype, MPI_INTEGER4, 0x2d1)               \
  X(Datatype, MPI_REAL4, 0x2d2)                  \
  X(Datatype, MPI_COMPLEX4, 0x2d3)               \
  X(Datatype, MPI_LOGICAL8, 0x2d8)               \
  X(Datatype, MPI_INTEGER8, 0x2d9)               \
  X(Datatype, MPI_REAL8, 0x2da)                  \
  X(Datatype, MPI_COMPLEX8, 0x2db)               \
  X(Datatype, MPI_LOGICAL16, 0x2e0)              \
  X(Datatype, MPI_INTEGER16, 0x2e1)              \
  X(Datatype, MPI_REAL16, 0x2e2)                 \
  X(Datatype, MPI_COMPLEX16, 0x2e3)              \
  X(Datatype, MPI_COMPLEX32, 0x2eb)
// clang-format on

}  // namespace pysmpi::abi
