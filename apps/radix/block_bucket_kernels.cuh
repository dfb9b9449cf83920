/*
 * How a block orders the elements in its registers by buckets.
 *
 * The range from the least to the greatest key is divided evenly among more buckets than most blocks have
 * elements. Where that leaves too many in a bucket, each bucket's range is divided among as many as it
 * has elements. After the bits of a key come those of its index, so equal keys are divided, too.
 * Elements go to the part of their bucket in shared memory, in any order. Then each is compared with all
 * elements of its bucket. A division takes the time of one or two digits.
 */
#ifndef PARSCAN_APPS_RADIX_BLOCK_BUCKET_KERNELS_CUH
#define PARSCAN_APPS_RADIX_BLOCK_BUCKET_KERNELS_CUH

#include "apps/radix/block_elements.cuh"
#include "apps/radix/key_order.cuh"

/* The least and the greatest key. */
template <typename BITS>
struct key_extent {
    typedef typename std::conditional<sizeof(BITS) == 8, uint64_t, uint32_t>::type Wide;
    BITS least, most;

    /* The bits of the differences of keys, less those of a bucket. */
    __device__ __forceinline__ unsigned shift(unsigned bucket_bits) const
    {
        const Wide range = (Wide)most - least;
        const unsigned bits = sizeof(Wide) == 8 ? 64 - (unsigned)__clzll((long long)range)
                                                : 32 - (unsigned)__clz((int)range);
        return bits > bucket_bits ? bits - bucket_bits : 0;
    }
    /* That of all lanes. */
    __device__ __forceinline__ void join_lanes()
    {
        least = (BITS)least_of_lanes((Wide)least);
        most = (BITS)most_of_lanes((Wide)most);
    }
};

#define NO_BUCKET 0xffffu

/* Two buckets share a word. Adds 1 and returns the size before. Lanes with the bucket `frequent` are
   counted together. Called by the whole warp, for lanes that are there. */
static __device__ __forceinline__ unsigned count_in_bucket(uint16_t *buckets, unsigned bucket,
                                                           unsigned frequent, bool there)
{
    const unsigned at = bucket % 2 * 16, lane = threadIdx.x % 32;
    const bool among = there && bucket == frequent;
    unsigned same = 0, lower = 0, old = 0;
    if (frequent != NO_BUCKET) {
        same = __ballot_sync(0xffffffffu, among);
        lower = (unsigned)__popc(same & ((1u << lane) - 1));
    }
    if (there && (!among || lower == 0))
        old = atomicAdd((uint32_t *)buckets + bucket / 2, (among ? (unsigned)__popc(same) : 1u)
                                                              << at) >>
                  at &
              0xffff;
    if (same == 0)
        return old;
    const unsigned first = __shfl_sync(0xffffffffu, old, __ffs((int)same) - 1);
    return among ? first + lower : old;
}

struct frequent_bucket {
    unsigned bucket, lanes;
};

/* Returns the bucket that most lanes have. Called by the whole warp. */
static __device__ __forceinline__ frequent_bucket most_frequent(unsigned bucket)
{
    const unsigned same = (unsigned)__popc(__match_any_sync(0xffffffffu, bucket));
    const unsigned most = most_of_lanes((uint32_t)same << 16 | bucket);
    return {most & 0xffff, most >> 16};
}

/* Leaves the extent of the warp's keys that are not absent. Returns how many of 32 keys would share a
   bucket if the warp's range were divided. */
template <typename S, typename PARAMS>
static __device__ __forceinline__ unsigned
find_extent(const PARAMS &params, block_sort_shared<S> &shared, const block_elements<S> &here,
            const typename S::Bits (&keys)[S::ITEMS])
{
    typedef typename S::Bits Bits;
    key_extent<Bits> extent = {(Bits) ~(Bits)0, 0};
    bool absent = false;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if (!here.has(i))
            break;
        const Bits key = params.compared(keys[i]);
        const bool there = !is_absent<typename S::Key>(keys[i]);
        absent |= !there;
        extent.least = there && key < extent.least ? key : extent.least;
        extent.most = there && key > extent.most ? key : extent.most;
    }
    extent.join_lanes();
    if (S::Key::HAS_ABSENT)
        absent = __any_sync(0xffffffffu, absent);
    if (threadIdx.x % 32 == 0) {
        shared.least[threadIdx.x / 32] = extent.least;
        shared.most[threadIdx.x / 32] = extent.most;
        shared.warp_sums[threadIdx.x / 32] = absent;
    }
    const bool there = here.has(0) && !is_absent<typename S::Key>(keys[0]);
    const Bits from = (Bits)(params.compared(keys[0]) - extent.least);
    const unsigned bucket = (unsigned)(from >> extent.shift(S::BUCKET_BITS)) & (S::BUCKETS - 1);
    return most_frequent(there ? bucket : S::BUCKETS + threadIdx.x % 32).lanes;
}

/* Returns the extent of the block's keys. *alike: all elements are there, and their keys are equal. */
template <typename S>
static __device__ __forceinline__ key_extent<typename S::Bits>
extent_of_block(const block_sort_shared<S> &shared, bool *alike)
{
    typedef typename S::Bits Bits;
    const unsigned lane = threadIdx.x % 32;
    const bool here = lane < S::WARPS;
    key_extent<Bits> extent = {here ? shared.least[lane] : (Bits) ~(Bits)0,
                               here ? shared.most[lane] : (Bits)0};
    extent.join_lanes();
    *alike = extent.least == extent.most;
    if (S::Key::HAS_ABSENT)
        *alike = *alike && !__any_sync(0xffffffffu, here && shared.warp_sums[lane] != 0);
    return extent;
}

/* Turns the sizes of buckets into the places where they start. Called by the whole block. */
template <typename S>
static __device__ __forceinline__ bucket_sizes place_buckets(block_sort_shared<S> &shared,
                                                             uint16_t *buckets)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    static_assert(S::EACH == 8, "16 bytes");
    uint4 *const own = (uint4 *)buckets + threadIdx.x;
    const uint4 words = *own;
    uint16_t begins[S::EACH];
    memcpy(begins, &words, sizeof begins);
    uint32_t sum = 0, squares = 0, largest = 0;
#pragma unroll
    for (unsigned k = 0; k < S::EACH; k++) {
        const uint32_t size = begins[k];
        begins[k] = (uint16_t)sum;
        sum += size;
        squares += size * size;
        largest = size > largest ? size : largest;
    }
    /* Not by block_prefix.cuh: lanes add the sums of warps, as they do with the sizes. */
    const uint32_t through = warp_scan(parscan_operator_SUM(), sum, lane);
    squares = sum_of_lanes(squares);
    largest = most_of_lanes(largest);
    if (lane == 31) {
        shared.warp_sums[warp] = through;
        shared.warp_sizes[warp] = {squares, largest};
    }
    __syncthreads();
    const uint32_t sums = lane < S::WARPS ? shared.warp_sums[lane] : 0;
    const uint32_t before = sum_of_lanes(lane < warp ? sums : 0) + through - sum;
    const bucket_sizes sizes = lane < S::WARPS ? shared.warp_sizes[lane] : bucket_sizes{0, 0};
#pragma unroll
    for (unsigned k = 0; k < S::EACH; k++)
        begins[k] = (uint16_t)(begins[k] + before);
    uint4 placed;
    memcpy(&placed, begins, sizeof placed);
    *own = placed;
    if (threadIdx.x == S::THREADS - 1) {
        buckets[S::BUCKETS] = (uint16_t)(before + sum);
        shared.present = before + sum;
    }
    return {sum_of_lanes(sizes.squares), most_of_lanes(sizes.largest)};
}

/* Emits elements that are all equal. */
template <typename S, typename Emit>
static __device__ __forceinline__ void
emit_as_they_are(block_sort_shared<S> &shared, const block_elements<S> &here,
                 const typename S::Bits (&keys)[S::ITEMS], Emit emit)
{
    if (threadIdx.x == 0)
        shared.present = here.n;
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (here.has(i))
            emit(here.first() + i * 32, keys[i], here.first() + i * 32);
}

/* Tells the bucket of an element, of both divisions. */
template <typename S, typename PARAMS>
struct bucket_finder {
    typedef typename S::Bits Bits;
    static const unsigned SHARED = S::MOST > S::BUCKETS ? S::MOST / S::BUCKETS : 1;
    const PARAMS &params;
    const uint16_t *first;
    Bits least;
    unsigned shift;       /* so many bits of a key are left to the second division */
    uint32_t to_all_bits; /* an index times this spreads over all bits of a word */

    __device__ __forceinline__ bucket_finder(const PARAMS &of, const uint16_t *buckets,
                                             const key_extent<Bits> &extent, unsigned n)
        : params(of), first(buckets), least(extent.least), shift(extent.shift(S::BUCKET_BITS)),
          to_all_bits(0xffffffffu / n)
    {
    }
    __device__ __forceinline__ unsigned once(Bits code) const
    {
        return (unsigned)((Bits)(params.compared(code) - least) >> shift) & (S::BUCKETS - 1);
    }
    __device__ __forceinline__ unsigned again(Bits code, unsigned index) const
    {
        const unsigned bucket = once(code), begin = first[bucket];
        const uint64_t low = (uint64_t)(Bits)(params.compared(code) - least);
        const uint64_t rest = (uint64_t)(index * to_all_bits) << 32;
        const uint64_t next = shift > 0 ? low << (64 - shift) | rest >> shift : rest;
        return (begin + __umulhi((unsigned)(next >> 32), first[bucket + 1] - begin)) / SHARED;
    }
    template <bool AGAIN>
    __device__ __forceinline__ unsigned of(Bits code, unsigned index) const
    {
        return AGAIN ? again(code, S::HAS_INDICES ? index : 0) : once(code);
    }
};

/* Takes 1 from *before for each element of a group of places that comes before the key. */
template <unsigned GROUP, typename S, typename PARAMS>
static __device__ __forceinline__ void
count_group_before(const PARAMS &params, const block_sort_shared<S> &shared, unsigned at,
                   typename S::Bits key, unsigned index, unsigned *before)
{
    struct alignas(sizeof(key) * GROUP < 16 ? sizeof(key) * GROUP : 16) {
        typename S::Bits of[GROUP];
    } keys;
    struct alignas(2 * GROUP) {
        uint16_t of[GROUP];
    } indices;
    memcpy(&keys, __builtin_assume_aligned(&shared.keys[at], alignof(decltype(keys))), sizeof keys);
    if (S::HAS_INDICES)
        memcpy(&indices, __builtin_assume_aligned(&shared.indices[at], 2 * GROUP), sizeof indices);
#pragma unroll
    for (unsigned k = 0; k < GROUP; k++)
        count_before(params.compared(keys.of[k]), S::HAS_INDICES ? indices.of[k] : at + k, key,
                     index, before);
}

/* Moves the elements to their buckets, compares those of each bucket, and calls emit(place, code, index). Of
   small buckets one element is loaded at a time. */
template <bool AGAIN, typename S, typename PARAMS, typename There, typename Emit>
static __device__ __forceinline__ void
order_buckets(const PARAMS &params, block_sort_shared<S> &shared, const block_elements<S> &here,
              const bucket_finder<S, PARAMS> &bucket, const typename S::Bits (&keys)[S::ITEMS],
              const unsigned (&ranks)[S::ITEMS], There there, Emit emit)
{
    const unsigned GROUP = AGAIN ? BUCKET_GROUP : 1;
    const uint16_t *const begins = shared.buckets[AGAIN];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if (i >= here.items)
            break;
        if (there(i)) {
            const unsigned index = here.first() + i * 32;
            const unsigned place = begins[bucket.template of<AGAIN>(keys[i], index)] + ranks[i];
            shared.keys[place] = keys[i];
            if (S::HAS_INDICES)
                shared.indices[place] = (uint16_t)index;
        }
    }
    /* The last group may have places after the elements. */
    if (threadIdx.x < GROUP) {
        shared.keys[shared.present + threadIdx.x] = params.beyond;
        if (S::HAS_INDICES)
            shared.indices[shared.present + threadIdx.x] = 0xffff;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned place = threadIdx.x; place < shared.present; place += S::THREADS) {
        const typename S::Bits code = shared.keys[place], key = params.compared(code);
        const unsigned index = S::HAS_INDICES ? shared.indices[place] : place;
        const unsigned own = bucket.template of<AGAIN>(code, index);
        const unsigned begin = begins[own], end = begins[own + 1];
        unsigned before = begin % GROUP;
#pragma unroll(AGAIN ? 1 : 2)
        for (unsigned at = begin - before; at < end; at += GROUP)
            count_group_before<GROUP>(params, shared, at, key, index, &before);
        emit(begin - before, code, index);
    }
}

/* Orders the elements by buckets, and calls emit(place, code, index) for each of them, where index is
   the element's own only if indices are wanted. Returns false, and emits nothing, if digits are faster.
   *extent: that of the keys. */
template <typename S, typename PARAMS, typename Emit>
static __device__ __forceinline__ bool
order_by_buckets(const PARAMS &params, block_sort_shared<S> &shared, const block_elements<S> &here,
                 const typename S::Bits (&keys)[S::ITEMS], key_extent<typename S::Bits> *extent,
                 Emit emit)
{
    typedef typename S::Bits Bits;
    const unsigned FEW = 12 + 2 * (S::MOST / S::BUCKETS); /* elements of a bucket */
    /* In the time of a digit: comparisons of all elements, of one, and elements of a bucket that the second
       division divides well enough. HOPELESS: lanes of a warp in one bucket. */
    const unsigned ALL = 14, ONE = 96, DIVIDED = 224, HOPELESS = 16;
    ((uint4 *)shared.buckets[0])[threadIdx.x] = make_uint4(0, 0, 0, 0);
    ((uint4 *)shared.buckets[1])[threadIdx.x] = make_uint4(0, 0, 0, 0);
    const unsigned together = find_extent(params, shared, here, keys);
    const bool crowded =
        __syncthreads_or(together >= HOPELESS || together * here.n / 32 > DIVIDED * params.passes);
    bool alike;
    *extent = extent_of_block(shared, &alike);
    if (alike) {
        emit_as_they_are(shared, here, keys, emit);
        return true;
    }
    if (crowded)
        return false;
    const bucket_finder<S, PARAMS> bucket(params, shared.buckets[0], *extent, here.n);
    const auto there = [&](unsigned i) {
        return here.has(i) && !is_absent<typename S::Key>(keys[i]);
    };
    unsigned ranks[S::ITEMS];
    if (here.warp_has_any()) {
        unsigned frequent = NO_BUCKET;
        if (together > 2) {
            const frequent_bucket most =
                most_frequent(there(0) ? bucket.once(keys[0]) : S::BUCKETS + threadIdx.x % 32);
            frequent = most.lanes > 4 ? most.bucket : NO_BUCKET;
        }
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++) {
            if (i >= here.items)
                break;
            ranks[i] = count_in_bucket(shared.buckets[0], bucket.once(keys[i]), frequent, there(i));
        }
    }
    __syncthreads();
    bucket_sizes sizes = place_buckets(shared, shared.buckets[0]);
    __syncthreads();
    if (sizes.largest <= FEW) {
        order_buckets<false>(params, shared, here, bucket, keys, ranks, there, emit);
        return true;
    }
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        if (i >= here.items)
            break;
        if (there(i))
            ranks[i] = count_in_bucket(shared.buckets[1],
                                       bucket.template of<true>(keys[i], here.first() + i * 32),
                                       NO_BUCKET, true);
    }
    __syncthreads();
    sizes = place_buckets(shared, shared.buckets[1]);
    __syncthreads();
    if (sizes.squares / (ALL * params.passes) > here.n || sizes.largest > ONE * params.passes)
        return false;
    order_buckets<true>(params, shared, here, bucket, keys, ranks, there, emit);
    return true;
}

#endif
