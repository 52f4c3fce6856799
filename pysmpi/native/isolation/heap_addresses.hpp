// Addresses of allocated memory in the variables of a library. All ranks that begin with copies of the variables
// would share this memory, which each of them may change and free.
#pragma once

#include <vector>

#include "base/imports.hpp"
#include "isolation/own_pages.hpp"

namespace pysmpi {

// Return whether the pages with a library's variables contain an address of a block that an allocator has given, except
// for those that the dynamic linker has stored there.
bool contain_heap_addresses(const LoadedObject& object, const std::vector<PageRange>& pages);

}  // namespace pysmpi
