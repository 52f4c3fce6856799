/* C interface to replay: programs of ranks that run without Python (pysmpi/simulation/replay). */
#ifndef PYSMPI_REPLAY_C_API_H
#define PYSMPI_REPLAY_C_API_H

#include <stdint.h>

#include "schedule/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An error in an input text. `line` counts from 1; 0 means no error. For an unknown word, `word` is that word and
   `valid` lists the valid ones; otherwise both are empty. */
typedef struct {
  int64_t line;
  const char *text, *word, *valid;
} pysmpi_text_error;

/* The highest number of ranks that a file may name. Memory for each rank is allocated before the rank's first line is
   read, so a mistyped number of ranks must be rejected first. */
enum { PYSMPI_REPLAY_MOST_RANKS = 1 << 24 };

/* Begin to read time-independent traces of `ranks` ranks, then read one text at a time. `rank` is the rank that the
   text belongs to; a negative `rank` means a text that all ranks share. Returns 0, or -1 with `error` filled in. */
void pysmpi_replay_traces(int32_t ranks);
int32_t pysmpi_replay_read_trace(int32_t rank, const char* text, int64_t length, pysmpi_text_error* error);
int64_t pysmpi_replay_actions(void); /* number of actions read, over all ranks */

/* Read a GOAL text instead of traces; discards what was read before. Returns its number of ranks, or -1 with `error`
   filled in. */
int32_t pysmpi_replay_read_goal(const char* text, int64_t length, pysmpi_text_error* error);

/* pysmpi_replay_run_loggops runs the GOAL text read last under the LogGOPS model, which needs no platform. It writes
   the end time of each rank to `out`. All times are in ns, overhead_per_byte and gap_per_byte in ns per byte. Messages
   above `rendezvous_above` bytes use rendezvous. */
typedef struct {
  double latency, overhead, overhead_per_byte, gap, gap_per_byte;
  int64_t rendezvous_above;
} pysmpi_loggops_parameters;
typedef struct {
  uint64_t events, messages, bytes;
  int64_t waits; /* number of entries of pysmpi_replay_read_waits; 0 if all operations end */
} pysmpi_loggops_outcome;
void pysmpi_replay_run_loggops(const pysmpi_loggops_parameters* parameters, pysmpi_loggops_outcome* outcome,
                               double* out);

/* In a deadlock of a GOAL text: list the operations that block ranks, and the sends whose messages no receive has
   matched. `kind` is 0 for a send, 1 for a receive and 2 for a computation; a negative peer or tag means any. `left` is
   the number of the rank's operations that are not done. Writes at most `room` entries, and returns the number of all
   entries. */
typedef struct {
  int32_t rank, kind, peer, blocks, posted; /* posted: it waits for its message, not for other operations */
  int64_t line, tag, size, left;
} pysmpi_goal_wait;
int64_t pysmpi_replay_read_waits(int64_t room, pysmpi_goal_wait* out);

/* Set the program of each rank to a schedule. The schedules must live as long as the simulation. */
void pysmpi_replay_schedules(int32_t ranks, const pysmpi_schedule* const* of_ranks);

/* Start the ranks of the simulation, which execute the traces, GOAL text or schedules that were given last. Call it
   before any rank has started. pysmpi_next_rank then never returns a rank; it returns -4 if a rank fails. */
void pysmpi_replay_begin(void);
void pysmpi_replay_forget(void); /* discards what was read */

void pysmpi_replay_end_times(double* out); /* simulated seconds, indexed by rank; negative: the rank has not ended */

/* For reports: return the line and the action that a rank has reached in its program, the rank that failed, and the
 * reason of the failure. */
int64_t pysmpi_replay_line(int32_t rank);
const char* pysmpi_replay_action(int32_t rank);
int32_t pysmpi_replay_failed_rank(void); /* -1: none */
const char* pysmpi_replay_failure(void);

#ifdef __cplusplus
}  // extern C
#endif

#endif
