/* C interface to the checker, which looks for mistakes in programs (pysmpi/instruments/check). */
#ifndef PYSMPI_INSTRUMENTATION_CHECK_C_API_H
#define PYSMPI_INSTRUMENTATION_CHECK_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turn the checker on or off. Both discard earlier findings. */
void pysmpi_check(int32_t looks);

/* A finding; findings are numbered in order of detection. `places` are "file:line" of both parties. A place is empty if
   it is unknown; the second place is empty too if it equals the first. The texts stay valid until the simulation
   ends. */
typedef struct {
  const char *kind, *text, *places[2];
  int64_t times;
  int32_t ranks; /* number of ranks with this finding */
} pysmpi_finding;
int64_t pysmpi_count_findings(void);
void pysmpi_read_finding(int64_t index, pysmpi_finding* out);
void pysmpi_read_finding_ranks(int64_t index, int32_t* out); /* in ascending order */

/* Name of the MPI function implemented in Python that the running rank is in; empty outside such functions. */
const char* pysmpi_function_under_way(void);

/* "file:line" where a rank started the request or sent the message with this number; empty if unknown. */
const char* pysmpi_request_place(uint32_t request);

#ifdef __cplusplus
}  // extern C
#endif

#endif
