// Thread-local variables of loaded libraries, for each rank. All ranks run in one thread, but a process has its own:
// while a rank waits inside torch.no_grad(), gradients must be enabled for all others, and when it continues, it must
// find them disabled. Therefore the blocks of thread-local variables are exchanged whenever another rank, or another
// thread of a rank, runs. At its beginning, a rank finds the variables as a new thread does.
#pragma once

#include <pthread.h>

#include "base/imports.hpp"

namespace pysmpi {

// Look for libraries that have been loaded or unloaded. Called after functions of Python that load some, too.
void follow_thread_storage();

// Exclude a library that only one rank uses (its own copy) from the exchange of thread-local variables between ranks.
// Only the destructors of the library's thread-local objects are exchanged.
void leave_variables_to_one_rank(const LoadedObject& library);

// Create a key of thread-specific data whose value is exchanged whenever another rank runs.
int create_followed_key(pthread_key_t* key, void (*destructor)(void*));
// Return whether the value of this key is exchanged.
bool is_exchanged(pthread_key_t key);

}  // namespace pysmpi
