// Finds loaded libraries with one state, and the ranks in which they call MPI.
#include "engine/single_libraries.hpp"

#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/imports.hpp"
#include "engine/c_api.h"
#include "engine/refusal.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

bool single_library_loaded = false;

namespace {

struct SingleLibrary {
  std::string file;  // beginning of the name of its file, such as "libpetsc"
  std::string text;  // what the library is, and why only one rank may use it
};
std::vector<SingleLibrary> single_libraries;  // set before the first simulation
unsigned long long seen_loads = 0;  // number of libraries loaded in this process, when they were last searched

const SingleLibrary* find_single(std::string_view file) {
  const auto found = std::find_if(single_libraries.begin(), single_libraries.end(),
                                  [&](const SingleLibrary& each) { return file.starts_with(each.file); });
  return found == single_libraries.end() ? nullptr : &*found;
}

int look_at(dl_phdr_info* info, std::size_t, void*) {
  const std::string_view path(info->dlpi_name ? info->dlpi_name : "");
  if (find_single(file_name(path))) single_library_loaded = true;
  return 0;
}

int note_loads(dl_phdr_info* info, std::size_t, void* loads) {
  *static_cast<unsigned long long*>(loads) = info->dlpi_adds;
  return 1;
}

}  // namespace

void look_for_single_libraries() {
  unsigned long long loads = 0;
  dl_iterate_phdr(note_loads, &loads);
  if (loads == seen_loads) return;
  seen_loads = loads;
  dl_iterate_phdr(look_at, nullptr);
}

bool refuse_second_rank(const char* function) {
  const std::string file = calling_library();
  const SingleLibrary* const library = find_single(file);
  if (!library) return false;
  const RankId rank = simulation().running;
  const RankId first = simulation().users_of_libraries.try_emplace(library->file, rank).first->second;
  if (first == rank) return false;
  refuse(function, std::string(function) + ", called by " + file + ": " + library->text + " Rank " +
                       std::to_string(first) + " uses it already");
  return true;
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_add_single_library(const char* file, const char* text) { single_libraries.push_back({file, text}); }

void pysmpi_refuse(const char* problem) { refuse("import", problem); }
