/* Communicators, as Python makes them, and the protocol of messages. */
#ifndef PYSMPI_MATCHING_CONTROL_H
#define PYSMPI_MATCHING_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new communicator of these world ranks, in rank order; the handle is shared by its members. */
int32_t pysmpi_communicator_add(int32_t size, const int32_t* world_ranks);
void pysmpi_communicator_remove(int32_t handle); /* once all its members have freed it */

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
