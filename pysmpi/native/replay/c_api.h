/* Skeletons: programs of ranks without Python (pysmpi/skeleton). */
#ifndef PYSMPI_REPLAY_C_API_H
#define PYSMPI_REPLAY_C_API_H

#include <stdint.h>

#include "schedule/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong with a text, at which line (0: nothing is), and about which unknown word, with those that are valid. */
typedef struct {
  int64_t line;
  const char *text, *word, *valid;
} pysmpi_text_error;

/* More are no file that somebody meant: room for each is taken before its first line is read. */
enum { PYSMPI_SKELETON_MOST_RANKS = 1 << 24 };

/* A skeleton that is being read: time-independent traces of so many ranks. Each text is that of one rank's file, or
   with a negative rank one that all share; 0, or -1 with the error. */
void pysmpi_skeleton_traces(int32_t ranks);
int32_t pysmpi_skeleton_read_trace(int32_t rank, const char* text, int64_t length, pysmpi_text_error* error);
int64_t pysmpi_skeleton_actions(void); /* in all */

/* The same of GOAL text: its ranks, or -1 with the error. The first of what has been read is that, or traces. */
int32_t pysmpi_skeleton_read_goal(const char* text, int64_t length, pysmpi_text_error* error);

/* What has been read of GOAL text, under LogGOPS, without platform: ns, S in bytes; when each rank ends into `out`. */
typedef struct {
  double latency, overhead, overhead_per_byte, gap, gap_per_byte;
  int64_t rendezvous_above;
} pysmpi_loggops_parameters;
typedef struct {
  uint64_t events, messages, bytes;
  int64_t left;                   /* operations that never end */
  int32_t stuck_rank, stuck_line; /* the first of them */
} pysmpi_loggops_outcome;
void pysmpi_skeleton_run_loggops(const pysmpi_loggops_parameters* parameters, pysmpi_loggops_outcome* outcome,
                                 double* out);

/* What ranks do is told by schedules, one for each, which live as long as the simulation. */
void pysmpi_skeleton_schedules(int32_t ranks, const pysmpi_schedule* const* of_ranks);

/* In a simulation whose ranks have not begun: they run what has been read. pysmpi_next_rank then never returns a rank,
   and -4 when one cannot go on. */
void pysmpi_skeleton_begin(void);
void pysmpi_skeleton_forget(void); /* what has been read */

void pysmpi_skeleton_end_times(double* out); /* by rank, simulated seconds; negative: it has not ended */

/* Where a rank has come to: line and action; and why the one that cannot go on cannot. */
int64_t pysmpi_skeleton_line(int32_t rank);
const char* pysmpi_skeleton_action(int32_t rank);
int32_t pysmpi_skeleton_failed_rank(void); /* -1: none */
const char* pysmpi_skeleton_failure(void);

#ifdef __cplusplus
}  // extern C
#endif

#endif
