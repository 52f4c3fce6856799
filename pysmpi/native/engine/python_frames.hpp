// Memory of Python's frames, which CPython stores in chunks apart from the C stack.
#pragma once

#include <cstddef>

namespace pysmpi {

// Return the bytes of the running greenlet's frames. The GIL must be held, as for the other function.
std::size_t bytes_of_frames();

// Return how many more bytes the frames may need when the functions that are running now call others. The possible
// calls are estimated from the names that the code of a function uses. Example: main, with a frame of 200 bytes, is
// running in read_options with 300 bytes. main also uses the name of run (250 bytes), and run uses the name of sweep
// (350 bytes). The frames of main, run and sweep would need 800 bytes, 300 more than the present 500.
std::size_t bytes_of_further_calls();

}  // namespace pysmpi
