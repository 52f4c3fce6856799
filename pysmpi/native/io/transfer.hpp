// Moving bytes between memory and a real file.
#pragma once

#include <cstdint>

#include "io/view.hpp"

namespace pysmpi {

// Elements in memory, and from which place of a view on they lie in a file, as they are or in external32. Each returns
// the bytes moved, as they count in memory, fewer than asked for when the file ends before; or -errno, -EDOM for a
// number that does not fit. Bytes of folded memory stay where they are: the file is as long as it would be.
std::int64_t read_file(int file, const View& view, std::int64_t place, void* buffer, std::int64_t count,
                       const Datatype& type, bool external);
std::int64_t write_file(int file, const View& view, std::int64_t place, const void* buffer, std::int64_t count,
                        const Datatype& type, bool external);

}  // namespace pysmpi
