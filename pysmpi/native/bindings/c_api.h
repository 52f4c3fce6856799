/* A whole simulation, from the engine up to the collectives: its begin and its end, and what its ranks wait for. */
#ifndef PYSMPI_BINDINGS_C_API_H
#define PYSMPI_BINDINGS_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a simulation of `ranks` ranks, rank i on host rank_hosts[i] of the current platform; ends it and frees all. */
void pysmpi_simulation_begin(int32_t ranks, const uint32_t* rank_hosts);
void pysmpi_simulation_end(void);

/* New ranks, rank i of them on host rank_hosts[i], with an MPI_COMM_WORLD of their own; the first one's number. They
   are ready to begin. */
int32_t pysmpi_add_ranks(int32_t count, const uint32_t* rank_hosts);

/* Called by the main greenlet: runs started ranks and the clock until the main greenlet has to switch to a rank (which
   it starts when it is new), and returns that rank; -1 when all ranks have ended, -2 when those left can never go on,
   -3 when an interrupt (Ctrl-C) is to be looked at, -4 when a rank has called MPI_Abort, -5 when
   a message finds no route between two ranks, -6 when for long nothing has happened but polls that find nothing (once),
   -7 when there has been too much of something, which pysmpi_exhausted_by then tells, -8 when the time has come of
   pysmpi_break_at. */
int32_t pysmpi_next_rank(void);
void pysmpi_rank_ended(int32_t number); /* or a thread of one */

/* What a blocked rank waits for. kind: 0 not blocked, 1 receive, 2 send, 3 collective, 4 probe, 5 time passes, 6 other,
   7 another thread of its rank, 8 a lock on a window: the peer is the rank in the window whose memory it is for, -1 for
   all; peer_world holds a lock that is in the way. `communicator` may be a window. */
typedef struct {
  const char *call, *collective; /* the second: the nonblocking collective that it waits for, else null */
  int32_t kind, communicator, peer, peer_world, tag, requests;
  int64_t bytes;
} pysmpi_blocked;
void pysmpi_read_blocked(int32_t number, pysmpi_blocked* out); /* of a rank or a thread */

/* What ranks have left behind, to be asked for once they have ended: messages that nobody has received, and requests
   that have not been completed. `id`: for pysmpi_request_place. is_message: 2 where
   a matched probe has found it. peer: in the communicator; peer_world: its
   rank in the simulation. Returns how many there are; reads as many as there is room for. */
typedef struct {
  uint32_t id;
  int32_t is_message, rank, peer, peer_world, tag, communicator;
  int64_t bytes;
  const char* call; /* of a request: what has begun it */
} pysmpi_leftover;
int32_t pysmpi_read_leftovers(int32_t room, pysmpi_leftover* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
