#!/bin/sh
# mpi_faults.sh PARSCAN MPI_FAULTS MPI_FAILING: what parscan-mpi does when a rank stops, dies or is slow, when ranks see
# other files (mpi_faults.c), and when a rank has no memory or cannot write (mpi_failing.c). The runs of a part wait at
# the same time.
set -u
parscan=$1 faults=$2 failing=$3
. "$(dirname "$0")/ranks.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PARSCAN_FAULT PARSCAN_NAMED_DRAFTS
PARSCAN_FAULT=
unset PARSCAN_NAMED_DRAFTS

complain() {
    echo "$*"
    : >"$work/wrong"
}

"$parscan" scan --quiet --format raw --type u8 -o bytes.raw "$parscan"
dd if=bytes.raw of=keys.raw bs=1000 count=20 2>/dev/null
"$parscan" scan --quiet --format raw --type i16 -o keys.npy keys.raw
"$parscan" scan --quiet --format raw --type u16 -o other.npy keys.raw
"$parscan" scan --quiet --format raw --type u8 -o sizes.npy keys.raw

# ends_with NAME STATUS LEFT WORDS RANKS COMMAND...: the command, in a folder of its own, in which it
# leaves LEFT. Its line has these words.
ends_with() {
    name=$1 expected=$2 left=$3 words=$4
    shift 4
    mkdir -p "$name" && cd "$name" || exit 1
    ranks "$@" >../"$name.out" 2>../"$name.err"
    status=$?
    if [ "$expected" = failure ]; then
        [ $status -ne 0 ]
    else
        [ $status -eq "$expected" ]
    fi || complain "$name: exit status $status: $(cat ../"$name.err")"
    [ -z "$words" ] || grep -q "^parscan-mpi: .*$words" ../"$name.err" ||
        complain "$name: prints $(cat ../"$name.err")"
    # shellcheck disable=SC2012
    [ "$(ls -A | sed 's/-[0-9]*-0.tmp$/-PID-0.tmp/')" = "$left" ] || complain "$name: leaves $(ls -A)"
    cd "$work" || exit 1
}

# fault RANKS NAME RANK FUNCTION stop|kill|slow STATUS LEFT WORDS SUBCOMMAND...
fault() {
    count=$1 name=$2 expected=$6 left=$7 words=$8
    PARSCAN_FAULT="$3 $4 $5"
    shift 8
    ends_with "$name" "$expected" "$left" "$words" "$count" "$faults" "$@" --timeout 2 -o out
    PARSCAN_FAULT=
}
later='lost or late: it gave no sign of life for 2 seconds (--timeout)'
between='not done after 2 seconds (--timeout): .*lost or late'
k=../keys.npy

# mpirun sends SIGTERM, and then SIGKILL a second later.
export OMPI_MCA_odls_base_sigkill_timeout=1

# A rank that is stopped, or killed, or slow. Drafts have no names.
fault 2 stopped_reading 1 pread stop 1 '' "rank 1 is $later" scan $k &
fault 3 stopped_writing 0 pwrite stop 1 '' "rank 0 is $later" scan $k &
fault 2 stopped_in_the_end 1 MPI_Finalize stop failure out '' scan $k &
fault 2 slow_reading 1 pread slow 0 out '' scan $k &
fault 2 killed_unnamed 0 pwrite kill failure '' '' scan $k &
fault 1 killed_alone_unnamed 0 pwrite kill failure '' '' scan $k &
wait

# Drafts have names. In every subcommand the ranks that are left remove them, before they end all ranks.
# When a rank is killed, Open MPI's mpirun ends the others by SIGTERM, and they remove the draft. Nobody
# can if there are none, or if they get SIGKILL, as MPICH's ranks do: then the next run does.
PARSCAN_NAMED_DRAFTS=1
export PARSCAN_NAMED_DRAFTS
fault 2 stopped_scan 1 parscan_dist_inclusive_scan stop 1 '' "$between" scan $k &
fault 2 stopped_sort 0 parscan_dist_sort_keys stop 1 '' "$between" sort $k &
fault 2 stopped_histogram 1 parscan_dist_histogram stop 1 '' "$between" histogram --bins 9 $k &
fault 2 stopped_allocate 1 parscan_dist_allocate stop 1 '' "$between" allocate ../sizes.npy &
if [ -n "$mpi_flags" ]; then
    fault 2 killed_first 0 pwrite kill failure '' '' scan $k &
    fault 2 killed_last 1 pwrite kill failure '' '' scan $k &
fi
fault 1 killed_alone 0 pwrite kill failure ".parscan-$(uname -n)-PID-0.tmp" '' scan $k &
wait
fault 1 killed_alone 0 nothing stop 0 out '' scan $k

mkdir failing
(cd failing && ranks 2 "$failing" 2>../failing.err) || complain "failing: $(cat failing.err)"

# Ranks whose folders of one name are not the same folder.
# elsewhere NAME LEFT WORDS: rank 1 works in another folder.
elsewhere() {
    mkdir -p elsewhere
    ends_with "$1" 1 "$2" "$3" 1 "$faults" scan -o new keys.npy : \
        -wdir "$work/elsewhere" -n 1 "$faults" scan -o new keys.npy
}
mkdir types folders
cp keys.npy types
cp keys.npy folders
mkdir elsewhere
cp other.npy elsewhere/keys.npy
elsewhere types keys.npy \
    'the file of rank 1 (.*) is not that of rank 0: 10000 u16 elements from byte 128, not 10000 i16 '
cp keys.npy elsewhere/keys.npy
elsewhere folders keys.npy \
    "new: rank 1 (.*) does not see the file that rank 0 (.*) writes in the folder $work/folders: No such"
[ "$(ls -A elsewhere)" = keys.npy ] || complain "elsewhere: $(ls -A elsewhere)"
[ ! -e wrong ]
