#!/bin/sh
# Measures parscan against its peers on this machine, on the CPU and, where there is a GPU, on CUDA:
#     sh bench/run.sh                              some 6 minutes; bench/results/*.csv, .svg
#     sh bench/run.sh --quick                      small arrays, few timings: a minute
#     sh bench/run.sh --threads [OPTIONS]          every primitive with 1, 2, 4, ... threads, beside the peers
#                                                  (below): threads-cpu.csv and its table
#     sh bench/run.sh --busy [OPTIONS]             every primitive beside spinning processes and beside a
#                                                  spinning OpenMP team: busy-cpu.csv, busy-openmp-cpu.csv,
#                                                  and which rows break the limits
#     sh bench/run.sh --files FOLDER [OPTIONS]     the program from file to file, beside cp, coreutils, DuckDB and
#                                                  NumPy (bench/files.py --help); FOLDER is on the disk that is
#                                                  measured, and needs 30 GB: files-cpu.csv
#     sh bench/run.sh --tables FOLDER [OPTIONS]    the program on a CSV file of 10^7 lines, beside coreutils, datamash,
#                                                  Miller and DuckDB (bench/tables.py --help): tables-cpu.csv
#     sh bench/run.sh --gpus [OPTIONS]             calls over all GPUs of this host, beside one GPU, with default
#                                                  settings, 2^20 to 2^30 elements a GPU (bench_nccl):
#                                                  gpus-cuda.csv; some four minutes
#     sh bench/run.sh --draw                       the pictures of the CSV files that are there
#     sh bench/run.sh --summary                    a table of them
#     sh bench/run.sh --readme                     that table is written to README.md (a dozen rows)
#                                                  and docs/performance.md
#     sh bench/run.sh --compare OLD.csv [NEW.csv]  what moved by more than both runs' noise;
#                                                  without NEW.csv: to the results
# A peer that is not on the machine and not to be installed is a row that says "missing". In the
# environment: PARSCAN_BENCH_RESULTS, the folder; PARSCAN_BENCH_BIN, where built programs are (nothing
# is built then); PARSCAN_BENCH_PYTHON, a Python with NumPy and matplotlib.
# OPTIONS are those of bench_cpu and bench_busy (--help): --rows, --threads, --min, --max, --step, --seconds choose
# what is measured. Peers by threads run in a process each. parlaylib and ips4o are not
# here: clone github.com/cmuparlay/parlaylib and github.com/ips4o/ips4o, and name the folders in
# PARSCAN_PARLAYLIB_DIR and PARSCAN_IPS4O_DIR. PARSCAN_BENCH_PEERS names the peers that run, ' ' none;
# PARSCAN_BENCH_PEER_ROWS is a regular expression for their rows, by default ^(scan/u32|sort-keys)/.
# To measure on a machine without compilers: sh bench/stage_many_core.sh.
set -eu

# Names of files are relative to where this is called from.
from_here() {
    case $1 in
    /*) echo "$1" ;;
    *) echo "$here/$1" ;;
    esac
}

here=$(pwd)
cd "$(dirname "$0")/.."
. cmake/packages.sh
results=bench/results
[ -z "${PARSCAN_BENCH_RESULTS:-}" ] || results=$(from_here "$PARSCAN_BENCH_RESULTS")
programs=
[ -z "${PARSCAN_BENCH_BIN:-}" ] || programs=$(from_here "$PARSCAN_BENCH_BIN")
quick=
failed=

# What cannot be installed is measured without. In a process of its own, which a failure ends.
install_what_there_is() {
    (install_missing) || echo "Left out, not to be had on this machine:$missing" >&2
    missing=
}

# Debian's Python has what Debian's packages bring, whatever other Python comes first.
find_python() {
    for python in ${PARSCAN_BENCH_PYTHON:-python3 /usr/bin/python3}; do
        if "$python" -c "import $1" 2>/dev/null; then
            PARSCAN_BENCH_PYTHON=$python
            export PARSCAN_BENCH_PYTHON
            return 0
        fi
    done
    return 1
}

report() {
    script=bench/report/$1.py
    shift
    "$PARSCAN_BENCH_PYTHON" "$script" "$@"
}

# The standard library is enough for words.
need_python() {
    find_python csv || {
        need python3 command python3
        install_missing
        find_python csv || {
            echo "bench/run.sh: no Python: ${PARSCAN_BENCH_PYTHON:-python3}" >&2
            exit 1
        }
    }
}

draw() {
    if ! find_python matplotlib; then
        need python3-matplotlib file /usr/lib/python3/dist-packages/matplotlib
        install_what_there_is
        find_python matplotlib || {
            echo "bench/run.sh: no pictures: no Python with matplotlib" >&2
            return 0
        }
    fi
    report plot "$results"
}

compare() {
    [ $# -ge 1 ] || {
        echo "usage: sh bench/run.sh --compare OLD.csv [NEW.csv]" >&2
        exit 2
    }
    need_python
    old=$(from_here "$1")
    shift
    for new in "$@"; do
        set -- "$@" "$(from_here "$new")"
        shift
    done
    [ $# -gt 0 ] || for found in "$results"/*.csv; do
        case ${found##*/} in
        busy-* | files-* | gpus-* | threads-* | short-*) ;;
        *) set -- "$@" "$found" ;;
        esac
    done
    report compare "$old" "$@"
}

has_gpu() {
    command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1
}

build() {
    need_build_tools
    need g++ command c++
    install_missing
    need libtbb-dev header tbb/version.h
    need libhwy-dev header hwy/contrib/sort/vqsort.h
    need pigz command pigz
    need python3-matplotlib file /usr/lib/python3/dist-packages/matplotlib
    install_what_there_is
    cuda=OFF
    ! has_gpu || cuda=AUTO
    cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DPARSCAN_CUDA=$cuda \
        -DCMAKE_CUDA_ARCHITECTURES=native -DPARSCAN_BUILD_TESTS=OFF \
        ${PARSCAN_PARLAYLIB_DIR:+"-DPARSCAN_PARLAYLIB_DIR=$(from_here "$PARSCAN_PARLAYLIB_DIR")"} \
        ${PARSCAN_IPS4O_DIR:+"-DPARSCAN_IPS4O_DIR=$(from_here "$PARSCAN_IPS4O_DIR")"} >/dev/null
    cmake --build build-bench
    programs=build-bench/bin
}

# A thread a core. Else the system may put two of OpenMP's on one, beside an idle one, for many calls on end.
bound="OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}"

# into FILE PROGRAM OPTIONS...: a program's CSV; with --quick, its small form.
into() {
    file=$1
    program=$programs/$2
    shift 2
    echo "$file: ${program##*/} $* $quick" >&2
    env $bound "$program" --threads 0 "$@" $quick >"$results/$file.csv" || failed="$failed $file"
}

# Scans from 2^10 to the largest that fits; the applications on 2^24 elements: 64 MiB of u32, beyond
# most caches, but 16 MiB of u8, which a large last cache may hold.
measure_cpu() {
    into scan-cpu bench_cpu --rows '^scan/u32/' --max 30 --seconds 0.1
    into scan-cpu-cold bench_cpu --cold --rows '^scan/u32/' --max 22 --reps 15 --seconds 0.1 \
        --only auto --only 'openmp*' --only 'std*'
    into apps-cpu bench_cpu --min 24 --max 24 --reps 15 --rows \
        '^(sort-keys/(u32|u64)/uniform|(compact-if|partition)/u32/50%|unique|histogram-256/u8/uniform|'\
'histogram-65536/u32/uniform|segmented-scan/u32/.*-100$|allocate)'
    bound= # whole programs: what they start is the system's to place
    into program-cpu bench_program --min 20 --max 20 --reps 9 --seconds 3
}

# A process for each peer, row, size and number of threads that the CSV has of parscan. std has one
# thread. Status 2: the row has no such peer.
measure_peers() {
    peers=${PARSCAN_BENCH_PEERS-parlaylib parlaylib-buffers ips4o std-par-unseq std}
    awk -F, '$8 == "parscan" && $9 == "ok" { print $1 "/" $2 "/" $3, $4, $5 }' "$1" | sort -u |
        grep -E -- "${PARSCAN_BENCH_PEER_ROWS:-^(scan/u32|sort-keys)/}" >"$1.rows" || true
    while read -r row log2n threads; do
        for peer in $peers; do
            [ "$peer" != std ] || [ "$threads" = 1 ] || continue
            status=0
            "$programs/bench_cpu" --huge-pages --only "$peer" --rows "^$row\$" --min "$log2n" \
                --max "$log2n" --threads "$threads" >"$1.one" 2>/dev/null || status=$?
            case $status in
            0) grep ',peer,' "$1.one" >>"$1" ;;
            2) ;;
            *) failed="$failed $peer:$row" ;;
            esac
        done
    done <"$1.rows"
    rm -f "$1.rows" "$1.one"
}

# Ends the program if something was not measured.
finish() {
    [ -z "$failed" ] || {
        echo "bench/run.sh:$failed: not everything was measured, or a result is wrong" >&2
        exit 1
    }
}

measure_threads() {
    [ -n "$programs" ] || build
    mkdir -p "$results"
    file=$results/threads-cpu.csv
    case " $* " in
    *' --threads '*) ;;
    *) set -- --threads all "$@" ;;
    esac
    set -- --huge-pages --only parscan --only auto --only read --min 20 --max 29 --step 3 "$@"
    echo "threads-cpu: bench_cpu $*" >&2
    "$programs/bench_cpu" "$@" >"$file" || failed="$failed threads-cpu"
    measure_peers "$file"
    ! find_python csv || report threads "$file" || failed="$failed table"
    finish
}

measure_busy() {
    [ -n "$programs" ] || build
    mkdir -p "$results"
    echo "busy-cpu, busy-openmp-cpu: bench_busy $*" >&2
    "$programs/bench_busy" --huge-pages "$@" >"$results/busy-cpu.csv" || failed="$failed busy-cpu"
    "$programs/bench_busy" --huge-pages --openmp "$@" >"$results/busy-openmp-cpu.csv" ||
        failed="$failed busy-openmp-cpu"
    ! find_python csv || report busy "$results/busy-cpu.csv" "$results/busy-openmp-cpu.csv" ||
        failed="$failed table"
    finish
}

# measure_files NAME OPTIONS: bench/NAME.py
measure_files() {
    [ -n "$programs" ] || build
    need_python
    mkdir -p "$results"
    name=$1
    shift
    "$PARSCAN_BENCH_PYTHON" "bench/$name.py" "$programs/parscan" "$@" >"$results/$name-cpu.csv" ||
        failed="$failed $name-cpu"
    finish
}

measure_gpus() {
    [ -n "$programs" ] || build
    mkdir -p "$results"
    echo "gpus-cuda: bench_nccl $*" >&2
    "$programs/bench_nccl" "$@" >"$results/gpus-cuda.csv" || failed="$failed gpus-cuda"
    finish
}

measure() {
    [ -n "$programs" ] || build
    mkdir -p "$results"
    need_python
    measure_cpu
    ! has_gpu || sh bench/run_cuda.sh "$programs" "$results"
    draw || failed="$failed pictures"
    finish
}

case ${1:-} in
'') measure ;;
--quick)
    quick='--min 12 --max 16 --step 4 --reps 5 --seconds 0.01'
    measure
    ;;
--threads)
    shift
    measure_threads "$@"
    ;;
--busy)
    shift
    measure_busy "$@"
    ;;
--files | --tables)
    name=${1#--}
    folder=$(from_here "$2")
    shift 2
    measure_files "$name" "$folder" "$@"
    ;;
--gpus)
    shift
    measure_gpus "$@"
    ;;
--draw) draw ;;
--summary)
    need_python
    report summary "$results"
    ;;
--readme)
    need_python
    report summary "$results" README.md docs/performance.md
    ;;
--compare)
    shift
    compare "$@"
    ;;
*)
    sed -n '2,/^set /s/^# \{0,1\}//p' bench/run.sh >&2
    exit 2
    ;;
esac
