// Extension module that keeps a Python object, and a handle of the library in library_variables.c, in its variables.
// It cannot be imported twice, and writes a line when its process ends.
#include <Python.h>
#include <stdio.h>

void assign(int value);
int sum(void);

static PyObject* kept;
static int assigned = -1;

static PyObject* keep(PyObject* module, PyObject* object) {
  (void)module;
  PyObject* const before = kept;
  kept = Py_NewRef(object);
  return before ? before : Py_NewRef(Py_None);
}

static PyObject* put(PyObject* module, PyObject* number) {
  (void)module;
  assigned = (int)PyLong_AsLong(number);
  assign(assigned);
  Py_RETURN_NONE;
}

static PyObject* get(PyObject* module, PyObject* none) {
  (void)module, (void)none;
  return Py_BuildValue("ii", assigned, sum());
}

static PyMethodDef functions[] = {
    {"keep", keep, METH_O, NULL}, {"put", put, METH_O, NULL}, {"get", get, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_handles", NULL, -1, functions, NULL, NULL, NULL, NULL};

static void leave(void) { fprintf(stderr, "left %d\n", assigned); }

PyMODINIT_FUNC PyInit__handles(void) {
  static int times;
  if (++times > 1) {
    PyErr_SetString(PyExc_ImportError, "imported twice");
    return NULL;
  }
  return Py_AtExit(leave) == 0 ? PyModule_Create(&definition) : NULL;
}
