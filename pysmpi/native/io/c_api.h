/* Files, for the Python implementation of MPI-IO (pysmpi/simulation/mpi/file*.py): transfer of bytes, and the time it
 * takes. */
#ifndef PYSMPI_IO_C_API_H
#define PYSMPI_IO_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return whether the segments of the datatype are in ascending order from the beginning of a file, as MPI requires of a
 * filetype. If `apart` is set, the segments must not overlap either. */
int pysmpi_is_filetype(int filetype, int apart);

/* Convert between a view and a file: the file offset of the data byte at `place`, and the number of data bytes before a
 * file offset. */
int64_t pysmpi_view_offset(int64_t displacement, int filetype, int64_t place);
int64_t pysmpi_view_bytes_before(int64_t displacement, int filetype, int64_t offset);

/* Transfer elements between memory and a file without simulated time, unconverted or in external32. Return the bytes
 * transferred, counted in memory, or -errno (-EDOM: a number is out of range). */
int64_t pysmpi_read_file(int descriptor, int64_t displacement, int filetype, int64_t place, void* buffer, int64_t count,
                         int datatype, int external);
int64_t pysmpi_write_file(int descriptor, int64_t displacement, int filetype, int64_t place, const void* buffer,
                          int64_t count, int datatype, int external);

/* Simulated access of the running rank to `bytes` bytes on a disk. `disk` is -1 for the file system's disk, whose
 * latency is added. `host` is the host that the disk belongs to, or -1 if no network lies in between.
 * pysmpi_begin_access returns a request handle, in whose status the program finds `reported` as the number of bytes
 * transferred. pysmpi_finish_access blocks until the end of the access and returns 0 or an MPI error class. Outside
 * ranks no time passes. */
int pysmpi_begin_access(int64_t disk, int64_t host, int write, int64_t bytes, int64_t reported);
int pysmpi_finish_access(int64_t disk, int64_t host, int write, int64_t bytes, const char* call);
/* Waits for the request of pysmpi_begin_access. Returns 0 or an MPI error class. */
int pysmpi_wait_access(int request, const char* call);

/* Flags of the variants of MPI_File_read and MPI_File_write. Example: MPI_File_iwrite_at_all has the flags WRITE, AT,
 * COLLECTIVE and NONBLOCKING. */
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
