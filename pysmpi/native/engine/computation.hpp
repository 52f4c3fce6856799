// Time that passes in a rank: computation between MPI calls, injected computation, and sleep.
#pragma once

#include "base/spent.hpp"
#include "engine/time_sources.hpp"

namespace pysmpi {

// Block the running rank for a time. Return false if the rank is being stopped.
bool sleep_for(double seconds, const char* call, Spent spent);
bool execute_flops(double flops, const char* call);  // on its host, whose cores it shares with the host's other ranks

double core_speed();  // flop/s of a core of the running rank's host in its present performance state

// Let the computation pass that the running rank owes. This is what it has injected since its last call, in one piece
// because nothing can have read the clock in between. With smpi/simulate-computation it is also the time since that
// call, times smpi/host-speed divided by the speed of the simulated host, if it is above smpi/cpu-threshold (SMPI's
// smpi_bench_end, SimGrid 3.32 src/smpi/internals/smpi_bench.cpp). Returns false if the rank is being stopped.
bool account_computation();
void leave_call();  // begins the rank's computation

// Add computation of the running rank: flops on its host, or seconds of this machine (scaled like measured ones, and
// ignored below smpi/cpu-threshold). It passes at the next account_computation; inside a sampled block it counts as
// part of the measurement.
void owe_flops(TimeSource source, double flops);
void owe_measured_seconds(TimeSource source, double seconds);
// Add a modelled transfer of bytes through the host's memory, which takes `seconds` if no other rank uses the memory.
void owe_bytes(double bytes, double seconds);

// Sampled blocks of the running rank. Earlier computation passes before the first block begins (false if the rank is
// being stopped). Until the end of sampling nothing else is measured. end_sampled_block returns the seconds of the
// block, or -1 if it called MPI, which makes the measurement useless. The simulated clock may be read, and stands
// still.
bool begin_sampled_block();
double end_sampled_block();
void end_sampling();
bool is_sampled();

// Exclude the time in between from the rank's computation.
double begin_exclusion();
void end_exclusion(double begun);

// Return the time of the running rank's clock, then spend smpi/wtime, as SMPI does. So a loop that waits for a time
// ends.
double read_clock();

// Return the time that the running rank's clock would show after its computation since the last call. No time passes.
double own_time();

// Begin the rank's computation if it has not begun. MPI functions that take no time call this, so that computation
// counts from the rank's first MPI call of any kind, as SMPI counts it from MPI_Init. Imports before that do not count.
void begin_computation();

}  // namespace pysmpi
