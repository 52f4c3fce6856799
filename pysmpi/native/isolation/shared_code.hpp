// Code of copies of a library, for which the memory exists once.
#pragma once

#include <link.h>

#include <span>
#include <string>

#include "base/imports.hpp"

namespace pysmpi {

// Return the description of a loaded file's segments, which lies behind the header of the file.
std::span<const ElfW(Phdr)> segments_of(const LoadedObject& object);

// Let a loaded copy use the code of the original file. Returns false if the copy keeps its own code.
bool share_code(const LoadedObject& copy, const std::string& original);

}  // namespace pysmpi
