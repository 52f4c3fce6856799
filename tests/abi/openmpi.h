/* Part of the ABI of Open MPI that program.c uses. */
#define KIND(Name, name, size)                \
  typedef struct ompi_##name##_t* MPI_##Name; \
  struct big_##name {                         \
    char contents[size];                      \
  };
KIND(Comm, communicator, 512)
KIND(Datatype, datatype, 512)
KIND(Errhandler, errhandler, 1024)
KIND(File, file, 1536)
KIND(Group, group, 256)
KIND(Info, info, 256)
KIND(Message, message, 256)
KIND(Op, op, 2048)
KIND(Request, request, 256)
KIND(Win, win, 512)
#define PREDEFINED(Name, name, variable) ((MPI_##Name)(void*)&variable)
extern struct big_communicator ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_comm_null;
extern struct big_datatype ompi_mpi_int, ompi_mpi_double, ompi_mpi_byte, ompi_mpi_datatype_null;
extern struct big_errhandler ompi_mpi_errors_return, ompi_mpi_errors_are_fatal;
extern struct big_file ompi_mpi_file_null;
extern struct big_group ompi_mpi_group_empty;
extern struct big_info ompi_mpi_info_null;
extern struct big_message ompi_message_null, ompi_message_no_proc;
extern struct big_op ompi_mpi_op_sum, ompi_mpi_op_max, ompi_mpi_op_null;
extern struct big_request ompi_request_null;
extern struct big_win ompi_mpi_win_null;
#define MPI_COMM_WORLD PREDEFINED(Comm, communicator, ompi_mpi_comm_world)
#define MPI_COMM_SELF PREDEFINED(Comm, communicator, ompi_mpi_comm_self)
#define MPI_COMM_NULL PREDEFINED(Comm, communicator, ompi_mpi_comm_null)
#define MPI_INT PREDEFINED(Datatype, datatype, ompi_mpi_int)
#define MPI_DOUBLE PREDEFINED(Datatype, datatype, ompi_mpi_double)
#define MPI_BYTE PREDEFINED(Datatype, datatype, ompi_mpi_byte)
#define MPI_DATATYPE_NULL PREDEFINED(Datatype, datatype, ompi_mpi_datatype_null)
#define MPI_ERRORS_RETURN PREDEFINED(Errhandler, errhandler, ompi_mpi_errors_return)
#define MPI_ERRORS_ARE_FATAL PREDEFINED(Errhandler, errhandler, ompi_mpi_errors_are_fatal)
#define MPI_FILE_NULL PREDEFINED(File, file, ompi_mpi_file_null)
#define MPI_GROUP_EMPTY PREDEFINED(Group, group, ompi_mpi_group_empty)
#define MPI_INFO_NULL PREDEFINED(Info, info, ompi_mpi_info_null)
#define MPI_MESSAGE_NULL PREDEFINED(Message, message, ompi_message_null)
#define MPI_MESSAGE_NO_PROC PREDEFINED(Message, message, ompi_message_no_proc)
#define MPI_SUM PREDEFINED(Op, op, ompi_mpi_op_sum)
#define MPI_MAX PREDEFINED(Op, op, ompi_mpi_op_max)
#define MPI_OP_NULL PREDEFINED(Op, op, ompi_mpi_op_null)
#define MPI_REQUEST_NULL PREDEFINED(Request, request, ompi_request_null)
#define MPI_WIN_NULL PREDEFINED(Win, win, ompi_mpi_win_null)

typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, cancelled;
  unsigned long bytes;
} MPI_Status;

int OMPI_C_MPI_COMM_DUP_FN(MPI_Comm, int, void*, void*, void*, int*);
int OMPI_C_MPI_COMM_NULL_DELETE_FN(MPI_Comm, int, void*, void*);
#define MPI_COMM_DUP_FN OMPI_C_MPI_COMM_DUP_FN
#define MPI_COMM_NULL_DELETE_FN OMPI_C_MPI_COMM_NULL_DELETE_FN
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_UNWEIGHTED ((int*)2)
enum { MPI_ANY_SOURCE = -1, MPI_PROC_NULL = -2, MPI_ROOT = -4, MPI_ANY_TAG = -1, MPI_UNDEFINED = -32766 };
enum {
  MPI_ERR_TYPE = 3,
  MPI_ERR_TAG = 4,
  MPI_ERR_COMM = 5,
  MPI_ERR_RANK = 6,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_IN_STATUS = 18,
  MPI_ERR_NO_SUCH_FILE = 42
};
enum { MPI_TAG_UB = 0, MPI_IO = 2, MPI_WIN_CREATE_FLAVOR = 10, MPI_WIN_MODEL = 11, MPI_KEYVAL_INVALID = -1 };
enum { MPI_WIN_FLAVOR_CREATE = 1, MPI_WIN_UNIFIED = 0, MPI_LOCK_EXCLUSIVE = 1, MPI_MODE_NOPRECEDE = 2 };
enum { MPI_COMBINER_STRUCT = 11, MPI_COMBINER_SUBARRAY = 12, MPI_COMBINER_DARRAY = 13 };
enum {
  MPI_ORDER_C = 0,
  MPI_ORDER_FORTRAN = 1,
  MPI_DISTRIBUTE_BLOCK = 0,
  MPI_DISTRIBUTE_CYCLIC = 1,
  MPI_DISTRIBUTE_DFLT_DARG = -1
};
enum { MPI_MODE_CREATE = 1, MPI_MODE_RDONLY = 2, MPI_MODE_RDWR = 8, MPI_MODE_DELETE_ON_CLOSE = 16, MPI_SEEK_SET = 600 };
enum { MPI_CART = 1, MPI_DIST_GRAPH = 3, MPI_CONGRUENT = 1, MPI_COMM_TYPE_SHARED = 0, MPI_THREAD_MULTIPLE = 3 };
enum { MPI_TYPECLASS_REAL = 2, MPI_MAX_OBJECT_NAME = 64, MPI_MAX_ERROR_STRING = 256 };
