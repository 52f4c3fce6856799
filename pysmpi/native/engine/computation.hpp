// Time that passes in a rank: computation between MPI calls, injected computation, sleep.
#pragma once

#include "base/spent.hpp"
#include "engine/time_sources.hpp"

namespace pysmpi {

// Each blocks the running rank; false when it is being stopped.
bool sleep_for(double seconds, const char* call, Spent spent);
bool execute_flops(double flops, const char* call);  // on its host, sharing the cores with the host's other ranks

double core_speed();  // of the running rank's host in its present performance state, flop/s

// What the running rank owes passes: the computation that it injected since its last call, in one piece, for nobody can
// have looked at the clock in between; and with smpi/simulate-computation the time since it left that call, scaled by
// smpi/host-speed over the simulated host's speed, when it is above smpi/cpu-threshold (SMPI's smpi_bench_end, SimGrid
// 3.32 src/smpi/internals/smpi_bench.cpp). False when the rank is being stopped.
bool account_computation();
void leave_call();  // from here on the rank computes

// What the running rank says that it computes: flops on its host, or seconds as if that were this machine (scaled like
// measured ones, and ignored below smpi/cpu-threshold). Passes at the next account_computation; in a sampled block it
// is part of what is measured.
void owe_flops(TimeSource source, double flops);
void owe_measured_seconds(TimeSource source, double seconds);
// A model has it: the rank moves bytes through its host's memory, in so many seconds if nobody else does.
void owe_bytes(double bytes, double seconds);

// A sampled block of the running rank. What comes before it passes first (false when the rank is being stopped). From
// there to the end of sampling nothing else is measured; a call to MPI inside would be, and spoils it. Each end of a
// block gives its seconds, -1 when it is spoilt. The clock of the simulation may be read, and stands still.
bool begin_sampled_block();
double end_sampled_block();
void end_sampling();
bool is_sampled();

// What happens in between is not the rank's own computation.
double begin_exclusion();
void end_exclusion(double begun);

// The time on the clock of the running rank, which then lets smpi/wtime pass, as SMPI does: a loop that waits for a
// time to come ends.
double read_clock();

// What the clock of the running rank would say if what it has computed since its last call had passed. Nothing passes.
double own_time();

// The rank has called MPI, in a function that takes no time. Computation counts from its first call of any kind, as
// SMPI counts it from MPI_Init: what a program imports before does not.
void begin_computation();

}  // namespace pysmpi
