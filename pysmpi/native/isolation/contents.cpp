// Contents of containers that are private to the ranks that change them: dictionaries, lists and sets at the top level
// of shared modules.
//
// The container itself is one object, because other modules may refer to it. At a switch to another rank, its contents
// are compared with the contents that were put in place for the leaving rank. If that rank has changed them, it keeps a
// copy. If the entering rank has other contents, these are put in place. Comparing objects by identity runs no Python
// code.
#include "isolation/contents.hpp"

#include <Python.h>

#include <unordered_map>
#include <vector>

#include "isolation/c_api.h"

namespace pysmpi {

namespace {

struct Container {
  PyObject* object;
  PyObject* shared;                               // contents for ranks that have not changed them
  PyObject* in_place;                             // contents put in place by the last switch; borrowed
  std::unordered_map<RankId, PyObject*> of_rank;  // looked up, never iterated while ranks run
};

std::vector<Container> containers;
RankId running = -1;

// Copies a dictionary. If its class is derived from dict, this calls no methods of the class, unlike PyDict_Update.
PyObject* copy_of_entries(PyObject* dictionary) {
  PyObject* copy = PyDict_New();
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (copy && PyDict_Next(dictionary, &position, &key, &value)) {
    if (PyDict_SetItem(copy, key, value) != 0) Py_CLEAR(copy);
  }
  return copy;
}

PyObject* copy_of(PyObject* contents) {
  if (PyDict_Check(contents)) return copy_of_entries(contents);
  return PyList_Check(contents) ? PyList_GetSlice(contents, 0, PY_SSIZE_T_MAX) : PySet_New(contents);
}

bool same_entries(PyObject* left, PyObject* right) {
  if (PyDict_GET_SIZE(left) != PyDict_GET_SIZE(right)) return false;
  PyObject *left_key, *left_value, *right_key, *right_value;
  Py_ssize_t left_position = 0;
  Py_ssize_t right_position = 0;
  while (PyDict_Next(left, &left_position, &left_key, &left_value)) {
    if (!PyDict_Next(right, &right_position, &right_key, &right_value)) return false;
    if (left_key != right_key || left_value != right_value) return false;
  }
  return true;
}

bool same_items(PyObject* left, PyObject* right) {
  const Py_ssize_t size = PyList_GET_SIZE(left);
  if (size != PyList_GET_SIZE(right)) return false;
  for (Py_ssize_t index = 0; index < size; ++index) {
    if (PyList_GET_ITEM(left, index) != PyList_GET_ITEM(right, index)) return false;
  }
  return true;
}

bool same(PyObject* left, PyObject* right) {
  if (PyDict_Check(left)) return same_entries(left, right);
  if (PyList_Check(left)) return same_items(left, right);
  return PySet_GET_SIZE(left) == PySet_GET_SIZE(right) && PyObject_RichCompareBool(left, right, Py_EQ) == 1;
}

void put(PyObject* object, PyObject* contents) {
  if (PyDict_Check(object)) {
    PyDict_Clear(object);
    PyDict_Update(object, contents);
  } else if (PyList_Check(object)) {
    PyList_SetSlice(object, 0, PY_SSIZE_T_MAX, contents);
  } else {
    PySet_Clear(object);
    Py_XDECREF(PyNumber_InPlaceOr(object, contents));
  }
}

void save(Container& container, RankId rank) {
  if (same(container.object, container.in_place)) return;
  PyObject* copy = copy_of(container.object);
  if (!copy) return;
  PyObject*& kept = rank < 0 ? container.shared : container.of_rank[rank];
  container.in_place = copy;
  if (kept) release_later(kept);
  kept = copy;
}

}  // namespace

void exchange_contents(RankId from, RankId to) {
  running = to;
  for (Container& each : containers) {
    save(each, from);
    const auto own = each.of_rank.find(to);
    PyObject* wanted = own == each.of_rank.end() ? each.shared : own->second;
    if (wanted == each.in_place) continue;
    put(each.object, wanted);
    each.in_place = wanted;
  }
}

void forget_contents(RankId rank) {
  for (Container& each : containers) {
    const auto own = each.of_rank.find(rank);
    if (own == each.of_rank.end()) continue;
    PyObject* contents = own->second;
    each.of_rank.erase(own);
    Py_DECREF(contents);
  }
}

void release_contents() {
  exchange_contents(running, -1);
  std::vector<Container> released;
  released.swap(containers);
  for (const Container& each : released) {
    for (const auto& [rank, contents] : each.of_rank) Py_DECREF(contents);
    Py_DECREF(each.shared);
    Py_DECREF(each.object);
  }
  running = -1;
}

}  // namespace pysmpi

void pysmpi_isolate_contents(void* container) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  auto* object = static_cast<PyObject*>(container);
  bool known = false;
  for (const pysmpi::Container& each : pysmpi::containers) known = known || each.object == object;
  PyObject* copy = known ? nullptr : pysmpi::copy_of(object);
  if (copy) pysmpi::containers.push_back({Py_NewRef(object), copy, copy, {}});
  PyGILState_Release(gil);
}
