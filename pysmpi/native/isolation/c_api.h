/* What each rank has of its own in the interpreter, as Python declares it (pysmpi/launch/isolation). All void* are
   PyObject* borrowed from the caller. */
#ifndef PYSMPI_ISOLATION_C_API_H
#define PYSMPI_ISOLATION_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void pysmpi_isolation_begin(int32_t ranks);
void pysmpi_isolation_extend(int32_t ranks); /* there are more of them now */
void pysmpi_isolation_end(void);             /* outside ranks; what the ranks had of their own is released */

/* From now on the rank has its own dictionary[key], at first with this value (null: there is no such key). When the
   rank is the running one, the dictionary changes at once. The key is an interned string. */
void pysmpi_isolate_entry(int32_t rank, void* dictionary, void* key, void* value);

/* Where mpi4py keeps the handle of the intercommunicator with a rank's parents: one for all ranks, which now have their
   own. Once a process. */
void pysmpi_isolate_parent(void* handle);

/* Where mpi4py keeps its options, as they are now: one block of bytes for all ranks. Outside ranks. */
void pysmpi_locate_options(void* block, int32_t size);
/* From now on the rank has its own, at first these. */
void pysmpi_isolate_options(int32_t rank, const char* bytes);

/* From now on whatever a rank assigns in or deletes from the dictionary holds for that rank only. */
void pysmpi_isolate_dictionary(void* dictionary);

/* The running rank has its own working directory from now on: it has just changed from one absolute path to another. */
void pysmpi_isolate_directory(int32_t rank, const char* before, const char* path);

/* Of a type written in C: what its operator @ does with two operands of exactly this type (null: what it did), and its
   method of this name. */
void pysmpi_replace_matrix_product(void* type, void* function);
void pysmpi_replace_method(void* type, const char* name, void* function);

/* What the rank has of its own is released. It is not to be the running one. */
void pysmpi_isolation_forget(int32_t rank);

#ifdef __cplusplus
}  // extern C
#endif

#endif
