/* C interface through which Python creates communicators and topologies, ends ranks, and reads the protocol that a
 * message uses. */
#ifndef PYSMPI_MATCHING_C_API_H
#define PYSMPI_MATCHING_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Create a communicator of these world ranks, in rank order. All members share the returned handle. */
int32_t pysmpi_communicator_add(int32_t size, const int32_t* world_ranks);
void pysmpi_communicator_leave(int32_t handle);  /* the running rank has freed it */
void pysmpi_communicator_remove(int32_t handle); /* call it once all members have freed it */

/* Create an intercommunicator between two groups; returns the handle for the members of the first group. For an
 * intercommunicator, pysmpi_communicator_other_side returns the handle for the members of the other group.
 * pysmpi_communicator_local returns an intracommunicator of the local group, and pysmpi_communicator_leaders one of
 * the first ranks of both groups; the intercommunicator's collectives use them. */
int32_t pysmpi_intercommunicator_add(int32_t first_size, const int32_t* first, int32_t second_size,
                                     const int32_t* second);
int32_t pysmpi_communicator_other_side(int32_t handle);
int32_t pysmpi_communicator_local(int32_t handle);
int32_t pysmpi_communicator_leaders(int32_t handle);

/* Set or return the title of a communicator for reports. The result is null for an unknown handle; `rank` is the one
 * whose MPI_COMM_WORLD is meant. */
void pysmpi_communicator_set_title(int32_t handle, const char* title);
const char* pysmpi_communicator_title(int32_t handle, int32_t rank);

/* Set the topology of a new communicator. One member or all members may call these functions; in a distributed graph
 * each member gives its own edges. pysmpi_topology_share gives communicator `to` the topology of `from`, as for
 * duplicates. */
void pysmpi_topology_cartesian(int32_t handle, int32_t dimensions, const int32_t* extents, const int32_t* periodic);
void pysmpi_topology_graph(int32_t handle, int nodes, const int* ends, const int* edges);
void pysmpi_topology_adjacent(int32_t handle, int32_t weighted, int32_t indegree, const int32_t* sources,
                              const int32_t* source_weights, int32_t outdegree, const int32_t* destinations,
                              const int32_t* destination_weights);
/* Return the number of dimensions of a Cartesian topology, or -1 for a communicator without one. Writes up to `most`
 * extents, periods, and coordinates of the running rank. */
int32_t pysmpi_read_grid(int32_t handle, int32_t most, int32_t* extents, int32_t* periodic, int32_t* coordinates);
void pysmpi_topology_share(int32_t from, int32_t to);

/* Copy the data of the messages that the running rank has sent and that are not received yet, because the rank's memory
 * is about to be freed. */
void pysmpi_keep_messages(void);

/* End a rank at once, as if its process were killed. For the running rank, the function does not return.
 * pysmpi_failure_time returns the time in seconds at which a rank failed, by this call or with its host; negative if
 * the rank has not failed. */
void pysmpi_fail_rank(int32_t rank);
double pysmpi_failure_time(int32_t rank);

/* Return the size of the communicator, the running rank's rank in it, or the world rank of its member `rank`. Size
 * and rank are -1 if the handle is not valid; the rank also if the running rank is not a member. */
int32_t pysmpi_communicator_size(int32_t handle);
int32_t pysmpi_communicator_rank(int32_t handle);
int32_t pysmpi_communicator_world_rank(int32_t handle, int32_t rank);

/* Protocol of a send of `bytes` bytes under the current options. Overheads are in seconds. */
typedef struct {
  int32_t eager, detached; /* whether it leaves, and whether its sender continues, before the receive is posted */
  double send_overhead, receive_overhead;
} pysmpi_protocol;
void pysmpi_explain_protocol(int64_t bytes, int32_t nonblocking, int32_t synchronous, pysmpi_protocol* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
