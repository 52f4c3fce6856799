// Thread-local variables of loaded libraries, for each rank. All ranks run in one thread, but a process has its own:
// while a rank waits inside torch.no_grad(), gradients must be enabled for all others, and when it continues, it must
// find them disabled. Therefore the blocks of thread-local variables are exchanged whenever another rank, or another
// thread of a rank, runs. At its beginning, a rank finds the variables as a new thread does.
#pragma once

namespace pysmpi {

// Look for libraries that have been loaded or unloaded. Called after functions of Python that load some, too.
void follow_thread_storage();

}  // namespace pysmpi
