// Transfer of bytes between memory and a real file.
#pragma once

#include <cstdint>

#include "io/view.hpp"

namespace pysmpi {

// Transfer elements between memory and the file, from position `place` of the view on, unconverted or in external32.
// Each function returns the bytes transferred, counted in memory, or -errno (-EDOM: a number is out of range). The
// result is smaller than requested if the file ends earlier. Bytes of folded memory (rank_memory/folded.hpp) are not
// transferred, but a written file gets its full length.
std::int64_t read_file(int file, const View& view, std::int64_t place, void* buffer, std::int64_t count,
                       const Datatype& type, bool external);
std::int64_t write_file(int file, const View& view, std::int64_t place, const void* buffer, std::int64_t count,
                        const Datatype& type, bool external);

}  // namespace pysmpi
