/* Executables that ranks run, as declared by Python (pysmpi/simulation/executables). */
#ifndef PYSMPI_EXECUTABLES_C_API_H
#define PYSMPI_EXECUTABLES_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prepare for executables until pysmpi_executables_end, which is called outside ranks. */
void pysmpi_executables_begin(uint64_t seed);
void pysmpi_executables_end(void);

void pysmpi_executables_use_openmp(void); /* an executable, or a library of it, uses OpenMP */

/* Prepare the running rank for its executable: words of its command line, environment variables as "name=value", name
 * and number of cores of its host. The texts are copied. */
void pysmpi_executable_prepare(const char* const* words, int32_t word_count, const char* const* variables,
                               int32_t variable_count, const char* host, int32_t cores);

/* Load a copy of the executable, then of each of its libraries, for the running rank, whose own their variables are.
 * Libraries come before those that they call. The code comes from the original file. Returns null, or a text that says
 * why the file cannot be loaded. */
const char* pysmpi_executable_load(const char* copy, const char* original);

/* Run the executable that the running rank has loaded, on a stack of the rank's own, until it exits. Returns its exit
 * status, -1 if the rank is being stopped, and -2 if there is no memory for a stack. */
int32_t pysmpi_executable_run(void);

/* Write bytes to standard output (descriptor 1) or standard error (2) of the running rank. */
/* bindings: extern "Python" */
void pysmpi_write_output(int32_t descriptor, const char* bytes, int64_t count);
/* Describe an address in a file, relative to that of the loaded file, as "jacobi.c:24"; `text` has `size` bytes. */
void pysmpi_describe_address(const char* file, uint64_t address, char* text, uint64_t size);
/* bindings: end */

#ifdef __cplusplus
}  // extern C
#endif

#endif
