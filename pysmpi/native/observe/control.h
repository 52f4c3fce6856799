/* Who observes a simulation: from after its begin to before its end. */
#ifndef PYSMPI_OBSERVE_CONTROL_H
#define PYSMPI_OBSERVE_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The timeline (observe/timeline.hpp) goes to this file from now on. Formats: "perfetto", "json", "paje", "csv". The
   second returns 0, or the errno of what could not be written. */
void pysmpi_begin_timeline(const char* path, const char* format);
int32_t pysmpi_end_timeline(void);

#ifdef __cplusplus
}  // extern C
#endif

#endif
