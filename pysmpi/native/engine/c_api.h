/* C interface to the engine, which Python drives (pysmpi/simulation/launch/engine.py). */
#ifndef PYSMPI_ENGINE_C_API_H
#define PYSMPI_ENGINE_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return the first rank whose host is off at the start of the simulation, or -1 if all hosts are on. */
int32_t pysmpi_rank_on_failed_host(void);

/* `number` is that of a rank or a thread; also true if the rank has failed or was stopped in compiled code. */
int32_t pysmpi_has_ended(int32_t number);
int32_t pysmpi_is_host_on(uint32_t host);

void pysmpi_abort(
    int32_t code); /* MPI_Abort of the running rank; does not return before the main greenlet stops the rank */
/* Do so if the rank has called another function, such as "abort()". pysmpi_abort_call returns its name, or "". */
void pysmpi_abort_by(int32_t code, const char* call);
const char* pysmpi_abort_call(void);
int32_t pysmpi_abort_rank(void);
int32_t pysmpi_abort_code(void);
int32_t pysmpi_unreachable_sender(void);
int32_t pysmpi_unreachable_receiver(void);
/* Add a library with one state (engine/single_libraries.hpp): the beginning of its file's name, and why only one rank
 * may use it. To be called once per process. */
void pysmpi_add_single_library(const char* file, const char* text);
/* End the simulation because of what the running rank does. Does not return before the rank is being stopped. */
void pysmpi_refuse(const char* problem);
const char* pysmpi_refusal(void);      /* why a rank may not do what it did, with the place; see engine/refusal.hpp */
const char* pysmpi_exhausted_by(void); /* the limit that was exceeded, as text; null if none; resets it */

/* Let the computation of a rank with several threads use at most this number of cores. */
void pysmpi_pin_rank(int32_t rank, int32_t cores);

/* Stop a rank: all its further MPI calls fail, and the call that it is blocked in returns at once. */
void pysmpi_stop_rank(int32_t rank);
int32_t pysmpi_is_stopping(int32_t number); /* `number` is that of a rank or a thread */

/* Threads that ranks start. Their numbers begin at 2^30, and pysmpi_next_rank returns the number of the rank or
 * thread that runs next. */
void* pysmpi_greenlet(int32_t number); /* in which it blocked last (PyObject*, borrowed), or null */
int32_t pysmpi_thread_begin(void);     /* adds a thread to the running rank; returns its number */
/* Return the number of the running thread (for a rank's first thread, the rank), or -1 in the main greenlet. */
int32_t pysmpi_running_thread(void);
void pysmpi_stop_thread(int32_t number);
/* Block the running thread until it is woken or `seconds` have passed (negative for no limit). Returns 1 if the thread
 * was woken, 0 if the time has passed, -1 if the rank is being stopped. */
int32_t pysmpi_thread_wait(double seconds);
int32_t pysmpi_thread_wake(int32_t number); /* returns 0 if the thread is not waiting (any more) */
/* Let the other ready threads and ranks run first, because the running thread repeatedly reads a state that another one
 * may change (Patience::kOfLooks). Returns 0, or -1 if the rank is being stopped. */
int32_t pysmpi_give_way(void);
uint64_t pysmpi_switch_count(void); /* number of switches between ranks and threads so far */

/* Set three functions of asyncio: `get_loop` and `set_loop` read and set the running event loop of a thread, and
 * `swap_task` exchanges the thread's running task. Before CPython 3.14, `swap_task` is null, because each loop keeps
 * its running task itself (engine/event_loops.hpp). */
void pysmpi_set_event_loop_functions(void* get_loop, void* set_loop, void* swap_task);

/* Stacks of ranks' own (engine/own_stack.hpp): why there cannot be any, or null; their size in bytes, which also frees
 * those that are not in use; and the Python function call(function, *arguments) that calls another one on a stack of
 * its own (PyObject*, borrowed). */
const char* pysmpi_own_stacks_problem(void);
void pysmpi_set_own_stack_size(int64_t bytes);
void* pysmpi_own_stack_caller(void);

/* Make all MPI calls fail from now on, because this is a child process of a rank. */
void pysmpi_enter_child_process(void);

/* Set the simulated time at which the running rank receives the signal of a timer (infinity: never). At the end of
 * the first blocking call that returns at this time or later, the rank's first thread calls the function that was set
 * by pysmpi_set_signal_function. The function takes no arguments, and its exceptions are raised in the program. */
void pysmpi_signal_at(double time);
void pysmpi_set_signal_function(void* function);

/* Block the running thread until pysmpi_unblock is called with the thread's number. For MPI functions that are
 * implemented in Python. Deadlock reports name the communicator. Returns -1 if the rank is being stopped, else 0. */
int32_t pysmpi_block(int32_t communicator);
void pysmpi_unblock(int32_t number);

/* Set the Python exception type that is raised asynchronously in ranks that are being stopped. */
void pysmpi_set_stop_exception(void* type);
void pysmpi_withdraw_stop(void); /* cancels the exception that is still to be raised in the running rank */

/* Declare that the program of the running rank calls MPI_Init itself; until then, MPI counts as not initialised. */
void pysmpi_await_initialization(void);
/* Record the level of thread support that MPI_Init provided, MPI_THREAD_SINGLE (0) to MPI_THREAD_MULTIPLE (3). */
void pysmpi_provide_threads(int32_t level);

/* Return where a blocked rank's compiled program waits, such as "jacobi.c:24", or null if the rank runs Python code or
 * does not wait. To be called in the main greenlet. */
const char* pysmpi_program_place(int32_t number);

/* Return where the running rank's compiled program calls MPI; null if it runs Python code. */
const char* pysmpi_running_place(void);

int32_t pysmpi_running_rank(void); /* -1: the main greenlet */
int32_t pysmpi_rank_count(void);
uint32_t pysmpi_rank_host(int32_t rank);
double pysmpi_now(void);

/* pysmpi_account_computation advances the simulated clock by the running rank's computation since its last MPI call; it
 * returns -1 if the rank is being stopped. pysmpi_leave_call starts to measure the next computation. Call the first
 * function before, and the second after, everything that reads or advances the clock. */
int32_t pysmpi_account_computation(void);
void pysmpi_leave_call(void);

/* Turn measuring of the running rank's computation on or off; a program turns it off if it declares all its
   computation. Returns the previous setting. */
int32_t pysmpi_measure_computation(int32_t on);
int32_t pysmpi_is_measured(void);

/* Return the simulated time in seconds, or -1 if the running rank is being stopped. Reading the clock takes smpi/wtime
 * seconds. */
double pysmpi_read_clock(void);
/* Let the running rank sleep. With zero seconds, no time passes, but the other ready ranks run first. Returns 0, or -1
 * if the rank is being stopped. */
int32_t pysmpi_sleep(double seconds);
/* Add computation to the running rank: pysmpi_execute_flops takes its amount in flops, pysmpi_execute_seconds in
 * seconds of one free core of the rank's host. The clock advances by this computation at the rank's next call that
 * reads or advances the clock. */
void pysmpi_execute_flops(double flops);
void pysmpi_execute_seconds(double seconds);
/* Add computation as pysmpi_execute_flops and pysmpi_execute_seconds do, but with an amount that a performance model
 * estimates. The summary of the run lists its time separately. */
void pysmpi_execute_modelled_flops(double flops);

/* Set the path prefixes of Python files that do not belong to the program, so that call sites are never in these files
 * (engine/call_site.hpp). */
void pysmpi_set_foreign_prefixes(int32_t count, const char* const* prefixes);

/* Notify observers that the running thread enters a phase (`begins` 1) or leaves it (0). */
void pysmpi_report_phase(const char* name, int32_t begins);

/* Let ranks meet `rate` detours of the operating system in each second of computation; each lasts as long as one of the
 * `count` lengths, drawn at random (engine/detours.hpp). Rank r draws from the sequence `first` + r of the seed. */
void pysmpi_set_detours(double rate, int32_t count, const double* lengths, uint64_t seed, uint32_t first);
uint64_t pysmpi_detour_count(void); /* detours of all ranks so far */
double pysmpi_detour_seconds(void); /* total length of these detours */

/* Let the ranks of a host share its memory bandwidth, from the start of the simulation on. `bandwidths` is in
   bytes/s, indexed by the platform's hosts. */
void pysmpi_share_memory(const double* bandwidths);
/* Add a computation of the running rank, by a model or given by the program: `seconds` of a free core, in which `bytes`
 * bytes move through the host's memory. The bytes have no effect unless ranks, or computations and messages, share the
 * memory. */
void pysmpi_execute_modelled_bytes(double bytes, double seconds);
void pysmpi_execute_bytes(double bytes, double seconds);

/* Measure blocks of code that are run and timed only a few times, while later repetitions take the mean of these
 * times (engine/computation.hpp). pysmpi_begin_sampled_block returns -1 if the rank is being stopped.
 * pysmpi_end_sampled_block returns the block's measured seconds, or -1 if the block called MPI. pysmpi_end_sampling
 * ends the measurements and adds `seconds` of this machine to the rank's computation, as if they had been measured. */
int32_t pysmpi_begin_sampled_block(void);
double pysmpi_end_sampled_block(void);
void pysmpi_end_sampling(double seconds);

/* Exclude the time that the running rank spends between the two calls from its measured computation. Pass the result of
 * the first function to the second. */
double pysmpi_begin_exclusion(void);
void pysmpi_end_exclusion(double begun);

/* Totals over all ranks and threads. In simulated seconds: `total` from start to end; `measured`, `sampled`,
 * `modelled` and `injected` for computation, by the source of its time; `asleep` for sleep; `on_data` for combining and
 * copying in MPI. `ignored`: seconds of computation intervals that were measured on this machine but are not simulated,
 * because they are below smpi/cpu-threshold. `free_stretches`: number of computation intervals that count as zero time,
 * because measuring was off. Of the measured intervals, on this machine: `clock_seconds` on the clock that measures,
 * `wall_seconds` on the wall clock, `intervals` their number, and `interrupted` the number of those during which, or
 * just before which, another program had the processor (engine/interruptions.hpp). Of these, `shortened` took the time
 * of intervals like them, which saved `saved` seconds, and `kept` counted as measured, because none like them are known
 * (engine/measured_intervals.hpp). */
typedef struct {
  double total, measured, sampled, modelled, injected, asleep, on_data, ignored;
  uint64_t free_stretches;
  double clock_seconds, wall_seconds;
  uint64_t intervals, interrupted, shortened, kept;
  double saved;
} pysmpi_time_spent;
void pysmpi_read_time_spent(pysmpi_time_spent* out);

/* Replace this machine's clocks in the measured intervals of the simulation: `clock` receives the number of the thread
 * and the MPI function after the interval (empty for other calls), and sets the interval's seconds on the clock that
 * measures and on the wall clock. For tests. */
typedef void (*pysmpi_interval_clock)(int32_t thread, const char* call, double* seconds, double* wall);
void pysmpi_invent_intervals(pysmpi_interval_clock clock);

/* Record the measured intervals of the simulation, and write them to a file at its end (engine/interval_record.hpp).
 * Or, before a rank runs, take them from such a file, in which rank 0 is rank `first` (engine/reused_intervals.hpp).
 * pysmpi_write_intervals returns 0 or an error number of the system, pysmpi_reuse_intervals 0, or -1 if the file has no
 * intervals. */
void pysmpi_record_intervals(void);
int32_t pysmpi_write_intervals(const char* path);
int32_t pysmpi_reuse_intervals(const char* path, int32_t first);

/* Numbers of intervals: `reused` took recorded seconds, `repeated` those of the last recorded one at their place,
 * `measured` count as measured; `left_over` recorded ones have no counterpart. `longest`: largest sum of one thread's
 * intervals that are not reused, in seconds. `spread`: fraction by which intervals at the same place differ, negative
 * if unknown. `diverged`: 1 if the ranks have called or received what the record does not have. */
typedef struct {
  uint64_t reused, repeated, measured, left_over;
  double longest, spread;
  int32_t diverged;
} pysmpi_interval_use;
void pysmpi_read_interval_use(pysmpi_interval_use* out);

/* Return the performance state of a rank's host, or -1 if the state has not been changed since the start.
 * pysmpi_set_pstate sets the performance state of the running rank's host, and the speed of a core in flop/s; it
 * returns -1 if the rank is being stopped, else 0. */
int32_t pysmpi_pstate(int32_t rank);
int32_t pysmpi_set_pstate(int32_t pstate, double speed);
double pysmpi_speed(int32_t rank); /* flop/s of a core of the rank's host in its present performance state */

/* Return the time that the clock would show if the running rank's computation since its last MPI call were added now.
 * No simulated time passes. */
double pysmpi_own_time(void);

/* Stop the simulation once, before a rank (-1: any) continues at `time` seconds or later; pysmpi_next_rank then returns
 * -8. After that, pysmpi_broken_off returns the number of the rank or thread that is about to continue, and lets it
 * continue. */
void pysmpi_break_at(double time, int32_t rank);
int32_t pysmpi_broken_off(void);
/* Set a Python function that the suspended rank or thread passes to sys.settrace when it continues. */
void pysmpi_trace_in(int32_t number, void* function);

/* Meter the energy of hosts in joules (engine/energy.hpp) from the start of the simulation. A kind is a set of power
 * values that several hosts may share. First, call pysmpi_meter_kind once for each kind: for each performance state,
 * it takes the watts when idle, at minimal load (`epsilon`) and with all cores busy; `off` is in watts too. Then
 * pysmpi_meter_hosts takes the kind (-1 for none) and the initial performance state of each host. */
void pysmpi_meter_kind(uint32_t states, const double* idle, const double* epsilon, const double* all_cores, double off);
void pysmpi_meter_hosts(const int32_t* kinds, const int32_t* pstates);
int32_t pysmpi_is_energy_metered(void);
/* Write the energy in joules until now, of all hosts and of all ranks. `used` is 1 for hosts on which something was
 * computed. */
void pysmpi_read_joules(double* hosts, uint8_t* used, double* ranks);
double pysmpi_joules_of_rank(int32_t rank);
double pysmpi_joules_of_host(uint32_t host);

/* Meter the use of links (network/link_meter.hpp) from the start of the simulation. Returns 0, or -1 if the network
 * model has no links. pysmpi_read_links writes two numbers of seconds for each link of the platform: the integral
 * over time of its load (used fraction of the bandwidth), and the time that it was off. */
int32_t pysmpi_meter_links(void);
void pysmpi_read_links(double* load_seconds, double* seconds_off);
/* Parts of the packet model that the run has used (network/packets/packet_use.hpp). Returns 0, or -1 if the network
 * model has no packets. */
typedef struct {
  int32_t several_packets, several_messages, bypassed, lacked_room;
  uint32_t ignored_limit;
} pysmpi_packet_use;
int32_t pysmpi_read_packet_use(pysmpi_packet_use* out);

typedef struct {
  uint64_t messages, bytes, events, switches, failed_probes;
  uint64_t flows, solves, flows_touched, links_touched;
} pysmpi_counters;
void pysmpi_read_counters(pysmpi_counters* out);

#ifdef __cplusplus
}  // extern C
#endif

#endif
