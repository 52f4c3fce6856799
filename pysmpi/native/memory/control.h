/* Folded memory as Python allocates it (pysmpi/compute/folded.py). */
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

#ifdef __cplusplus
}  // extern C
#endif

#endif
