// Attributes cached on communicators, datatypes and windows. Keys are process-wide, since mpi4py keeps its own in
// variables that all ranks share; values belong to a rank, as if it were a process. Native because mpi4py looks
// attributes up in every pickled collective, and cleans up after the interpreter's end.
#pragma once

#include <cstdint>

namespace pysmpi {

inline constexpr int kKeyInvalid = 0x24000000;

enum class AttributeHolder : std::uint8_t { kCommunicator, kDatatype, kWindow };

using CopyFunction = int (*)(int object, int key, void* extra_state, void* value, void* copied, int* flag);
using DeleteFunction = int (*)(int object, int key, void* value, void* extra_state);

int create_key(AttributeHolder holder, CopyFunction copy, DeleteFunction remove, void* extra_state);
bool is_key(AttributeHolder holder, int key);
int last_key();          // the one made last; kKeyInvalid when there is none
void free_key(int key);  // attributes under it stay, and are deleted with their objects

// Of the running rank. All return 0 or the error code of a callback.
int set_attribute(AttributeHolder holder, int object, int key, void* value);
bool find_attribute(AttributeHolder holder, int object, int key, void** value);
int delete_attribute(AttributeHolder holder, int object, int key);
int copy_attributes(AttributeHolder holder, int from, int to);
int delete_attributes(AttributeHolder holder, int object);  // last set, first deleted

// The address lies in a structure that an attribute is: libraries keep communicators of their own so, which they free
// with what they are attributes of.
bool is_in_attribute(const void* address);

// The key under which mpi4py keeps a table of thread locks for each communicator: a Python object that only its
// registry, shared by all ranks, holds a reference to. Each rank has its own table here, or a rank that waits inside a
// pickled collective would hold a lock against the others; so a reference comes with the value.
void set_lock_table_key(int key);

// MPI_APPNUM: which program of an MPMD launch the running rank belongs to; 0 when none were set.
int application_number();
void set_application_numbers(std::int32_t ranks, const std::int32_t* numbers);
void add_application_number(std::int32_t number);  // of the next rank

// Forgets what ranks have cached, without callbacks; the main greenlet's attributes stay.
void reset_attributes();

}  // namespace pysmpi
