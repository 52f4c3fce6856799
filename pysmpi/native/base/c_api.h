/* The options of a simulation, as Python sets them (pysmpi/settings/configuration.py). */
#ifndef PYSMPI_BASE_C_API_H
#define PYSMPI_BASE_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options by SimGrid's names. -1 when there is no such number or table. */
int32_t pysmpi_set_number(const char* name, double value);
int32_t pysmpi_set_table(const char* name, int32_t steps, const double* above, const double* value,
                         const double* per_byte);
void pysmpi_reset_options(void);

/* Has this told of each datatype (kind 0) and operation (1) that the running rank makes or frees. Null: nothing. */
void pysmpi_observe_objects(void (*observer)(int32_t kind, int64_t handle, int32_t made));

/* From here on the ranks' actions are recorded in files DIRECTORY/rank-N.txt (base/recorder.hpp); null: no more. The
   end of it: -1 when something could not be written; and the first call that the form has no words for, empty: none. */
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
