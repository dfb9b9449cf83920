#!/bin/sh
# Compiles kernels of a radix sort for the emulator, and runs a test of them:
#     run.sh COMPILER GENERATED_HEADERS CUDA_HEADERS TEST
# Copies of some headers replace what C++ on a CPU has no word for: loads and stores in PTX, dynamic shared
# memory; minima and maxima in PTX, which a sort does not use. Where a replacement fits no more, the copy does
# not compile.
set -eu
compiler=$1 generated=$2 cuda=$3 test=$4
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir -p "$made/scan/cuda" "$made/scan/block" "$made/apps/radix"

sed 's/asm("m[a-z]*\.NaN.*/emulator::fail("a minimum or maximum");/' \
    "$root/scan/block/block_cuda.h" >"$made/scan/block/block_cuda.h"
cp "$here/pipeline_on_cpu.cuh" "$made/scan/cuda/pipeline.cuh"
sed 's/asm volatile("st.relaxed.gpu.global.u64.*/*(volatile uint64_t *)word = value;/
s/asm volatile("ld.relaxed.gpu.global.u64 %0.*/emulator::give_way(); value = *(volatile uint64_t *)word;/' \
    "$root/scan/cuda/tile_prefix.cuh" >"$made/scan/cuda/tile_prefix.cuh"
sed 's/extern __shared__ __align__(16) unsigned char stage\[\];/unsigned char *const stage = own_block().shared;/' \
    "$root/apps/radix/digit_pass_kernels.cuh" >"$made/apps/radix/digit_pass_kernels.cuh"
sed 's/const ranker<S> at{params, shared};/& extern unsigned long repaired_tiles; repaired_tiles += threadIdx.x == 0;/' \
    "$root/apps/radix/digit_tile_kernels.cuh" >"$made/apps/radix/digit_tile_kernels.cuh"
sed 's/extern __shared__ __align__(16) unsigned char memory\[\];/unsigned char *const memory = own_block().shared;/
/launch.cuh/d' \
    "$root/apps/radix/block_sort_kernels.cuh" >"$made/apps/radix/block_sort_kernels.cuh"
# The borrow of the subtraction of keys and places.
sed '/asm("{/,/);$/c\        *count -= comes_before(a, i, b, j);' \
    "$root/apps/radix/key_order.cuh" >"$made/apps/radix/key_order.cuh"

# The kernels are written for nvcc, which warns of other things: -w.
"$compiler" -std=c++17 -O1 -w -include "$here/cuda_on_cpu.h" -DPARSCAN_HAVE_CUDA -I"$made" -I"$root" \
    -I"$root/include" -I"$generated" -I"$cuda" "$here/$test.cpp" -o "$made/test"
"$made/test"
