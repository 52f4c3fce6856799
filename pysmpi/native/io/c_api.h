/* Files, for the Python that implements MPI-IO (pysmpi/mpi/file*.py): bytes, and the time that they take. */
#ifndef PYSMPI_IO_C_API_H
#define PYSMPI_IO_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Segments of the datatype lie one behind the other from the beginning of a file on; `apart`: without overlaps. */
int pysmpi_is_filetype(int filetype, int apart);

/* Of a view: where the byte of data at a place is in the file, and how many bytes of data lie before an offset. */
int64_t pysmpi_view_offset(int64_t displacement, int filetype, int64_t place);
int64_t pysmpi_view_bytes_before(int64_t displacement, int filetype, int64_t offset);

/* Moves elements between memory and a file at once, as they are or in external32. The bytes moved, as they count in
   memory, or -errno (-EDOM: a number does not fit). */
int64_t pysmpi_read_file(int descriptor, int64_t displacement, int filetype, int64_t place, void* buffer, int64_t count,
                         int datatype, int external);
int64_t pysmpi_write_file(int descriptor, int64_t displacement, int filetype, int64_t place, const void* buffer,
                          int64_t count, int datatype, int external);

/* The time of an access of the running rank: `bytes` on a disk (-1: the file system's, with its latency) that belongs
   to a host (-1: no network lies between). Nonblocking: the handle of a request, whose status will tell `reported`
   bytes. Blocking: 0, or an MPI error class. Outside ranks, no time passes. */
int pysmpi_begin_access(int64_t disk, int64_t host, int write, int64_t bytes, int64_t reported);
int pysmpi_finish_access(int64_t disk, int64_t host, int write, int64_t bytes, const char* call);
int pysmpi_wait_access(int request, const char* call); /* of pysmpi_begin_access, the same */

/* How MPI_File_read, MPI_File_iwrite_at_all and their like differ. */
enum {
  PYSMPI_FILE_WRITE = 1,
  PYSMPI_FILE_AT = 2,
  PYSMPI_FILE_SHARED = 4,
  PYSMPI_FILE_ORDERED = 8,
  PYSMPI_FILE_COLLECTIVE = 16,
  PYSMPI_FILE_NONBLOCKING = 32,
  PYSMPI_FILE_SPLIT = 64
};

#ifdef __cplusplus
}  // extern C
#endif

#endif
