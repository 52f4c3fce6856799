/* Private state of ranks in the interpreter, as declared by Python (pysmpi/simulation/isolation). All void* are
 * PyObject* borrowed from the caller. */
#ifndef PYSMPI_ISOLATION_C_API_H
#define PYSMPI_ISOLATION_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void pysmpi_isolation_begin(int32_t ranks);
void pysmpi_isolation_extend(int32_t ranks); /* after ranks were added */
void pysmpi_isolation_end(void);             /* outside ranks; releases all private state */

/* Give the rank its own dictionary[key] with this initial value (null: the key is absent). For the running rank, the
 * dictionary changes immediately. The key must be an interned string. */
void pysmpi_isolate_entry(int32_t rank, void* dictionary, void* key, void* value);

/* Set the variable in which mpi4py stores the intercommunicator with a rank's parents: a handle of 4 or 8 bytes. It is
 * one variable for all ranks; from now on each rank has its own value. To be called once per process, without parents.
 */
void pysmpi_isolate_parent(void* handle, int32_t size);

/* Set the block of bytes in which mpi4py stores its options. Their current values become the default of all ranks. To
 * be called outside ranks. */
void pysmpi_locate_options(void* block, int32_t size);
/* Give the rank its own options of mpi4py, with these initial bytes. */
void pysmpi_isolate_options(int32_t rank, const char* bytes);

/* Call exchange(from, to) whenever another rank runs, to exchange settings of compiled libraries (-1: the main
 * greenlet). Null ends this. */
void pysmpi_watch_library_settings(void* exchange);

/* Give each rank its own thread-local variables of loaded libraries, from now on until pysmpi_thread_storage_end,
 * except of libraries whose path contains one of the names. Returns -1 if the C library's layout of these variables is
 * unknown; all ranks then share them. */
int32_t pysmpi_thread_storage_begin(const char* const* names, int32_t count);
void pysmpi_thread_storage_end(void);

/* Thread-local variables of a loaded library. */
typedef struct {
  const char* path; /* the library's file; empty for the program */
  int64_t bytes;
  const char* reason; /* why all ranks share them; empty if each rank has its own */
  int32_t copied;     /* whether they are copied at a switch, because they lie in the thread's own record */
} pysmpi_thread_variables;
/* Read the library with this number (0, 1, ...); returns -1 if there are no more. Also after the end. */
int32_t pysmpi_thread_library(int32_t number, pysmpi_thread_variables* out);

/* Let compiled code that calls MPI run on a stack of its own when ctypes or cffi calls it: exchange the C function of
 * the class of functions of either package (PyTypeObject*; null if the package is missing), and restore it. */
void pysmpi_redirect_foreign_calls(void* ctypes_class, void* cffi_class);
void pysmpi_restore_foreign_calls(void* ctypes_class, void* cffi_class);

/* Give each rank its own variables of loaded C libraries, from now on until pysmpi_library_variables_end. Each of
 * `names` has a kind:
 *   0  the beginning of a file's name; meant are libraries that call MPI
 *   1  likewise; meant are libraries that another library calls of whose variables each rank has its own
 *   2  a part of the name of a file
 *   3  likewise; meant are libraries of which ranks load copies, which other libraries cannot call
 * Libraries that call a library of whose variables each rank has its own are added. */
void pysmpi_library_variables_begin(const char* const* names, const int32_t* kinds, int32_t count);
void pysmpi_library_variables_end(void); /* outside ranks */

/* Note that ranks load copies of the library, each its own, so that its variables remain where they are. */
void pysmpi_note_copied_library(const char* path);
/* Call the functions that the running rank's copies of extension modules have registered with Py_AtExit, the last
 * first. */
void pysmpi_run_exit_functions(void);
/* Forget these functions of the running rank, and those that its private libraries have registered with atexit. */
void pysmpi_forget_exit_functions(void);
/* Let a loaded copy of a library use the code of the original file, so that the memory for the code exists once.
 * Returns -1 if the copy keeps its own code. */
int32_t pysmpi_share_code(const char* copy, const char* original);

/* Variables of a library. */
typedef struct {
  const char* path;
  int64_t bytes;       /* of one rank */
  const char* reason;  /* why each rank has its own */
  const char* problem; /* why ranks cannot have their own; empty if they have */
} pysmpi_variables_of_library;
/* Read the library with this number (0, 1, ...); returns -1 if there are no more. */
int32_t pysmpi_library_variables(int32_t number, pysmpi_variables_of_library* out);

/* Give each rank its own value of a pointer that a library keeps at `count` addresses. make(rank) returns a rank's
 * first value as an integer. With a count of 0, the value outside ranks is restored. */
void pysmpi_isolate_pointer(void*** addresses, int32_t count, void* make);

/* Give each rank its own contents of a variable of a library, until the simulation ends. They begin as zeros for all
 * but the running rank. */
void pysmpi_isolate_zeroed(void* address, int64_t size);
void pysmpi_share_variables(void); /* outside ranks; ends this for all variables */

/* From now on, entries that a rank assigns to the dictionary, or deletes from it, are private to that rank. */
void pysmpi_isolate_dictionary(void* dictionary);

/* Make the contents of a dict, list or set private to each rank that changes them. */
void pysmpi_isolate_contents(void* container);

/* Until the simulation ends: make attributes private to the rank that sets them, if they are set on a module or class
 * that all ranks share, by code of another package. */
void pysmpi_isolate_attributes(void);

/* Begin the import of a module that all ranks share: its assignments hold for all ranks, and the Python function
 * `report` is called with the name of each MPI function that may depend on the rank. `name` is the module's name. When
 * the import has ended, call this function again with null for both arguments. */
void pysmpi_import_for_all(void* report, void* name);

int32_t pysmpi_imports_for_all(void); /* whether such an import is under way */

/* Report that the running rank changes a setting of its own, such as MPI.pickle. If it is importing a module that all
 * ranks share, the module becomes private. */
void pysmpi_note_own_setting(const char* name);

/* Give the running rank its own working directory, after the rank has changed its directory from the absolute path
 * `before` to the absolute path `path`. */
void pysmpi_isolate_directory(int32_t rank, const char* before, const char* path);

/* Give the running rank its own file mode mask or recursion limit, after the rank has changed it. */
void pysmpi_isolate_mask(int32_t before, int32_t now);
void pysmpi_isolate_recursion_limit(int32_t before, int32_t now);

/* Note that the running rank has redirected a standard stream (descriptor 0, 1 or 2). `before` is a copy of the
 * descriptor as it was before, which the engine closes. */
void pysmpi_isolate_stream(int32_t descriptor, int32_t before);

/* Replace a function or method written in C, in ranks: they call `replacement`, with the object or class as the first
 * argument if it is a method. Outside ranks and in other threads the original runs. pysmpi_original_builtin returns a
 * callable that always runs the original (borrowed), or null if the function is not one of CPython's builtins.
 * pysmpi_restore_builtin ends the replacement. */
void* pysmpi_original_builtin(void* function);
void pysmpi_replace_builtin(void* function, void* replacement);
void pysmpi_restore_builtin(void* function);

/* Let compiled libraries that have been loaded since the last call read the simulated clock in ranks, sleep on it
 * (isolation/library_clocks.cpp), and let other ranks run while they wait (isolation/library_waits.cpp). To be called
 * outside ranks once when a simulation begins. */
void pysmpi_follow_libraries(void);

/* Read the monotonic clock of this machine, in seconds, and let this thread sleep on it. */
double pysmpi_real_time(void);
void pysmpi_rest(double seconds);

/* Note when child processes end (isolation/child_ends.cpp). pysmpi_child_end returns the time on the clock of
 * pysmpi_real_time, or -1 if the process still runs; for a process that is not watched it returns the present time.
 * pysmpi_await_child waits until the process ends, at most until the time `until`, and returns the same; it returns
 * earlier if a signal arrives. pysmpi_pause_child_watch ends the thread that watches, because a rank is about to fork,
 * and pysmpi_resume_child_watch starts it again. pysmpi_leave_child_watch is for the forked process. */
void pysmpi_watch_child(int32_t pid);
void pysmpi_forget_child(int32_t pid);
void pysmpi_forget_children(void);
double pysmpi_child_end(int32_t pid);
double pysmpi_await_child(int32_t pid, double until);
void pysmpi_pause_child_watch(void);
void pysmpi_resume_child_watch(void);
void pysmpi_leave_child_watch(void);

/* Release the values of the private entries of the running rank, so that their finalisers run in this rank. The
 * dictionaries then contain the shared values. `rank` must be the running rank. */
void pysmpi_isolation_release(int32_t rank);

/* After a crash in native code, write a line that names the running rank and its host, then let the handler that was
 * installed before do its work. `names` are the hosts of the first ranks, in rank order, each followed by a zero byte;
 * `size` is the length in bytes. */
void pysmpi_report_crashes(const char* names, int32_t size);
void pysmpi_end_crash_reports(void);

/* Release the private state of a rank, which must not be the running one. */
void pysmpi_isolation_forget(int32_t rank);

/* Give each of `ranks` further ranks its own objects and settings in the garbage collector. Returns whether the
 * collector of this interpreter can be separated; if not, all ranks share it and the functions below do nothing. */
int32_t pysmpi_garbage_begin(int32_t ranks);
void pysmpi_garbage_end(void); /* outside ranks; gives the objects of all ranks to the main greenlet */

/* Let the garbage collector work for this rank (-1: the main greenlet): it tracks new objects as this rank's and
 * collects only its objects. To be called in a greenlet of the rank. Returns the rank for which the collector has
 * worked so far. */
int32_t pysmpi_garbage_of(int32_t rank);

/* Set the list of functions that the collector calls for the running rank. The caller keeps the list. */
void pysmpi_garbage_callbacks(void* list);

/* Collect all garbage of the running rank; if not `forced`, only if the rank has not disabled the collector. Returns 0
 * and does nothing if all ranks share the collector, else returns 1. */
int32_t pysmpi_garbage_collect(int32_t forced);

/* Let the garbage collector treat the objects of a rank that has ended as objects of the main greenlet. */
void pysmpi_garbage_merge(int32_t rank);

#ifdef __cplusplus
}  // extern C
#endif

#endif
