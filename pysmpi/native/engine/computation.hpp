// Time that passes in a rank: computation between MPI calls, injected computation, and sleep.
#pragma once

#include "base/spent.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/steps.hpp"
#include "engine/time_sources.hpp"

namespace pysmpi {

// Block the running rank for `seconds` of simulated time. Return false if the rank is being stopped.
bool sleep_for(double seconds, const char* call, Spent spent);
Blocked sleeping(double seconds, const char* call, Spent spent);  // sleep_for() for coroutines, which await it
// Let the running rank sleep for the time that a test for completion takes. `counter` is the number of unsuccessful
// tests, by which this time is multiplied (DeferredActions::test).
bool sleep_in_test(PollCounter counter, const char* call);
// Compute `flops` floating-point operations in the running rank. Ranks of one host share its cores. Returns false if
// the rank is being stopped.
bool execute_flops(double flops, const char* call);

double core_speed();  // flop/s of a core of the running rank's host in its present performance state

// Advance the simulated clock by the running rank's computation since its last call. This is the computation injected
// since that call, in one piece because nothing can have read the clock in between. With smpi/simulate-computation, the
// measured time since that call is added if it is above smpi/cpu-threshold; it is multiplied by smpi/host-speed and
// divided by the speed of the simulated host (SMPI's smpi_bench_end, SimGrid 3.32 src/smpi/internals/smpi_bench.cpp).
// `call` is a string literal, the name of the MPI function that begins; only class Call passes it, other callers pass
// null. Returns false if the rank is being stopped.
bool account_computation(const char* call = nullptr);
void leave_call();  // starts to measure the rank's computation

// Add computation of the running rank: flops on its host, or seconds of this machine (scaled like measured ones, and
// ignored below smpi/cpu-threshold). The clock advances by this computation at the next account_computation. Inside a
// sampled block, the computation counts as part of the measurement.
void owe_flops(TimeSource source, double flops);
void owe_measured_seconds(TimeSource source, double seconds);
// Add computation that moves `bytes` bytes through the host's memory, and takes `seconds` if no other rank uses the
// memory. The clock advances at the next account_computation.
void owe_bytes(TimeSource source, double bytes, double seconds);

// Sampled blocks: code that the running rank runs and times a few times, so that later repetitions can take the mean of
// these times. begin_sampled_block first lets the time of earlier computation pass; it returns false if the rank is
// being stopped. Until end_sampling, only these blocks are measured. end_sampled_block returns the seconds of the
// block, or -1 if it called MPI, which makes the measurement useless. The program may read the simulated clock, which
// does not advance in a block. end_sampling adds `seconds` of this machine to the rank's computation.
bool begin_sampled_block();
double end_sampled_block();
void end_sampling(double seconds);
bool is_sampled();

// Exclude the time between begin_exclusion and end_exclusion from the rank's computation.
double begin_exclusion();
void end_exclusion(double begun);

// Return the simulated time, then spend smpi/wtime seconds in the running rank, as SMPI does. Because each reading
// takes time, a loop that waits for a certain time ends.
double read_clock();

// Return the time that the running rank's clock would show after its computation since the last call. No time passes.
double own_time();

// Start to measure the rank's computation unless it is being measured already. MPI functions that take no time call
// this function, so that computation counts from the rank's first MPI call of any kind, as SMPI counts it from
// MPI_Init. Imports before that do not count.
void begin_computation();

}  // namespace pysmpi
