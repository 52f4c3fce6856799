// The base class of everything that belongs to one simulation. bindings/simulation_parts.hpp builds all parts together
// when a simulation begins and destroys them together when it ends.
#pragma once

namespace pysmpi {

// A class or struct `Part` derives from SimulationPart<Part>; the one object of it that exists is Part::current(),
// which costs a look at a pointer. So a folder reaches its own state, and that of folders below, without knowing which
// other parts exist.
//
// libmpi.so.12 does not share symbols that its code instantiates. A part that inline functions use has therefore a
// declaration `extern template class SimulationPart<Part>;` behind it, and `template class SimulationPart<Part>;` in
// its source file.
template <class Part>
class SimulationPart {
 public:
  SimulationPart(const SimulationPart&) = delete;
  SimulationPart& operator=(const SimulationPart&) = delete;

  static bool exists() { return current_ != nullptr; }
  static Part& current() { return *current_; }

 protected:
  SimulationPart() { current_ = static_cast<Part*>(this); }
  ~SimulationPart() { current_ = nullptr; }

 private:
  static Part* current_;
};

template <class Part>
constinit Part* SimulationPart<Part>::current_ = nullptr;

}  // namespace pysmpi
