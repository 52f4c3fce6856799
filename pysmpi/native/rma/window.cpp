// The table of windows and their memory.
#include "rma/window.hpp"

#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

constexpr std::uint32_t kFirst = 0xa0000000U;  // value in MPICH's ABI

std::vector<std::unique_ptr<Window>> windows;  // indexed by handle - kFirst; null if freed
std::vector<std::uint32_t> free_places;

}  // namespace

Window* find_window(std::int32_t handle) {
  const std::uint32_t index = static_cast<std::uint32_t>(handle) - kFirst;
  return index < windows.size() ? windows[index].get() : nullptr;
}

Window& add_window(WindowFlavor flavor, Communicator& communicator, Communicator& parent) {
  if (free_places.empty()) {
    free_places.push_back(static_cast<std::uint32_t>(windows.size()));
    windows.emplace_back();
  }
  const std::uint32_t place = free_places.back();
  free_places.pop_back();
  windows[place] = std::make_unique<Window>();
  Window& window = *windows[place];
  window.handle = static_cast<std::int32_t>(kFirst + place);
  window.flavor = flavor;
  window.flavor_as_int = static_cast<int>(flavor);
  window.communicator = &communicator;
  window.members.resize(communicator.size());
  communicator.window = window.handle;
  window.parent = parent.handle;
  parent.windows.push_back(window.handle);
  if (simulation_active()) simulation().leave_room_between_turns();
  return window;
}

void remove_window(std::int32_t handle) {
  const std::uint32_t place = static_cast<std::uint32_t>(handle) - kFirst;
  if (Communicator* const parent = find_communicator(windows[place]->parent)) std::erase(parent->windows, handle);
  windows[place].reset();
  free_places.push_back(place);
}

void reset_windows() {
  windows.clear();
  free_places.clear();
}

BlockingLock find_blocking_lock(std::int32_t handle, std::int32_t target) {
  const Window* window = find_window(handle);
  if (!window) return {target, -1};
  WindowLocks::ExclusiveLock found{target, -1};
  if (target < 0) {
    found = window->locks.exclusive_lock();
  } else {
    found.holder = window->locks.holder(target);
  }
  return {found.target, found.holder < 0 ? -1 : window->world(found.holder)};
}

bool memory_is_gone(const Window& window, std::int32_t member) {
  if (!inside_rank()) return false;
  const Fiber& owner = simulation().fibers[window.world(member)];
  const bool allocated = window.flavor == WindowFlavor::kAllocate || window.flavor == WindowFlavor::kShared;
  return owner.failed_at >= 0.0 || (owner.state == FiberState::kEnded && !allocated);
}

char* address_in(const Window& window, std::int32_t member, std::int64_t displacement, std::int64_t offset,
                 std::int64_t length) {
  const WindowMember& m = window.members[member];
  if (window.flavor == WindowFlavor::kDynamic) {  // displacements are addresses
    char* const begin = reinterpret_cast<char*>(displacement) + offset;
    if (length == 0) return reinterpret_cast<char*>(displacement);
    for (const Region& region : m.attached) {
      if (begin >= region.begin && begin + length <= region.begin + region.size) {
        return reinterpret_cast<char*>(displacement);
      }
    }
    return nullptr;
  }
  std::int64_t at = 0;
  if (__builtin_mul_overflow(displacement, m.displacement_unit, &at)) return nullptr;
  if (length > 0 && (at < -offset || at > m.size - length - offset)) return nullptr;
  return m.base + at;
}

}  // namespace pysmpi
