// C interface to the timeline.
#include "instrumentation/c_api.h"

#include <memory>
#include <string_view>
#include <utility>

#include "engine/simulation.hpp"
#include "instrumentation/timeline/timeline.hpp"

using namespace pysmpi;

namespace {

std::unique_ptr<Timeline> timeline;

struct Format {
  std::string_view name;
  TimelineWriterMaker make;
};
constexpr Format kFormats[] = {
    {"perfetto", perfetto_writer}, {"json", trace_event_writer}, {"paje", paje_writer}, {"csv", csv_writer}};

}  // namespace

void pysmpi_begin_timeline(const char* path, const char* format) {
  for (const Format& each : kFormats) {
    if (each.name == format) timeline = std::make_unique<Timeline>(each.make, path);
  }
  begin_observing(*timeline);
}

int32_t pysmpi_end_timeline(void) {
  remove_observer(*timeline);
  return std::exchange(timeline, nullptr)->close(simulation().now);
}
