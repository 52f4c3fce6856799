// Time that passes in a rank: computation between MPI calls, injected computation, sleep.
#pragma once

namespace pysmpi {

// Each blocks the running rank; false when it is being stopped.
bool sleep_for(double seconds, const char* call);
bool execute_flops(double flops, const char* call);  // on its host, sharing the cores with the host's other ranks

double core_speed();  // of the running rank's host in its present performance state, flop/s

// What the running rank owes passes: the computation that it injected since its last call, in one piece, for nobody can
// have looked at the clock in between; and with smpi/simulate-computation the time since it left that call, scaled by
// smpi/host-speed over the simulated host's speed, when it is above smpi/cpu-threshold (SMPI's smpi_bench_end, SimGrid
// 3.32 src/smpi/internals/smpi_bench.cpp). False when the rank is being stopped.
bool account_computation();
void leave_call();  // from here on the rank computes

// The time on the clock of the running rank, which then lets smpi/wtime pass, as SMPI does: a loop that waits for a
// time to come ends.
double read_clock();

// The rank has called MPI, in a function that takes no time. Computation counts from its first call of any kind, as
// SMPI counts it from MPI_Init: what a program imports before does not.
void begin_computation();

}  // namespace pysmpi
