// Memory of messages where other ranks put their data while a rank is suspended: the C stack. The variables of a
// library of which each rank has its own have a permanent address, too (engine/library_variables.hpp), but a datatype
// with absolute addresses does not contain it.
#pragma once

#include "datatypes/copy.hpp"
#include "engine/fiber.hpp"
#include "engine/library_variables.hpp"

namespace pysmpi {

enum class Memory : std::uint8_t { kHeap, kStack, kBoth };

// Returns where the bytes `span` of a buffer lie. If the buffer is MPI_BOTTOM (null), the displacements of the datatype
// are addresses, which may belong to several variables. Otherwise the buffer is one variable.
inline Memory memory_of(const void* buffer, const Span& span) {
  if (span.length <= 0) return Memory::kHeap;
  if (buffer) return on_c_stack(buffer) ? Memory::kStack : Memory::kHeap;
  const char* const begin = reinterpret_cast<const char*>(span.begin);
  const auto is_overwritten = [](const char* address) { return on_c_stack(address) || permanent(address) != address; };
  const bool begins = is_overwritten(begin), ends = is_overwritten(begin + span.length - 1);
  if (begins && ends) return Memory::kStack;
  return begins || ends ? Memory::kBoth : Memory::kHeap;
}

}  // namespace pysmpi
