/* Folded memory as Python allocates it (pysmpi/compute/folded.py), and datatypes as Python refers to them. */
#ifndef PYSMPI_MEMORY_CONTROL_H
#define PYSMPI_MEMORY_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The start of the folded range, which is made at least `bytes` long. Always the same address; null when the address
   space or the kernel's memory does not suffice. */
void* pysmpi_folded_map(uint64_t bytes);

/* How the range is made up: its length, and the length of the block that it repeats; bytes. */
uint64_t pysmpi_folded_bytes(void);
uint64_t pysmpi_folded_block(void);
int32_t pysmpi_is_folded(uintptr_t address);

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
