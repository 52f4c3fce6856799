// The simulation's numeric settings, under SimGrid's names and with its defaults (field.md section 2.2; SimGrid 3.32
// src/simgrid/sg_config.cpp). The Python registry of options owns names, checks and help; this is where C++ reads them.
#pragma once

#include <cstdint>
#include <vector>

namespace pysmpi {

// A value that depends on the message size: entry i applies to sizes strictly above `above` (SimGrid: size <= factor
// keeps the previous one). Sorted by `above`.
struct SizeStep {
  double above;
  double value;     // factor, or startup seconds for overheads
  double per_byte;  // overheads only: seconds per byte
};
using SizeTable = std::vector<SizeStep>;

// In the order of the Python registry (pysmpi/settings/network_models.py).
enum class NetworkModel : std::uint8_t { kSmpi, kIb, kLv08, kCm02, kRaw, kConstant, kLogGps };

struct Options {
  NetworkModel network_model = NetworkModel::kSmpi;  // network/model
  double precision_timing = 1e-9;                    // precision/timing, seconds
  double precision_work_amount = 1e-5;               // precision/work-amount, relative
  double tcp_gamma = 4194304.0;                      // network/TCP-gamma, bytes
  bool crosstraffic = true;                          // network/crosstraffic
  double weight_s = 8775.0;                          // network/weight-S, bytes
  double loopback_bandwidth = 10e9;                  // network/loopback-bw, bytes/s
  double loopback_latency = 0.0;                     // network/loopback-lat, s
  SizeTable bandwidth_factor;                        // smpi/bw-factor (or the one network/bandwidth-factor)
  SizeTable latency_factor;                          // smpi/lat-factor (or the one network/latency-factor)
  SizeTable send_overhead;                           // smpi/os
  SizeTable isend_overhead;                          // smpi/ois
  SizeTable receive_overhead;                        // smpi/or
  bool overhead_always = false;                      // every message costs overheads, not only those that SMPI counts
  double loggps_latency = 2.5e-6;                    // loggps/L, s
  double loggps_gap = 1e-6;                          // loggps/g, s
  double loggps_gap_per_byte = 6e-9;                 // loggps/G, s
  double ib_penalty_in = 0.965;                      // smpi/IB-penalty-factors: of flows into one host,
  double ib_penalty_out = 0.925;                     // out of one,
  double ib_penalty_both = 1.35;                     // and out of one to others that more than two flows enter
  std::int64_t async_small_threshold = 0;            // smpi/async-small-thresh, bytes
  std::int64_t detached_threshold = 65536;           // smpi/send-is-detached-thresh, bytes
  bool buffers_sends = true;                         // smpi/buffering: infty, rather than zero
  double wtime_cost = 1e-8;                          // smpi/wtime, s
  double test_cost = 1e-4;                           // smpi/test, s
  double iprobe_cost = 1e-4;                         // smpi/iprobe, s
  double iprobe_cpu_usage = 1.0;                     // smpi/iprobe-cpu-usage
  bool grow_injected_times = true;                   // smpi/grow-injected-times
  double init_cost = 0.0;                            // smpi/init, s
  double cpu_threshold = 1e-6;                       // smpi/cpu-threshold, s
  bool simulate_computation = true;                  // smpi/simulate-computation
  bool processor_clock = false;                      // smpi/computation-clock: processor, rather than wall
  double host_speed = 0.0;                           // smpi/host-speed, flop/s; 0: auto, as long as it took here
  double read_bandwidth = 10e9;                      // io/read-bw, bytes/s
  double write_bandwidth = 10e9;                     // io/write-bw, bytes/s
  double access_latency = 1e-4;                      // io/latency, s
};

extern Options current_options;
inline Options& options() { return current_options; }

// The value that applies to `size` bytes; `otherwise` below the first step.
double step_value(const SizeTable& table, double size, double otherwise);

// Seconds of a software overhead (smpi/os, ois, or); sizes below the first step take the first (SimGrid 3.32
// src/smpi/internals/smpi_host.cpp).
double overhead(const SizeTable& table, double size);

}  // namespace pysmpi
