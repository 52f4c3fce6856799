// C interface to the timeline.
#include "instrumentation/c_api.h"

#include <memory>
#include <string_view>
#include <utility>

#include "engine/simulation.hpp"
#include "instrumentation/check/checker.hpp"
#include "instrumentation/communication_matrix.hpp"
#include "instrumentation/instruments.hpp"
#include "instrumentation/profile/bottlenecks.hpp"
#include "instrumentation/profile/time_profile.hpp"
#include "instrumentation/requirements/requirements.hpp"
#include "instrumentation/ti_trace/ti_trace.hpp"
#include "instrumentation/timeline/timeline.hpp"

namespace pysmpi {

// Passes the objects that programs create and free to Python (pysmpi/simulation/mpi/unfreed_objects.py).
class ObjectReporter final : public Observer {
 public:
  using Function = void (*)(std::int32_t kind, std::int64_t handle, std::int32_t made);
  explicit ObjectReporter(Function function) : function_(function) {}
  void object_made(ObjectKind kind, std::int64_t handle) override {
    function_(static_cast<std::int32_t>(kind), handle, 1);
  }
  void object_freed(ObjectKind kind, std::int64_t handle) override {
    function_(static_cast<std::int32_t>(kind), handle, 0);
  }

 private:
  const Function function_;
};

Instruments::Instruments() = default;
Instruments::~Instruments() {
  Observation::current().all.clear();
  observers = nullptr;
}

}  // namespace pysmpi

using namespace pysmpi;

namespace {

struct Format {
  std::string_view name;
  TimelineWriterMaker make;
};
constexpr Format kFormats[] = {
    {"perfetto", perfetto_writer}, {"json", trace_event_writer}, {"paje", paje_writer}, {"csv", csv_writer}};

}  // namespace

void pysmpi_begin_timeline(const char* path, const char* format) {
  for (const Format& each : kFormats) {
    if (each.name == format) Instruments::current().timeline = std::make_unique<Timeline>(each.make, path);
  }
  begin_observing(*Instruments::current().timeline);
}

int32_t pysmpi_end_timeline(void) {
  std::unique_ptr<Timeline>& timeline = Instruments::current().timeline;
  remove_observer(*timeline);
  return std::exchange(timeline, nullptr)->close(simulation().now);
}

void pysmpi_observe_objects(void (*observer)(int32_t kind, int64_t handle, int32_t made)) {
  std::unique_ptr<ObjectReporter>& objects = Instruments::current().objects;
  if (objects) remove_observer(*objects);
  objects = observer ? std::make_unique<ObjectReporter>(observer) : nullptr;
  if (objects) add_observer(*objects);
}
