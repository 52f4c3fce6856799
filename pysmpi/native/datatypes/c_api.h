/* Folded memory as Python allocates it (pysmpi/compute/folded.py), and datatypes as Python refers to them. */
#ifndef PYSMPI_DATATYPES_C_API_H
#define PYSMPI_DATATYPES_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How long the block of folded memory is at least, bytes, and where huge pages are mounted for it to lie on; "":
   ordinary ones. Arrays that are there stay where they are. 0, or the error number for which it lies on ordinary pages.
 */
int32_t pysmpi_folded_configure(uint64_t smallest, const char* mount);

/* The start of the folded range, which is made at least `bytes` long. Always the same address; null when the address
   space or the kernel's memory does not suffice. */
void* pysmpi_folded_map(uint64_t bytes);

/* How the range is made up: its length, the length of the block that it repeats, and that of its pages; bytes. */
uint64_t pysmpi_folded_bytes(void);
uint64_t pysmpi_folded_block(void);
uint64_t pysmpi_folded_page(void);

/* Folded memory with addresses of its own but for private zones, [bounds[0], bounds[1]) and so on, in order and apart.
   Null when there is not enough address space. */
void* pysmpi_folded_map_zones(uint64_t bytes, int32_t zones, const uint64_t* bounds);
void pysmpi_folded_unmap_zones(void* start);
int32_t pysmpi_has_zones(void); /* there are such arrays */

/* Some of these bytes, that lie in one array, are folded. */
int32_t pysmpi_is_folded(uintptr_t address, uint64_t bytes);

/* An allocator for NumPy (its struct PyDataMem_Handler): what ranks allocate of at least `threshold` bytes is folded.
 */
void* pysmpi_folding_allocator(uint64_t threshold);

/* The interpreter's chunks for the frames of greenlets come from a pool from now on. Once a process. */
void pysmpi_pool_frames(void);

/* The same of the C stacks of greenlets, which greenlet copies. */
void pysmpi_pool_stacks(void);

/* The only item of this Python list, a function of one argument that greenlets run, becomes one that does the same with
   its frames in a chunk as long as it needs. */
void pysmpi_shorten_frames(void* list);

/* From here on `array[key] = value` calls function(array, key, value) for values of this type: for objects of NumPy's
   own class, given as Python objects that stay. Once a process. */
void pysmpi_watch_assignments(void* array_type, void* value_type, void* function);

/* Of a datatype: whether the handle names one, and its bytes, in memory, from one element to the next, and in
   external32. */
int pysmpi_is_datatype(int datatype);
int64_t pysmpi_datatype_size(int datatype);
int64_t pysmpi_datatype_extent(int datatype);
int64_t pysmpi_datatype_external_size(int datatype);
int pysmpi_datatype_is_contiguous(int datatype);

/* Something refers to it, or no longer; and: the program is given a handle that it is to free. */
void pysmpi_datatype_hold(int datatype);
void pysmpi_datatype_release(int datatype);
void pysmpi_datatype_hand_out(int datatype);

#ifdef __cplusplus
}  // extern C
#endif

#endif
