// The C functions for windows that Python calls.
#include "rma/c_api.h"

#include <algorithm>
#include <climits>
#include <new>

#include "engine/library_variables.hpp"
#include "engine/refusal.hpp"
#include "engine/simulation.hpp"
#include "matching/node_map.hpp"
#include "objects/errors.hpp"
#include "rma/completion.hpp"
#include "rma/epochs.hpp"
#include "rma/window.hpp"

using namespace pysmpi;

void pysmpi_reset_windows(void) { reset_windows(); }

int32_t pysmpi_window_add(int32_t flavor, int32_t communicator, int32_t parent) {
  Communicator &own = *find_communicator(communicator), &of_program = *find_communicator(parent);
  if (own.size() > 1) share_node_map(of_program, own);
  return add_window(static_cast<WindowFlavor>(flavor), own, of_program).handle;
}
void pysmpi_window_remove(int32_t handle) { remove_window(handle); }

void* pysmpi_window_allocate(int32_t handle, int64_t bytes) {
  auto* memory = new (std::nothrow) char[std::max<int64_t>(bytes, 1)];
  if (memory) find_window(handle)->memory.emplace_back(memory);
  return memory;
}

int32_t pysmpi_refuse_window_memory(const void* base, int64_t bytes) {
  if (bytes <= 0 || !inside_rank() || !on_c_stack(base)) return 0;
  refuse_stack_memory("MPI_Win_create", "the memory of the window");
  return kErrorStopped;
}

void pysmpi_window_expose(int32_t handle, void* base, int64_t bytes, int64_t displacement_unit) {
  WindowMember& mine = find_window(handle)->mine();
  mine.base = static_cast<char*>(permanent(base));
  mine.size = bytes;
  mine.displacement_unit = displacement_unit;
  mine.displacement_unit_as_int = static_cast<int>(std::min<int64_t>(displacement_unit, INT_MAX));
}

int32_t pysmpi_window_attach(int32_t handle, const void* base, int64_t bytes) {
  if (permanent(base) != base) {
    refuse("MPI_Win_attach",
           "MPI_Win_attach: the memory is a variable of a library, of which each rank has its own (--private-libs); "
           "attach memory of the heap");
    return kErrorStopped;
  }
  const char* const begin = static_cast<const char*>(base);
  auto& attached = find_window(handle)->mine().attached;
  for (const Region& region : attached) {
    if (begin < region.begin + region.size && region.begin < begin + bytes) return -1;
  }
  attached.push_back({begin, bytes});
  return 0;
}

int32_t pysmpi_window_detach(int32_t handle, const void* base) {
  const auto is_it = [base](const Region& region) { return region.begin == base; };
  return std::erase_if(find_window(handle)->mine().attached, is_it) > 0 ? 0 : -1;
}

const char* pysmpi_window_unfinished(int32_t handle) { return unfinished(*find_window(handle)); }

int pysmpi_window_finish(int32_t handle) {
  Window& window = *find_window(handle);
  const Fault fault = finish_own(window, "MPI_Win_free");
  window.mine().freed = true;
  return outcome(window, fault, "MPI_Win_free");
}

int pysmpi_window_post(int32_t handle, int32_t count, const int32_t* members) {
  return post_exposure(*find_window(handle), {members, static_cast<std::size_t>(count)});
}

int pysmpi_window_start(int32_t handle, int32_t count, const int32_t* members) {
  return start_access(*find_window(handle), {members, static_cast<std::size_t>(count)});
}
