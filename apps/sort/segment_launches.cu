/* The launch of a sort of segments for one class of keys. Compiled once a class, with
   PARSCAN_ELEMENT_NAME (u8, f16). */
#include <type_traits>

#include "apps/radix/launch_radix.cuh"
#include "apps/radix/radix_tuning.cuh"
#include "apps/sort/segment_block_kernels.cuh"

/* The elements of the array in a block's window: few enough to give every multiprocessor its blocks
   and to leave room in the tile for what follows the window: half of the tile, or less if segments
   are known to be short on average. Where a long segment takes more launches, windows are halved,
   so that more room is left. */
template <typename S>
static unsigned window_of(const parscan_cuda_kernel &kernel,
                          const parscan_sort_segments_cuda_call *call)
{
    const bool lists = !S::TOGETHER && call->list.taken != NULL;
    unsigned window = call->plan.short_windows ? S::TILE - SORT_LEAST_LISTED : S::TILE / 2;
    while (lists && window >= 2 * SORT_LEAST_WINDOW && call->n / window < kernel.blocks)
        window /= 2;
    /* All blocks have as much, in as many rounds as it takes. */
    const size_t rounds = (call->n - 1) / window / kernel.blocks + 1;
    const size_t even = (call->n / (rounds * kernel.blocks) / 32 + 1) * 32;
    if ((lists && call->n / window < kernel.blocks) || even >= window)
        return window;
    return even < SORT_LEAST_WINDOW ? SORT_LEAST_WINDOW : (unsigned)even;
}

template <typename KEY>
static segment_params<KEY> params_of(const parscan_sort_segments_cuda_call *call)
{
    typedef typename KEY::Bits Bits;
    segment_params<KEY> params = {};
    params.keys_in = (const Bits *)call->keys_in;
    params.keys_out = (Bits *)call->keys_out;
    params.values_in = call->values_in;
    params.values_out = call->values_out;
    params.value_size = (unsigned)call->value_size;
    params.offsets = call->offsets;
    params.wide = call->wide;
    params.n = call->n;
    params.count = call->count;
    params.n_there = length_at(call->context, call->n_at);
    /* A count of the library's own is never too large, and there is no place for an error. */
    params.count_there = device_length{call->count_at, call->deferred};
    params.deferred = call->deferred;
    params.passes = call->passes;
    const unsigned MOST = sizeof params.digit / sizeof *params.digit;
    for (unsigned p = 0; p < call->passes && p < MOST; p++)
        params.digit[p] = digit_of<KEY>::make(call->digits[p], call->flip);
    params.flip = (Bits)call->flip;
    params.keep = (Bits)call->keep;
    params.beyond = KEY::beyond(params.flip);
    params.list = call->list;
    params.counts = call->counts;
    for (unsigned k = 0; k < 2; k++) {
        params.spare_keys[k] = (Bits *)call->spare_keys[k];
        params.spare_indices[k] = call->spare_indices[k];
    }
    params.spare_values = call->spare_values;
    return params;
}

/* Launches blocks that share `pieces` of work. Sorting together, each lists at most one long segment of
   a piece. */
template <typename KEY>
static cudaError_t launch_pieces(const parscan_sort_segments_cuda_call *call,
                                 const parscan_cuda_kernel &kernel, size_t pieces, bool together,
                                 segment_params<KEY> &params)
{
    size_t blocks = pieces > 0 ? pieces : 1;
    if (together) {
        const size_t held =
            kernel.blocks < SORT_BLOCKS_TOGETHER ? kernel.blocks : SORT_BLOCKS_TOGETHER;
        blocks = blocks < held ? blocks : held;
        params.most_listed = (unsigned)((pieces + blocks - 1) / blocks);
    }
    return launch_overlapped(call->context->cuda, kernel, (unsigned)blocks, params, together);
}

template <typename S>
static cudaError_t launch_windows(parscan_sort_segments_cuda_call *call)
{
    segment_params<typename S::Key> params = params_of<typename S::Key>(call);
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, (const void *)sort_segments<S>, S::THREADS,
                               sizeof(segment_tile_shared<S>), &kernel);
    if (error != cudaSuccess)
        return error;
    params.window = window_of<S>(kernel, call);
    call->most = S::TILE - params.window;
    return launch_pieces(call, kernel, (call->n + params.window - 1) / params.window, S::TOGETHER,
                         params);
}

/* Lists long segments in a launch of many small windows, which the next launch sorts together. */
template <typename WINDOWS, typename S>
static cudaError_t launch_in_two(parscan_sort_segments_cuda_call *call)
{
    parscan_cuda *const cuda = call->context->cuda;
    segment_params<typename S::Key> params = params_of<typename S::Key>(call);
    params.most_listed = (unsigned)call->list.room;
    parscan_cuda_kernel kernel;
    cudaError_t error =
        cudaMemsetAsync(call->list.taken, 0, SORT_BLOCKS_TOGETHER * sizeof(uint64_t), cuda->stream);
    if (error == cudaSuccess)
        error = launch_windows<WINDOWS>(call);
    if (error == cudaSuccess)
        error = parscan_cuda_kernel_of(cuda, (const void *)sort_listed_segments<S>, S::THREADS, 0,
                                       &kernel);
    return error != cudaSuccess
               ? error
               : launch_overlapped(cuda, kernel,
                                   kernel.blocks < SORT_BLOCKS_TOGETHER ? kernel.blocks
                                                                        : SORT_BLOCKS_TOGETHER,
                                   params, true);
}

template <typename S>
static cudaError_t launch_one_by_one(const parscan_sort_segments_cuda_call *call)
{
    segment_params<typename S::Key> params = params_of<typename S::Key>(call);
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(call->context->cuda, (const void *)sort_segments_one_by_one<S>,
                               S::THREADS, sizeof(typename S::shared), &kernel);
    return error != cudaSuccess
               ? error
               : launch_pieces(call, kernel, call->count, call->plan.together, params);
}

template <typename KEY>
static cudaError_t sort_segments_of(parscan_sort_segments_cuda_call *call)
{
    const bool WIDE = sizeof(typename KEY::Bits) == 8;
    typedef segment_tile_shape<KEY, 16, 16, WIDE ? 2 : 3> large;
    typedef
        typename std::conditional<KEY::IS_FLOAT, large,
                                  segment_tile_shape<KEY, 8, 32, WIDE ? 2 : 3, false, true>>::type
            brief;
    typedef segment_tile_shape<KEY, 32, WIDE ? 8 : 16, 1> alone;
    typedef segment_tile_shape<KEY, 8, 32, WIDE ? 2 : 3, true> together;
    typedef segment_tile_shape<KEY, 16, 8, 2> everywhere;
    typedef segment_tile_shape<KEY, 16, 8, 2, true> everywhere_together;
    static_assert(sizeof(segment_tile_shared<large>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<alone>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<brief>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<together>) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(typename one_by_one<KEY, true>::shared) <= SORT_LARGE_BYTES,
                  "the block must fit shared memory");
    static_assert(sizeof(segment_tile_shared<everywhere>) <= EVERYWHERE_BYTES,
                  "the block must fit shared memory");
    static_assert(SORT_LEAST_LISTED <= everywhere::TILE / 2, "a listed segment must be longer");
    switch (call->plan.variant) {
    case SEGMENTS_ONE_BY_ONE:
    case SEGMENTS_ONE_BY_ONE_TOGETHER:
        return call->value_size == 0 ? launch_one_by_one<one_by_one<KEY, false>>(call)
                                     : launch_one_by_one<one_by_one<KEY, true>>(call);
    case SEGMENTS_ALONE:
        return launch_windows<alone>(call);
    case SEGMENTS_TOGETHER:
        return launch_windows<together>(call);
    case SEGMENTS_IN_TWO:
        return launch_in_two<large, together>(call);
    case SEGMENTS_IN_TWO_BRIEF:
        return launch_in_two<brief, together>(call);
    case SEGMENTS_ALONE_BRIEF:
    case SEGMENTS_LISTED_BRIEF:
        return launch_windows<brief>(call);
    case SEGMENTS_SMALL_TOGETHER:
        return launch_windows<everywhere_together>(call);
    case SEGMENTS_SMALL_ALONE:
    case SEGMENTS_SMALL_LISTED:
        return launch_windows<everywhere>(call);
    default: /* SEGMENTS_ALONE_FEW, SEGMENTS_LISTED */
        return launch_windows<large>(call);
    }
}

parscan_status NAMED(parscan_sort_segments_cuda)(parscan_sort_segments_cuda_call *call)
{
    return PARSCAN_CUDA_QUEUE(call->context, sort_segments_of<NAMED(key)>(call));
}
