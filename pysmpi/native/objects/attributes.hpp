// Attributes cached on communicators, datatypes and windows. Keys are valid in all ranks, since mpi4py keeps its keys
// in variables that all ranks share. Values belong to one rank, as in a process. The implementation is native because
// mpi4py looks up attributes in every pickled collective and deletes them after the interpreter's end.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/simulation_part.hpp"

namespace pysmpi {

inline constexpr int kKeyInvalid = 0x24000000;

enum class AttributeHolder : std::uint8_t { kCommunicator, kDatatype, kWindow };

using CopyFunction = int (*)(int object, int key, void* extra_state, void* value, void* copied, int* flag);
using DeleteFunction = int (*)(int object, int key, void* value, void* extra_state);

int create_key(AttributeHolder holder, CopyFunction copy, DeleteFunction remove, void* extra_state);
bool is_key(AttributeHolder holder, int key);
int last_key();          // key created last, or kKeyInvalid
void free_key(int key);  // existing attributes stay, and the key is valid until the last of them is deleted

// Attributes of the running rank. The functions with an int result return 0 or the error code of a callback.
int set_attribute(AttributeHolder holder, int object, int key, void* value);
bool find_attribute(AttributeHolder holder, int object, int key, void** value);
int delete_attribute(AttributeHolder holder, int object, int key);
int copy_attributes(AttributeHolder holder, int from, int to);
int delete_attributes(AttributeHolder holder, int object);  // deletes the latest attribute first

// Returns whether the address lies in a structure that is stored as an attribute. Libraries store private communicators
// this way and free them with the attribute.
bool is_in_attribute(const void* address);

// Sets the attribute key under which mpi4py stores a Python table of thread locks for each communicator. In mpi4py, a
// registry holds the only reference to each table. All ranks share this registry here, and with a shared table, a rank
// that waits inside a pickled collective would lock out the others. So each rank gets its own table, which the registry
// does not know: set_attribute adds a reference to the table, which is released when the attribute is deleted.
void set_lock_table_key(int key);

// MPI_APPNUM: the index of the running rank's program in an MPMD launch, or 0 if none was set.
int application_number();
void set_application_numbers(std::int32_t ranks, const std::int32_t* numbers);
void add_application_number(std::int32_t number);  // sets the number of the rank that is added next

// Attributes that ranks have set on objects. At the simulation's end they are dropped without calling the delete
// callbacks of their keys. Attributes that were set while no rank was running are in another table and are kept.
struct AttributesOfRanks : SimulationPart<AttributesOfRanks> {
  struct Attribute {
    int key;
    void* value;
  };
  // Attributes by rank, holder and object. No result depends on the order of the entries.
  using Table = std::unordered_map<std::uint64_t, std::vector<Attribute>>;

  AttributesOfRanks() = default;
  ~AttributesOfRanks();

  Table table;
  std::vector<std::int32_t> application_numbers;  // indexed by rank
};

}  // namespace pysmpi
