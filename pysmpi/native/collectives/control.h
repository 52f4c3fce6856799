/* Which algorithms carry out collectives (pysmpi/collectives). Operations have the names of their options
 * ("allreduce"). */
#ifndef PYSMPI_COLLECTIVES_CONTROL_H
#define PYSMPI_COLLECTIVES_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on this algorithm carries out the operation, wherever it is legal. -1 when there is none of that name. */
int32_t pysmpi_choose_algorithm(const char* operation, const char* name);
void pysmpi_choose_no_algorithms(void); /* the selector decides everywhere */

/* The operation's algorithms by number; null after the last. */
const char* pysmpi_algorithm_name(const char* operation, int32_t index);

#ifdef __cplusplus
}  // extern C
#endif

#endif
