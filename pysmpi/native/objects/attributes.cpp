// Tables of attribute keys and values.
#include "objects/attributes.hpp"

#include <Python.h>

#include <unordered_map>
#include <vector>

#include "engine/c_api.h"
#include "objects/errors.hpp"
#include "objects/python_functions.hpp"

namespace pysmpi {
namespace {

constexpr int kFirstKey = 0x2c000000;

struct Key {
  AttributeHolder holder;
  bool freed;
  CopyFunction copy;
  DeleteFunction remove;
  void* extra_state;
  std::uint32_t attributes = 0;  // number of attributes with this key
};

using Attribute = AttributesOfRanks::Attribute;

std::vector<Key> keys;
std::vector<int> unused_keys;  // freed keys without attributes: their numbers are used again
int newest_key = kKeyInvalid;
AttributesOfRanks::Table attributes_outside_ranks;
int lock_table_key = kKeyInvalid;

AttributesOfRanks::Table& attributes() {
  return pysmpi_running_rank() >= 0 ? AttributesOfRanks::current().table : attributes_outside_ranks;
}

std::uint64_t place_of(AttributeHolder holder, int object) {
  return static_cast<std::uint64_t>(pysmpi_running_rank() + 1) << 34 | static_cast<std::uint64_t>(holder) << 32 |
         static_cast<std::uint32_t>(object);
}

Key& key_of(int number) { return keys[number - kFirstKey]; }

void use_again_if_unused(int number) {
  const Key& key = key_of(number);
  if (key.freed && key.attributes == 0) unused_keys.push_back(number);
}

void count_removed(int number, std::size_t attributes) {
  key_of(number).attributes -= static_cast<std::uint32_t>(attributes);
  if (attributes > 0) use_again_if_unused(number);
}

void drop_lock_table(void* table) {
  if (!python_alive()) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(table));
  PyGILState_Release(gil);
}

int call_delete(int object, Attribute attribute) {
  if (attribute.key == lock_table_key) {
    // Deleting MPI_COMM_SELF's table would make mpi4py free the key, which other ranks still use.
    const Key& key = key_of(attribute.key);
    if (object != kCommSelf) key.remove(object, attribute.key, nullptr, key.extra_state);
    drop_lock_table(attribute.value);
    return 0;
  }
  const Key& key = key_of(attribute.key);
  return key.remove != nullptr ? key.remove(object, attribute.key, attribute.value, key.extra_state) : 0;
}

// Remove the attribute with this key from those of an object.
void remove_from(AttributesOfRanks::Table::iterator place, int key) {
  const auto removed = std::erase_if(place->second, [key](const Attribute& attribute) { return attribute.key == key; });
  if (place->second.empty()) attributes().erase(place);
  count_removed(key, removed);
}

Attribute* find(AttributeHolder holder, int object, int key) {
  const auto found = attributes().find(place_of(holder, object));
  if (found == attributes().end()) return nullptr;
  for (Attribute& attribute : found->second) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

}  // namespace

int create_key(AttributeHolder holder, CopyFunction copy, DeleteFunction remove, void* extra_state) {
  if (unused_keys.empty()) {
    newest_key = kFirstKey + static_cast<int>(keys.size());
    keys.emplace_back();
  } else {
    newest_key = unused_keys.back();
    unused_keys.pop_back();
  }
  key_of(newest_key) = {holder, false, copy, remove, extra_state};
  return newest_key;
}

bool is_key(AttributeHolder holder, int key) {
  const int index = key - kFirstKey;
  if (index < 0 || index >= static_cast<int>(keys.size())) return false;
  const Key& found = keys[index];
  return found.holder == holder && (!found.freed || found.attributes > 0);
}

int last_key() { return newest_key; }

void free_key(int key) {
  key_of(key).freed = true;
  use_again_if_unused(key);
}

int set_attribute(AttributeHolder holder, int object, int key, void* value) {
  if (key == lock_table_key) {
    const PyGILState_STATE gil = PyGILState_Ensure();
    Py_INCREF(static_cast<PyObject*>(value));
    PyGILState_Release(gil);
  }
  if (Attribute* old = find(holder, object, key)) {
    const int code = call_delete(object, *old);
    if (code != 0) return code;
    if (Attribute* still = find(holder, object, key)) {  // the callback may have deleted it
      still->value = value;
      return 0;
    }
  }
  attributes()[place_of(holder, object)].push_back({key, value});
  ++key_of(key).attributes;
  return 0;
}

bool find_attribute(AttributeHolder holder, int object, int key, void** value) {
  const Attribute* found = find(holder, object, key);
  if (found == nullptr) return false;
  *value = found->value;
  return true;
}

int delete_attribute(AttributeHolder holder, int object, int key) {
  const Attribute* found = find(holder, object, key);
  if (found == nullptr) return 0;
  const int code = call_delete(object, *found);
  if (code != 0) return code;
  const auto place = attributes().find(place_of(holder, object));
  if (place == attributes().end()) return 0;
  remove_from(place, key);
  return 0;
}

int copy_attributes(AttributeHolder holder, int from, int to) {
  const auto place = attributes().find(place_of(holder, from));
  if (place == attributes().end()) return 0;
  const std::vector<Attribute> originals = place->second;  // a copy, since callbacks may change the table
  for (const Attribute& original : originals) {
    const Key key = key_of(original.key);
    if (key.copy == nullptr) continue;
    void* copied = nullptr;
    int flag = 0;
    const int code = key.copy(from, original.key, key.extra_state, original.value, &copied, &flag);
    if (code != 0) return code;
    if (flag == 0) continue;
    attributes()[place_of(holder, to)].push_back({original.key, copied});
    ++key_of(original.key).attributes;
  }
  return 0;
}

int delete_attributes(AttributeHolder holder, int object) {
  const std::uint64_t where = place_of(holder, object);
  for (auto place = attributes().find(where); place != attributes().end(); place = attributes().find(where)) {
    const Attribute last = place->second.back();
    const int code = call_delete(object, last);
    if (code != 0) return code;
    place = attributes().find(where);
    if (place == attributes().end()) break;
    remove_from(place, last.key);
  }
  return 0;
}

bool is_in_attribute(const void* address) {
  constexpr std::uintptr_t kLongest = 16;  // bytes, of mpi4py's structure
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const auto* table : {&attributes_outside_ranks, &AttributesOfRanks::current().table}) {
    for (const auto& [_, of_object] : *table) {
      for (const Attribute& attribute : of_object) {
        if (place - reinterpret_cast<std::uintptr_t>(attribute.value) < kLongest) return true;
      }
    }
  }
  return false;
}

void set_lock_table_key(int key) { lock_table_key = key; }

int application_number() {
  const std::int32_t rank = pysmpi_running_rank();
  const auto& application_numbers = AttributesOfRanks::current().application_numbers;
  return rank >= 0 && rank < static_cast<std::int32_t>(application_numbers.size()) ? application_numbers[rank] : 0;
}

void set_application_numbers(std::int32_t ranks, const std::int32_t* numbers) {
  AttributesOfRanks::current().application_numbers.assign(numbers, numbers + ranks);
}

void add_application_number(std::int32_t number) { AttributesOfRanks::current().application_numbers.push_back(number); }

AttributesOfRanks::~AttributesOfRanks() {
  for (const auto& [_, of_object] : table) {
    for (const Attribute& attribute : of_object) {
      if (attribute.key == lock_table_key) drop_lock_table(attribute.value);
      count_removed(attribute.key, 1);
    }
  }
}

}  // namespace pysmpi
