/* Part of the ABI of MPI 5.0 that program.c uses. */
#define KIND(Name) typedef struct MPI_ABI_##Name* MPI_##Name;
KIND(Comm)
KIND(Datatype)
KIND(Errhandler)
KIND(File)
KIND(Group)
KIND(Info)
KIND(Message)
KIND(Op)
KIND(Request)
KIND(Win)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_FILE_NULL ((MPI_File)0x118)
#define MPI_GROUP_EMPTY ((MPI_Group)0x109)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_MESSAGE_NULL ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_WIN_NULL ((MPI_Win)0x110)

typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, internal[5];
} MPI_Status;

#define MPI_COMM_DUP_FN ((int (*)(MPI_Comm, int, void*, void*, void*, int*))1)
#define MPI_COMM_NULL_DELETE_FN ((int (*)(MPI_Comm, int, void*, void*))0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_UNWEIGHTED ((int*)10)
enum { MPI_ANY_SOURCE = -1, MPI_PROC_NULL = -3, MPI_ROOT = -4, MPI_ANY_TAG = -2, MPI_UNDEFINED = -32766 };
enum {
  MPI_ERR_TYPE = 3,
  MPI_ERR_TAG = 4,
  MPI_ERR_COMM = 5,
  MPI_ERR_RANK = 6,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_IN_STATUS = 19,
  MPI_ERR_NO_SUCH_FILE = 42
};
enum { MPI_TAG_UB = 501, MPI_IO = 502, MPI_WIN_CREATE_FLAVOR = 604, MPI_WIN_MODEL = 605, MPI_KEYVAL_INVALID = 0 };
enum { MPI_WIN_FLAVOR_CREATE = 311, MPI_WIN_UNIFIED = 321, MPI_LOCK_EXCLUSIVE = 301, MPI_MODE_NOPRECEDE = 2048 };
enum { MPI_COMBINER_STRUCT = 110, MPI_COMBINER_SUBARRAY = 111, MPI_COMBINER_DARRAY = 112 };
enum {
  MPI_ORDER_C = 12,
  MPI_ORDER_FORTRAN = 15,
  MPI_DISTRIBUTE_BLOCK = 17,
  MPI_DISTRIBUTE_CYCLIC = 18,
  MPI_DISTRIBUTE_DFLT_DARG = 19
};
enum {
  MPI_MODE_CREATE = 2,
  MPI_MODE_RDONLY = 16,
  MPI_MODE_RDWR = 32,
  MPI_MODE_DELETE_ON_CLOSE = 4,
  MPI_SEEK_SET = 403
};
enum {
  MPI_CART = 211,
  MPI_DIST_GRAPH = 213,
  MPI_CONGRUENT = 202,
  MPI_COMM_TYPE_SHARED = 221,
  MPI_THREAD_MULTIPLE = 4096
};
enum { MPI_TYPECLASS_REAL = 193, MPI_MAX_OBJECT_NAME = 128, MPI_MAX_ERROR_STRING = 512 };
