/* Communicators, as Python makes them, and the protocol of messages. */
#ifndef PYSMPI_MATCHING_C_API_H
#define PYSMPI_MATCHING_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new communicator of these world ranks, in rank order; the handle is shared by its members. */
int32_t pysmpi_communicator_add(int32_t size, const int32_t* world_ranks);
void pysmpi_communicator_remove(int32_t handle); /* once all its members have freed it */

/* A new intercommunicator between two groups: the handle of the first one's members. And: that of the other group's,
   and the intracommunicators of an intercommunicator's local group and of both groups' first ranks, for what its
   functions send. */
int32_t pysmpi_intercommunicator_add(int32_t first_size, const int32_t* first, int32_t second_size,
                                     const int32_t* second);
int32_t pysmpi_communicator_other_side(int32_t handle);
int32_t pysmpi_communicator_local(int32_t handle);
int32_t pysmpi_communicator_leaders(int32_t handle);

/* Topologies of a new communicator, given by each member or by one; of a distributed graph each member gives its own
   edges. And: the second communicator has the first one's (a duplicate). */
void pysmpi_topology_cartesian(int32_t handle, int32_t dimensions, const int32_t* extents, const int32_t* periodic);
void pysmpi_topology_graph(int32_t handle, int nodes, const int* ends, const int* edges);
void pysmpi_topology_adjacent(int32_t handle, int32_t weighted, int32_t indegree, const int32_t* sources,
                              const int32_t* source_weights, int32_t outdegree, const int32_t* destinations,
                              const int32_t* destination_weights);
/* The number of dimensions of a grid, and up to `most` of its extents and of the running rank's place; -1 for none. */
int32_t pysmpi_read_grid(int32_t handle, int32_t most, int32_t* extents, int32_t* periodic, int32_t* coordinates);
void pysmpi_topology_share(int32_t from, int32_t to);

/* The memory of the running rank is about to go: what it has sent and nobody has received yet is copied. */
void pysmpi_keep_messages(void);

/* Called in a rank: this one, or another, ends at once as if killed, and nothing of it runs any more; when it is the
   running one, this does not return. And: when a rank has failed so, or with its host, in seconds; else negative. */
void pysmpi_fail_rank(int32_t rank);
double pysmpi_failure_time(int32_t rank);

/* -1 when the handle names none. The rank is the running rank's, -1 when it is not a member. */
int32_t pysmpi_communicator_size(int32_t handle);
int32_t pysmpi_communicator_rank(int32_t handle);
int32_t pysmpi_communicator_world_rank(int32_t handle, int32_t rank);

/* What becomes of a send of so many bytes, under the options; overheads in seconds. */
typedef struct {
  int32_t eager, detached; /* it leaves, its sender goes on, without waiting for the receive */
  double send_overhead, receive_overhead;
} pysmpi_protocol;
void pysmpi_explain_protocol(int64_t bytes, int32_t nonblocking, int32_t synchronous, pysmpi_protocol* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
