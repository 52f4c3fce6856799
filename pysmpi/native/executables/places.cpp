// Finds the address at which a program calls MPI among the frames on its stack. The lines come from the file's
// debugging information, which Python reads (simulation/executables/source_lines.py).
#include "executables/places.hpp"

#include <execinfo.h>

#include <array>
#include <cstdint>
#include <string>

#include "engine/call_site.hpp"
#include "executables/c_api.h"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

constexpr int kFrames = 24;

const void* find_address() {
  const Process* const process = running_process();
  if (!process) return nullptr;
  std::array<void*, kFrames> frames{};
  const int count = backtrace(frames.data(), kFrames);
  for (int i = 0; i < count; ++i) {
    for (const Image& image : process->images) {
      if (image.contains(frames[i])) return frames[i];
    }
  }
  return nullptr;
}

// The address that a call returns to may already belong to the next line.
std::string describe(const void* address) {
  for (const auto& process : Processes::current().of_ranks) {
    if (!process) continue;
    for (const Image& image : process->images) {
      if (!image.contains(address)) continue;
      const auto offset = reinterpret_cast<std::uintptr_t>(address) - image.object().base - 1;
      std::array<char, 512> text{};
      pysmpi_describe_address(image.original().c_str(), offset, text.data(), text.size());
      return text.data();
    }
  }
  return {};
}

}  // namespace

void find_places() {
  address_in_program = find_address;
  text_of_program_address = describe;
}

void forget_places() {
  address_in_program = nullptr;
  text_of_program_address = nullptr;
}

}  // namespace pysmpi
