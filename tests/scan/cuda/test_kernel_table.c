/* The table of the kernels that a CUDA context has launched: a kernel at another shape is another entry. */
#include <criterion/criterion.h>

#include "scan/cuda/kernel_table.h"

TestSuite(kernel_table, .timeout = 60);

/* Functions are only compared. */
static char functions[64 * PARSCAN_KERNELS_KNOWN];

/* What is kept of a kernel, so that each shape has a value of its own. */
static unsigned blocks_of(size_t function, unsigned threads, size_t shared_bytes)
{
    return (unsigned)(function * 1000003 + threads * 1009 + shared_bytes);
}

static parscan_cuda_kernel *entry_of(parscan_cuda_kernel *table, size_t function, unsigned threads,
                                     size_t shared_bytes)
{
    return parscan_cuda_kernel_entry(table, functions + 64 * function, threads, shared_bytes);
}

static bool is_kept(parscan_cuda_kernel *table, size_t function, unsigned threads,
                    size_t shared_bytes)
{
    const parscan_cuda_kernel *const entry = entry_of(table, function, threads, shared_bytes);
    return parscan_cuda_kernel_is(entry, functions + 64 * function, threads, shared_bytes) &&
           entry->blocks == blocks_of(function, threads, shared_bytes);
}

static void keep(parscan_cuda_kernel *table, size_t function, unsigned threads, size_t shared_bytes)
{
    *entry_of(table, function, threads, shared_bytes) = (parscan_cuda_kernel){
        .function = functions + 64 * function,
        .threads = threads,
        .shared_bytes = shared_bytes,
        .blocks = blocks_of(function, threads, shared_bytes),
    };
}

Test(kernel_table, one_function_at_other_threads_or_bytes_is_another_kernel)
{
    parscan_cuda_kernel table[PARSCAN_KERNELS_KNOWN] = {{0}};
    keep(table, 0, 256, 0);
    cr_assert(is_kept(table, 0, 256, 0));
    cr_assert_not(is_kept(table, 0, 512, 0));
    cr_assert_not(is_kept(table, 0, 256, 4096));
    keep(table, 0, 512, 0);
    keep(table, 0, 256, 4096);
    cr_assert(is_kept(table, 0, 256, 0));
    cr_assert(is_kept(table, 0, 512, 0));
    cr_assert(is_kept(table, 0, 256, 4096));
}

Test(kernel_table, as_many_kernels_as_there_are_entries_are_all_kept)
{
    parscan_cuda_kernel table[PARSCAN_KERNELS_KNOWN] = {{0}};
    const size_t quarter = PARSCAN_KERNELS_KNOWN / 4;
    for (size_t k = 0; k < PARSCAN_KERNELS_KNOWN; k++)
        keep(table, k % quarter, k / quarter % 2 == 0 ? 128 : 1024, k / quarter / 2 * 65536);
    for (size_t k = 0; k < PARSCAN_KERNELS_KNOWN; k++)
        cr_assert(is_kept(table, k % quarter, k / quarter % 2 == 0 ? 128 : 1024,
                          k / quarter / 2 * 65536));
}

Test(kernel_table, of_a_full_table_the_newest_kernel_is_kept)
{
    parscan_cuda_kernel table[PARSCAN_KERNELS_KNOWN] = {{0}};
    size_t kept = 0;
    for (size_t k = 0; k < PARSCAN_KERNELS_KNOWN + 1; k++) {
        keep(table, k % PARSCAN_KERNELS_KNOWN, 128, k / PARSCAN_KERNELS_KNOWN * 1000);
        cr_assert(is_kept(table, k % PARSCAN_KERNELS_KNOWN, 128, k / PARSCAN_KERNELS_KNOWN * 1000));
    }
    for (size_t k = 0; k < PARSCAN_KERNELS_KNOWN; k++)
        kept += is_kept(table, k, 128, 0);
    cr_assert_eq(kept, PARSCAN_KERNELS_KNOWN - 1, "one entry was replaced, not %zu",
                 PARSCAN_KERNELS_KNOWN - kept);
}
