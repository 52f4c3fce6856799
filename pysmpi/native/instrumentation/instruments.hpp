// The instruments that are switched on in a simulation.
#pragma once

#include <memory>

#include "base/simulation_part.hpp"

namespace pysmpi {

class Bottlenecks;
class CommunicationMatrix;
class MistakeFinder;
class ObjectReporter;
class Requirements;
class Timeline;
class TimeProfile;
class TiTrace;

// Instruments of a simulation, all of which are observers. A pointer is null while its instrument is switched off.
struct Instruments : SimulationPart<Instruments> {
  Instruments();
  ~Instruments();

  std::unique_ptr<TiTrace> ti_trace;
  std::unique_ptr<Timeline> timeline;
  std::unique_ptr<ObjectReporter> objects;
  std::unique_ptr<MistakeFinder> mistakes;
  std::unique_ptr<Bottlenecks> bottlenecks;
  std::unique_ptr<TimeProfile> profile;
  std::unique_ptr<CommunicationMatrix> matrix;
  std::unique_ptr<Requirements> requirements;
};

}  // namespace pysmpi
