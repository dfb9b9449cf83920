#!/bin/sh
# Compiles kernels for the emulator, and runs a test of them:
#     run.sh COMPILER GENERATED_HEADERS CUDA_HEADERS EMULATOR TEST
# EMULATOR is emulator.cpp, compiled.
# Copies of some headers replace what C++ on a CPU has no word for: loads and stores in PTX, shared memory;
# minima and maxima in PTX, which no test uses. Where a replacement fits no more, the copy does not compile.
set -eu
compiler=$1 generated=$2 cuda=$3 emulator=$4 test=$5
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# copy FILE SED_SCRIPT
copy() {
    mkdir -p "$made/$(dirname "$1")"
    sed "$2" "$root/$1" >"$made/$1"
}

copy scan/cuda/operators.cuh 's/asm("m[a-z]*\.NaN.*/emulator::fail("a minimum or maximum");/'
copy scan/cuda/length.cuh 's/asm volatile("ld.relaxed.gpu.global.u64 %0.*/given = *(volatile const uint64_t *)at;/'
cp "$here/pipeline_on_cpu.cuh" "$made/scan/cuda/pipeline.cuh"
copy scan/cuda/tile_prefix.cuh '
s/asm volatile("st.relaxed.gpu.global.u64.*/*(volatile uint64_t *)word = value;/
s/asm volatile("ld.relaxed.gpu.global.u64 %0.*/emulator::give_way(); value = *(volatile uint64_t *)word;/
/asm volatile("{/,/: "memory");$/c\        load_if_wanted(from, wanted, words);'
shared='s/extern __shared__ __align__([0-9]*) unsigned char \([a-z_]*\)\[\];/unsigned char *const \1 = own_block().shared;/
s/__shared__ \(.*\) \([a-z]*\);$/auto \&\2 = own_variable<\1>(__FILE__, __LINE__);/'
copy scan/cuda/tile_pipeline.cuh "$shared"
copy scan/single_pass/few_kernel.cuh "$shared"
copy scan/single_pass/single_pass_kernels.cuh "$shared"
copy scan/single_pass/reduce_kernels.cuh "$shared
s/__shared__ T sums\[\(.*\)\];/auto \&sums = own_variable<T[\1]>(__FILE__, __LINE__);/"
copy scan/reproducible/reproducible_kernels.cuh "$shared
s/asm volatile(\"prefetch.*/(void)(lowest + byte + lane);/"
copy scan/hierarchical/hierarchical_kernels.cuh "$shared
s/__shared__ T sums\[\(.*\)\];/auto \&sums = own_variable<T[\1]>(__FILE__, __LINE__);/"
copy scan/runtime/custom_scan.cuh "$shared"
copy scan/runtime/custom_sort.cuh "$shared"
copy scan/runtime/custom_segments.cuh "$shared"
copy scan/runtime/custom_tree.cuh "$shared"
copy scan/runtime/custom_reduce.cuh "$shared
s/__shared__ T sums\[\(.*\)\];/auto \&sums = own_variable<T[\1]>(__FILE__, __LINE__);/"
copy scan/runtime/custom_blocks.cuh "$shared
s/__shared__ T sums\[\(.*\)\];/auto \&sums = own_variable<T[\1]>(__FILE__, __LINE__);/"
copy scan/axis/axis_tiles.cuh "$shared"
copy scan/axis/axis_piped.cuh "$shared"
copy scan/axis/axis_reduce.cuh "$shared"
copy scan/axis/axis_tree.cuh "$shared"
copy scan/axis/axis_warps.cuh "$shared"
copy scan/axis/move_lines_kernels.cuh "$shared"
copy scan/reproducible/tree.h 's/#ifdef __CUDACC__/#if 1/'
copy scan/block/block.h 's/#ifdef __CUDACC__/#if 1/
/__builtin_assume/d'
copy apps/segmented/segmented_few.cuh "$shared"
copy apps/segmented/segmented_pass.cuh "$shared"
copy apps/segmented/recurrence_pass.cuh "$shared"
copy apps/compact/compact_few.cuh "$shared"
copy apps/compact/compact_tiles.cuh "$shared"
copy apps/allocate/allocate_scan.cuh "$shared"
copy apps/allocate/slots_kernels.cuh "$shared"
copy apps/allocate/expand_kernels.cuh '/launch.cuh/d'
copy apps/sort/sort_cuts_kernels.cuh "$shared"
copy apps/gather/gather_kernels.cuh '/launch.cuh/d'
copy apps/join/set_tiles.cuh "$shared
/launch.cuh/d"
copy apps/join/merge_spans.cuh "$shared
/launch.cuh/d"
copy apps/join/merge_network.cuh "$shared
/launch.cuh/d"
copy apps/search/bounds_kernels.cuh "$shared
/launch.cuh/d"
copy apps/search/bounds_stream.cuh "$shared"
copy apps/compact/compact_turn.cuh '/asm volatile("ld.acquire/,/: "memory");$/c\
            emulator::give_way(), met = *(volatile unsigned *)meeting;'
copy apps/segments/mark_offsets.cu '/launch.cuh/d
/^static unsigned mark_blocks/,$d'
# Blocks of four warps, so that there can be many.
copy apps/segmented/segmented_direct_runs.cuh 's/DIRECT_WARPS 16u/DIRECT_WARPS 4u/'
copy apps/segmented/segmented_direct.cuh "$shared
/launch.cuh/d"
copy apps/segmented/segmented_block_each.cuh "$shared"
copy apps/segments/segmented_reduce_merge_path.cuh "$shared"
copy apps/select/top_k_params.cuh '/launch.cuh/d'
copy apps/select/top_k_kernels.cuh "$shared"
copy apps/select/top_k_segments.cuh "$shared"
copy apps/select/top_k_warps.cuh "$shared"
copy apps/select/top_k_rows.cuh "$shared"
copy apps/select/top_k_blocks.cuh "$shared"
copy apps/select/top_k_list.cuh "$shared"
copy apps/select/arg_reduce_kernels.cuh "$shared
/launch.cuh/d"
copy apps/select/arg_reduce_tiles.cuh "$shared"
copy apps/radix/digit_pass_kernels.cuh "$shared"
copy apps/radix/ordered_kernels.cuh "$shared
/launch.cuh/d"
copy apps/radix/digit_histogram_kernels.cuh \
    's/extern __shared__ .*counters\[\];/uint32_t *const counters = (uint32_t *)own_block().shared;/'
copy apps/histogram/histogram_kernels.cuh "$shared
s/__shared__ __align__(16) unsigned char table\[.*/unsigned char *const table = own_block().shared;/
/launch.cuh/d"
copy apps/sort/sort_columns_bits.cuh "$shared
s/__shared__ uint64_t sampled\[\(.*\)\];/auto \&sampled = own_variable<uint64_t[\1]>(__FILE__, __LINE__);/
/launch.cuh/d"
copy apps/sort/sort_columns_kernels.cuh "$shared
s/__shared__ uint64_t sums\[\(.*\)\];/auto \&sums = own_variable<uint64_t[\1]>(__FILE__, __LINE__);/"
copy apps/histogram/histogram_codes.cuh "$shared"
copy apps/sort/sort_rows_kernels.cuh "$shared"
copy apps/radix/block_sort_kernels.cuh "$shared
/launch.cuh/d"
copy apps/radix/digit_tile_kernels.cuh \
    's/const ranker<S> at{params, shared};/& extern unsigned long repaired_tiles; repaired_tiles += threadIdx.x == 0;/'
# The borrow of the subtraction of keys and places.
copy apps/radix/key_order.cuh '/asm("{/,/);$/c\        *count -= comes_before(a, i, b, j);'

# -Og is quicker in all, but where the test takes longer than the compiler.
case $test in
digit_pass) optimisation=-O1 ;;
*) optimisation=-Og ;;
esac
# The kernels are written for nvcc, which warns of other things (-w) and lets words of a value be read as others.
# With _FORTIFY_SOURCE glibc takes a jump to another stack for an error.
"$compiler" -std=c++17 $optimisation -w -fno-strict-aliasing -U_FORTIFY_SOURCE -include "$here/cuda_on_cpu.h" -DPARSCAN_HAVE_CUDA -I"$made" -I"$root" \
    -I"$root/include" -I"$generated" -I"$cuda" "$here/$test.cpp" "$emulator" -o "$made/test"
"$made/test"
