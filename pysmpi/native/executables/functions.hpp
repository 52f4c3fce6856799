// Functions and variables of the C library that executables use in ranks instead of the real ones, because a process
// has one of each. Executables and their libraries find functions by addresses in a table, which is changed after they
// are loaded (base/imports.hpp).
#pragma once

#include <span>

#include "base/imports.hpp"

namespace pysmpi {

struct Process;
class Image;

// Functions of one matter each. In threads outside ranks they do what the real ones do.
std::span<const Replacement> functions_that_exit();
std::span<const Replacement> functions_that_end_by_errors();
std::span<const Replacement> functions_of_options();
std::span<const Replacement> functions_of_random_numbers();
std::span<const Replacement> functions_of_environment();
std::span<const Replacement> functions_of_signals();
std::span<const Replacement> functions_of_streams();
std::span<const Replacement> functions_of_texts();
std::span<const Replacement> functions_of_fortran_keys();
std::span<const Replacement> functions_that_are_refused();

// Replace functions and variables in the tables of an image.
void replace_functions(Process& process, const Image& image);

// Let an exception of C++ that nothing catches end the rank, and not this process: the library of C++ calls abort.
void replace_in_shared_libraries();

}  // namespace pysmpi
