/*
 * The first kernel of a radix sort on CUDA: it counts all digits of all keys in one read. The block
 * that ends last of those that count scans the counts, which tells where each digit's elements start,
 * and decides which passes move anything. In a counting sort of few elements more blocks count the
 * offsets of ranges of bins (bin_range.cuh).
 *
 * Each digit has REPLICAS counters in shared memory, in neighbouring banks, and a lane uses counter
 * lane % REPLICAS. So the lanes of a warp seldom use the same bank; with 32 replicas they never do.
 * A short array, and any array where a block cannot have 128 KiB, is counted with fewer replicas,
 * which are cleared and added up in less time.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_HISTOGRAM_KERNELS_CUH
#define PARSCAN_APPS_RADIX_DIGIT_HISTOGRAM_KERNELS_CUH

#include "apps/radix/bin_range.cuh"
#include "apps/radix/digit_keys.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

template <typename KEY>
struct digit_histogram_params {
    typedef typename KEY::Bits Bits;
    const Bits *keys;
    size_t n;              /* at most */
    const uint64_t *count; /* see parscan_sort_cuda_call in radix_cuda.h */
    device_length length;
    sort_state *plan;
    unsigned digits, passes; /* of the key; of the sort, one more if the number must be even */
    bool whole;              /* digit p is byte p of the rank, for all bytes */
    digit_of<KEY> digit[sizeof(Bits)];
    Bits flip;
    bool aliased; /* keys or values are sorted in place: an even number of passes must move */
    bool settled; /* if no pass is active, all elements are where they belong already */
    sort_bins bins;
    unsigned ranges; /* the last blocks, each of which counts the offsets of a range of bins */
    bool only_nans;  /* see parscan_sort_cuda_call */
    bool notices;    /* keys that are in order: plan->falls and plan->rises are wanted */
};

template <typename KEY, bool MANY>
struct digit_histogram_shape {
    static const unsigned KEY_DIGITS = sizeof(typename KEY::Bits);
    static const unsigned LOG_REPLICAS = !MANY ? 3 : KEY_DIGITS == 8 ? 4 : 5;
    static const unsigned REPLICAS = 1u << LOG_REPLICAS;
    static const unsigned THREADS = MANY ? 1024 : 512;
    static const size_t BYTES = (size_t)KEY_DIGITS * SORT_DIGITS * REPLICAS * sizeof(uint32_t);
    static const bool HAS_RANGES = KEY::HAS_ABSENT && !MANY;
    static_assert(!HAS_RANGES ||
                      (THREADS == BIN_RANGE_THREADS && BYTES >= BIN_RANGE_WORDS * sizeof(uint32_t)),
                  "a block may count a range of bins");
};

/* How many blocks pay, up to `most`. More only add their counters to the same words. */
template <typename KEY, bool MANY, typename RAW>
static __host__ __device__ unsigned blocks_that_count(const digit_histogram_params<KEY> &params,
                                                      size_t n, size_t most)
{
    const sort_bins &bins = params.bins;
    const size_t cleared = bins.from == OFFSETS_OF_TILES ? bins.bins : 0;
    const size_t offsets = cleared * (bins.wide ? sizeof(uint64_t) : sizeof(uint32_t));
    const size_t useful =
        (n * sizeof(RAW) + offsets) / (digit_histogram_shape<KEY, MANY>::THREADS * 16) + 1;
    return (unsigned)(useful < most ? useful : most);
}

/* What a thread has seen of its keys: a NaN; one that is below the one before it, or above. */
template <typename KEY>
struct keys_seen {
    typename KEY::Bits last; /* rank */
    bool nan, falls, rises;
};

template <typename KEY, bool MANY>
static __device__ __forceinline__ void count_key(const digit_histogram_params<KEY> &params,
                                                 uint32_t *mine, typename KEY::Bits key,
                                                 keys_seen<KEY> *seen)
{
    typedef digit_histogram_shape<KEY, MANY> shape;
    if (KEY::HAS_ABSENT && key >= params.bins.count)
        return;
    const typename KEY::Bits code = KEY::encode(key, params.flip);
    seen->nan = seen->nan || KEY::is_nan(code);
#pragma unroll
    for (unsigned p = 0; p < sizeof code; p++)
        if (p < params.digits) {
            const unsigned at = params.digit[p].template times<2 + shape::LOG_REPLICAS>(code);
            atomicAdd((uint32_t *)((char *)(mine + p * SORT_DIGITS * shape::REPLICAS) + at), 1u);
        }
}

/* The same, if the digits are the rank's bytes: a third of the instructions. */
template <typename KEY, bool MANY>
static __device__ __forceinline__ void count_bytes(const digit_histogram_params<KEY> &params,
                                                   uint32_t *mine, typename KEY::Bits key,
                                                   keys_seen<KEY> *seen)
{
    const unsigned REPLICAS = digit_histogram_shape<KEY, MANY>::REPLICAS;
    const typename KEY::Bits code = KEY::encode(key, params.flip);
    const typename KEY::Bits own = KEY::rank(code, params.flip);
    const uint64_t rank = own;
    seen->nan = seen->nan || KEY::is_nan(code);
    if (sizeof own >= 4) {
        seen->falls = seen->falls || own < seen->last;
        seen->rises = seen->rises || own > seen->last;
        seen->last = own;
    }
#pragma unroll
    for (unsigned p = 0; p < sizeof code; p++) {
        const unsigned word = (unsigned)(rank >> p / 4 * 32);
        const unsigned byte = __byte_perm(word, 0, 0x4440 + p % 4);
        atomicAdd(mine + (p * SORT_DIGITS + byte) * REPLICAS, 1u);
    }
}

/* Counts n keys, with `threads` threads, of which this is number `self`. */
template <typename KEY, bool MANY, typename RAW>
static __device__ __forceinline__ void
count_keys(const digit_histogram_params<KEY> &params, const RAW *in, size_t n, size_t self,
           size_t threads, uint32_t *mine, keys_seen<KEY> *seen)
{
    if constexpr (MANY && !KEY::HAS_ABSENT)
        if (params.whole) {
            /* Nothing before it is above the first key, or below it. */
            seen->last = n > 0 ? KEY::rank(KEY::encode(in[0], params.flip), params.flip) : 0;
            for_each_key(in, n, self, threads,
                         [&](RAW key) { count_bytes<KEY, MANY>(params, mine, key, seen); });
            return;
        }
    for_each_key(in, n, self, threads,
                 [&](RAW key) { count_key<KEY, MANY>(params, mine, key, seen); });
}

/* Sets all offsets to the largest value: the last pass then leaves the smallest offset of each
   bin. By the first `blocks` blocks. */
static __device__ __forceinline__ void clear_offsets(const sort_bins &bins, unsigned blocks)
{
    const size_t step = (size_t)blocks * blockDim.x;
#pragma unroll 1
    for (size_t bin = (size_t)blockIdx.x * blockDim.x + threadIdx.x; bin < bins.bins; bin += step)
        set_offset(bins, bin, UINT64_MAX);
}

/* Stores the offset after all bins, and those of all bins if each bin is a digit. */
template <typename KEY, unsigned EACH>
static __device__ __forceinline__ void keep_offsets(const digit_histogram_params<KEY> &params,
                                                    size_t first, const uint64_t (&counts)[EACH],
                                                    uint64_t before, uint64_t n)
{
    if (first == 0) {
        params.plan->kept = n;
        if (params.bins.from != OFFSETS_OF_RANGES)
            set_offset(params.bins, params.bins.bins, n);
    }
    if (params.bins.from != OFFSETS_OF_DIGITS)
        return;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        if (first + k < params.bins.bins)
            set_offset(params.bins, first + k, before);
        before += counts[k];
    }
}

/* Finds where each digit of one pass starts, and whether the digit varies. One warp handles one
   pass, one lane eight digits. Where keys in order are noticed, the counts are 0 afterwards
   (ordered_kernels.cuh). */
template <typename KEY>
static __device__ __forceinline__ void begin_digits(const digit_histogram_params<KEY> &params,
                                                    size_t n, unsigned number, unsigned lane)
{
    const unsigned EACH = SORT_DIGITS / 32;
    sort_pass *const pass = &params.plan->passes[number];
    uint64_t counts[EACH], sum = 0, through;
    bool all = number >= params.digits;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        uint64_t *const at = params.plan->counts + number * SORT_DIGITS + lane * EACH + k;
        counts[k] = number < params.digits ? __ldcg((const unsigned long long *)at) : 0;
        sum += counts[k];
        if (params.notices && number < params.digits)
            *at = 0;
    }
    through = warp_scan(parscan_operator_SUM(), sum, lane);
    if (KEY::HAS_ABSENT)
        n = __shfl_sync(0xffffffffu, through, 31);
    through -= sum;
    if (KEY::HAS_ABSENT && number == 0)
        keep_offsets(params, lane * EACH, counts, through, n);
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        all = all || counts[k] == n;
        pass->begin[lane * EACH + k] = through;
        through += counts[k];
    }
    all = __any_sync(0xffffffffu, all) != 0;
    if (lane == 0)
        pass->active = !all;
}

/* Where the first pass reads, where the last one writes, and the third place of those between. */
struct pass_places {
    unsigned from, to, between;
};

/* Chooses the source and the target of each pass. A pass whose digit is the same in all keys keeps
   the order, so it can serve as the extra pass where the number must be even. n: the elements that
   there are. */
template <typename KEY>
static __device__ void choose_passes(const digit_histogram_params<KEY> &params, size_t n,
                                     pass_places places)
{
    unsigned active = 0, wanted;
    for (unsigned p = 0; p < params.passes; p++)
        active += params.plan->passes[p].active;
    wanted = active == 0 && !params.settled ? 1 : active;
    if (params.aliased)
        wanted += wanted % 2;
    const bool copies = KEY::HAS_ABSENT && active == 0 && params.plan->kept == n;
    unsigned done = 0, from = places.from;
    for (unsigned p = 0; p < params.passes; p++) {
        sort_pass *const pass = &params.plan->passes[p];
        if (!pass->active && active < wanted) {
            pass->active = 1;
            active++;
        }
        if (!pass->active)
            continue;
        pass->first = done == 0;
        pass->n = KEY::HAS_ABSENT && done > 0 ? params.plan->kept : n;
        pass->copies = copies;
        done++;
        pass->last = done == wanted;
        pass->from = from;
        pass->to = (wanted - done) % 2 == 0 ? places.to : places.between;
        from = pass->to;
    }
}

/* RAW: the type of the keys as given. It has KEY's width, unless the keys are bins. One kernel for all
   widths would take 4 to 6% longer for bins of 2^13 to 2^20 elements. */
template <typename KEY, bool MANY, typename RAW>
static __global__ void __launch_bounds__(digit_histogram_shape<KEY, MANY>::THREADS)
    digit_histogram(const __grid_constant__ digit_histogram_params<KEY> params)
{
    typedef digit_histogram_shape<KEY, MANY> shape;
    extern __shared__ __align__(16) uint32_t counters[];
    const unsigned used = params.digits * SORT_DIGITS, lane = threadIdx.x % 32;
    unsigned blocks = shape::HAS_RANGES ? gridDim.x - params.ranges : gridDim.x;
    if constexpr (shape::HAS_RANGES)
        if (blockIdx.x >= blocks) {
            wait_for_previous_kernel();
            count_range(params.bins, blockIdx.x - blocks, (const RAW *)params.keys,
                        (unsigned)length_of(params.length, params.n), counters);
            return;
        }
    for (unsigned k = threadIdx.x; k < used * shape::REPLICAS / 4; k += shape::THREADS)
        ((uint4 *)counters)[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    wait_for_previous_kernel();
    if constexpr (KEY::IS_FLOAT && sizeof(typename KEY::Bits) == 2)
        if (params.only_nans && params.plan->nans == 0)
            return;
    const size_t n = length_of(params.length, elements_there(params.n, params.count));
    if (params.length.at != NULL) {
        blocks = blocks_that_count<KEY, MANY, RAW>(params, n, blocks);
        if (blockIdx.x >= blocks)
            return;
    }
    keys_seen<KEY> seen = {};
    count_keys<KEY, MANY>(params, (const RAW *)params.keys, n,
                          (size_t)blockIdx.x * blockDim.x + threadIdx.x,
                          (size_t)blocks * blockDim.x, counters + lane % shape::REPLICAS, &seen);
    if (KEY::HAS_ABSENT && params.bins.from == OFFSETS_OF_TILES)
        clear_offsets(params.bins, blocks);
    if (KEY::IS_FLOAT && seen.nan)
        store_alike(&params.plan->nans, (uint64_t)1);
    if (MANY && params.notices) {
        const bool falls = __syncthreads_or(seen.falls), rises = __syncthreads_or(seen.rises);
        if (threadIdx.x == 0 && falls)
            store_alike(&params.plan->falls, (uint64_t)1);
        if (threadIdx.x == 0 && rises)
            store_alike(&params.plan->rises, (uint64_t)1);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < used; k += shape::THREADS) {
        uint32_t sum = 0;
#pragma unroll
        for (unsigned r = 0; r < shape::REPLICAS; r++)
            sum += counters[k * shape::REPLICAS + (r + lane) % shape::REPLICAS];
        if (sum != 0)
            atomicAdd((unsigned long long *)params.plan->counts + k, (unsigned long long)sum);
    }
    __threadfence();
    __syncthreads();
    /* The flag takes no word of shared memory: on sm_75 the counters of 8-byte keys fill all
       that a block has. */
    const bool is_last = __syncthreads_or(
        threadIdx.x == 0 &&
        atomicAdd((unsigned long long *)&params.plan->blocks_done, 1ull) + 1 == blocks);
    if (!is_last)
        return;
    __threadfence();
    if (threadIdx.x / 32 < params.passes)
        begin_digits(params, n, threadIdx.x / 32, lane);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        choose_passes(params, n, {SORT_IN, SORT_OUT, SORT_SPARE});
}

#endif
