// Fortran functions whose parameters differ from those of C.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fortran/conversions.hpp"

using namespace pysmpi;

namespace {

// Words of a command line: texts of one length one after the other, of which a blank one is the last.
class Words {
 public:
  Words(const char* texts, std::size_t length, std::size_t step) {
    if (fortran_constant(texts) != FortranConstant::kNone) return;
    for (;; texts += step) {
      std::string word(InText(texts, length).begin());
      if (word.empty()) break;
      words_.push_back(std::move(word));
    }
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  char** begin() { return pointers_.empty() ? nullptr : pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

int* errcodes_at(MPI_Fint* address) {
  return fortran_constant(address) == FortranConstant::kErrcodesIgnore ? MPI_ERRCODES_IGNORE : address;
}

// Functions of a generalised request.
struct Grequest {
  void (*query)(MPI_Aint* extra, MPI_Status* status, MPI_Fint* ierror);
  void (*release)(MPI_Aint* extra, MPI_Fint* ierror);
  void (*cancel)(MPI_Aint* extra, MPI_Fint* complete, MPI_Fint* ierror);
  MPI_Aint extra;
};
int query_grequest(void* state, MPI_Status* status) {
  auto& own = *static_cast<Grequest*>(state);
  MPI_Fint code = MPI_SUCCESS;
  own.query(&own.extra, status, &code);
  return code;
}
int release_grequest(void* state) {
  auto* const own = static_cast<Grequest*>(state);
  MPI_Fint code = MPI_SUCCESS;
  own->release(&own->extra, &code);
  delete own;
  return code;
}
int cancel_grequest(void* state, int complete) {
  auto& own = *static_cast<Grequest*>(state);
  MPI_Fint code = MPI_SUCCESS;
  own.cancel(&own.extra, &complete, &code);
  return code;
}

}  // namespace

extern "C" {

void mpi_init_(MPI_Fint* ierror) { return_code(ierror, MPI_Init(nullptr, nullptr)); }
void mpi_init_thread_(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {
  return_code(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
SAME(mpi_init_f08_, mpi_init_)
SAME(mpi_init_thread_f08_, mpi_init_thread_)

double mpi_wtime_(void) { return MPI_Wtime(); }
double mpi_wtick_(void) { return MPI_Wtick(); }
MPI_Aint mpi_aint_add_(const MPI_Aint* base, const MPI_Aint* difference) { return MPI_Aint_add(*base, *difference); }
MPI_Aint mpi_aint_diff_(const MPI_Aint* first, const MPI_Aint* second) { return MPI_Aint_diff(*first, *second); }
SAME(mpi_wtime_f08_, mpi_wtime_)
SAME(mpi_wtick_f08_, mpi_wtick_)
SAME(mpi_aint_add_f08_, mpi_aint_add_)
SAME(mpi_aint_diff_f08_, mpi_aint_diff_)

void mpi_pcontrol_(const MPI_Fint* level) { MPI_Pcontrol(*level); }
SAME(mpi_pcontrol_f08_, mpi_pcontrol_)

// Tells the compiler that the buffer may have changed.
void mpi_f_sync_reg_(void*) {}
void mpi_f_sync_reg_f08ts_(void*) {}

void mpi_buffer_detach_(void* address, MPI_Fint* size, MPI_Fint* ierror) {
  return_code(ierror, MPI_Buffer_detach(address, size));
}
SAME(mpi_buffer_detach_f08_, mpi_buffer_detach_)

// MPI-1 has addresses and displacements in default integers.
void mpi_address_(void* location, MPI_Fint* address, MPI_Fint* ierror) {
  MPI_Aint found = 0;
  const int code = MPI_Get_address(buffer(location), &found);
  *address = static_cast<MPI_Fint>(found);
  return_code(ierror, code);
}
void mpi_type_struct_(const MPI_Fint* count, MPI_Fint* lengths, const MPI_Fint* displacements, MPI_Fint* types,
                      MPI_Fint* made, MPI_Fint* ierror) {
  std::vector<MPI_Aint> places(displacements, displacements + std::max(*count, 0));
  return_code(ierror, MPI_Type_struct(*count, lengths, places.data(), types, made));
}
void mpi_type_hindexed_(const MPI_Fint* count, MPI_Fint* lengths, const MPI_Fint* displacements, const MPI_Fint* type,
                        MPI_Fint* made, MPI_Fint* ierror) {
  const std::vector<MPI_Aint> places(displacements, displacements + std::max(*count, 0));
  return_code(ierror, MPI_Type_create_hindexed(*count, lengths, places.data(), *type, made));
}
void mpi_type_hvector_(const MPI_Fint* count, const MPI_Fint* length, const MPI_Fint* stride, const MPI_Fint* type,
                       MPI_Fint* made, MPI_Fint* ierror) {
  return_code(ierror, MPI_Type_hvector(*count, *length, *stride, *type, made));
}
void mpi_type_extent_(const MPI_Fint* type, MPI_Fint* extent, MPI_Fint* ierror) {
  MPI_Aint found = 0;
  const int code = MPI_Type_extent(*type, &found);
  *extent = static_cast<MPI_Fint>(found);
  return_code(ierror, code);
}
void mpi_type_lb_(const MPI_Fint* type, MPI_Fint* bound, MPI_Fint* ierror) {
  MPI_Aint found = 0;
  const int code = MPI_Type_lb(*type, &found);
  *bound = static_cast<MPI_Fint>(found);
  return_code(ierror, code);
}
void mpi_type_ub_(const MPI_Fint* type, MPI_Fint* bound, MPI_Fint* ierror) {
  MPI_Aint found = 0;
  const int code = MPI_Type_ub(*type, &found);
  *bound = static_cast<MPI_Fint>(found);
  return_code(ierror, code);
}

void mpi_comm_spawn_(const char* command, const char* argv, const MPI_Fint* most, const MPI_Fint* info,
                     const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* made, MPI_Fint* errcodes, MPI_Fint* ierror,
                     std::size_t command_length, std::size_t argv_length) {
  Words words(argv, argv_length, argv_length);
  const InText program(command, command_length);
  return_code(ierror,
              MPI_Comm_spawn(program.begin(), words.begin(), *most, *info, *root, *comm, made, errcodes_at(errcodes)));
}
SAME(mpi_comm_spawn_f08_, mpi_comm_spawn_)

void mpi_comm_spawn_multiple_(const MPI_Fint* count, const char* commands, const char* argvs, const MPI_Fint* most,
                              const MPI_Fint* infos, const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* made,
                              MPI_Fint* errcodes, MPI_Fint* ierror, std::size_t command_length,
                              std::size_t argv_length) {
  std::vector<std::string> programs;
  std::vector<Words> words;
  for (int i = 0; i < *count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    programs.emplace_back(InText(commands + place * command_length, command_length).begin());
    // The array has a row for each program, so that words of one are `count` texts apart.
    words.emplace_back(argvs + place * argv_length, argv_length, argv_length * static_cast<std::size_t>(*count));
  }
  std::vector<char*> names;
  std::vector<char**> lists;
  for (std::string& each : programs) names.push_back(each.data());
  for (Words& each : words) lists.push_back(each.begin());
  const bool has_words = fortran_constant(argvs) == FortranConstant::kNone;
  return_code(ierror, MPI_Comm_spawn_multiple(*count, names.data(), has_words ? lists.data() : MPI_ARGVS_NULL, most,
                                              infos, *root, *comm, made, errcodes_at(errcodes)));
}
SAME(mpi_comm_spawn_multiple_f08_, mpi_comm_spawn_multiple_)

void mpi_grequest_start_(void (*query)(MPI_Aint*, MPI_Status*, MPI_Fint*), void (*release)(MPI_Aint*, MPI_Fint*),
                         void (*cancel)(MPI_Aint*, MPI_Fint*, MPI_Fint*), const MPI_Aint* extra, MPI_Fint* request,
                         MPI_Fint* ierror) {
  auto* const own = new Grequest{query, release, cancel, *extra};
  return_code(ierror, MPI_Grequest_start(query_grequest, release_grequest, cancel_grequest, own, request));
}
SAME(mpi_grequest_start_f08_, mpi_grequest_start_)

void mpi_conversion_fn_null_(void) {}

}  // extern C
