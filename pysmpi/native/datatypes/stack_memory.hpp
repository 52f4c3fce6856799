// Memory of messages on the C stack, where other ranks put their data while a rank is suspended.
#pragma once

#include "datatypes/copy.hpp"
#include "engine/fiber.hpp"

namespace pysmpi {

enum class Memory : std::uint8_t { kHeap, kStack, kBoth };

// Returns where the bytes `span` of a buffer lie. If the buffer is MPI_BOTTOM (null), the displacements of the datatype
// are addresses, which may belong to several variables. Otherwise the buffer is one variable.
inline Memory memory_of(const void* buffer, const Span& span) {
  if (span.length <= 0) return Memory::kHeap;
  if (buffer) return on_c_stack(buffer) ? Memory::kStack : Memory::kHeap;
  const char* const begin = reinterpret_cast<const char*>(span.begin);
  const bool begins = on_c_stack(begin), ends = on_c_stack(begin + span.length - 1);
  if (begins && ends) return Memory::kStack;
  return begins || ends ? Memory::kBoth : Memory::kHeap;
}

}  // namespace pysmpi
