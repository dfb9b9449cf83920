/*
 * What a block does of a top-k of many elements on CUDA: it reads them once, and lists those that pass a limit, which at
 * least k elements of the array pass. If the list gets long, the k-th of what is listed is the next limit. If it has no more
 * room, the last chunks are read again.
 *
 * The first limit is from a sample: the least of each of some vectors of elements, one or more in each of equal parts of
 * the array. A vector counts once, so that runs of equal elements do not mislead.
 */
#ifndef PARSCAN_APPS_TOP_K_STREAM_CUH
#define PARSCAN_APPS_TOP_K_STREAM_CUH

#include "apps/select/select_chunks.cuh"
#include "apps/select/top_k_choose.cuh"
#include "scan/cuda/pipeline.cuh"

enum {
    STREAM_EPOCH = 16,    /* the chunks between two looks at the list's length */
    STREAM_STRATA = 1024, /* parts of the array, of which a sample has one vector each */
    STREAM_STAGES = 2,    /* the chunks that are on their way to shared memory */
};

/* Chunks of a block. Each thread copies the vectors that it reads. */
struct stream_stages {
    uint4 vectors[STREAM_STAGES][CHUNK_AT_ONCE][CHUNK_THREADS];
};

template <typename CODE>
struct stream_shared {
    stream_stages stages;
    choose_shared<CODE> chosen;
    uint32_t epoch;
};

template <typename BITS, typename CODE>
struct stream_block {
    typedef code_of<CODE> of;
    typedef typename of::PART PART;
    static const unsigned THREADS = CHUNK_THREADS;
    typedef choose_block<THREADS, CODE> chooser;
    typedef typename select_chunks<BITS>::mask mask;
    const chooser block;
    stream_stages &stages;
    const element_source<BITS, CODE> elements;
    const size_t n, k; /* k: of this array, at least 1, at most half of the room */
    const code_bits bits;

    __device__ __forceinline__ CODE *codes() const { return block.shared.codes; }
    __device__ __forceinline__ CODE *minima() const { return (CODE *)block.shared.counts; }
    __device__ __forceinline__ select_chunks<BITS> array() const { return {elements.in, n}; }
    /* Whether groups of threads are enough to tell k elements apart. */
    __device__ __forceinline__ bool few() const { return k <= 64; }

    /* Calls take(rank, code) for each of up to THREADS codes of shared memory; the rank is its place in order. By all
       threads. */
    template <typename TAKE>
    __device__ __forceinline__ void rank_codes(const CODE *from, unsigned count, TAKE take) const
    {
        unsigned shift = 0;
        while (shift < 5 && count << (shift + 1) <= THREADS)
            shift++;
        const unsigned lanes = 1u << shift, mine = threadIdx.x >> shift,
                       part = threadIdx.x & (lanes - 1);
        const CODE code = mine < count ? from[mine] : of::last();
        unsigned before = 0;
#pragma unroll 4
        for (unsigned j = part; j < count; j += lanes) {
            const CODE other = from[j];
            before += other < code || (other == code && j < mine);
        }
#pragma unroll 1
        for (unsigned step = lanes / 2; step > 0; step /= 2)
            before += warp_shuffle_xor(before, step);
        if (mine < count && part == 0)
            take(before, code);
    }

    /* A limit that at least k of the threads' codes pass, if there are so many, and seldom many more. k is few. Threads
       that are neighbours, and so have neighbouring elements, are in different groups. */
    __device__ __forceinline__ CODE limit_of_groups(CODE mine) const
    {
        const unsigned groups = k <= 16 ? 32 : 128;
        CODE *const least = minima();
        least[threadIdx.x] = mine;
        __syncthreads();
        if (threadIdx.x < groups)
            for (unsigned t = threadIdx.x + groups; t < THREADS; t += groups)
                mine = least[t] < mine ? least[t] : mine;
        __syncthreads();
        if (threadIdx.x < groups)
            least[threadIdx.x] = mine;
        __syncthreads();
        rank_codes(least, groups, [&](unsigned rank, CODE code) {
            if (rank + 1 == k)
                block.shared.limit = code;
        });
        __syncthreads();
        return block.shared.limit;
    }

    /* The least of a thread's codes of the first `count` of the list. */
    __device__ __forceinline__ CODE least_listed(unsigned count) const
    {
        CODE least = of::last();
        for (unsigned i = threadIdx.x; i < count; i += THREADS)
            least = codes()[i] < least ? codes()[i] : least;
        return least;
    }

    /* A limit that k of the first `count` >= k codes of the list pass, exactly. */
    __device__ __forceinline__ CODE limit_of_listed(unsigned count) const
    {
        return block.counted_limit(typename chooser::sampled{codes()}, count, k, k, bits);
    }

    /* Leaves of the first `count` codes of the list those that pass. */
    __device__ __forceinline__ void thin(unsigned count, CODE limit) const
    {
        const unsigned EACH = of::ROOM / THREADS;
        CODE kept[EACH];
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            kept[e] =
                threadIdx.x + e * THREADS < count ? codes()[threadIdx.x + e * THREADS] : of::last();
        __syncthreads();
        if (threadIdx.x == 0)
            block.shared.count = 0;
        __syncthreads();
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            if (kept[e] <= limit && threadIdx.x + e * THREADS < count)
                codes()[atomicAdd(&block.shared.count, 1u)] = kept[e];
        __syncthreads();
    }

    /* Starts to copy a chunk, if there is such, to a stage. Vectors that are not whole are copied at once. */
    __device__ __forceinline__ void copy(size_t chunk, unsigned stage) const
    {
        const unsigned EACH = 16 / sizeof(BITS);
        const select_chunks<BITS> from = array();
        const size_t end = n + from.shift(), first = chunk * THREADS * CHUNK_AT_ONCE;
        const BITS *const base = elements.in - from.shift();
#pragma unroll
        for (unsigned a = 0; a < CHUNK_AT_ONCE; a++) {
            const size_t vector = first + a * THREADS + threadIdx.x;
            uint4 *const to = &stages.vectors[stage][a][threadIdx.x];
            if (vector * EACH >= from.shift() && (vector + 1) * EACH <= end)
                copy_piece(to, (const uint4 *)base + vector);
            else if (vector * EACH < end)
#pragma unroll 1
                for (unsigned e = 0; e < EACH; e++)
                    if (vector * EACH + e >= from.shift() && vector * EACH + e < end)
                        ((BITS *)to)[e] = base[vector * EACH + e];
        }
        pieces_commit();
    }

    /* Calls take(number, key) for each of the thread's elements of a chunk that has been copied; those of the last and first
       chunk may not be elements of the array. */
    template <typename TAKE>
    __device__ __forceinline__ void each(unsigned stage, TAKE take) const
    {
        const unsigned EACH = 16 / sizeof(BITS);
#pragma unroll
        for (unsigned a = 0; a < CHUNK_AT_ONCE; a++) {
            BITS keys[EACH];
            const uint4 raw = stages.vectors[stage][a][threadIdx.x];
            memcpy(keys, &raw, sizeof keys);
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                take(a * EACH + e, keys[e]);
        }
    }

    /* The code of the thread's element `number` of a chunk; the last code if the array has none there. */
    __device__ __forceinline__ CODE code_at(size_t chunk, unsigned stage, unsigned number) const
    {
        const unsigned EACH = 16 / sizeof(BITS);
        const BITS key =
            ((const BITS *)&stages.vectors[stage][number / EACH][threadIdx.x])[number % EACH];
        const size_t place = array().index(chunk, array().place(number));
        return place < n ? of::make((PART)elements.ranks.rank(key), (PART)place) : of::last();
    }

    /* Appends the chunk's elements that pass to the list, as far as there is room, and counts them. */
    __device__ __forceinline__ void filter(size_t chunk, unsigned stage, CODE limit) const
    {
        PART most = of::rank(limit);
        if (chunk > 0 && array().index(chunk, 0) > of::place(limit)) {
            /* No element here is before that place. */
            if (most == 0)
                return;
            most--;
        }
        mask passing = 0;
        each(stage, [&](unsigned number, BITS key) {
            if ((PART)elements.ranks.rank(key) <= most)
                passing |= (mask)1 << number;
        });
        if (!__any_sync(0xffffffffu, passing != 0))
            return;
        for (; passing != 0; passing &= passing - 1) {
            const CODE code = code_at(chunk, stage, (unsigned)__ffsll((long long)passing) - 1);
            if (code > limit || code == of::last())
                continue;
            const unsigned at = atomicAdd(&block.shared.count, 1u);
            if (at < of::ROOM)
                codes()[at] = code;
        }
        __syncwarp();
    }

    /* The least code of the thread's elements of a chunk. */
    __device__ __forceinline__ CODE least_of_chunk(size_t chunk, unsigned stage) const
    {
        const unsigned EACH = 16 / sizeof(BITS) * CHUNK_AT_ONCE;
        CODE code = of::last();
        if (chunk > 0 && (chunk + 1) * THREADS * EACH <= n) { /* all are elements */
            PART least = (PART) ~(PART)0;
            unsigned at = 0;
            each(stage, [&](unsigned number, BITS key) {
                const PART rank = (PART)elements.ranks.rank(key);
                at = rank < least ? number : at;
                least = rank < least ? rank : least;
            });
            return of::make(least, (PART)array().index(chunk, array().place(at)));
        }
#pragma unroll 1
        for (unsigned e = 0; e < EACH; e++) {
            const CODE other = code_at(chunk, stage, e);
            code = other < code ? other : code;
        }
        return code;
    }

    /* Whether a sample has enough to choose from. */
    __device__ __forceinline__ bool is_sampled() const
    {
        return array().count() > 4;
    }

    /* The elements of a vector that are in a sample. */
    static const unsigned OF_PIECE =
        16 / sizeof(BITS) < of::ROOM / STREAM_STRATA ? 16 / sizeof(BITS) : of::ROOM / STREAM_STRATA;

    /* The codes of piece `stratum` of a sample. seed: each has another. */
    __device__ __forceinline__ void load_piece(unsigned stratum, unsigned seed,
                                               CODE (&piece)[OF_PIECE]) const
    {
        const unsigned EACH = 16 / sizeof(BITS);
        const select_chunks<BITS> from = array();
        const size_t first = from.shift() != 0 ? 1 : 0;
        const size_t vectors = (n + from.shift()) / EACH - first;
        const size_t begin = stratum * vectors / STREAM_STRATA;
        const uint32_t width = (uint32_t)((stratum + 1) * vectors / STREAM_STRATA - begin);
        uint32_t mixed = (stratum + 1) * 0x9e3779b9u ^ (seed + 1) * 0x85ebca6bu;
        mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
        mixed ^= mixed >> 13;
        const size_t vector = first + begin + __umulhi(mixed, width);
        const uint4 raw = ((const uint4 *)(elements.in - from.shift()))[vector];
        BITS keys[EACH];
        memcpy(keys, &raw, sizeof keys);
#pragma unroll
        for (unsigned e = 0; e < OF_PIECE; e++)
            piece[e] = of::make((PART)elements.ranks.rank(keys[e]),
                                (PART)(vector * EACH + e - from.shift()));
    }

    /* A limit that at least k elements pass: without doubt if k is few, else with 4 standard deviations, also where the
       elements of a vector are equal. */
    __device__ __forceinline__ CODE sampled_limit(unsigned seed) const
    {
        const unsigned EACH = STREAM_STRATA / THREADS, SAMPLES = STREAM_STRATA * OF_PIECE;
        CODE pieces[EACH][OF_PIECE];
#pragma unroll
        for (unsigned p = 0; p < EACH; p++)
            load_piece(threadIdx.x + p * THREADS, seed, pieces[p]);
        if (few()) {
            CODE least = of::last();
#pragma unroll
            for (const auto &piece : pieces)
#pragma unroll
                for (const CODE code : piece)
                    least = code < least ? code : least;
            return limit_of_groups(least);
        }
        const double mean = (double)k * SAMPLES / (double)n;
        const size_t at = (size_t)(mean + 4 * sqrt(mean * OF_PIECE)) + 5;
        if (at > SAMPLES / 2)
            return of::last();
#pragma unroll
        for (unsigned p = 0; p < EACH; p++)
#pragma unroll
            for (unsigned e = 0; e < OF_PIECE; e++)
                codes()[threadIdx.x + (p * OF_PIECE + e) * THREADS] = pieces[p][e];
        __syncthreads();
        return block.counted_limit(typename chooser::sampled{codes()}, SAMPLES, at, at + at / 8,
                                   bits);
    }

    /* Lists what passes of the chunks first, first + step, ...: all that can be among the k first of them are listed
       then. own: the limit is from the first chunk, and k is few. Returns the number of codes. */
    __device__ __forceinline__ unsigned list(size_t first, size_t step, CODE limit, bool own) const
    {
        const unsigned enough = few() ? 16 * (unsigned)k + 256 : of::ROOM / 2;
        const size_t chunks = array().count();
        size_t chunk = first;
        if (threadIdx.x == 0)
            block.shared.count = 0;
        copy(chunk, 0);
        copy(chunk + step, 1);
        unsigned stage = 0;
        if (own) {
            pieces_wait_but<1>();
            limit = limit_of_groups(least_of_chunk(chunk, 0));
        }
        __syncthreads();
#pragma unroll 1
        while (chunk < chunks) {
            const size_t from = chunk;
            const unsigned before = block.shared.count;
            __syncthreads();
#pragma unroll 1
            for (unsigned e = 0; e < STREAM_EPOCH && chunk < chunks; e++, chunk += step) {
                pieces_wait_but<1>();
                filter(chunk, stage, limit);
                copy(chunk + 2 * step, stage);
                stage ^= 1;
            }
            __syncthreads();
            const unsigned count = block.shared.count;
            if (count <= enough || (count <= of::ROOM && chunk >= chunks))
                continue;
            const bool all = count <= of::ROOM;
            if (all && few())
                limit = limit_of_groups(least_listed(count));
            else
                limit = limit_of_listed(all ? count : of::ROOM);
            if (!all) { /* these chunks again */
                pieces_wait();
                chunk = from;
                copy(chunk, stage);
                copy(chunk + step, stage ^ 1);
            }
            thin(all ? count : before, limit);
        }
        pieces_wait();
        __syncthreads();
        return block.shared.count;
    }

    /* The whole array by this block. Codes that at least k elements pass are listed. */
    __device__ __forceinline__ unsigned list_all() const
    {
        const unsigned count =
            list(0, 1, is_sampled() ? sampled_limit(0) : of::last(), few() && !is_sampled());
        return count >= k ? count : list(0, 1, of::last(), false);
    }

    /* Calls store(j, code) for the k first of `count` codes in order; of fewer for them all. */
    template <typename STORE>
    __device__ __forceinline__ void finish(unsigned count, STORE store) const
    {
        if (few()) {
            if (count > THREADS / 4) {
                thin(count, limit_of_groups(least_listed(count)));
                count = block.shared.count;
                __syncthreads();
            }
            if (count > THREADS) {
                thin(count, limit_of_listed(count));
                count = block.shared.count;
                __syncthreads();
            }
            rank_codes(codes(), count, [&](unsigned rank, CODE code) {
                if (rank < k)
                    store(rank, code);
            });
            return;
        }
        unsigned size = 128;
        while (size < k)
            size *= 2;
        if (count > size) {
            thin(count, limit_of_listed(count));
            count = block.shared.count;
            __syncthreads();
        }
        block.sort(count);
        for (unsigned j = threadIdx.x; j < k && j < count; j += THREADS)
            store(j, codes()[j]);
    }
};

#endif
