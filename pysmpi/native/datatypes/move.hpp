// Moving the bytes of messages.
#pragma once

#include <cstddef>

namespace pysmpi {

// Buffers do not overlap. What is folded at either end does not move. What is so long that the caches of a core cannot
// hold it for many ranks goes past them: a message of 1 MiB to each of 1,000 ranks then takes half the time, as its
// room need not be read before it is written.
void move_message(void* to, const void* from, std::size_t bytes);

}  // namespace pysmpi
