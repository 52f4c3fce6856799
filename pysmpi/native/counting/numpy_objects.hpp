// The public structures of NumPy's objects (NumPy's reference, "Python types and C-structures"), as far as counting
// needs them. They are written out because the engine is built without NumPy's headers, whose structures of element
// types differ between versions 1 and 2.
#pragma once

#include <Python.h>

#include <cstdint>

namespace pysmpi::numpy {

struct ElementType {
  PyObject_HEAD PyTypeObject* scalar_type;
  char kind, letter, byte_order, former_flags;
  std::int32_t number;
  union {
    std::int32_t length_1;  // bytes of an element, NumPy 1
    std::uint64_t flags;
  };
  std::intptr_t length_2;  // bytes of an element, NumPy 2
};

struct Array {
  PyObject_HEAD char* data;
  int dimensions;
  std::intptr_t* shape;
  std::intptr_t* strides;
  PyObject* base;
  ElementType* type;
  int flags;
  PyObject* weak_references;
  void* buffer_information;
  PyObject* memory_handler;  // capsule with the allocator of the data

  bool owns_data() const { return !base && (flags & 0x4) != 0; }
  std::int64_t elements() const {
    std::int64_t number = 1;
    for (int i = 0; i < dimensions; ++i) number *= shape[i];
    return number;
  }
};

}  // namespace pysmpi::numpy
