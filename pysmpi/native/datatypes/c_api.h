/* C functions on datatypes, which Python identifies by their handles. */
#ifndef PYSMPI_DATATYPES_C_API_H
#define PYSMPI_DATATYPES_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Properties of a datatype: whether the handle is valid, whether the program has committed the datatype, bytes of an
 * element, bytes from one element to the next, bytes in external32, and whether elements are contiguous. */
int pysmpi_is_datatype(int datatype);
int pysmpi_datatype_is_committed(int datatype);
int64_t pysmpi_datatype_size(int datatype);
int64_t pysmpi_datatype_extent(int datatype);
int64_t pysmpi_datatype_external_size(int datatype);
int pysmpi_datatype_is_contiguous(int datatype);

/* Returns why `buffer` cannot contain elements of the datatype, or NULL if it can. */
const char* pysmpi_buffer_fault(const void* buffer, int64_t count, int datatype);

/* pysmpi_datatype_hold adds a reference to the datatype, and pysmpi_datatype_release removes one.
 * pysmpi_datatype_hand_out counts one more handle that the program must free. */
void pysmpi_datatype_hold(int datatype);
void pysmpi_datatype_release(int datatype);
void pysmpi_datatype_hand_out(int datatype);

#ifdef __cplusplus
}  // extern C
#endif

#endif
