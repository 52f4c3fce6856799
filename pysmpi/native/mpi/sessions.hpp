// Checks of session handles, common to all functions with a session.
#pragma once

#include "mpi.h"

namespace pysmpi {

bool is_session(MPI_Session session);  // whether the handle is a session of the running rank

// Fails with MPI_ERR_SESSION for an invalid session handle.
int invalid_session(const char* function, MPI_Session session);

}  // namespace pysmpi
