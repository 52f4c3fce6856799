/* MPI's objects: the interface between the C++ functions that programs call and the Python code that implements them
 * (pysmpi/simulation/mpi). */
#ifndef PYSMPI_OBJECTS_C_API_H
#define PYSMPI_OBJECTS_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Register `function` as the implementation of the MPI function with this name ("MPI_Comm_split"). */
void pysmpi_set_python_function(const char* name, void* function);

/* Raise the exception class (a PyObject*) in the running rank's Python code when the current MPI call returns. */
void pysmpi_set_pending_exception(void* type);

/* Report the failure of an MPI function written in Python: create an error code whose string contains `text`, and call
 * the running rank's error handler on the communicator. */
int pysmpi_fail(int communicator, int error_class, const char* function, const char* text);

/* Report the failure of a function on a file (0: MPI_FILE_NULL), with a new error code as in pysmpi_fail, or with an
 * existing code. */
int pysmpi_fail_file(intptr_t file, int error_class, const char* function, const char* text);
int pysmpi_raise_file_error(intptr_t file, int code);

/* Let failures of a function ("MPI_Dims_create") that would have one error class ("MPI_ERR_ARG") have another one, as
 * in the MPI library that ranks follow. pysmpi_reset_error_classes removes all these rules. Return -1 for an unknown
 * class. */
int32_t pysmpi_set_error_class(const char* function, const char* error_class, const char* other);
void pysmpi_reset_error_classes(void);

/* Set the function that is called when an error handler ends the program. */
void pysmpi_set_fatal_hook(void (*hook)(int code, const char* text));

/* Set or remove error handlers of the running rank. pysmpi_inherit_error_handler gives a new communicator the
 * handler of its parent, and pysmpi_inherit_file_error_handler a new file that of MPI_FILE_NULL.
 * pysmpi_forget_error_handler removes the handler of a communicator or file that is freed. */
void pysmpi_inherit_error_handler(int parent, int communicator);
void pysmpi_set_error_handler(int communicator, int handler);
void pysmpi_forget_error_handler(int communicator_or_file);
void pysmpi_inherit_file_error_handler(int file);

/* Copy or delete attributes of the running rank. holder: 0 communicators, 1 datatypes, 2 windows. Return 0 or the error
 * code of a callback. */
int pysmpi_copy_attributes(int holder, int from, int to);
int pysmpi_delete_attributes(int holder, int object);

/* Return whether the address lies in a structure that is stored as an attribute. */
int pysmpi_is_in_attribute(const void* address);

/* pysmpi_last_key returns the attribute key created last. pysmpi_set_lock_table_key sets the key of the tables of
 * thread locks that mpi4py stores for each communicator. */
int pysmpi_last_key(void);
void pysmpi_set_lock_table_key(int key);

/* Set MPI_APPNUM of each rank: the index of its program in an MPMD launch. To be called before ranks run. */
void pysmpi_set_application_numbers(int ranks, const int* numbers);
void pysmpi_add_application_number(int number); /* for the next rank */

/* bindings: extern "Python" */
void py_fatal_error(int code, const char* text);

int py_Cart_create(int comm, int dimensions, const int* extents, const int* periodic, int reorder, int* newcomm);
int py_Cart_map(int comm, int dimensions, const int* extents, const int* periodic, int* newrank);
int py_Cart_sub(int comm, const int* remain, int* newcomm);
int py_Close_port(const char* name);
int py_Comm_accept(const char* port, int info, int root, int comm, int* newcomm);
int py_Comm_compare(int first, int second, int* result);
int py_Comm_connect(const char* port, int info, int root, int comm, int* newcomm);
int py_Comm_create(int comm, int group, int* newcomm);
int py_Comm_create_from_group(int group, const char* tag, int info, int errhandler, int* newcomm);
int py_Comm_create_group(int comm, int group, int tag, int* newcomm);
int py_Comm_disconnect(int* comm);
int py_Comm_dup(int comm, int* newcomm);
int py_Comm_dup_with_info(int comm, int info, int* newcomm);
int py_Comm_free(int* comm);
int py_Comm_get_info(int comm, int* info);
int py_Comm_get_name(int comm, char* name, int* length);
int py_Comm_get_parent(int* parent);
int py_Comm_group(int comm, int* group);
int py_Comm_idup(int comm, int* newcomm, int* request);
int py_Comm_idup_with_info(int comm, int info, int* newcomm, int* request);
int py_Comm_join(int fd, int* newcomm);
int py_Comm_remote_group(int comm, int* group);
int py_Comm_set_info(int comm, int info);
int py_Comm_set_name(int comm, const char* name);
int py_Comm_spawn(const char* command, char** arguments, int processes, int info, int root, int comm, int* newcomm,
                  int* codes);
int py_Comm_spawn_multiple(int count, char** commands, char*** arguments, const int* processes, const int* infos,
                           int root, int comm, int* newcomm, int* codes);
int py_Comm_split(int comm, int color, int key, int* newcomm);
int py_Comm_split_type(int comm, int split_type, int key, int info, int* newcomm);

int py_Dims_create(int nodes, int dimensions, int* extents);
int py_Dist_graph_create(int comm, int n, const int* sources, const int* degrees, const int* destinations,
                         const int* weights, int info, int reorder, int* newcomm);
int py_Dist_graph_create_adjacent(int comm, int indegree, const int* sources, const int* source_weights, int outdegree,
                                  const int* destinations, const int* destination_weights, int info, int reorder,
                                  int* newcomm);
int py_Get_hw_resource_info(int* info);
int py_Graph_create(int comm, int nodes, const int* ends, const int* edges, int reorder, int* newcomm);
int py_Graph_map(int comm, int nodes, const int* ends, const int* edges, int* newrank);

int py_File_access(intptr_t file, const char* function, int how, int64_t offset, void* buffer, int64_t count,
                   int datatype, int64_t* bytes, int* request);
int py_File_access_end(intptr_t file, const char* function, int how, int64_t* bytes);
int py_File_close(intptr_t* file);
int py_File_delete(const char* filename, int info);
int py_File_get_amode(intptr_t file, int* amode);
int py_File_get_atomicity(intptr_t file, int* flag);
int py_File_get_byte_offset(intptr_t file, long long offset, long long* displacement);
int py_File_get_group(intptr_t file, int* group);
int py_File_get_info(intptr_t file, int* info);
int py_File_get_position(intptr_t file, long long* offset);
int py_File_get_position_shared(intptr_t file, long long* offset);
int py_File_get_size(intptr_t file, long long* size);
int py_File_get_type_extent(intptr_t file, int datatype, intptr_t* extent);
int py_File_get_view(intptr_t file, long long* displacement, int* etype, int* filetype, char* datarep);
int py_File_open(int comm, const char* filename, int amode, int info, intptr_t* file);
int py_File_preallocate(intptr_t file, long long size);
int py_File_seek(intptr_t file, long long offset, int whence);
int py_File_seek_shared(intptr_t file, long long offset, int whence);
int py_File_set_atomicity(intptr_t file, int flag);
int py_File_set_info(intptr_t file, int info);
int py_File_set_size(intptr_t file, long long size);
int py_File_set_view(intptr_t file, long long displacement, int etype, int filetype, const char* datarep, int info);
int py_File_sync(intptr_t file);
int py_Register_datarep(const char* name, void* read_function, void* write_function, void* extent_function,
                        void* extra_state);

int py_Group_compare(int first, int second, int* result);
int py_Group_difference(int first, int second, int* newgroup);
int py_Group_excl(int group, int n, const int* ranks, int* newgroup);
int py_Group_free(int* group);
int py_Group_from_session_pset(int session, const char* name, int* group);
int py_Group_incl(int group, int n, const int* ranks, int* newgroup);
int py_Group_intersection(int first, int second, int* newgroup);
int py_Group_range_excl(int group, int n, int* ranges, int* newgroup);
int py_Group_range_incl(int group, int n, int* ranges, int* newgroup);
int py_Group_rank(int group, int* rank);
int py_Group_size(int group, int* size);
int py_Group_translate_ranks(int first, int n, const int* ranks, int second, int* translated);
int py_Group_union(int first, int second, int* newgroup);

int py_Info_create(int* info);
int py_Info_create_env(int argc, char** argv, int* info);
int py_Info_delete(int info, const char* key);
int py_Info_dup(int info, int* newinfo);
int py_Info_free(int* info);
int py_Info_get(int info, const char* key, int valuelen, char* value, int* flag);
int py_Info_get_string(int info, const char* key, int* buflen, char* value, int* flag);
int py_Info_get_nkeys(int info, int* nkeys);
int py_Info_get_nthkey(int info, int n, char* key);
int py_Info_get_valuelen(int info, const char* key, int* valuelen, int* flag);
int py_Info_set(int info, const char* key, const char* value);

int py_Intercomm_create(int local_comm, int local_leader, int peer_comm, int remote_leader, int tag, int* newcomm);
int py_Intercomm_create_from_groups(int local_group, int local_leader, int remote_group, int remote_leader,
                                    const char* tag, int info, int errhandler, int* newcomm);
int py_Intercomm_merge(int intercomm, int high, int* newcomm);

int py_Lookup_name(const char* service, int info, char* port);
int py_Open_port(int info, char* name);
int py_Publish_name(const char* service, int info, const char* port);
int py_Unpublish_name(const char* service, int info, const char* port);

int py_Session_finalize(int* session);
int py_Session_get_info(int session, int* info);
int py_Session_get_nth_pset(int session, int info, int n, int* length, char* name);
int py_Session_get_num_psets(int session, int info, int* count);
int py_Session_get_pset_info(int session, const char* name, int* info);
int py_Session_init(int info, int errhandler, int* session);
/* bindings: end */

#ifdef __cplusplus
}  // extern C
#endif

#endif
