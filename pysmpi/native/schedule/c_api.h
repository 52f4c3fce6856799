/* C interface to schedules written by programs: sequences of point-to-point messages, copies and computations
   (pysmpi/simulation/collectives/schedule.py). */
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
  PYSMPI_STEP_LOOK,         /* one poll; if it finds a message, the schedules end here */
  PYSMPI_STEP_BLOCKING = 16 /* added to the kind of a message: the next step waits for its completion */
};

/* A step. Peers and tags are as in MPI. A copy moves bytes from `source` to `buffer`, which has `room` bytes. A message
 * without a buffer uses the schedule's buffer. */
typedef struct {
  int32_t kind, peer, tag, datatype;
  void* buffer;
  const void* source;
  int64_t room;
} pysmpi_step;

/* A schedule. Several schedules may share steps. Each step has 1 + `sizes` numbers in `amounts`. Its amount (bytes
   of a message or copy, or seconds of a computation) is the first number plus each further number times the
   corresponding size. Example: with the numbers 8, 4 and the size 100, the amount is 8 + 4 * 100 = 408. */
typedef struct {
  int64_t number;
  const pysmpi_step* steps;
  const double* amounts;
  int32_t sizes, communicator;
  void* buffer;
  int64_t room;
} pysmpi_schedule;

/* Execute the schedules in the running rank. The steps take the same time as the MPI calls that they stand for:
   MPI_Isend, MPI_Issend, MPI_Irecv, MPI_Waitall (MPI_Wait for a single message), repeated MPI_Iprobe, and for blocking
   steps MPI_Send, MPI_Ssend and MPI_Recv. Each schedule ends by waiting for its messages. `sizes` contains the numbers
   by which amounts are multiplied: those of the first schedule, then those of the second, and so on. Sets `found` to
   the index of the schedule in which a look has found a message, or to -1. Returns an MPI error code: that of the first
   message to fail, or MPI_ERR_COUNT if an amount is negative or exceeds its buffer. */
int32_t pysmpi_run_schedules(int64_t number, const pysmpi_schedule* const* schedules, const double* sizes,
                             int64_t* found);

/* Sets the time of MPI's own work on data (schedule/local_work.hpp): the points of two curves, each the bytes that a
   call touches, ascending, and the seconds for a byte. Received data of more than `received_in_cache` bytes lie in
   memory. `host` is a host, or -1 for all hosts without values of their own, which come first. */
void pysmpi_set_local_work(int64_t host, int32_t combining_points, const double* combining, int32_t copying_points,
                           const double* copying, double received_in_cache);

/* Number of messages in the calls of an MPI function on communicators of more than 256 ranks. The run's summary lists
   the functions that send about P² messages on P ranks. */
typedef struct {
  const char* call;    /* the MPI function */
  int32_t size;        /* ranks of the largest communicator */
  uint64_t all, heavy; /* ranks' calls, and those in which the rank sent at least size - 1 messages */
  uint64_t messages;   /* number of messages sent in the heavy calls */
} pysmpi_wide_collective;

/* Read the function with this index, counted from 0 in order of the first calls. Return -1 after the last one. */
int32_t pysmpi_read_wide_collective(int32_t index, pysmpi_wide_collective* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
