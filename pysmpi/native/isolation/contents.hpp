// Contents of containers that are private to the ranks that change them.
#pragma once

#include <Python.h>

#include "base/types.hpp"

namespace pysmpi {

// Save the contents that the leaving rank has changed, and restore those of the entering rank.
void exchange_contents(RankId from, RankId to);
void forget_contents(RankId rank);  // called when the rank has ended
void release_contents();            // called at the end of the simulation

// Drop a reference when no switch is in progress, because a finaliser may run Python code. Implemented in
// isolation.cpp.
void release_later(PyObject* object);

}  // namespace pysmpi
