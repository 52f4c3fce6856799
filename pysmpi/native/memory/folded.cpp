#include "memory/folded.hpp"

namespace pysmpi {

std::uintptr_t folded_begin = 0, folded_end = 0;

}  // namespace pysmpi
