// Predefined handles of Open MPI's ABI: variables, whose addresses are the handles. The first word of each is the
// object's number. An executable that is linked with the library has copies of those that it names (R_X86_64_COPY): for
// it and its libraries, the handles are the addresses of these copies, which differ between ranks. Copies must have
// the size of the variables in Open MPI.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "abi/handles.hpp"
#include "abi/predefined.hpp"
#include "executables/process.hpp"

namespace {

// Size of a variable in bytes, by the type of its handle (Open MPI 4.1 and 5.0).
template <class Handle>
constexpr std::size_t kSize = 512;
template <>
constexpr std::size_t kSize<pysmpi::abi::Errhandler> = 1024;
template <>
constexpr std::size_t kSize<pysmpi::abi::File> = 1536;
template <>
constexpr std::size_t kSize<pysmpi::abi::Group> = 256;
template <>
constexpr std::size_t kSize<pysmpi::abi::Info> = 256;
template <>
constexpr std::size_t kSize<pysmpi::abi::Message> = 256;
template <>
constexpr std::size_t kSize<pysmpi::abi::Op> = 2048;
template <>
constexpr std::size_t kSize<pysmpi::abi::Request> = 256;

template <class Handle>
struct Variable {
  alignas(16) int number;
  char rest[kSize<Handle> - sizeof(int)];
};

}  // namespace

#define VARIABLE(Handle, number, symbol)                                                  \
  extern "C" __attribute__((visibility("default"))) Variable<pysmpi::abi::Handle> symbol; \
  Variable<pysmpi::abi::Handle> symbol = {number, {}};
PYSMPI_PREDEFINED(VARIABLE)

namespace pysmpi::abi {

namespace {

struct Place {
  const char* symbol;
  void* variable;
};

#define PLACE(Handle, number, symbol) {#symbol, &::symbol},
const Place kPlaces[] = {PYSMPI_PREDEFINED(PLACE)};

// Return the address of an entry's variable as the running program sees it.
void* pointer_of(std::size_t entry) {
  Process* const process = running_process();
  if (!process) return kPlaces[entry].variable;
  if (process->predefined_handles.empty()) {
    for (const Place& each : kPlaces) {
      void* const copy = process->images.front().own_symbol(each.symbol);
      process->predefined_handles.push_back(copy ? copy : each.variable);
    }
  }
  return process->predefined_handles[entry];
}

}  // namespace

// A handle that MPI ignores may be a variable which the program has never set: only addresses in known memory are read.
int number_of_predefined(std::uintptr_t handle) {
  static const auto [first, last] = [] {
    const auto address = [](const Place& each) { return reinterpret_cast<std::uintptr_t>(each.variable); };
    const auto [least, most] = std::ranges::minmax(kPlaces, {}, address);
    return std::pair(address(least), address(most));
  }();
  const void* const variable = reinterpret_cast<const void*>(handle);
  if (handle < first || handle > last) {
    const Process* const process = running_process();
    if (!process || !process->images.front().contains(variable)) return 0;
  }
  int number = 0;
  std::memcpy(&number, variable, sizeof number);
  return number;
}

int integer_of(std::uintptr_t handle) { return internal(reinterpret_cast<void*>(handle)); }

PYSMPI_FOR_EACH_HANDLE(PYSMPI_DEFINE_PREDEFINED)

}  // namespace pysmpi::abi
