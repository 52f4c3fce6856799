/* C interface to the options of a simulation, which Python sets (pysmpi/settings/configuration.py), to object
   tracking and to the recording of traces. */
#ifndef PYSMPI_BASE_C_API_H
#define PYSMPI_BASE_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set an option by its SimGrid name: a number, or a table of steps by message size. Return -1 if the name is
   unknown. */
int32_t pysmpi_set_number(const char* name, double value);
int32_t pysmpi_set_table(const char* name, int32_t steps, const double* above, const double* value,
                         const double* per_byte);
void pysmpi_reset_options(void);

/* Call `observer` for each datatype (kind 0) and operation (kind 1) that the running rank creates (`made` 1) or
   frees (0); null stops that. */
void pysmpi_observe_objects(void (*observer)(int32_t kind, int64_t handle, int32_t made));

/* Record the ranks' actions in files DIRECTORY/rank-N.txt (base/recorder.hpp); null stops recording.
   pysmpi_end_recording returns -1 if something could not be written. pysmpi_inexpressible returns the first call
   that the format cannot express, or an empty string. */
void pysmpi_record(const char* directory, int32_t ranks);
int32_t pysmpi_end_recording(void);
const char* pysmpi_inexpressible(void);

/* bindings: extern "Python" */
void py_observe_object(int32_t kind, int64_t handle, int32_t made);
/* bindings: end */

#ifdef __cplusplus
}  // extern C
#endif

#endif
