/* Point-to-point messages that a program hands over at once (pysmpi/collectives/schedule.py). */
#ifndef PYSMPI_SCHEDULE_CONTROL_H
#define PYSMPI_SCHEDULE_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PYSMPI_STEP_SEND, PYSMPI_STEP_RECEIVE, PYSMPI_STEP_WAIT, PYSMPI_STEP_POLL, PYSMPI_STEP_COPY };

/* Peers and tags as in MPI; a copy moves `count` bytes from `source` to `buffer`. */
typedef struct {
  int32_t kind, peer, tag, datatype;
  void* buffer;
  const void* source;
  int64_t count;
} pysmpi_step;

/* The running rank goes through the steps, as MPI_Isend, MPI_Irecv, MPI_Waitall, and MPI_Iprobe until there is a
 * message; it waits for all at the end. Returns an MPI error code, what the first message to fail has met. */
int32_t pysmpi_run_steps(int32_t communicator, int64_t number, const pysmpi_step* steps);

#ifdef __cplusplus
}  // extern C
#endif

#endif
