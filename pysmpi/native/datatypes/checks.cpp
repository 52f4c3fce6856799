// Checks of datatypes and buffers.
#include "datatypes/checks.hpp"

#include <array>
#include <cstdio>

namespace pysmpi {

std::string describe_unusable(std::int32_t handle) {
  const char* const format = find_datatype(handle) ? "the datatype 0x%08x has not been committed; call MPI_Type_commit"
                                                   : "the handle 0x%08x is not a datatype";
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(handle));
  return text.data();
}

const char* buffer_fault(const void* buffer, std::int64_t count, const Datatype& type) {
  if (buffer == kInPlace) return "may not be MPI_IN_PLACE here";
  if (buffer || count == 0 || type.size == 0 || type.true_lower_bound != 0) return nullptr;
  return "is a null pointer";
}

}  // namespace pysmpi
