// The numeric options of a simulation, with SimGrid's names and defaults (SimGrid 3.32, src/simgrid/sg_config.cpp). The
// Python registry of options defines names, checks and help; C++ reads the values here.
#pragma once

#include <cstdint>
#include <vector>

namespace pysmpi {

// A step of a table by message size. It applies to sizes above `above`, up to and including the next step's `above`, as
// in SimGrid. Tables are sorted by `above`.
struct SizeStep {
  double above;
  double value;     // factor; for overheads, seconds of start-up
  double per_byte;  // overheads only: seconds per byte
};
using SizeTable = std::vector<SizeStep>;

struct NetworkModel;  // network/model.hpp

// The algorithms of nonblocking and persistent collectives (smpi/nonblocking-collectives).
enum class NonblockingCollectives : std::uint8_t {
  kLinear,    // SMPI's: nonblocking calls post all messages at once; persistent ones are as with kBlocking
  kBlocking,  // those of blocking collectives
  kLibrary,   // the MPI library's own algorithms for such calls, if it has any
};

struct Options {
  const NetworkModel* network_model = nullptr;  // network/model; null for flows
  bool exact_sharing = false;                   // network/optim: true for Full, false for Lazy
  bool node_model = false;                      // platform/node-model
  double precision_timing = 1e-9;               // precision/timing, seconds
  double precision_work_amount = 1e-5;          // precision/work-amount, relative
  double precision_rounding = 0.0;              // precision/rounding, relative
  double tcp_gamma = 4194304.0;                 // network/TCP-gamma, bytes
  bool crosstraffic = true;                     // network/crosstraffic
  double weight_s = 8775.0;                     // network/weight-S, bytes
  double loopback_bandwidth = 10e9;             // network/loopback-bw, bytes/s
  double loopback_latency = 0.0;                // network/loopback-lat, s
  SizeTable bandwidth_factor;                   // smpi/bw-factor, or the single network/bandwidth-factor
  SizeTable latency_factor;                     // smpi/lat-factor, or the single network/latency-factor
  SizeTable end_latency;                        // fabric/latency: added to the delay of messages between hosts
  SizeTable exchange_latency;                   // fabric/exchange-latency: added to it in exchanges
  SizeTable opposite_bandwidth;                 // fabric/opposite-bandwidth: factors; empty for 2
  SizeTable loopback_end_latency;               // fabric/loopback-latency: added to the delay inside a host
  SizeTable loopback_bandwidth_factor;          // smpi/loopback-bw-factor; empty: bandwidth_factor inside hosts, too
  SizeTable loopback_latency_factor;            // smpi/loopback-lat-factor; empty: latency_factor inside hosts, too
  SizeTable send_overhead;                      // smpi/os
  SizeTable isend_overhead;                     // smpi/ois
  SizeTable receive_overhead;                   // smpi/or
  bool overhead_always = false;                 // count overheads for every message, not only where SMPI does
  double loggps_latency = 2.5e-6;               // loggps/L, s
  double loggps_gap = 1e-6;                     // loggps/g, s
  double loggps_gap_per_byte = 6e-9;            // loggps/G, s
  std::int64_t packet_size = 4096;              // packets/size, bytes
  double packet_buffer = 32768.0;               // packets/buffer, bytes per cable; infinity: no limit
  std::int64_t packet_train = 0;                // packets/train; 0 for auto
  double packet_bypass = 0.0;                   // packets/bypass, bytes
  bool fair_injection = false;                  // packets/injection: true for fair, false for fifo
  double ib_penalty_in = 0.965;                 // smpi/IB-penalty-factors for flows into one host
  double ib_penalty_out = 0.925;                // smpi/IB-penalty-factors for flows out of one host
  // Factor of smpi/IB-penalty-factors for flows from one host into hosts with more than two incoming flows.
  double ib_penalty_both = 1.35;
  std::int64_t async_small_threshold = 0;   // smpi/async-small-thresh, bytes
  std::int64_t detached_threshold = 65536;  // smpi/send-is-detached-thresh, bytes
  bool buffers_sends = true;                // smpi/buffering: true for infty, false for zero
  double wtime_cost = 1e-8;                 // smpi/wtime, s
  double test_cost = 1e-4;                  // smpi/test, s
  double iprobe_cost = 1e-4;                // smpi/iprobe, s
  double iprobe_cpu_usage = 1.0;            // smpi/iprobe-cpu-usage
  double wait_cpu_usage = 0.0;              // smpi/wait-cpu-usage
  bool grow_injected_times = true;          // smpi/grow-injected-times
  NonblockingCollectives nonblocking_collectives = NonblockingCollectives::kLinear;  // smpi/nonblocking-collectives
  bool progress_by_calls = false;                                                    // smpi/progress: true for calls
  bool rounds_by_calls = false;       // smpi/progress: true for calls and rounds
  double new_buffers = 0.0;           // smpi/new-buffers, bytes; 0: none
  double init_cost = 0.0;             // smpi/init, s
  double cpu_threshold = 1e-6;        // smpi/cpu-threshold, s
  std::uint32_t threads = 1;          // cores that the computation of each rank uses (OMP_NUM_THREADS)
  bool simulate_computation = true;   // smpi/simulate-computation
  bool replaces_interrupted = false;  // smpi/replace-interrupted
  bool processor_clock = false;       // smpi/computation-clock: true for processor time, false for wall time
  double host_speed = 0.0;            // smpi/host-speed, flop/s; 0 (auto): computation takes as long as on this machine
  double read_bandwidth = 10e9;       // io/read-bw, bytes/s
  double write_bandwidth = 10e9;      // io/write-bw, bytes/s
  double access_latency = 1e-4;       // io/latency, s

  // Return whether a poll can be repeated without an event for each repetition. Its end must not depend on the polls of
  // other ranks (smpi/grow-injected-times), nor decide their order, as it does where SMPI is followed to the bit
  // (Lazy).
  bool polls_are_independent() const { return exact_sharing && !grow_injected_times; }
};

extern Options current_options;
inline Options& options() { return current_options; }

// Return the table's value for `size` bytes, or `otherwise` below the first step.
double step_value(const SizeTable& table, double size, double otherwise);

// Return a software overhead (smpi/os, smpi/ois, smpi/or) in seconds. Sizes below the first step use the first step
// (SimGrid 3.32, src/smpi/internals/smpi_host.cpp).
double overhead(const SizeTable& table, double size);

}  // namespace pysmpi
