/* The engine as Python drives it (pysmpi/launch/engine.py). */
#ifndef PYSMPI_ENGINE_C_API_H
#define PYSMPI_ENGINE_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int32_t pysmpi_rank_on_failed_host(void); /* the first rank whose host is off as the simulation begins; -1: none */

int32_t pysmpi_has_ended(int32_t rank); /* or failed */
int32_t pysmpi_is_host_on(uint32_t host);

void pysmpi_abort(
    int32_t code); /* of the running rank: MPI_Abort; does not return in it before the main greenlet stops it */
int32_t pysmpi_abort_rank(void);
int32_t pysmpi_abort_code(void);
int32_t pysmpi_unreachable_sender(void);
int32_t pysmpi_unreachable_receiver(void);
const char* pysmpi_exhausted_by(void); /* once */

/* Every MPI call of the rank fails from now on, and the one it is blocked in returns at once. */
void pysmpi_stop_rank(int32_t rank);
int32_t pysmpi_is_stopping(int32_t number); /* of a rank or a thread */

/* Threads that ranks start, of which pysmpi_next_rank tells like of ranks: their numbers begin at 2^30. */
int32_t pysmpi_thread_begin(void);   /* a new one of the running rank; its number */
int32_t pysmpi_running_thread(void); /* its number, or the rank's when it is the rank's first; -1: the main greenlet */
void pysmpi_stop_thread(int32_t number);
/* The running thread does nothing until it is woken, or so many seconds have passed (for ever when negative). 1: woken,
   0: the time has passed, -1: it is being stopped. */
int32_t pysmpi_thread_wait(double seconds);
int32_t pysmpi_thread_wake(int32_t number); /* 0 when it does not wait (any more) */

/* A Python exception type, raised asynchronously in each rank that is being stopped. */
void pysmpi_set_stop_exception(void* type);
void pysmpi_withdraw_stop(void); /* what is yet to be raised in the running rank is not */

/* The program of the running rank will call MPI_Init itself. */
void pysmpi_await_initialization(void);
/* It has been initialised with this level of thread support, MPI_THREAD_SINGLE (0) to MPI_THREAD_MULTIPLE (3). */
void pysmpi_provide_threads(int32_t level);

int32_t pysmpi_running_rank(void); /* -1: the main greenlet */
int32_t pysmpi_rank_count(void);
uint32_t pysmpi_rank_host(int32_t rank);
double pysmpi_now(void);

/* What the running rank has computed since it left its last MPI call passes on the simulated clock (-1 when it is being
   stopped), and: from here on it computes. Around everything that reads or advances the clock. */
int32_t pysmpi_account_computation(void);
void pysmpi_leave_call(void);

/* Whether the running rank's computation counts at all: a program that declares all its computation (injected times
   from a model) switches measuring off, and back on. Returns what it was. */
int32_t pysmpi_measure_computation(int32_t on);
int32_t pysmpi_is_measured(void);

/* The time on the running rank's clock, the reading of which takes smpi/wtime; -1 when it is being stopped. */
double pysmpi_read_clock(void);
/* The running rank does nothing for so many seconds; if for none, others go on first. 0, or -1 when it is being
 * stopped.
 */
int32_t pysmpi_sleep(double seconds);
/* It computes as many flops on its host, or for as long as one free core of it takes: passes at its next call that
   reads or advances the clock. */
void pysmpi_execute_flops(double flops);
void pysmpi_execute_seconds(double seconds);
/* The same, where a model has it rather than the program. */
void pysmpi_execute_modelled_flops(double flops);
void pysmpi_execute_modelled_seconds(double seconds);

/* Python files whose paths begin so are not the program's: its call sites are elsewhere (engine/call_site.hpp). */
void pysmpi_set_foreign_prefixes(int32_t count, const char* const* prefixes);

/* The running thread has entered a phase, or left it: for whoever observes the simulation. */
void pysmpi_tell_phase(const char* name, int32_t begins);

/* Ranks of one host share the bandwidth of its memory from the simulation's beginning on: that of each host of the
   platform, bytes/s. */
void pysmpi_share_memory(const double* bandwidths);
/* A model has it: the running rank computes for so many seconds of a free core, and moves so many bytes through its
   host's memory meanwhile. */
void pysmpi_execute_modelled_bytes(double bytes, double seconds);

/* Sampled blocks (engine/computation.hpp): each begins (-1: the rank is being stopped), ends with its seconds (-1: it
   has called MPI), and at the end of all the running rank computes so many of this machine's seconds, as code that was
   measured does. */
int32_t pysmpi_begin_sampled_block(void);
double pysmpi_end_sampled_block(void);
void pysmpi_end_sampling(double seconds);

/* What the running rank does in between is not measured; the second takes what the first returns. */
double pysmpi_begin_exclusion(void);
void pysmpi_end_exclusion(double begun);

/* Simulated seconds, summed over ranks and their threads: from their beginning to their end, in computation by source,
   and asleep. Then seconds measured here that were too few to count, and how many stretches between MPI calls have been
   free by declaration. */
typedef struct {
  double total, measured, sampled, modelled, injected, asleep, ignored;
  uint64_t free_stretches;
} pysmpi_time_spent;
void pysmpi_read_time_spent(pysmpi_time_spent* out);

/* The performance state of a rank's host: -1 while it is the one that the host began in. Set for the running rank's
   host (0, or -1 when the rank is being stopped), with what a core does then, in flop/s. */
int32_t pysmpi_pstate(int32_t rank);
int32_t pysmpi_set_pstate(int32_t pstate, double speed);
double pysmpi_speed(int32_t rank); /* of a core of its host in its present performance state, flop/s */

/* The clock of the running rank, if what it has computed since its last call had passed. */
double pysmpi_own_time(void);

/* The simulation is to stop before a rank (any of them: -1) goes on at this time or later, once. pysmpi_next_rank
   tells; then: the number of the rank, or the thread of one, that is about to go on, and which does once this has been
   asked. */
void pysmpi_break_at(double time, int32_t rank);
int32_t pysmpi_broken_off(void);
/* A Python function that the suspended rank, or thread of one, gives to sys.settrace as it goes on. */
void pysmpi_trace_in(int32_t number, void* function);

/* Joules of hosts (engine/energy.hpp), from the simulation's beginning on. Kinds of hosts first, each with its watts in
   each performance state (idle, with a load of almost nothing, with all cores busy) and while off; then the kind of
   each host, -1 without, and the performance state that it begins in. */
void pysmpi_meter_kind(uint32_t states, const double* idle, const double* epsilon, const double* all_cores, double off);
void pysmpi_meter_hosts(const int32_t* kinds, const int32_t* pstates);
int32_t pysmpi_is_energy_metered(void);
/* Until now: of all hosts, with whether anything has been computed there, and of all ranks. */
void pysmpi_read_joules(double* hosts, uint8_t* used, double* ranks);
double pysmpi_joules_of_rank(int32_t rank);
double pysmpi_joules_of_host(uint32_t host);

/* How much links are used (network/link_meter.hpp), from the simulation's beginning on; 0, or -1 under a model of the
   network that knows no links. Then, of all links of the platform until now: the integral of the load, and for how long
   they have been off, in seconds. */
int32_t pysmpi_meter_links(void);
void pysmpi_read_links(double* load_seconds, double* seconds_off);

typedef struct {
  uint64_t messages, bytes, events, switches, failed_probes;
  uint64_t flows, solves, flows_touched, links_touched;
} pysmpi_counters;
void pysmpi_read_counters(pysmpi_counters* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
