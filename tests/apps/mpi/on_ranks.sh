#!/bin/sh
# on_ranks.sh N|recovery:N PROGRAM ARGUMENT...: runs a test program on N ranks; recovery: the others go
# on when one dies, which Open MPI can do. Exit status 77 where the MPI cannot.
set -u
. "$(dirname "$0")/ranks.sh"
case $1 in
recovery:*)
    [ -n "$mpi_flags" ] || {
        echo "skipped: this mpirun ends all ranks with the first"
        exit 77
    }
    mpi_flags="$mpi_flags --enable-recovery"
    ;;
esac
count=${1#recovery:}
shift
ranks "$count" timeout 60 "$@"
