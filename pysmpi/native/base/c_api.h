/* C interface to the options of a simulation, which Python sets (pysmpi/simulation/settings/configuration.py). */
#ifndef PYSMPI_BASE_C_API_H
#define PYSMPI_BASE_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set the option with this SimGrid name to a number, or to a table of steps by message size. Return -1 if the name is
   unknown. */
int32_t pysmpi_set_number(const char* name, double value);
int32_t pysmpi_set_table(const char* name, int32_t steps, const double* above, const double* value,
                         const double* per_byte);
void pysmpi_reset_options(void);

#ifdef __cplusplus
}  // extern C
#endif

#endif
