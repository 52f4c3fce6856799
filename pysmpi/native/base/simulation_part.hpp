// Base class of the parts of a simulation, which are the objects that exist only as long as a simulation.
// bindings/simulation_parts.hpp creates all parts when a simulation begins and destroys them when it ends.
#pragma once

namespace pysmpi {

// A class `Part` derives from SimulationPart<Part>. At most one object of the class exists; Part::current() returns it
// at the cost of reading one pointer. In this way, each folder reaches its own state and the state of lower folders
// without knowing the other parts.
//
// libmpi.so.12 does not export templates that its code instantiates. Therefore a part that inline functions use is
// followed by `extern template class SimulationPart<Part>;`, and its source file has `template class
// SimulationPart<Part>;`.
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
