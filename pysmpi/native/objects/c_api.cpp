// The C functions for MPI objects that Python calls.
#include "objects/c_api.h"

#include "datatypes/operation.hpp"
#include "objects/attributes.hpp"
#include "objects/datatype_names.hpp"
#include "objects/error_handler.hpp"
#include "objects/errors.hpp"
#include "objects/python_functions.hpp"

using namespace pysmpi;

void pysmpi_set_python_function(const char* name, void* function) {
  python_function(name) = reinterpret_cast<PythonFunction>(function);
}

void pysmpi_set_pending_exception(void* type) { set_pending_exception(type); }

int32_t pysmpi_set_error_class(const char* function, const char* error_class, const char* other) {
  return set_error_class(function, error_class, other) ? 0 : -1;
}

void pysmpi_reset_error_classes(void) { reset_error_classes(); }

int pysmpi_fail(int communicator, int error_class, const char* function, const char* text) {
  return fail(communicator, error_class, function, "%s", text);
}

int pysmpi_fail_file(intptr_t file, int error_class, const char* function, const char* text) {
  return raise_file_error(file, make_error_code(error_class, function, "%s", text));
}

int pysmpi_raise_file_error(intptr_t file, int code) { return raise_file_error(file, code); }

void pysmpi_inherit_file_error_handler(int file) { set_communicator_error_handler(file, file_error_handler(0)); }

void pysmpi_set_fatal_hook(void (*hook)(int code, const char* text)) { set_fatal_hook(hook); }

void pysmpi_inherit_error_handler(int parent, int communicator) {
  set_communicator_error_handler(communicator, communicator_error_handler(parent));
}

void pysmpi_set_error_handler(int communicator, int handler) { set_communicator_error_handler(communicator, handler); }

void pysmpi_forget_error_handler(int communicator_or_file) { forget_communicator_error_handler(communicator_or_file); }

int pysmpi_copy_attributes(int holder, int from, int to) {
  return copy_attributes(static_cast<AttributeHolder>(holder), from, to);
}

int pysmpi_delete_attributes(int holder, int object) {
  return delete_attributes(static_cast<AttributeHolder>(holder), object);
}

int pysmpi_is_in_attribute(const void* address) { return is_in_attribute(address); }

int pysmpi_last_key(void) { return last_key(); }

void pysmpi_set_lock_table_key(int key) { set_lock_table_key(key); }

void pysmpi_set_application_numbers(int ranks, const int* numbers) { set_application_numbers(ranks, numbers); }

void pysmpi_add_application_number(int number) { add_application_number(number); }
