/* Memory of ranks: the functions with which Python allocates folded arrays (rank_memory/folded.hpp,
 * pysmpi/simulation/compute/folded), and memory pools for greenlets. */
#ifndef PYSMPI_RANK_MEMORY_C_API_H
#define PYSMPI_RANK_MEMORY_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set the minimum length in bytes of the block of folded memory, and the mount point of huge pages for it ("": ordinary
 * pages). Existing arrays keep their addresses. Returns 0, or an error number if huge pages cannot be used; ordinary
 * pages are used then. */
int32_t pysmpi_folded_configure(uint64_t smallest, const char* mount);

/* Return the start of the folded range, extended to at least `bytes` bytes. The address never changes. Returns null if
 * address space or kernel memory is exhausted. */
void* pysmpi_folded_map(uint64_t bytes);

/* Return the length in bytes of the folded address range, of the block of memory that it repeats, and of a page. */
uint64_t pysmpi_folded_bytes(void);
uint64_t pysmpi_folded_block(void);
uint64_t pysmpi_folded_page(void);

/* Map folded memory at new addresses, with private zones [bounds[0], bounds[1]), [bounds[2], bounds[3]), ..., in
 * ascending order without overlap. Returns null if address space is exhausted. */
void* pysmpi_folded_map_zones(uint64_t bytes, int32_t zones, const uint64_t* bounds);
void pysmpi_folded_unmap_zones(void* start);
int32_t pysmpi_is_zoned(void* start); /* whether such memory begins at the address */
/* Set and return whether compiled programs get folded memory (smpi/shared-malloc), or ordinary memory. */
void pysmpi_fold_programs(int32_t yes);
int32_t pysmpi_programs_fold(void);
int32_t pysmpi_has_zones(void); /* whether arrays with private zones exist */

/* Return whether any of these bytes, which belong to one array, are in folded memory. */
int32_t pysmpi_is_folded(uintptr_t address, uint64_t bytes);

/* Return an allocator for NumPy (struct PyDataMem_Handler). It puts arrays of at least `threshold` bytes into folded
 * memory if a rank allocates them. */
void* pysmpi_folding_allocator(uint64_t threshold);

/* From now on, allocate the memory for the Python frames of greenlets from a pool. To be called once per process. */
void pysmpi_pool_frames(void);

/* From now on, allocate the copies of C stacks that greenlet makes from a pool. To be called once per process. */
void pysmpi_pool_stacks(void);

/* Replace the only item of a Python list, a function of one argument that greenlets run, by a function that calls
 * it. The new function first gives the greenlet a chunk of memory for its Python frames that is only as long as
 * ranks have needed so far (rank_memory/frames.cpp). */
void pysmpi_shorten_frames(void* list);

/* From now on `array[key] = value` calls function(array, key, value) if `array` has exactly the type `array_type` and
 * `value` has exactly the type `value_type`. The Python objects must stay alive. To be called once per process. */
void pysmpi_watch_assignments(void* array_type, void* value_type, void* function);

#ifdef __cplusplus
}  // extern C
#endif

#endif
