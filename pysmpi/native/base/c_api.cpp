// C interface to the options of a simulation.
#include "base/c_api.h"

#include <string_view>

#include "base/library_behaviour.hpp"
#include "base/options.hpp"

using namespace pysmpi;

namespace {

double* number_named(std::string_view name) {
  Options& settings = options();
  struct Entry {
    std::string_view name;
    double* value;
  };
  const Entry entries[] = {
      {"precision/timing", &settings.precision_timing},
      {"precision/work-amount", &settings.precision_work_amount},
      {"precision/rounding", &settings.precision_rounding},
      {"network/TCP-gamma", &settings.tcp_gamma},
      {"network/weight-S", &settings.weight_s},
      {"network/loopback-bw", &settings.loopback_bandwidth},
      {"network/loopback-lat", &settings.loopback_latency},
      {"loggps/L", &settings.loggps_latency},
      {"loggps/g", &settings.loggps_gap},
      {"loggps/G", &settings.loggps_gap_per_byte},
      {"packets/buffer", &settings.packet_buffer},
      {"packets/bypass", &settings.packet_bypass},
      {"smpi/IB-penalty-factors/0", &settings.ib_penalty_in},
      {"smpi/IB-penalty-factors/1", &settings.ib_penalty_out},
      {"smpi/IB-penalty-factors/2", &settings.ib_penalty_both},
      {"smpi/wtime", &settings.wtime_cost},
      {"smpi/test", &settings.test_cost},
      {"smpi/iprobe", &settings.iprobe_cost},
      {"smpi/new-buffers", &settings.new_buffers},
      {"smpi/iprobe-cpu-usage", &settings.iprobe_cpu_usage},
      {"smpi/wait-cpu-usage", &settings.wait_cpu_usage},
      {"smpi/init", &settings.init_cost},
      {"smpi/cpu-threshold", &settings.cpu_threshold},
      {"smpi/host-speed", &settings.host_speed},
      {"io/read-bw", &settings.read_bandwidth},
      {"io/write-bw", &settings.write_bandwidth},
      {"io/latency", &settings.access_latency},
  };
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

SizeTable* table_named(std::string_view name) {
  Options& settings = options();
  if (name == "smpi/bw-factor" || name == "network/bandwidth-factor") return &settings.bandwidth_factor;
  if (name == "smpi/lat-factor" || name == "network/latency-factor") return &settings.latency_factor;
  if (name == "fabric/latency") return &settings.end_latency;
  if (name == "fabric/exchange-latency") return &settings.exchange_latency;
  if (name == "fabric/opposite-bandwidth") return &settings.opposite_bandwidth;
  if (name == "fabric/loopback-latency") return &settings.loopback_end_latency;
  if (name == "smpi/loopback-bw-factor") return &settings.loopback_bandwidth_factor;
  if (name == "smpi/loopback-lat-factor") return &settings.loopback_latency_factor;
  if (name == "smpi/os") return &settings.send_overhead;
  if (name == "smpi/ois") return &settings.isend_overhead;
  if (name == "smpi/or") return &settings.receive_overhead;
  return nullptr;
}

}  // namespace

int32_t pysmpi_set_number(const char* name, double value) {
  Options& settings = options();
  const std::string_view key = name;
  if (double* number = number_named(key)) {
    *number = value;
  } else if (key == "network/optim") {
    settings.exact_sharing = value != 0;
  } else if (key == "network/crosstraffic") {
    settings.crosstraffic = value != 0;
  } else if (key == "packets/size") {
    settings.packet_size = static_cast<std::int64_t>(value);
  } else if (key == "packets/train") {
    settings.packet_train = static_cast<std::int64_t>(value);
  } else if (key == "packets/injection") {
    settings.fair_injection = value != 0;
  } else if (key == "platform/node-model") {
    settings.node_model = value != 0;
  } else if (key == "threads") {
    settings.threads = static_cast<std::uint32_t>(value);
  } else if (key == "overhead-always") {
    settings.overhead_always = value != 0;
  } else if (key == "smpi/async-small-thresh") {
    settings.async_small_threshold = static_cast<std::int64_t>(value);
  } else if (key == "smpi/send-is-detached-thresh") {
    settings.detached_threshold = static_cast<std::int64_t>(value);
  } else if (key == "smpi/buffering") {
    settings.buffers_sends = value != 0;
  } else if (key == "smpi/nonblocking-collectives") {
    settings.nonblocking_collectives = static_cast<NonblockingCollectives>(value);
  } else if (key == "smpi/progress") {
    settings.progress_by_calls = value == 1;
    settings.rounds_by_calls = value >= 1;
  } else if (key == "smpi/grow-injected-times") {
    settings.grow_injected_times = value != 0;
  } else if (key == "smpi/simulate-computation") {
    settings.simulate_computation = value != 0;
  } else if (key == "smpi/replace-interrupted") {
    settings.replaces_interrupted = value != 0;
  } else if (key == "smpi/computation-clock") {
    settings.processor_clock = value != 0;
  } else if (!set_library_behaviour(key, value)) {
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

void pysmpi_reset_options(void) {
  options() = Options{};
  current_behaviour = LibraryBehaviour{};
}
