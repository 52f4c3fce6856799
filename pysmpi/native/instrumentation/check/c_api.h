/* C interface to the checker, which looks for mistakes in programs (pysmpi/simulation/instruments/check). */
#ifndef PYSMPI_INSTRUMENTATION_CHECK_C_API_H
#define PYSMPI_INSTRUMENTATION_CHECK_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turn the checker on (`looks` 1) or off (0). In both cases earlier findings are discarded. */
void pysmpi_check(int32_t looks);

/* A finding, which is a mistake of the program; findings are numbered in order of detection. `places` are the call
 * sites "file:line" of the two calls that contradict each other. A place is empty if it is unknown, and the second
 * place is also empty if it equals the first. The texts stay valid until the simulation ends. */
typedef struct {
  const char *kind, *text, *places[2];
  int64_t times;
  int32_t ranks; /* number of ranks with this finding */
} pysmpi_finding;
/* Add the findings that can only be made at the end of a program, if it has not failed. */
void pysmpi_check_end(void);
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
