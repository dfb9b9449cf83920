/* The launches of the counting sort by bins on CUDA. */
#include "apps/histogram/bin_kernels.cuh"
#include "scan/context/launch.cuh"

/* launch(Key()) with the type of bin_of. */
template <typename Launch>
static cudaError_t with_bins(parscan_type type, Launch launch)
{
    switch (type) {
    case PARSCAN_U8:
        return launch(uint8_t());
    case PARSCAN_U16:
        return launch(uint16_t());
    case PARSCAN_U32:
        return launch(uint32_t());
    default:
        return launch(uint64_t());
    }
}

cudaError_t parscan_bin_count_launch(const parscan_cuda *cuda, const bin_pass *pass)
{
    return with_bins(pass->bin_type, [=](auto key) {
        return launch_blocks(count_digits<decltype(key)>, cuda, pass->tiles, BIN_THREADS, 0, *pass);
    });
}

template <typename Key, typename Entry>
static cudaError_t place(parscan_cuda *cuda, const bin_pass *pass)
{
    parscan_cuda_kernel kernel;
    const size_t bytes = sizeof(bin_shared<Entry>);
    const cudaError_t error = parscan_cuda_kernel_of(cuda, (const void *)place_entries<Key, Entry>,
                                                     BIN_THREADS, bytes, &kernel);
    return error != cudaSuccess ? error
                                : launch_blocks(place_entries<Key, Entry>, cuda, pass->tiles,
                                                BIN_THREADS, bytes, *pass);
}

cudaError_t parscan_bin_place_launch(parscan_cuda *cuda, const bin_pass *pass)
{
    return with_bins(pass->bin_type, [=](auto key) {
        return pass->entry_size == sizeof(uint64_t) ? place<decltype(key), uint64_t>(cuda, pass)
                                                    : place<decltype(key), uint32_t>(cuda, pass);
    });
}

cudaError_t parscan_bin_offsets_launch(const parscan_cuda *cuda, const bin_pass *pass,
                                       void *offsets, bool offsets_wide)
{
    const offsets_call call = {*pass, offsets, offsets_wide};
    return launch_blocks(take_offsets, cuda, 1, (unsigned)pass->bins + 1, 0, call);
}

cudaError_t parscan_bin_count_all_launch(parscan_cuda *cuda, const bin_pass *pass, void *offsets,
                                         bool offsets_wide)
{
    const offsets_call call = {*pass, offsets, offsets_wide};
    return launch_resident(count_all_bins, cuda, pass->n / BIN_THREADS + 1, BIN_THREADS, 0, call);
}
