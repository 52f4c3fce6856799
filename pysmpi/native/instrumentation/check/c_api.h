/* Looking for programs' mistakes (pysmpi/check). */
#ifndef PYSMPI_INSTRUMENTATION_CHECK_C_API_H
#define PYSMPI_INSTRUMENTATION_CHECK_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From here on mistakes are looked for, or no more; both forget what has been found. */
void pysmpi_check(int32_t looks);

/* What has been found, in that order. places: file:line of either party, empty where that is unknown, and the second
   one where it is the same. All until the end of the simulation. */
typedef struct {
  const char *kind, *text, *places[2];
  int64_t times;
  int32_t ranks; /* in how many it was found */
} pysmpi_finding;
int64_t pysmpi_count_findings(void);
void pysmpi_read_finding(int64_t index, pysmpi_finding* out);
void pysmpi_read_finding_ranks(int64_t index, int32_t* out); /* rising */

/* The MPI function written in Python that the running rank is in; empty outside such. */
const char* pysmpi_function_under_way(void);

/* Where a rank has begun the request, or sent the message, with this number; empty when that is unknown. */
const char* pysmpi_request_place(uint32_t request);

#ifdef __cplusplus
}  // extern C
#endif

#endif
