// Variables that stand for constants of MPI in Fortran programs. Executables that have them themselves use their own.
#include "fortran/conversions.hpp"

extern "C" {

int mpipriv1_[7];   // MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
int mpipriv2_[6];   // MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
char mpiprivc_[2];  // MPI_ARGVS_NULL, MPI_ARGV_NULL
int mpifcmb5_[1];   // MPI_UNWEIGHTED
int mpifcmb9_[1];   // MPI_WEIGHTS_EMPTY

int MPIR_F08_MPI_BOTTOM, MPIR_F08_MPI_IN_PLACE;
MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
int MPIR_C_MPI_UNWEIGHTED, MPIR_C_MPI_WEIGHTS_EMPTY;
char __mpi_f08_link_constants_MOD_mpi_argv_null[1], __mpi_f08_link_constants_MOD_mpi_argvs_null[1];
int __mpi_f08_link_constants_MOD_mpi_errcodes_ignore[1], __mpi_f08_link_constants_MOD_mpi_unweighted[1],
    __mpi_f08_link_constants_MOD_mpi_weights_empty[1];
}
