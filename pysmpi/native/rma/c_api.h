/* Windows of one-sided communication, for the Python code that creates them (pysmpi/simulation/mpi/window.py). */
#ifndef PYSMPI_RMA_C_API_H
#define PYSMPI_RMA_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Free all windows. */
void pysmpi_reset_windows(void);

/* Create a window over the members of a communicator that belongs to the window alone. All members share the handle.
 * Remove the window after all members have freed it. flavor: one of MPI's constants MPI_WIN_FLAVOR_…. `parent` is the
 * communicator that the program passed. SMPI's windows have no communicator of their own but use `parent`. So that
 * collectives discover nodes as often as in SMPI, the window's communicator and `parent` share what they have
 * discovered. */
int32_t pysmpi_window_add(int32_t flavor, int32_t communicator, int32_t parent);
void pysmpi_window_remove(int32_t handle);

/* Allocate memory that is freed with the window. Returns null if memory is exhausted. */
void* pysmpi_window_allocate(int32_t handle, int64_t bytes);

/* Refuse memory on the C stack for a window (engine/refusal.hpp). Returns an error code when the rank is being stopped.
 */
int32_t pysmpi_refuse_window_memory(const void* base, int64_t bytes);

/* Set the running rank's memory in the window; all sizes in bytes. */
void pysmpi_window_expose(int32_t handle, void* base, int64_t bytes, int64_t displacement_unit);

/* Attach memory to a dynamic window, or detach it. Returns -1 if part of it is already attached, or if nothing is
 * attached at `base`, and kErrorStopped if the rank is refused. */
int32_t pysmpi_window_attach(int32_t handle, const void* base, int64_t bytes);
int32_t pysmpi_window_detach(int32_t handle, const void* base);

/* Return the name of the MPI function with which the running rank must end its epoch, or null if it has none. */
const char* pysmpi_window_unfinished(int32_t handle);

/* pysmpi_window_finish waits until all transfers to and from the running rank have arrived. pysmpi_window_post
 * begins an exposure epoch as MPI_Win_post does, and pysmpi_window_start an access epoch as MPI_Win_start does;
 * `members` are ranks in the window. Each function returns an MPI error code; on an error it has called the window's
 * error handler. */
int pysmpi_window_finish(int32_t handle);
int pysmpi_window_post(int32_t handle, int32_t count, const int32_t* members);
int pysmpi_window_start(int32_t handle, int32_t count, const int32_t* members);

/* bindings: extern "Python" */
int py_Win_allocate_c(intptr_t size, intptr_t displacement_unit, int info, int comm, void* base, int* win);
int py_Win_allocate_shared_c(intptr_t size, intptr_t displacement_unit, int info, int comm, void* base, int* win);
int py_Win_attach(int win, void* base, intptr_t size);
int py_Win_create_c(void* base, intptr_t size, intptr_t displacement_unit, int info, int comm, int* win);
int py_Win_create_dynamic(int info, int comm, int* win);
int py_Win_detach(int win, const void* base);
int py_Win_free(int* win);
int py_Win_get_group(int win, int* group);
int py_Win_get_info(int win, int* info);
int py_Win_get_name(int win, char* name, int* length);
int py_Win_post(int group, int assertion, int win);
int py_Win_set_info(int win, int info);
int py_Win_set_name(int win, const char* name);
int py_Win_start(int group, int assertion, int win);
/* bindings: end */

#ifdef __cplusplus
}  // extern C
#endif

#endif
