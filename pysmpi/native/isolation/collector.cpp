// Search for the garbage collector's state, whose address the interpreter does not publish. The collector appends each
// new object to the list of the youngest generation, so that the object's successor is the head of this list. A future
// version of CPython may arrange the state differently. Therefore the values around the head are compared with those
// that the module gc returns (thresholds, the list of uncollectable objects, whether the collector is enabled).
#include "isolation/collector.hpp"

#include <cstddef>

namespace pysmpi {

#if PY_VERSION_HEX < 0x030E0000 && !defined(Py_GIL_DISABLED)

namespace {

bool is_list(const GcLink& head) {
  return &link_at(link_at(head.next).previous) == &head && link_at(head.previous).next == address(head);
}

bool is_well_formed(const Collector& collector) {
  if (collector.youngest != &collector.generations[0].objects || collector.collecting != 0) return false;
  for (const Collector::Generation& each : collector.generations) {
    if (!is_list(each.objects)) return false;
  }
  return is_list(collector.frozen.objects);
}

bool has_thresholds(const Collector& collector, PyObject* gc) {
  PyObject* const thresholds = PyObject_CallMethod(gc, "get_threshold", nullptr);
  int youngest = 0, middle = 0, oldest = 0;
  const bool same = thresholds && PyArg_ParseTuple(thresholds, "iii", &youngest, &middle, &oldest) &&
                    youngest == collector.generations[0].threshold && middle == collector.generations[1].threshold &&
                    oldest == collector.generations[2].threshold;
  Py_XDECREF(thresholds);
  return same;
}

bool has_lists(const Collector& collector, PyObject* gc) {
  PyObject* const garbage = PyObject_GetAttrString(gc, "garbage");
  const bool same = garbage && garbage == collector.garbage && PyList_Check(collector.garbage);
  Py_XDECREF(garbage);
  return same;
}

bool follows_switch(const volatile int& enabled) {
  const bool before = PyGC_Disable() != 0;
  const bool off = enabled == 0;
  PyGC_Enable();
  const bool on = enabled == 1;
  if (!before) PyGC_Disable();
  return off && on;
}

Collector* search() {
  PyObject* const gc = PyImport_ImportModule("gc");
  PyObject* const object = PyList_New(0);
  Collector* collector = nullptr;
  if (gc && object) {
    char* const head = reinterpret_cast<char*>(&link_at((reinterpret_cast<GcLink*>(object) - 1)->next));
    collector = reinterpret_cast<Collector*>(head - offsetof(Collector, generations));
    if (!is_well_formed(*collector) || !has_thresholds(*collector, gc) || !has_lists(*collector, gc) ||
        !follows_switch(collector->enabled)) {
      collector = nullptr;
    }
  }
  PyErr_Clear();
  Py_XDECREF(object);
  Py_XDECREF(gc);
  return collector;
}

}  // namespace

Collector* find_collector() {
  static Collector* const found = search();
  return found;
}

#else

Collector* find_collector() { return nullptr; }

#endif

}  // namespace pysmpi
