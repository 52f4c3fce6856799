// The check that functions with a session begin with.
#pragma once

#include "mpi.h"

namespace pysmpi {

bool is_session(MPI_Session session);  // of the running rank

// Fails with MPI_ERR_SESSION for a handle that names no session.
int invalid_session(const char* function, MPI_Session session);

}  // namespace pysmpi
