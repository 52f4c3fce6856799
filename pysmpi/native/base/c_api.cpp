#include "base/c_api.h"

#include <string_view>

#include "base/observer.hpp"
#include "base/options.hpp"

using namespace pysmpi;

void (*pysmpi::object_observer)(std::int32_t kind, std::int64_t handle, std::int32_t made) = nullptr;

namespace {

double* number_named(std::string_view name) {
  Options& o = options();
  struct Entry {
    std::string_view name;
    double* value;
  };
  const Entry entries[] = {
      {"precision/timing", &o.precision_timing},
      {"precision/work-amount", &o.precision_work_amount},
      {"network/TCP-gamma", &o.tcp_gamma},
      {"network/weight-S", &o.weight_s},
      {"network/loopback-bw", &o.loopback_bandwidth},
      {"network/loopback-lat", &o.loopback_latency},
      {"loggps/L", &o.loggps_latency},
      {"loggps/g", &o.loggps_gap},
      {"loggps/G", &o.loggps_gap_per_byte},
      {"smpi/IB-penalty-factors/0", &o.ib_penalty_in},
      {"smpi/IB-penalty-factors/1", &o.ib_penalty_out},
      {"smpi/IB-penalty-factors/2", &o.ib_penalty_both},
      {"smpi/wtime", &o.wtime_cost},
      {"smpi/test", &o.test_cost},
      {"smpi/iprobe", &o.iprobe_cost},
      {"smpi/iprobe-cpu-usage", &o.iprobe_cpu_usage},
      {"smpi/init", &o.init_cost},
      {"smpi/cpu-threshold", &o.cpu_threshold},
      {"smpi/host-speed", &o.host_speed},
      {"io/read-bw", &o.read_bandwidth},
      {"io/write-bw", &o.write_bandwidth},
      {"io/latency", &o.access_latency},
  };
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

SizeTable* table_named(std::string_view name) {
  Options& o = options();
  if (name == "smpi/bw-factor" || name == "network/bandwidth-factor") return &o.bandwidth_factor;
  if (name == "smpi/lat-factor" || name == "network/latency-factor") return &o.latency_factor;
  if (name == "smpi/os") return &o.send_overhead;
  if (name == "smpi/ois") return &o.isend_overhead;
  if (name == "smpi/or") return &o.receive_overhead;
  return nullptr;
}

}  // namespace

int32_t pysmpi_set_number(const char* name, double value) {
  Options& o = options();
  const std::string_view key = name;
  if (double* number = number_named(key)) {
    *number = value;
  } else if (key == "network/model") {
    o.network_model = static_cast<NetworkModel>(static_cast<int>(value));
  } else if (key == "network/crosstraffic") {
    o.crosstraffic = value != 0;
  } else if (key == "overhead-always") {
    o.overhead_always = value != 0;
  } else if (key == "smpi/async-small-thresh") {
    o.async_small_threshold = static_cast<std::int64_t>(value);
  } else if (key == "smpi/send-is-detached-thresh") {
    o.detached_threshold = static_cast<std::int64_t>(value);
  } else if (key == "smpi/buffering") {
    o.buffers_sends = value != 0;
  } else if (key == "smpi/grow-injected-times") {
    o.grow_injected_times = value != 0;
  } else if (key == "smpi/simulate-computation") {
    o.simulate_computation = value != 0;
  } else if (key == "smpi/computation-clock") {
    o.processor_clock = value != 0;
  } else {
    return -1;
  }
  return 0;
}

int32_t pysmpi_set_table(const char* name, int32_t steps, const double* above, const double* value,
                         const double* per_byte) {
  SizeTable* table = table_named(name);
  if (!table) return -1;
  table->clear();
  for (int32_t i = 0; i < steps; ++i) table->push_back({above[i], value[i], per_byte ? per_byte[i] : 0.0});
  return 0;
}

void pysmpi_reset_options(void) { options() = Options{}; }

void pysmpi_observe_objects(void (*observer)(int32_t kind, int64_t handle, int32_t made)) {
  object_observer = observer;
}
