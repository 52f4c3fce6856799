// The current checker.
#include "base/checker.hpp"

namespace pysmpi {

Checker* checker = nullptr;

}  // namespace pysmpi
