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

struct Position {
  const Image* image = nullptr;
  std::uint64_t offset = 0;
};

// The address that a call returns to may already belong to the next line.
Position position_of(const void* address) {
  for (const auto& process : Processes::current().of_ranks) {
    if (!process) continue;
    for (const Image& image : process->images) {
      if (!image.contains(address)) continue;
      return {&image, reinterpret_cast<std::uintptr_t>(address) - image.object().base - 1};
    }
  }
  return {};
}

std::string describe(const void* address) {
  const auto [image, offset] = position_of(address);
  if (!image) return {};
  std::array<char, 512> text{};
  pysmpi_describe_address(image->original().c_str(), offset, text.data(), text.size());
  return text.data();
}

std::string name(const void* address) {
  const auto [image, offset] = position_of(address);
  return image ? image->original() + '+' + std::to_string(offset) : std::string();
}

}  // namespace

void find_places() {
  address_in_program = find_address;
  text_of_program_address = describe;
  name_of_program_address = name;
}

void forget_places() {
  address_in_program = nullptr;
  text_of_program_address = nullptr;
  name_of_program_address = nullptr;
}

}  // namespace pysmpi
