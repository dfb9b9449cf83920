# Sourced. ranks N COMMAND...: runs the command on N ranks by $MPIEXEC, more than there may be
# processors.
: "${MPIEXEC:=mpirun}"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Shared memory alone: Open MPI looks for no networks, and starts in half the time.
: "${OMPI_MCA_pml:=ob1}" "${OMPI_MCA_btl:=self,vader}"
# After a failure it kills what is left of its ranks at once.
: "${OMPI_MCA_odls_base_sigkill_timeout:=0}"
export OMPI_MCA_odls_base_sigkill_timeout
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_pml OMPI_MCA_btl
# MPI itself leaves memory behind, and its plugins are gone when a sanitizer wants their names.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
case $("$MPIEXEC" --version 2>/dev/null) in
*'Open MPI'* | *OpenRTE*) mpi_flags='--oversubscribe -q' ;;
*) mpi_flags= ;;
esac

ranks() {
    ranks_count=$1
    shift
    # The folder that Open MPI makes for a user's runs is removed by the run that finds it empty, also when another is
    # about to use it. So each run has its own.
    ranks_folder=$(mktemp -d) || return 1
    # shellcheck disable=SC2086  # the flags are words
    OMPI_MCA_orte_tmpdir_base=$ranks_folder "$MPIEXEC" $mpi_flags -n "$ranks_count" "$@"
    ranks_status=$?
    rm -rf "$ranks_folder"
    return $ranks_status
}
