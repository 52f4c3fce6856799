/* Calls that loaded libraries make of BLAS and LAPACK functions, through the tables of addresses of the dynamic linker
 * (base/imports.hpp). */
#ifndef PYSMPI_BLAS_C_API_H
#define PYSMPI_BLAS_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Python functions that are called for the outermost calls of ranks. All get the name of the routine, such as "dgemm",
 * and its sizes m, n, k and nrhs, of which those that the routine lacks are 0.
 * `charge(name, m, n, k, nrhs)` is called for a routine with a model. It returns the flops that a call takes, which the
 * engine charges; calls with these sizes may then take as many without asking again. A number below zero means that the
 * call has been charged, and that the next one must be asked for. `repeat(name, m, n, k, nrhs, times)` is called with
 * the number of calls that were not asked for. `amount(name, m, n, k, nrhs)` returns a tuple of the flops that a call
 * makes, or 0 if they are unknown, and of the bytes of its operands. */
typedef struct {
  void *charge, *repeat, *amount;
} pysmpi_blas_functions;

/* Watch calls from now on until pysmpi_unwatch_blas, in all libraries that are loaded now. Watching may begin again
 * with other functions; `charge` and `repeat` are null if no routine has a model. */
void pysmpi_watch_blas(const pysmpi_blas_functions* functions);
void pysmpi_unwatch_blas(void);
/* Watch calls in libraries that have been loaded meanwhile, too. Does nothing while no calls are watched. */
void pysmpi_watch_new_libraries(void);

/* Let the model charge the calls of a routine. */
void pysmpi_model_routine(const char* name);

/* Calls of a routine that has no model, by all ranks: their number, those in code that is not measured, seconds on this
 * machine, and operations. */
typedef struct {
  uint64_t calls, free;
  double seconds, flops;
} pysmpi_blas_use;
/* Pass all repeated calls to `repeat`, and return the number of routines without a model that were called. */
uint32_t pysmpi_blas_uses(void);
/* Write the calls of a routine, counted in the order of first calls, and return its name. */
const char* pysmpi_blas_use_of(uint32_t number, pysmpi_blas_use* out);

/* Return the path of a library with calls of BLAS or LAPACK that are not watched, or null if `number` is not below the
 * number of such libraries. They are looked for if `number` is 0. */
const char* pysmpi_unwatched_library(uint32_t number);

#ifdef __cplusplus
}  // extern C
#endif

#endif
