/* Point-to-point messages that a program hands over at once (pysmpi/collectives/schedule.py). */
#ifndef PYSMPI_SCHEDULE_CONTROL_H
#define PYSMPI_SCHEDULE_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PYSMPI_STEP_SEND,
  PYSMPI_STEP_SYNCHRONOUS_SEND,
  PYSMPI_STEP_RECEIVE,
  PYSMPI_STEP_WAIT,
  PYSMPI_STEP_POLL,
  PYSMPI_STEP_COPY,
  PYSMPI_STEP_EXECUTE
};

/* Peers and tags as in MPI; a copy moves bytes from `source` to `buffer`, which has room for so many. */
typedef struct {
  int32_t kind, peer, tag, datatype;
  void* buffer;
  const void* source;
  int64_t room;
} pysmpi_step;

/* The running rank goes through the steps so many times, as MPI_Isend, MPI_Issend, MPI_Irecv, MPI_Waitall, and
 * MPI_Iprobe until there is a message; it waits for all at the end. `amounts` has one number a step for each
 * repetition: the bytes of a message or copy, the seconds of a computation. Returns an MPI error code: what the first
 * message to fail has met, or MPI_ERR_COUNT when an amount is negative or more than there is room for. */
int32_t pysmpi_run_steps(int32_t communicator, int64_t number, const pysmpi_step* steps, int64_t repetitions,
                         const double* amounts);

#ifdef __cplusplus
}  // extern C
#endif

#endif
