/* C functions that start and end a simulation in all layers and report the state of blocked ranks. */
#ifndef PYSMPI_BINDINGS_C_API_H
#define PYSMPI_BINDINGS_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* pysmpi_simulation_begin starts a simulation of `ranks` ranks, with rank i on host rank_hosts[i] of the current
 * platform. pysmpi_simulation_end ends the simulation and frees its memory. */
void pysmpi_simulation_begin(int32_t ranks, const uint32_t* rank_hosts);
void pysmpi_simulation_end(void);

/* Add `count` ranks with an MPI_COMM_WORLD of their own, the i-th one on host rank_hosts[i]. The ranks are ready to
 * start. Return the number of the first one. */
int32_t pysmpi_add_ranks(int32_t count, const uint32_t* rank_hosts);

/* To be called by the main greenlet: advance the simulation until the main greenlet must start a rank or switch to one,
 * and return the number of that rank (or of one of its threads). Negative results: -1 all ranks have ended; -2 the
 * remaining ranks are deadlocked; -3 an interrupt (Ctrl-C) is pending; -4 a rank has called MPI_Abort; -5 no route
 * exists between two ranks; -6 for a long time nothing has happened but unsuccessful polls (reported once); -7 a limit
 * has been exceeded (pysmpi_exhausted_by); -8 the time of pysmpi_break_at has been reached. */
int32_t pysmpi_next_rank(void);
void pysmpi_rank_ended(int32_t number); /* a rank or one of its threads */

/* Declare that the calling thread belongs to the simulator, so that no rank can be waiting for it, or end this before
 * the thread ends. */
void pysmpi_hide_thread(int32_t hidden);

/* Reason why a rank is blocked. kind: 0 not blocked, 1 receive, 2 send, 3 collective, 4 probe, 5 computation, sleep or
 * call overhead, 6 other, 7 another thread, or compiled code of another
 * rank, 8 a lock on a window. In calls on a window, `communicator` is
 * the handle of the window. For a lock, `peer` is the rank in the window whose memory is to be locked (-1 for all
 * ranks), and `peer_world` is a rank that holds a conflicting lock. A partitioned send waits for the program itself,
 * and `peer_world` is -1, while some of its partitions are not ready. */
typedef struct {
  const char *call, *collective; /* collective: the nonblocking collective that it waits for, or null */
  int32_t kind, communicator, peer, peer_world, tag, requests;
  int64_t bytes;
  int32_t partitioned, not_ready, partition; /* number of partitions that are not ready, and the first of them */
} pysmpi_blocked;
void pysmpi_read_blocked(int32_t number, pysmpi_blocked* out); /* number: a rank or a thread */

/* pysmpi_read_leftovers lists the messages that no rank has received and the requests that have not been completed.
 * It is valid after the ranks have ended, writes at most `room` entries and returns the number of all entries. In an
 * entry, id is the argument of pysmpi_request_place; is_message is 0 for a request, 1 for a message, and 2 for a
 * message that a matched probe has found; peer is a rank in the communicator, and peer_world a rank in the
 * simulation. */
typedef struct {
  uint32_t id;
  int32_t is_message, rank, peer, peer_world, tag, communicator;
  int64_t bytes;
  const char* call; /* for a request: the call that started it */
} pysmpi_leftover;
int32_t pysmpi_read_leftovers(int32_t room, pysmpi_leftover* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
