/*
 * Reads the offsets of segments once before a scan on CUDA, and sets a bit for each element that
 * starts a segment. This reads every offset and writes 1/8 byte an element. The pass over the
 * elements then does the same work as for flags, whatever the lengths of the segments.
 *
 * Offsets ascend, so offsets that share a word of bits are neighbours. Each lane gathers the bits
 * of its own offsets, MARK_LANES lanes combine theirs, and one lane sets them all by one atomic
 * operation.
 */
#include "apps/segments/segment_search.cuh"
#include "scan/cuda/launch.cuh"

#define MARK_THREADS 256u
#define MOST_MARK_BLOCKS ((size_t)2048)
#define MARK_AT_ONCE 4u /* vectors of offsets that a lane has in flight */
/* The lanes that combine bits. More have the same word only where segments are empty. */
#define MARK_LANES 8u

struct offsets_params {
    segment_offsets offsets;
    unsigned head_padding;
};

struct clear_params {
    offsets_params marks;
    size_t bytes, beyond;
};

/* The bits of one word. INDEX is wide enough for the index of any bit. */
template <typename INDEX>
struct marked_word {
    INDEX word;
    uint32_t bits; /* 0: none */
};

template <typename INDEX>
static __device__ __forceinline__ void set_bits(uint32_t *words, const marked_word<INDEX> &marked)
{
    if (marked.bits != 0)
        atomicOr(words + marked.word, marked.bits);
}

/* Sets the bits that the lanes of a warp hold. */
template <typename INDEX>
static __device__ __forceinline__ void set_gathered(uint32_t *words, marked_word<INDEX> mine,
                                                    unsigned lane)
{
    const INDEX before = __shfl_up_sync(0xffffffffu, mine.word, 1);
    const bool shared = lane % MARK_LANES != 0 && before == mine.word;
    if (__ballot_sync(0xffffffffu, shared) != 0) {
#pragma unroll
        for (unsigned delta = 1; delta < MARK_LANES; delta *= 2) {
            const INDEX word = __shfl_down_sync(0xffffffffu, mine.word, delta);
            const uint32_t bits = __shfl_down_sync(0xffffffffu, mine.bits, delta);
            if (lane + delta < 32 && word == mine.word)
                mine.bits |= bits;
        }
    }
    if (!shared)
        set_bits(words, mine);
}

/* Marks EACH offsets from index `first` on. The first or the last of all offsets may be among
   them, or they may be out of order. */
template <typename INDEX, typename OFFSET>
static __device__ __noinline__ void mark_one_by_one(const offsets_params params, size_t first)
{
    const OFFSET *const data = (const OFFSET *)params.offsets.data;
    for (unsigned e = 0; e < 16 / sizeof(OFFSET); e++) {
        const size_t k = first + e; /* an index before the array has wrapped around and is large */
        if (k > params.offsets.count)
            continue;
        const size_t offset = data[k];
        const INDEX at = (INDEX)(params.head_padding + offset);
        if (offset_is_wrong(params.offsets, k, offset, k == 0 ? 0 : (size_t)data[k - 1]))
            leave_error(params.offsets, k);
        else if (offset < params.offsets.n)
            set_bits((uint32_t *)params.offsets.bits, marked_word<INDEX>{at / 32, 1u << at % 32});
    }
}

/* Marks a lane's offsets `first` to first + EACH - 1. `before` is the offset before them. */
template <typename INDEX, unsigned EACH, typename OFFSET>
static __device__ __forceinline__ void mark_vector(const offsets_params &params, size_t first,
                                                   const OFFSET (&data)[EACH], OFFSET before,
                                                   unsigned lane)
{
    uint32_t *const words = (uint32_t *)params.offsets.bits;
    bool ordered = first - 1 < params.offsets.count && first + EACH <= params.offsets.count &&
                   before <= data[0] && data[EACH - 1] < params.offsets.n;
#pragma unroll
    for (unsigned e = 1; e < EACH; e++)
        ordered = ordered && data[e - 1] <= data[e];
    marked_word<INDEX> mine = {0, 0};
    if (__builtin_expect(ordered, 1)) {
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) {
            const INDEX at = (INDEX)params.head_padding + (INDEX)data[e];
            if (at / 32 != mine.word) {
                set_bits(words, mine);
                mine = marked_word<INDEX>{at / 32, 0};
            }
            mine.bits |= 1u << at % 32;
        }
    } else if (first + EACH - 1 < params.offsets.count + EACH) { /* not all after the array */
        mark_one_by_one<INDEX, OFFSET>(params, first);
    }
    __syncwarp();
    set_gathered(words, mine, lane);
}

template <typename INDEX, typename OFFSET>
static __global__ void __launch_bounds__(MARK_THREADS)
    mark_offsets(const __grid_constant__ offsets_params given)
{
    const offsets_params params = {at_their_lengths(given.offsets), given.head_padding};
    const unsigned EACH = 16 / sizeof(OFFSET), lane = threadIdx.x % 32;
    const OFFSET *const data = (const OFFSET *)params.offsets.data;
    const size_t count = params.offsets.count + 1, threads = (size_t)gridDim.x * MARK_THREADS;
    /* Vectors start at aligned addresses, the first of them at or before offset 0. */
    const size_t head_padding = (uintptr_t)data % 16 / sizeof(OFFSET);
    const size_t vectors = (head_padding + count + EACH - 1) / EACH;
    const size_t own = (size_t)blockIdx.x * MARK_THREADS + threadIdx.x - lane;
#pragma unroll 1
    for (size_t from = own; from < vectors; from += threads * MARK_AT_ONCE) {
        __align__(16) OFFSET raw[MARK_AT_ONCE][EACH] = {};
        OFFSET before[MARK_AT_ONCE] = {};
#pragma unroll
        for (unsigned g = 0; g < MARK_AT_ONCE; g++) {
            const size_t v = from + g * threads + lane, first = v * EACH - head_padding;
            if (v > 0 && first + EACH <= count)
                *(uint4 *)raw[g] = __ldcs((const uint4 *)(data + first));
            if (first - 1 < count)
                before[g] = data[first - 1];
        }
#pragma unroll
        for (unsigned g = 0; g < MARK_AT_ONCE; g++)
            mark_vector<INDEX>(params, (from + g * threads + lane) * EACH - head_padding, raw[g],
                               before[g], lane);
    }
}

/* Clears the bits of n elements, and some more. */
static __global__ void __launch_bounds__(MARK_THREADS)
    clear_bits(const __grid_constant__ clear_params params)
{
    const segment_offsets offsets = at_their_lengths(params.marks.offsets);
    const size_t threads = (size_t)gridDim.x * MARK_THREADS;
    const size_t own = (size_t)blockIdx.x * MARK_THREADS + threadIdx.x;
    const size_t wanted = (params.marks.head_padding + offsets.n) / 8 + params.beyond;
    for (size_t at = own * 16; at < params.bytes && at < wanted; at += threads * 16)
        *(uint4 *)((char *)offsets.bits + at) = uint4{};
}

static unsigned mark_blocks(size_t bytes)
{
    const size_t useful = bytes / (16 * MARK_THREADS) + 1;
    return (unsigned)(useful < MOST_MARK_BLOCKS ? useful : MOST_MARK_BLOCKS);
}

static cudaError_t clear_all(const clear_params &params, parscan_cuda *cuda)
{
    if (params.marks.offsets.n_at == NULL)
        return cudaMemsetAsync(params.marks.offsets.bits, 0, params.bytes, cuda->stream);
    return launch_dependent(clear_bits, cuda, mark_blocks(params.bytes), MARK_THREADS, 0, params);
}

typedef void marking_kernel(const offsets_params);

static marking_kernel *kernel_of(const segment_offsets *offsets, unsigned head_padding)
{
    if (offsets->wide)
        return mark_offsets<uint64_t, uint64_t>;
    return offsets->n <= UINT32_MAX - head_padding ? mark_offsets<uint32_t, uint32_t>
                                                   : mark_offsets<uint64_t, uint32_t>;
}

/* With n in device memory the kernels wait for the kernel before, which at_their_lengths() does. */
cudaError_t parscan_mark_offsets_cuda(parscan_cuda *cuda, const segment_offsets *offsets,
                                      size_t bytes, size_t beyond, unsigned head_padding)
{
    const offsets_params params = {*offsets, head_padding};
    const cudaError_t error =
        offsets->n > 0 ? clear_all(clear_params{params, bytes, beyond}, cuda) : cudaSuccess;
    if (error != cudaSuccess)
        return error;
    marking_kernel *const kernel = kernel_of(offsets, head_padding);
    const unsigned blocks = mark_blocks((offsets->count + 1) * (offsets->wide ? 8 : 4));
    if (offsets->n_at != NULL)
        return launch_dependent(kernel, cuda, blocks, MARK_THREADS, 0, params);
    return launch_blocks(kernel, cuda, blocks, MARK_THREADS, 0, params);
}
