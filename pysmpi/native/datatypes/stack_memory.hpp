// Memory of messages where other ranks put their data while a rank is suspended: the C stack. The variables of a
// library of which each rank has its own have a permanent address, too (engine/library_variables.hpp), but a datatype
// with absolute addresses does not contain it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatypes/copy.hpp"
#include "engine/fiber.hpp"
#include "engine/library_variables.hpp"
#include "engine/refusal.hpp"

namespace pysmpi {

enum class Memory : std::uint8_t { kHeap, kStack, kBoth };

inline bool is_library_variable(const char* address) { return permanent(address) != address; }

// Returns whether a datatype leads from a buffer into variables of a library, or from such variables to other memory.
inline bool leaves_variables(const void* buffer, const Span& span) {
  const char* const begin = static_cast<const char*>(buffer) + span.begin;
  const auto distance = [](const char* address) { return permanent(address) - address; };
  const std::ptrdiff_t first = distance(begin);
  return first != distance(begin + span.length - 1) || first != distance(static_cast<const char*>(buffer));
}

// Returns where the bytes `span` of a buffer lie. If the buffer is MPI_BOTTOM (null), the displacements of the datatype
// are addresses, which may belong to several variables. Otherwise the buffer is one variable, except where variables of
// libraries and other memory lie in one datatype.
inline Memory memory_of(const void* buffer, const Span& span) {
  if (span.length <= 0) return Memory::kHeap;
  if (buffer && has_library_variables && leaves_variables(buffer, span)) return Memory::kBoth;
  if (buffer) return on_c_stack(buffer) ? Memory::kStack : Memory::kHeap;
  const char* const begin = reinterpret_cast<const char*>(span.begin);
  const auto is_overwritten = [](const char* address) { return on_c_stack(address) || is_library_variable(address); };
  const bool begins = is_overwritten(begin), ends = is_overwritten(begin + span.length - 1);
  if (begins && ends) return Memory::kStack;
  return begins || ends ? Memory::kBoth : Memory::kHeap;
}

// Refuses a buffer for which memory_of has found that no copy can be made. `memory` is its name ("the receive buffer").
// Returns true when the rank is being stopped.
inline bool refuse_memory(const char* function, const char* memory, const void* buffer, const Span& span) {
  const char* const begin = static_cast<const char*>(buffer) + span.begin;
  const bool is_of_library = is_library_variable(begin) || is_library_variable(begin + span.length - 1) ||
                             is_library_variable(static_cast<const char*>(buffer));
  return is_of_library ? refuse_library_variable(function, memory) : refuse_stack_memory(function, memory);
}

}  // namespace pysmpi
