// Memory of Python's frames, which CPython stores in chunks apart from the C stack.
#pragma once

#include <cstddef>

namespace pysmpi {

// Returns the bytes of the running greenlet's frames. The GIL must be held, here and below.
std::size_t bytes_of_frames();

// Returns how many more bytes the frames may need when the functions that are running now call others. These are found
// by their names. Example: main, with a frame of 200 bytes, is running in read_options with 300 bytes. main also uses
// the name of run (250 bytes), and that the one of sweep (350 bytes). Then 300 bytes may be needed: 800 instead of 500.
std::size_t bytes_of_further_calls();

}  // namespace pysmpi
