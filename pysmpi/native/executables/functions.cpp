// Gathers the functions that are replaced, and changes the tables of images.
#include "executables/functions.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "executables/image.hpp"
#include "executables/process.hpp"
#include "executables/running.hpp"
#include "isolation/exit_functions.hpp"
#include "isolation/library_clocks.hpp"
#include "isolation/library_waits.hpp"

namespace pysmpi {

namespace {

using Table = std::unordered_map<std::string_view, const void*>;

const Table& replaced_functions() {
  static const Table table = [] {
    Table all{{"__libc_start_main", reinterpret_cast<const void*>(start_main)}};
    for (const auto functions : {functions_that_exit(), functions_that_end_by_errors(), functions_of_options(),
                                 functions_of_random_numbers(), functions_of_environment(), functions_of_signals(),
                                 functions_of_streams(), functions_of_texts(), functions_that_are_refused()}) {
      for (const Replacement& each : functions) all.emplace(each.symbol, each.function);
    }
    return all;
  }();
  return table;
}

// Variables of the C library: a rank's own, unless the executable has them itself. C++'s are in StandardStreams.
const void* own_variable(Process& process, std::string_view symbol) {
  if (symbol == "optarg") return &process.option_argument;
  if (symbol == "optind") return &process.option_index;
  if (symbol == "opterr") return &process.option_error;
  if (symbol == "optopt") return &process.option_character;
  if (symbol == "environ" || symbol == "__environ" || symbol == "_environ") return &process.environment_variable;
  if (symbol == "program_invocation_name" || symbol == "__progname_full") return &process.program_name;
  if (symbol == "program_invocation_short_name" || symbol == "__progname") return &process.short_name;
  return process.streams->stream_of_cpp(symbol);
}

constexpr std::array<std::string_view, 19> kVariables = {
    "optarg",          "optind",
    "opterr",          "optopt",
    "environ",         "__environ",
    "_environ",        "program_invocation_name",
    "__progname_full", "program_invocation_short_name",
    "__progname",      "_ZSt3cin",
    "_ZSt4cout",       "_ZSt4cerr",
    "_ZSt4clog",       "_ZSt4wcin",
    "_ZSt5wcout",      "_ZSt5wcerr",
    "_ZSt5wclog",
};

bool is_variable(std::string_view symbol) {
  return std::find(kVariables.begin(), kVariables.end(), symbol) != kVariables.end();
}

}  // namespace

void replace_functions(Process& process, const Image& image) {
  replace_imports(
      image.object(), [](const char* symbol) { return replaced_functions().contains(symbol) || is_variable(symbol); },
      [&](const char* symbol, const void* current) -> const void* {
        if (is_variable(symbol)) {
          return process.images.front().own_symbol(symbol) ? current : own_variable(process, symbol);
        }
        return replaced_functions().at(symbol);
      });
  if (image.object().path.find("libgfortran.") != std::string::npos) {
    replace_imports(
        image.object(),
        [](const char* symbol) { return find_replacement(functions_of_fortran_keys(), symbol) != nullptr; },
        [](const char* symbol, const void*) { return find_replacement(functions_of_fortran_keys(), symbol); });
  }
  keep_functions_for_atexit(image.object());
  follow_clocks(image.object());
  follow_waits(image.object());
}

void replace_in_shared_libraries() {
  for (const LoadedObject& object : loaded_objects()) {
    if (!file_name(object.path).starts_with("libstdc++.")) continue;
    replace_imports(
        object, [](const char* symbol) { return std::string_view(symbol) == "abort"; },
        [](const char* symbol, const void*) { return find_replacement(functions_that_exit(), symbol); });
  }
}

}  // namespace pysmpi
