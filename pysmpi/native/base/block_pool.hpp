// Memory that is needed briefly and often, such as coroutine frames. Freed blocks are kept by size class, so that
// repeated calls do not allocate.
#pragma once

#include <cstddef>

namespace pysmpi {

// Return an uninitialised block of at least `bytes` bytes.
void* take_block(std::size_t bytes);
void give_block(void* block, std::size_t bytes);  // `bytes` must be the size passed to take_block

}  // namespace pysmpi
