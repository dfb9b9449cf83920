/* The launches of the counting sort by bins on CUDA. */
#include "apps/histogram/bin_kernels.cuh"
#include "scan/context/launch.cuh"

cudaError_t parscan_bin_count_launch(const parscan_cuda *cuda, const bin_pass *pass)
{
    return launch_blocks(count_digits, cuda, pass->tiles, BIN_THREADS, 0, *pass);
}

cudaError_t parscan_bin_place_launch(const parscan_cuda *cuda, const bin_pass *pass)
{
    return launch_blocks(place_entries, cuda, pass->tiles, BIN_THREADS, 0, *pass);
}

cudaError_t parscan_bin_count_all_launch(parscan_cuda *cuda, const bin_pass *pass, void *offsets,
                                         bool offsets_wide)
{
    const count_all_call call = {*pass, offsets, offsets_wide};
    return launch_resident(count_all_bins, cuda, pass->n / BIN_THREADS + 1, BIN_THREADS, 0, call);
}
