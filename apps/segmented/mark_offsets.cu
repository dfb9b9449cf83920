/*
 * Offsets of segments on CUDA, looked through once before a pass over the elements: a bit for each element
 * that begins a segment. Reading the offsets and writing the bits takes 1/8 byte an element and an
 * offset each; what a pass over elements needs then is as for flags, whatever the lengths of segments.
 *
 * A warp's offsets ascend, so those that share a word are neighbours: their bits are gathered and set by one
 * atomic operation.
 */
#include "apps/segmented/segment_search.cuh"
#include "apps/segmented/segmented_cuda.h"

#define MARK_THREADS 256u
#define MOST_MARK_BLOCKS ((size_t)4096)

struct offsets_call {
    segment_offsets offsets;
    segment_fill fill;
    size_t tile, tiles;
    unsigned lead;
};

static __device__ void leave_error(const segment_offsets &offsets, size_t number)
{
    if (atomicCAS((unsigned long long *)offsets.deferred, 0ull,
                  (unsigned long long)PARSCAN_ERROR_INVALID_ARGUMENT) == 0)
        offsets.deferred[1] = number;
}

static __device__ void fill_empty(const segment_fill &fill, size_t segment)
{
    if (fill.width == 1)
        ((uint8_t *)fill.out)[segment] = (uint8_t)fill.value;
    else if (fill.width == 2)
        ((uint16_t *)fill.out)[segment] = (uint16_t)fill.value;
    else if (fill.width == 4)
        ((uint32_t *)fill.out)[segment] = (uint32_t)fill.value;
    else
        ((uint64_t *)fill.out)[segment] = fill.value;
}

/* Sets the bits of a warp; ~0: a lane has none. */
static __device__ __forceinline__ void set_bits(uint32_t *words, uint64_t bit, unsigned lane)
{
    const uint64_t none = ~(uint64_t)0;
    const uint64_t word = bit == none ? none : bit / 32;
    uint32_t mask = bit == none ? 0 : 1u << bit % 32;
    /* Those of the same word from this lane on. */
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const uint64_t other = __shfl_down_sync(0xffffffffu, word, delta);
        const uint32_t more = __shfl_down_sync(0xffffffffu, mask, delta);
        if (lane + delta < 32 && other == word)
            mask |= more;
    }
    const uint64_t before = __shfl_up_sync(0xffffffffu, word, 1);
    if (word != none && (lane == 0 || before != word))
        atomicOr(words + word, mask);
}

template <typename OFFSET>
static __global__ void __launch_bounds__(MARK_THREADS)
    mark_offsets(const __grid_constant__ offsets_call call)
{
    const segment_offsets &offsets = call.offsets;
    const OFFSET *const data = (const OFFSET *)offsets.data;
    const size_t threads = (size_t)gridDim.x * MARK_THREADS;
    const size_t thread = (size_t)blockIdx.x * MARK_THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
    for (size_t from = thread - lane; from <= offsets.count; from += threads) {
        const size_t k = from + lane;
        uint64_t bit = ~(uint64_t)0;
        if (k <= offsets.count) {
            const uint64_t offset = data[k], before = k > 0 ? data[k - 1] : 0;
            const bool last = k == offsets.count;
            if (offset < before || offset > offsets.n || (k == 0 && offset != 0) ||
                (last && offset != offsets.n))
                leave_error(offsets, k);
            else if (offset < offsets.n)
                bit = call.lead + offset;
            if (call.fill.out != NULL && k > 0 && offset == before)
                fill_empty(call.fill, k - 1);
        }
        if (offsets.n > 0)
            set_bits((uint32_t *)offsets.bits, bit, lane);
    }
    if (offsets.segments != NULL)
#pragma unroll 1
        for (size_t t = thread; t <= call.tiles; t += threads) {
            const size_t end = t * call.tile - call.lead; /* of the elements before tile t > 0 */
            offsets.segments[t] =
                t == 0 ? ~(uint64_t)0
                       : segment_ending(data, end < offsets.n ? end : offsets.n, 0, offsets.count);
        }
    if (thread == 0 && offsets.number != NULL)
        *offsets.number = offsets.count;
}

cudaError_t parscan_mark_offsets_cuda(const segment_offsets *offsets, const segment_fill *fill,
                                      size_t tile, size_t tiles, unsigned lead, cudaStream_t stream)
{
    offsets_call call = {*offsets, *fill, tile, tiles, lead};
    /* One word more than the tiles have, which a pass in reverse looks at. */
    if (offsets->n > 0) {
        const cudaError_t error =
            cudaMemsetAsync(offsets->bits, 0, tiles * (tile / 8) + sizeof(uint64_t), stream);
        if (error != cudaSuccess)
            return error;
    }
    const size_t items = offsets->count + 1 > tiles + 1 ? offsets->count + 1 : tiles + 1;
    const size_t useful = (items + MARK_THREADS - 1) / MARK_THREADS;
    const unsigned blocks = (unsigned)(useful < MOST_MARK_BLOCKS ? useful : MOST_MARK_BLOCKS);
    void *arguments[] = {&call};
    return cudaLaunchKernel(offsets->wide ? (const void *)mark_offsets<uint64_t>
                                          : (const void *)mark_offsets<uint32_t>,
                            dim3(blocks), dim3(MARK_THREADS), arguments, 0, stream);
}
