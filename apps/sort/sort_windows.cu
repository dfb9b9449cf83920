#include "apps/sort/sort_windows.h"

#include "scan/cuda/launch.cuh"
#include "scan/cuda/of_size.cuh"
#include "scan/cuda/pipeline.cuh"

enum { SHOW_THREADS = 256 };

/* A block has a window. */
template <typename KEY>
static __global__ void __launch_bounds__(SHOW_THREADS)
    show_windows(const __grid_constant__ shown_windows params)
{
    const shown_window window = params.window[blockIdx.x];
    const KEY *const from = (const KEY *)params.keys + window.first;
    KEY *const to = (KEY *)params.to + window.at;
    wait_for_previous_kernel();
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < window.count; i += SHOW_THREADS)
        to[i] = from[i * window.step];
}

cudaError_t parscan_show_windows_launch(parscan_cuda *cuda, const shown_windows *windows,
                                        size_t count, size_t size)
{
    return launch_of_size(size, [&](auto key) {
        return launch_dependent(show_windows<decltype(key)>, cuda, count, SHOW_THREADS, 0,
                                *windows);
    });
}
