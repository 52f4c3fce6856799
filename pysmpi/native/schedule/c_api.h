/* Point-to-point messages that a program hands over at once (pysmpi/collectives/schedule.py). */
#ifndef PYSMPI_SCHEDULE_C_API_H
#define PYSMPI_SCHEDULE_C_API_H

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
  PYSMPI_STEP_EXECUTE,
  PYSMPI_STEP_BLOCKING = 16 /* added to a message's kind: nothing comes after it before it is complete */
};

/* Peers and tags as in MPI; a copy moves bytes from `source` to `buffer`, which has room for so many. A message without
 * a buffer is in that of the schedule. */
typedef struct {
  int32_t kind, peer, tag, datatype;
  void* buffer;
  const void* source;
  int64_t room;
} pysmpi_step;

/* Steps that many schedules may share, and what they are carried out with. A step's amount, the bytes of a message or
 * copy or the seconds of a computation, is the first of its 1 + `sizes` numbers and the sum of so much of each size. */
typedef struct {
  int64_t number;
  const pysmpi_step* steps;
  const double* amounts;
  int32_t sizes, communicator;
  void* buffer;
  int64_t room;
} pysmpi_schedule;

/* The running rank goes through the schedules, as MPI_Isend, MPI_Issend, MPI_Irecv, MPI_Waitall (MPI_Wait where there
 * is one message to wait for), and MPI_Iprobe until there is a message, or as MPI_Send, MPI_Ssend and MPI_Recv; it
 * waits for all at the end of each. `sizes` has those of one after the other. Returns an MPI error code: what the first
 * message to fail has met, or MPI_ERR_COUNT when an amount of bytes is negative or more than there is room for. */
int32_t pysmpi_run_schedules(int64_t number, const pysmpi_schedule* const* schedules, const double* sizes);

#ifdef __cplusplus
}  // extern C
#endif

#endif
