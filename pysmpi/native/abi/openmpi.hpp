// Open MPI's ABI (libmpi.so.40, versions 4 and 5): values and layouts of its mpi.h. Only version 5 has error classes
// from 74 on.
#pragma once

#include <cstddef>

#include "abi/tables.hpp"
#include "mpi/mpi.h"

namespace pysmpi::abi {

struct Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, cancelled;
  std::size_t bytes;
};

inline void take_count(const Status& status, MPI_Status& internal) {
  internal.count_lo = static_cast<int>(status.bytes & 0xffffffffU);
  internal.count_hi_and_cancelled = static_cast<int>(status.bytes >> 32 << 1) | (status.cancelled ? 1 : 0);
}

inline void give_count(const MPI_Status& internal, Status& status) {
  const auto high = static_cast<unsigned>(internal.count_hi_and_cancelled);
  status.bytes = std::size_t{high >> 1} << 32 | static_cast<unsigned>(internal.count_lo);
  status.cancelled = high & 1;
}

// Result of MPI_Get_version. The functions of MPI 4.1 exist, but Open MPI's mpi.h has no constants of MPI 4.1.
inline constexpr int kVersion = 4, kSubversion = 0;
using PartitionedCount = MPI_Count;  // of MPI_Psend_init
inline constexpr char kName[] = "Open MPI";
inline constexpr int kAnySource = -1, kProcNull = -2, kRoot = -4, kAnyTag = -1, kKeyvalInvalid = -1;
inline constexpr MPI_Offset kDisplacementCurrent = -54278278;
inline constexpr std::uintptr_t kInPlace = 1, kBufferAutomatic = 0 /* none */, kUnweighted = 2, kWeightsEmpty = 3;
inline constexpr int kMaxErrorString = 256, kMaxObjectName = 64, kMaxLibraryVersion = 256, kMaxInfoKey = 36;

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
    {MPI_ERR_IN_STATUS, 18},
    {MPI_ERR_PENDING, 19},
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
    {MPI_ERR_RMA_CONFLICT, 46},
    {MPI_ERR_RMA_SYNC, 47},
    {MPI_ERR_SERVICE, 48},
    {MPI_ERR_SIZE, 49},
    {MPI_ERR_SPAWN, 50},
    {MPI_ERR_WIN, 53},
    {MPI_ERR_UNSUPPORTED_DATAREP, 51},
    {MPI_ERR_RMA_RANGE, 68},
    {MPI_ERR_UNSUPPORTED_OPERATION, 52},
    {MPI_ERR_RMA_ATTACH, 69},
    {MPI_ERR_RMA_FLAVOR, 70},
    {MPI_ERR_RMA_SHARED, 71},
    {MPI_ERR_PROC_ABORTED, 74},
    {kErrProcFailed, 75},
    {MPI_ERR_SESSION, 78},
    {kErrProcFailedPending, 76},
    {MPI_ERR_VALUE_TOO_LARGE, 79},
    {kErrRevoked, 77},
    // Open MPI has no class for these; they become MPI_ERR_ARG and MPI_ERR_OTHER.
    {MPI_ERR_ERRHANDLER, 13},
    {MPI_ERR_ABI, 16},
};

inline constexpr Pair kKeys[] = {
    {MPI_TAG_UB, 0},          {MPI_HOST, 1},       {MPI_IO, 2},
    {MPI_WTIME_IS_GLOBAL, 3}, {MPI_APPNUM, 4},     {MPI_LASTUSEDCODE, 5},
    {MPI_UNIVERSE_SIZE, 6},   {MPI_WIN_BASE, 7},   {MPI_WIN_SIZE, 8},
    {MPI_WIN_DISP_UNIT, 9},   {MPI_WIN_MODEL, 11}, {MPI_WIN_CREATE_FLAVOR, 10},
};

inline constexpr Pair kCombiners[] = {
    {MPI_COMBINER_NAMED, 0},        {MPI_COMBINER_DUP, 1},
    {MPI_COMBINER_CONTIGUOUS, 2},   {MPI_COMBINER_VECTOR, 3},
    {MPI_COMBINER_HVECTOR, 5},      {MPI_COMBINER_HVECTOR_INTEGER, 4},
    {MPI_COMBINER_INDEXED, 6},      {MPI_COMBINER_HINDEXED_INTEGER, 7},
    {MPI_COMBINER_HINDEXED, 8},     {MPI_COMBINER_INDEXED_BLOCK, 9},
    {MPI_COMBINER_STRUCT, 11},      {MPI_COMBINER_STRUCT_INTEGER, 10},
    {MPI_COMBINER_SUBARRAY, 12},    {MPI_COMBINER_DARRAY, 13},
    {MPI_COMBINER_F90_REAL, 14},    {MPI_COMBINER_F90_COMPLEX, 15},
    {MPI_COMBINER_F90_INTEGER, 16}, {MPI_COMBINER_RESIZED, 17},
    {MPI_COMBINER_VALUE_INDEX, 19}, {MPI_COMBINER_HINDEXED_BLOCK, 18},
};

// Open MPI's further kinds of MPI_Comm_split_type, OMPI_COMM_TYPE_…, are refused with MPI_ERR_ARG.
inline constexpr Pair kSplitTypes[] = {
    {MPI_COMM_TYPE_SHARED, 0}, {MPI_COMM_TYPE_HW_UNGUIDED, 12}, {MPI_COMM_TYPE_HW_GUIDED, 13}};
inline constexpr Pair kOrders[] = {{MPI_ORDER_C, 0}, {MPI_ORDER_FORTRAN, 1}};
inline constexpr Pair kDistributions[] = {
    {MPI_DISTRIBUTE_BLOCK, 0}, {MPI_DISTRIBUTE_CYCLIC, 1}, {MPI_DISTRIBUTE_NONE, 2}};
inline constexpr int kDefaultDarg = -1;
inline constexpr Pair kLocks[] = {{MPI_LOCK_EXCLUSIVE, 1}, {MPI_LOCK_SHARED, 2}};
inline constexpr Pair kAssertions[] = {{MPI_MODE_NOCHECK, 1},
                                       {MPI_MODE_NOPRECEDE, 2},
                                       {MPI_MODE_NOPUT, 4},
                                       {MPI_MODE_NOSTORE, 8},
                                       {MPI_MODE_NOSUCCEED, 16}};
inline constexpr Pair kAccessModes[] = {
    {MPI_MODE_CREATE, 1},   {MPI_MODE_RDONLY, 2},           {MPI_MODE_WRONLY, 4},
    {MPI_MODE_RDWR, 8},     {MPI_MODE_UNIQUE_OPEN, 32},     {MPI_MODE_EXCL, 64},
    {MPI_MODE_APPEND, 128}, {MPI_MODE_DELETE_ON_CLOSE, 16}, {MPI_MODE_SEQUENTIAL, 256}};
inline constexpr Pair kWhence[] = {{MPI_SEEK_SET, 600}, {MPI_SEEK_CUR, 602}, {MPI_SEEK_END, 604}};
inline constexpr Pair kTopologies[] = {{MPI_CART, 1}, {MPI_GRAPH, 2}, {MPI_DIST_GRAPH, 3}};
inline constexpr Pair kComparisons[] = {{MPI_IDENT, 0}, {MPI_CONGRUENT, 1}, {MPI_SIMILAR, 2}, {MPI_UNEQUAL, 3}};
inline constexpr Pair kThreadLevels[] = {
    {MPI_THREAD_SINGLE, 0}, {MPI_THREAD_FUNNELED, 1}, {MPI_THREAD_SERIALIZED, 2}, {MPI_THREAD_MULTIPLE, 3}};
inline constexpr Pair kTypeClasses[] = {
    {MPI_TYPECLASS_INTEGER, 1}, {MPI_TYPECLASS_REAL, 2}, {MPI_TYPECLASS_COMPLEX, 3}};
inline constexpr Pair kFlavors[] = {
    {MPI_WIN_FLAVOR_CREATE, 1}, {MPI_WIN_FLAVOR_ALLOCATE, 2}, {MPI_WIN_FLAVOR_DYNAMIC, 3}, {MPI_WIN_FLAVOR_SHARED, 4}};
inline constexpr Pair kModels[] = {{MPI_WIN_UNIFIED, 0}, {MPI_WIN_SEPARATE, 1}};

// Predefined handles: a variable each, whose address is the handle.
// clang-format off
#define PYSMPI_PREDEFINED(X)                                             \
  X(Comm, MPI_COMM_NULL, ompi_mpi_comm_null)                             \
  X(Comm, MPI_COMM_WORLD, ompi_mpi_comm_world)                           \
  X(Comm, MPI_COMM_SELF, ompi_mpi_comm_self)                             \
  X(Group, MPI_GROUP_NULL, ompi_mpi_group_null)                          \
  X(Group, MPI_GROUP_EMPTY, ompi_mpi_group_empty)                        \
  X(Request, MPI_REQUEST_NULL, ompi_request_null)                        \
  X(Message, MPI_MESSAGE_NULL, ompi_message_null)                        \
  X(Message, MPI_MESSAGE_NO_PROC, ompi_message_no_proc)                  \
  X(Errhandler, MPI_ERRHANDLER_NULL, ompi_mpi_errhandler_null)           \
  X(Errhandler, MPI_ERRORS_ARE_FATAL, ompi_mpi_errors_are_fatal)         \
  X(Errhandler, MPI_ERRORS_ARE_FATAL, ompi_mpi_errors_throw_exceptions)  \
  X(Errhandler, MPI_ERRORS_RETURN, ompi_mpi_errors_return)               \
  X(Errhandler, MPI_ERRORS_ABORT, ompi_mpi_errors_abort)                 \
  X(Info, MPI_INFO_NULL, ompi_mpi_info_null)                             \
  X(Info, MPI_INFO_ENV, ompi_mpi_info_env)                               \
  X(Win, MPI_WIN_NULL, ompi_mpi_win_null)                                \
  X(Session, MPI_SESSION_NULL, ompi_mpi_instance_null)                   \
  X(File, 0, ompi_mpi_file_null)                                         \
  X(Op, MPI_OP_NULL, ompi_mpi_op_null)                                   \
  X(Op, MPI_MAX, ompi_mpi_op_max)                                        \
  X(Op, MPI_MIN, ompi_mpi_op_min)                                        \
  X(Op, MPI_SUM, ompi_mpi_op_sum)                                        \
  X(Op, MPI_PROD, ompi_mpi_op_prod)                                      \
  X(Op, MPI_LAND, ompi_mpi_op_land)                                      \
  X(Op, MPI_BAND, ompi_mpi_op_band)                                      \
  X(Op, MPI_LOR, ompi_mpi_op_lor)                                        \
  X(Op, MPI_BOR, ompi_mpi_op_bor)                                        \
  X(Op, MPI_LXOR, ompi_mpi_op_lxor)                                      \
  X(Op, MPI_BXOR, ompi_mpi_op_bxor)                                      \
  X(Op, MPI_MAXLOC, ompi_mpi_op_maxloc)                                  \
  X(Op, MPI_MINLOC, ompi_mpi_op_minloc)                                  \
  X(Op, MPI_REPLACE, ompi_mpi_op_replace)                                \
  X(Op, MPI_NO_OP, ompi_mpi_op_no_op)                                    \
  X(Datatype, MPI_DATATYPE_NULL, ompi_mpi_datatype_null)                 \
  X(Datatype, MPI_BYTE, ompi_mpi_byte)                                   \
  X(Datatype, MPI_PACKED, ompi_mpi_packed)                               \
  X(Datatype, MPI_CHAR, ompi_mpi_char)                                   \
  X(Datatype, MPI_SHORT, ompi_mpi_short)                                 \
  X(Datatype, MPI_INT, ompi_mpi_int)                                     \
  X(Datatype, MPI_LONG, ompi_mpi_long)                                   \
  X(Datatype, MPI_FLOAT, ompi_mpi_float)                                 \
  X(Datatype, MPI_DOUBLE, ompi_mpi_double)                               \
  X(Datatype, MPI_LONG_DOUBLE, ompi_mpi_long_double)                     \
  X(Datatype, MPI_UNSIGNED_CHAR, ompi_mpi_unsigned_char)                 \
  X(Datatype, MPI_SIGNED_CHAR, ompi_mpi_signed_char)                     \
  X(Datatype, MPI_UNSIGNED_SHORT, ompi_mpi_unsigned_short)               \
  X(Datatype, MPI_UNSIGNED_LONG, ompi_mpi_unsigned_long)                 \
  X(Datatype, MPI_UNSIGNED, ompi_mpi_unsigned)                           \
  X(Datatype, MPI_FLOAT_INT, ompi_mpi_float_int)                         \
  X(Datatype, MPI_DOUBLE_INT, ompi_mpi_double_int)                       \
  X(Datatype, MPI_LONG_DOUBLE_INT, ompi_mpi_longdbl_int)                 \
  X(Datatype, MPI_LONG_INT, ompi_mpi_long_int)                           \
  X(Datatype, MPI_SHORT_INT, ompi_mpi_short_int)                         \
  X(Datatype, MPI_2INT, ompi_mpi_2int)                                   \
  X(Datatype, MPI_WCHAR, ompi_mpi_wchar)                                 \
  X(Datatype, MPI_LONG_LONG_INT, ompi_mpi_long_long_int)                 \
  X(Datatype, MPI_UNSIGNED_LONG_LONG, ompi_mpi_unsigned_long_long)       \
  X(Datatype, MPI_CHARACTER, ompi_mpi_character)                         \
  X(Datatype, MPI_LOGICAL, ompi_mpi_logical)                             \
  X(Datatype, MPI_LOGICAL1, ompi_mpi_logical1)                           \
  X(Datatype, MPI_LOGICAL2, ompi_mpi_logical2)                           \
  X(Datatype, MPI_LOGICAL4, ompi_mpi_logical4)                           \
  X(Datatype, MPI_LOGICAL8, ompi_mpi_logical8)                           \
  X(Datatype, MPI_INTEGER, ompi_mpi_integer)                             \
  X(Datatype, MPI_INTEGER1, ompi_mpi_integer1)                           \
  X(Datatype, MPI_INTEGER2, ompi_mpi_integer2)                           \
  X(Datatype, MPI_INTEGER4, ompi_mpi_integer4)                           \
  X(Datatype, MPI_INTEGER8, ompi_mpi_integer8)                           \
  X(Datatype, MPI_INTEGER16, ompi_mpi_integer16)                         \
  X(Datatype, MPI_REAL, ompi_mpi_real)                                   \
  X(Datatype, MPI_REAL2, ompi_mpi_real2)                                 \
  X(Datatype, MPI_REAL4, ompi_mpi_real4)                                 \
  X(Datatype, MPI_REAL8, ompi_mpi_real8)                                 \
  X(Datatype, MPI_REAL16, ompi_mpi_real16)                               \
  X(Datatype, MPI_DOUBLE_PRECISION, ompi_mpi_dblprec)                    \
  X(Datatype, MPI_COMPLEX, ompi_mpi_cplex)                               \
  X(Datatype, MPI_COMPLEX8, ompi_mpi_complex8)                           \
  X(Datatype, MPI_COMPLEX16, ompi_mpi_complex16)                         \
  X(Datatype, MPI_COMPLEX32, ompi_mpi_complex32)                         \
  X(Datatype, MPI_DOUBLE_COMPLEX, ompi_mpi_dblcplex)                     \
  X(Datatype, MPI_2REAL, ompi_mpi_2real)                                 \
  X(Datatype, MPI_2DOUBLE_PRECISION, ompi_mpi_2dblprec)                  \
  X(Datatype, MPI_2INTEGER, ompi_mpi_2integer)                           \
  X(Datatype, MPI_INT8_T, ompi_mpi_int8_t)                               \
  X(Datatype, MPI_UINT8_T, ompi_mpi_uint8_t)                             \
  X(Datatype, MPI_INT16_T, ompi_mpi_int16_t)                             \
  X(Datatype, MPI_UINT16_T, ompi_mpi_uint16_t)                           \
  X(Datatype, MPI_INT32_T, ompi_mpi_int32_t)                             \
  X(Datatype, MPI_UINT32_T, ompi_mpi_uint32_t)                           \
  X(Datatype, MPI_INT64_T, ompi_mpi_int64_t)                             \
  X(Datatype, MPI_UINT64_T, ompi_mpi_uint64_t)                           \
  X(Datatype, MPI_AINT, ompi_mpi_aint)                                   \
  X(Datatype, MPI_OFFSET, ompi_mpi_offset)                               \
  X(Datatype, MPI_COUNT, ompi_mpi_count)                                 \
  X(Datatype, MPI_C_BOOL, ompi_mpi_c_bool)                               \
  X(Datatype, MPI_C_FLOAT_COMPLEX, ompi_mpi_c_float_complex)             \
  X(Datatype, MPI_C_FLOAT_COMPLEX, ompi_mpi_c_complex)                   \
  X(Datatype, MPI_C_DOUBLE_COMPLEX, ompi_mpi_c_double_complex)           \
  X(Datatype, MPI_C_LONG_DOUBLE_COMPLEX, ompi_mpi_c_long_double_complex) \
  X(Datatype, MPI_CXX_BOOL, ompi_mpi_cxx_bool)                           \
  X(Datatype, MPI_CXX_FLOAT_COMPLEX, ompi_mpi_cxx_cplex)                 \
  X(Datatype, MPI_CXX_DOUBLE_COMPLEX, ompi_mpi_cxx_dblcplex)             \
  X(Datatype, MPI_CXX_LONG_DOUBLE_COMPLEX, ompi_mpi_cxx_ldblcplex)       \
  X(Datatype, 0x4c000246, ompi_mpi_short_float)                          \
  X(Datatype, MPI_LB, ompi_mpi_lb)                                       \
  X(Datatype, MPI_UB, ompi_mpi_ub)                                       \
  X(Datatype, MPI_DATATYPE_NULL, ompi_mpi_unavailable)                   \
  X(Datatype, MPI_DATATYPE_NULL, ompi_mpi_2cplex)                        \
  X(Datatype, MPI_DATATYPE_NULL, ompi_mpi_2dblcplex)                     \
  X(Datatype, MPI_DATATYPE_NULL, ompi_mpi_ldblcplex)
// clang-format on

}  // namespace pysmpi::abi
