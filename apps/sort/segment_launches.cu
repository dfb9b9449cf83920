/* The launch of a sort of segments for one class of keys. Compiled once a class, with
   PARSCAN_ELEMENT_NAME (u8, u16, u32, u64, f32, f64). */
#include "apps/radix/launch_radix.cuh"
#include "apps/radix/radix_tuning.cuh"
#include "apps/sort/segment_tile_kernels.cuh"

/* Segments of this mean length are seldom longer than what a tile has behind a large window. */
#define SHORT_MEAN 128u
/* With more elements, an array that is sorted in one launch has blocks of 1024 threads, not of 512. */
#define MOST_IN_SMALL_BLOCKS 2048u
/* The elements of the array in a block's window: few enough to give every multiprocessor its blocks
   and to leave room in the tile for what follows the window: half of the tile, or less if segments
   are known to be short on average. Where a long segment takes more launches, windows are halved,
   so that more room is left. */
template <typename S>
static unsigned window_of(const parscan_cuda_kernel *kernel,
                          const parscan_sort_segments_cuda_call *call)
{
    const bool is_short = call->count_at == NULL && call->n / SHORT_MEAN < call->count;
    const bool lists = !S::TOGETHER && call->list.taken != NULL;
    unsigned window = is_short ? S::TILE - SORT_LEAST_LISTED : S::TILE / 2;
    while (lists && window >= 2 * SORT_LEAST_WINDOW && call->n / window < kernel->blocks)
        window /= 2;
    const size_t even = (call->n / kernel->blocks / 32 + 1) * 32;
    if (lists || even >= window)
        return window;
    return even < SORT_LEAST_WINDOW ? SORT_LEAST_WINDOW : (unsigned)even;
}

template <typename S>
static cudaError_t launch_segments(parscan_sort_segments_cuda_call *call)
{
    typedef typename S::Bits Bits;
    segment_tile_params<S> params = {};
    params.keys_in = (const Bits *)call->keys_in;
    params.keys_out = (Bits *)call->keys_out;
    params.values_in = call->values_in;
    params.values_out = call->values_out;
    params.value_size = (unsigned)call->value_size;
    params.offsets = call->offsets;
    params.wide = call->wide;
    params.n = call->n;
    params.count = call->count;
    params.count_at = call->count_at;
    params.deferred = (unsigned long long *)call->deferred;
    params.passes = call->passes;
    const unsigned MOST = sizeof params.digit / sizeof *params.digit;
    for (unsigned p = 0; p < call->passes && p < MOST; p++)
        params.digit[p] = digit_of<typename S::Key>::make(call->digits[p], call->flip);
    params.flip = (Bits)call->flip;
    params.keep = (Bits)call->keep;
    params.list = call->list;
    params.counts = call->counts;
    for (unsigned k = 0; k < 2; k++) {
        params.spare_keys[k] = (Bits *)call->spare_keys[k];
        params.spare_indices[k] = call->spare_indices[k];
    }
    params.spare_values = call->spare_values;
    const void *const function = (const void *)sort_segments<S>;
    const size_t bytes = sizeof(segment_tile_shared<S>);
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, function, S::THREADS, bytes, &kernel);
    if (error != cudaSuccess)
        return error;
    params.window = window_of<S>(&kernel, call);
    call->most = S::TILE - params.window;
    const size_t windows = (call->n + params.window - 1) / params.window;
    size_t blocks = windows > 0 ? windows : 1;
    if (S::TOGETHER) {
        const size_t held =
            kernel.blocks < SORT_BLOCKS_TOGETHER ? kernel.blocks : SORT_BLOCKS_TOGETHER;
        blocks = windows < held ? windows : held;
        params.windows_each = (unsigned)((windows + blocks - 1) / blocks);
    }
    return launch_sort(call->context->cuda, kernel, (unsigned)blocks, S::TOGETHER, params);
}

template <typename KEY>
static parscan_status sort_segments_of(parscan_sort_segments_cuda_call *call)
{
    const bool WIDE = sizeof(typename KEY::Bits) == 8;
    typedef segment_tile_shape<KEY, 16, 16, WIDE ? 2 : 3> large;
    typedef segment_tile_shape<KEY, 32, WIDE ? 8 : 16, 1> alone;
    typedef segment_tile_shape<KEY, 8, 32, WIDE ? 2 : 3, true> together;
    typedef segment_tile_shape<KEY, 16, 8, 2> everywhere;
    typedef segment_tile_shape<KEY, 16, 8, 2, true> everywhere_together;
    static_assert(sizeof(segment_tile_shared<large>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<alone>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<together>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<everywhere>) <= EVERYWHERE_BYTES,
                  "the block must fit shared memory");
    static_assert(SORT_LEAST_LISTED <= everywhere::TILE / 2, "a listed segment must be longer");
    bool has = false;
    cudaError_t error = has_shared_memory(call->context->cuda, SORT_LARGE_BYTES, &has);
    if (error == cudaSuccess)
        error = !has && call->together ? launch_segments<everywhere_together>(call)
                : !has                 ? launch_segments<everywhere>(call)
                : call->together       ? launch_segments<together>(call)
                : call->list.taken == NULL && call->n > MOST_IN_SMALL_BLOCKS
                    ? launch_segments<alone>(call)
                    : launch_segments<large>(call);
    return launched(call->context, error);
}

parscan_status NAMED(parscan_sort_segments_cuda)(parscan_sort_segments_cuda_call *call)
{
    return sort_segments_of<NAMED(key)>(call);
}
