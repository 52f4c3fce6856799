// All state of one simulation. The state is built when the simulation begins and destroyed when it ends.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/observer.hpp"
#include "base/types.hpp"
#include "blas/calls.hpp"
#include "collectives/persistent.hpp"
#include "collectives/posted.hpp"
#include "collectives/selectors/best.hpp"
#include "counting/counts.hpp"
#include "counting/distances.hpp"
#include "counting/memory.hpp"
#include "datatypes/datatype.hpp"
#include "datatypes/operation.hpp"
#include "engine/call_site.hpp"
#include "engine/detours.hpp"
#include "engine/interruptions.hpp"
#include "engine/signals.hpp"
#include "engine/simulation.hpp"
#include "executables/process.hpp"
#include "executables/sampled_loops.hpp"
#include "instrumentation/check/findings.hpp"
#include "instrumentation/instruments.hpp"
#include "io/access.hpp"
#include "isolation/garbage.hpp"
#include "isolation/isolation.hpp"
#include "matching/communicator.hpp"
#include "matching/compound.hpp"
#include "matching/partitioned.hpp"
#include "matching/point_to_point.hpp"
#include "matching/probing.hpp"
#include "matching/progress.hpp"
#include "matching/requests.hpp"
#include "objects/attributes.hpp"
#include "objects/datatype_names.hpp"
#include "objects/error_handler.hpp"
#include "objects/errors.hpp"
#include "replay/rank.hpp"
#include "schedule/ledger.hpp"
#include "schedule/local_work.hpp"
#include "schedule/running.hpp"
#include "schedule/steps.hpp"
#include "schedule/wide_collectives.hpp"

namespace pysmpi {

// This list contains all variables that outlive simulations, grouped by the reason for it. The test
// tests/bindings/test_state_of_process.py compares the list with the sources.
//
// The pointers to the parts of the present simulation:
//   base/simulation_part.hpp: current_
//   bindings/simulation_parts.cpp: parts
//
// Variables that each switch between ranks reads, and that a new simulation resets:
//   engine/greenlets.hpp: programs_have_greenlets
//   engine/isolation.hpp: switch_process
//   engine/own_stack.hpp: own_stack
//
// Memory that is used again by the next simulation, or that arrays of the program keep until they are collected:
//   counting/memory.cpp: small_blocks
//   rank_memory/folded.cpp: folded_begin, folded_length, folded_block, range_block, reserved
//   rank_memory/frames.cpp: blocks, mappings, warm, cold, next, end
//   engine/own_stack.cpp: unused_stacks
//   rank_memory/stacks.cpp: blocks
//   rank_memory/zones.cpp: zoned_begin, zoned_length, arrays, mappings
//   base/block_pool.cpp: free_blocks, free_counts
//   executables/thread_keys.cpp: shared_keys
//
// Hooks in the interpreter, in NumPy and in Python code, which are installed once:
//   blas/calls.cpp: known_functions, known_routines, failed_type, failed_value, failed_traceback
//   collectives/selectors/best.cpp: hook
//   counting/memory.cpp: last_number, handler
//   counting/operations.cpp: replaced, originals
//   engine/call_site.hpp: address_in_program, name_of_program_address, text_of_program_address
//   engine/event_loops.cpp: get_loop, set_loop, swap_task
//   engine/fiber.hpp: reason_not_to_wait
//   engine/fiber.cpp: stop_exception, exceptions_record, asks_for_places
//   engine/greenlets.cpp: make_greenlet, switch_greenlet, throw_into_greenlet
//   engine/greenlets.cpp: switch_method, throw_method, free_greenlet
//   engine/own_stack.cpp: definition, function
//   isolation/collector.cpp: found
//   engine/signals.cpp: signal_function
//   isolation/attributes.cpp: report_call, set_on_module, set_on_class, importing_shared, method_definitions
//   isolation/foreign_calls.cpp: call_ctypes, call_cffi, known
//   isolation/garbage.cpp: method
//   isolation/builtin_functions.cpp: builtins, builtin_count
//   isolation/child_ends.cpp: children_of_ranks
//   isolation/crash_report.cpp: host_names, handlers_before, installed
//   isolation/exit_functions.cpp: at_end, at_exit
//   isolation/library_clocks.cpp: readings, real_openmp_clock, seen
//   isolation/library_variables.cpp: has_library_variables, separation, first
//   isolation/isolation.cpp: mpi4py, watcher, next
//   isolation/module_methods.cpp: originals, original
//   isolation/thread_storage.cpp: state, real_register
//   isolation/thread_vector.cpp: probe
//   objects/error_handler.cpp: fatal_hook
//   objects/python_functions.cpp: pending_exception, functions
//   rank_memory/allocator.cpp: threshold, handler
//   rank_memory/assignment.cpp: assign_plainly, folded_type, assign_folded, notify_plain
//   rank_memory/frames.cpp: interpreters, calling
//   rank_memory/stacks.cpp: interpreters
//
// Settings and inputs, which are set or read before a simulation begins:
//   base/library_behaviour.cpp: current_behaviour
//   base/options.cpp: current_options
//   collectives/registry.cpp: instance
//   collectives/selectors/decision_tree.cpp: trees
//   engine/call_site.cpp: foreign_prefixes
//   engine/own_stack.cpp: size_of_stacks
//   rank_memory/folded.cpp: programs_fold
//   objects/errors.cpp: class_rules
//   platform/c_api.cpp: installed
//   replay/c_api.cpp: traces, goal, schedules, text_error
//
// Objects that are made outside ranks, mostly by mpi4py while it is imported, and tables that share their handles with
// objects of ranks. Texts of errors, because exceptions are printed after the simulation:
//   bindings/simulation_parts.cpp: made_outside_ranks
//   datatypes/datatype.cpp: registry
//   datatypes/operation.cpp: operations, free_places
//   mpi/buffers.cpp: outside_ranks
//   objects/attributes.cpp: keys, unused_keys, newest_key, attributes_outside_ranks, lock_table_key
//   objects/datatype_names.cpp: names_outside_ranks
//   objects/error_handler.cpp: handlers, free_handlers, set_outside_ranks
//   objects/errors.cpp: texts, next_text, added_outside_ranks
//   rma/window.cpp: windows, free_places
//
// Variables that carry nothing from one simulation to the next: registries and caches whose entries never change,
// addresses that MPI gives to programs, and the arguments of the call that is being checked, which each call sets:
//   collectives/allreduce/swing.cpp: timetables
//   engine/refusal.cpp: known, changes_at_last_use
//   engine/single_libraries.cpp: single_libraries, seen_loads, single_library_loaded
//   engine/native_waits.cpp: native_waits
//   engine/other_threads.cpp: known_threads
//   engine/tracing.cpp: nothing
//   isolation/library_settings.cpp: exchange_settings, own_pointer, own_bytes
//   isolation/library_waits.cpp: simulated_limits, patience, waits_in_a_row, objects_with_waits, names
//   replay/c_api.cpp: loggops_waits
//   network/model.cpp: models
//   platform/make_cluster.cpp: topologies
//   mpi/attributes.cpp: host, io, wtime_is_global, tag_upper_bound, universe_size, last_used, application
//   engine/fiber.cpp: stack_end, end
//   mpi/collective_arguments.cpp: checked_call
//   mpi/datatype_constructors.cpp: made
//   mpi/environment.cpp: MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY, MPI_F_STATUS_IGNORE, MPI_F_STATUSES_IGNORE
//   mpi/environment.cpp: MPI_F08_STATUS_IGNORE, MPI_F08_STATUSES_IGNORE
//   fortran/constants.cpp: mpipriv1_, mpipriv2_, mpiprivc_, mpifcmb5_, mpifcmb9_, MPIR_F08_MPI_BOTTOM
//   fortran/constants.cpp: MPIR_F08_MPI_IN_PLACE, MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ
//   fortran/constants.cpp: MPIR_C_MPI_UNWEIGHTED, MPIR_C_MPI_WEIGHTS_EMPTY
//   fortran/constants.cpp: __mpi_f08_link_constants_MOD_mpi_argv_null, __mpi_f08_link_constants_MOD_mpi_argvs_null
//   fortran/constants.cpp: __mpi_f08_link_constants_MOD_mpi_errcodes_ignore
//   fortran/constants.cpp: __mpi_f08_link_constants_MOD_mpi_unweighted
//   fortran/constants.cpp: __mpi_f08_link_constants_MOD_mpi_weights_empty
//
// Variables of other ABIs, to whose addresses or contents programs refer, and which nothing changes:
//   abi/openmpi_functions.cpp: ompi_errcode_intern_lastused, ompi_errcodes_intern, ompi_registered_datareps
//   abi/openmpi_functions.cpp: opal_class_init_epoch, opal_list_item_t_class, opal_uses_threads
//   abi/openmpi_handles.cpp: symbol
//
// The functions of attribute keys, which a freed key keeps until its last attribute is deleted:
//   abi/callbacks.cpp: made
//
// Objects of Python that release_contents() gives back when the isolation of ranks ends, before the parts are
// destroyed:
//   isolation/contents.cpp: containers, running
//
// A warning that is printed once in a process:
//   engine/fiber.cpp: warned_about_threads
//
// Which rank runs, and in which thread: other threads read both at any time, also while a simulation is destroyed:
//   engine/simulation.cpp: running, in_child_process, ranks_thread
//   engine/simulation.hpp: running, in_child_process, ranks_thread
//
// The pointer to the observers of the present simulation, which is null if there are none. It exists so that the
// frequent question whether a simulation is observed reads only one variable:
//   base/observer.cpp: observers

// The communicators that were made outside ranks: the fields of the class Communicators that outlive a simulation
// (SimulationParts::exchange_communicators).
struct CommunicatorsOfProcess {
  std::vector<std::unique_ptr<Communicator>> all;
  std::vector<std::uint32_t> unused;
  std::uint32_t next_context = 4;
};

// Exactly one object of this class exists at any time. Between simulations it represents a world of one process, for
// modules that call MPI while they are imported; it then has all parts except the scheduler. Each part may use the
// parts declared before it.
class SimulationParts {
 public:
  SimulationParts();
  SimulationParts(RankId ranks, const HostId* rank_hosts);
  ~SimulationParts();

  void exchange_communicators(CommunicatorsOfProcess& others);

 private:
  Observation observation_;
  CallSites call_sites_;
  Isolation isolation_;
  Processes processes_;
  SampledLoops sampled_loops_;
  Garbage garbage_;
  Signals signals_;
  Detours detours_;
  Interruptions interruptions_;
  std::optional<Simulation> scheduler_;
  ComputationCounts computation_counts_;
  DistanceCounts distance_counts_;
  MemoryCounts memory_counts_;
  BlasCalls blas_calls_;
  AddedErrors added_errors_;
  HandlersOfRanks error_handlers_;
  AttributesOfRanks attributes_;
  DatatypeNames datatype_names_;
  OperationsOfRanks operations_;
  DatatypesOfRanks datatypes_;
  Communicators communicators_;
  RequestPool requests_;
  UnmatchedRequests unmatched_;
  Messages messages_;
  Progress progress_;
  Polls polls_;
  Compounds compounds_;
  PartitionedMessages partitioned_;
  Ledgers ledgers_;
  LocalWork local_work_;
  Accesses accesses_;
  NativeRanks native_ranks_;
  Computations computations_;
  BestAlgorithms best_algorithms_;
  PersistentCollectives persistent_collectives_;
  Findings findings_;
  Instruments instruments_;
  WideCollectives wide_collectives_;
  Runners runners_;
  PostedCollectives posted_collectives_;
};

// begin_simulation replaces the present parts by the parts of a simulation of `ranks` ranks, end_simulation by the
// parts of the world of one process.
void begin_simulation(RankId ranks, const HostId* rank_hosts);
void end_simulation();

}  // namespace pysmpi
