/* Windows of one-sided communication, as Python makes them (pysmpi/mpi/window.py). */
#ifndef PYSMPI_RMA_C_API_H
#define PYSMPI_RMA_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new window over the members of a communicator that nothing else uses; the handle is shared by its members. flavor:
   MPI_WIN_FLAVOR_. And: all members have freed it. */
int32_t pysmpi_window_add(int32_t flavor, int32_t communicator);
void pysmpi_window_remove(int32_t handle);
void pysmpi_reset_windows(void);

/* Memory that goes with the window; null when there is none left. */
void* pysmpi_window_allocate(int32_t handle, int64_t bytes);

/* The memory of the running rank. */
void pysmpi_window_expose(int32_t handle, void* base, int64_t bytes, int64_t displacement_unit);

/* To a dynamic window. -1 when some of it is attached already, or nothing is attached there. */
int32_t pysmpi_window_attach(int32_t handle, const void* base, int64_t bytes);
int32_t pysmpi_window_detach(int32_t handle, const void* base);

/* What the running rank has yet to end in the window, the name of an MPI function; null when nothing. */
const char* pysmpi_window_unfinished(int32_t handle);

/* What is under way to and from the running rank has arrived. These return an MPI error code, the window's error
   handler having been called; members are numbered by their ranks in the window. */
int pysmpi_window_finish(int32_t handle);
int pysmpi_window_post(int32_t handle, int32_t count, const int32_t* members);
int pysmpi_window_start(int32_t handle, int32_t count, const int32_t* members);

/* bindings: extern "Python" */
int py_Win_allocate(intptr_t size, int displacement_unit, int info, int comm, void* base, int* win);
int py_Win_allocate_c(intptr_t size, intptr_t displacement_unit, int info, int comm, void* base, int* win);
int py_Win_allocate_shared(intptr_t size, int displacement_unit, int info, int comm, void* base, int* win);
int py_Win_allocate_shared_c(intptr_t size, intptr_t displacement_unit, int info, int comm, void* base, int* win);
int py_Win_attach(int win, void* base, intptr_t size);
int py_Win_create(void* base, intptr_t size, int displacement_unit, int info, int comm, int* win);
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
