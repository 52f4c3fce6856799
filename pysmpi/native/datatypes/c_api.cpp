// The C functions for datatypes that Python calls.
#include "datatypes/c_api.h"

#include "datatypes/checks.hpp"
#include "datatypes/datatype.hpp"
#include "datatypes/external32.hpp"

using namespace pysmpi;

int pysmpi_is_datatype(int datatype) {
  const Datatype* type = find_datatype(datatype);
  return type != nullptr && (is_predefined(*type) || type->handles > 0);
}

int pysmpi_datatype_is_committed(int datatype) { return find_datatype(datatype)->committed; }

const char* pysmpi_buffer_fault(const void* buffer, int64_t count, int datatype) {
  return buffer_fault(buffer, count, *find_datatype(datatype));
}

int64_t pysmpi_datatype_size(int datatype) { return find_datatype(datatype)->size; }

int64_t pysmpi_datatype_extent(int datatype) { return find_datatype(datatype)->extent; }

int64_t pysmpi_datatype_external_size(int datatype) { return external_size(*find_datatype(datatype)); }

int pysmpi_datatype_is_contiguous(int datatype) { return find_datatype(datatype)->contiguous; }

void pysmpi_datatype_hold(int datatype) { hold_datatype(*find_datatype(datatype)); }

void pysmpi_datatype_release(int datatype) { release_datatype(*find_datatype(datatype)); }

void pysmpi_datatype_hand_out(int datatype) {
  Datatype& type = *find_datatype(datatype);
  if (is_predefined(type)) return;
  ++type.handles;
  hold_datatype(type);
}
