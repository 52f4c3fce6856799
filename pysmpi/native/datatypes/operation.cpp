// The table of reduction operations that programs have created.
#include "datatypes/operation.hpp"

#include <utility>
#include <vector>

#include "base/observer.hpp"
#include "engine/c_api.h"

namespace pysmpi {
namespace {

constexpr std::uint32_t kFirstHandle = 0x98000000U;
std::vector<UserOperation> operations;
std::vector<std::int32_t> free_places;

std::int32_t add(const UserOperation& made) {
  if (free_places.empty()) {
    free_places.push_back(static_cast<std::int32_t>(operations.size()));
    operations.emplace_back();
  }
  const std::int32_t place = free_places.back();
  free_places.pop_back();
  operations[place] = made;
  const auto handle = static_cast<std::int32_t>(kFirstHandle + static_cast<std::uint32_t>(place));
  if (observers) notify(&Observer::object_made, ObjectKind::kOperation, handle);
  return handle;
}

}  // namespace

std::int32_t add_user_operation(ReductionFunction function, bool commutative) {
  return add({.function = function, .commutative = commutative, .creator = pysmpi_running_rank()});
}

std::int32_t add_user_operation(LargeReductionFunction function, bool commutative) {
  return add({.large_function = function, .commutative = commutative, .creator = pysmpi_running_rank()});
}

std::int32_t add_user_operation(StatefulReductionFunction function, bool commutative, void* state,
                                Destructor destructor) {
  return add({.stateful_function = function,
              .state = state,
              .destructor = destructor,
              .commutative = commutative,
              .creator = pysmpi_running_rank()});
}

const UserOperation* find_user_operation(std::int32_t handle) {
  const std::uint32_t place = static_cast<std::uint32_t>(handle) - kFirstHandle;
  if (place >= operations.size()) return nullptr;
  const UserOperation& found = operations[place];
  return found.function || found.large_function || found.stateful_function ? &found : nullptr;
}

void remove_user_operation(std::int32_t handle) {
  if (find_user_operation(handle) == nullptr) return;
  const auto place = static_cast<std::int32_t>(static_cast<std::uint32_t>(handle) - kFirstHandle);
  const UserOperation removed = std::exchange(operations[place], {});
  if (observers) notify(&Observer::object_freed, ObjectKind::kOperation, handle);
  free_places.push_back(place);
  if (removed.destructor) OperationsOfRanks::current().removed.emplace_back(removed.destructor, removed.state);
}

OperationsOfRanks::~OperationsOfRanks() {
  for (std::size_t place = operations.size(); place-- > 0;) {
    if (operations[place].creator >= 0) remove_user_operation(static_cast<std::int32_t>(kFirstHandle + place));
  }
  for (const auto& [destroy, state] : removed) destroy(state);
}

}  // namespace pysmpi
