#!/bin/sh
# Compiles and runs bench/paper_petri.cu, which tells what its arguments mean: bench/paper_petri.sh [ARGUMENT ...], in the top
# folder, on a machine with nvcc and a GPU. Prints a table (CSV). Variables:
#   ARCH=90            the compute capability of the card is 9.0
#   SUNDIALS_CFLAGS=   such as -I/opt/sundials/include, if SUNDIALS is not where the compiler looks
#   SUNDIALS_LIBS=     the libraries; /opt/sundials/lib/libsundials_cvode.a alone is enough
#   COMPILE=only       compiles the program, build/cuda/paper_petri, and stops; with COMPILE=no, it is there already
#   HOST=1             makes a program for the processor, build/plain/paper_petri
set -eu
program=build/cuda/paper_petri
[ -z "${HOST:-}" ] || program=build/plain/paper_petri
if [ ! -f bench/paper_petri.cu ]; then
  echo "usage: bench/paper_petri.sh [ARGUMENT ...], in the top folder" >&2
  exit 2
fi
libraries=${SUNDIALS_LIBS:--lsundials_cvode -lsundials_nvecserial -lsundials_sunnonlinsolfixedpoint -lsundials_generic}
if [ "${COMPILE:-}" != no ]; then
  mkdir -p "${program%/*}"
  if [ -n "${HOST:-}" ]; then
    # shellcheck disable=SC2086 # both are lists
    "${CXX:-g++}" -std=c++17 -O3 -ffp-contract=off -Wall -Wextra -DHOST ${SUNDIALS_CFLAGS:-} -x c++ bench/paper_petri.cu -x none \
      -o "$program" $libraries -lm
  else
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    # shellcheck disable=SC2086
    "$nvcc" -std=c++17 -O3 -fmad=false -arch="sm_${ARCH:-90}" -Werror all-warnings -Xcompiler -Wall,-ffp-contract=off \
      ${SUNDIALS_CFLAGS:-} -o "$program" bench/paper_petri.cu $libraries -lm
  fi
  [ "${COMPILE:-}" != only ] || exit 0
fi
exec "$program" "$@"
