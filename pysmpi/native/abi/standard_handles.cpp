// Predefined handles of the standard's ABI: small numbers.
#include <array>
#include <cstdint>

#include "abi/handles.hpp"
#include "abi/predefined.hpp"

namespace pysmpi::abi {

namespace {

#define PLACE(Handle, number, place) place,
constexpr std::uintptr_t kPlaces[] = {PYSMPI_PREDEFINED(PLACE)};
constexpr std::size_t kEnd = 0x1000;  // handles have 10 bits, and two more for later versions

constexpr auto kNumbers = [] {
  std::array<int, kEnd> numbers{};
  for (std::size_t i = 0; i < std::size(kPlaces); ++i) numbers[kPlaces[i]] = kPredefined[i].number;
  return numbers;
}();

std::uintptr_t pointer_of(std::size_t entry) { return kPlaces[entry]; }

}  // namespace

int number_of_predefined(std::uintptr_t handle) { return handle < kEnd ? kNumbers[handle] : 0; }

// The standard says the values of predefined handles (MPI 5.0, section 20.4).
int integer_of(std::uintptr_t handle) { return static_cast<int>(handle); }

PYSMPI_FOR_EACH_HANDLE(PYSMPI_DEFINE_PREDEFINED)

}  // namespace pysmpi::abi
