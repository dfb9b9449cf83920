/*
 * Top-k of short rows on CUDA, a thread each: the rows of a warp lie in shared memory. A thread sorts its row's ranks K at a
 * time by a network, and merges them with the K least so far. So it has the rank of the last result, and the
 * elements up to it are sorted with their places. All lanes take the same steps, but where a row's last rank occurs twice.
 *
 * Lower bound: one read of the array; some 14 integer instructions an element, 19 of floats.
 *
 * Source: K. E. Batcher, Sorting networks and their applications, 1968.
 */
#ifndef PARSCAN_APPS_TOP_K_ROWS_CUH
#define PARSCAN_APPS_TOP_K_ROWS_CUH

#include "apps/select/top_k_params.cuh"

enum { ROWS_THREADS = 128 };

template <typename V>
static __device__ __forceinline__ void compare_exchange(V &a, V &b)
{
    const V lesser = b < a ? b : a;
    b = b < a ? a : b;
    a = lesser;
}

/* Batcher's odd-even merge sort. */
template <unsigned K, typename V>
static __device__ __forceinline__ void order_by_network(V (&values)[K])
{
#pragma unroll
    for (unsigned run = 1; run < K; run *= 2)
#pragma unroll
        for (unsigned step = run; step > 0; step /= 2)
#pragma unroll
            for (unsigned i = 0; i + step < K; i++)
                if (i >= step % run && (i - step % run) / step % 2 == 0 &&
                    i / (2 * run) == (i + step) / (2 * run))
                    compare_exchange(values[i], values[i + step]);
}

/* The K least of two sorted runs, into the first one. */
template <unsigned K, typename V>
static __device__ __forceinline__ void merge_least(V (&best)[K], const V (&more)[K])
{
#pragma unroll
    for (unsigned i = 0; i < K; i++)
        best[i] = more[K - 1 - i] < best[i] ? more[K - 1 - i] : best[i];
#pragma unroll
    for (unsigned step = K / 2; step > 0; step /= 2)
#pragma unroll
        for (unsigned i = 0; i < K; i++)
            if ((i & step) == 0)
                compare_exchange(best[i], best[i + step]);
}

/* The last of the K least of two sorted runs. */
template <unsigned K, typename V>
static __device__ __forceinline__ V last_of_least(const V (&best)[K], const V (&more)[K])
{
    V last = more[K - 1] < best[0] ? more[K - 1] : best[0];
#pragma unroll
    for (unsigned i = 1; i < K; i++) {
        const V lesser = more[K - 1 - i] < best[i] ? more[K - 1 - i] : best[i];
        last = lesser > last ? lesser : last;
    }
    return last;
}

/* The rows of one launch. */
template <typename BITS>
struct row_params {
    const BITS *in;
    size_t rows;
    unsigned length, k;
    unsigned stride;  /* bytes of a row in shared memory: an odd number of 16 bytes */
    unsigned pieces;  /* 16 bytes each, of a row; 0: rows are not made of such */
    unsigned inverse; /* 2^20 / pieces, rounded up */
    key_ranks<BITS> ranks;
    top_results<BITS> to;

    template <typename CODE>
    static __host__ row_params of(const top_params<BITS, CODE> &given, unsigned K = 8)
    {
        row_params params = {};
        params.in = given.elements.in;
        params.rows = given.n / given.row;
        params.length = (unsigned)given.row;
        params.k = (unsigned)given.to.k;
        params.ranks = given.elements.ranks;
        params.to = given.to;
        const unsigned bytes = params.length * (unsigned)sizeof(BITS);
        /* Ranks are stored K at a time. */
        params.stride =
            ((params.length + K - 1) / K * K * (unsigned)sizeof(BITS) + 15) / 32 * 32 + 16;
        const bool whole = bytes % 16 == 0 && (uintptr_t)params.in % 16 == 0;
        params.pieces = whole ? bytes / 16 : 0;
        params.inverse = whole ? ((1u << 20) - 1) / params.pieces + 1 : 0;
        return params;
    }
    /* Of a block. */
    __host__ size_t shared_bytes() const { return ROWS_THREADS * (size_t)stride; }
};

/* One thread's row, of which shared memory has the elements first, and then their ranks. K: a multiple of 16 bytes or 8. */
template <unsigned K, typename BITS>
struct row_choice {
    typedef typename rank_type<BITS>::RANK RANK;
    typedef typename code_of_rank<RANK>::CODE CODE;
    typedef code_of<CODE> of;
    const row_params<BITS> &params;
    BITS *const row;
    const unsigned length, results;

    __device__ __forceinline__ row_choice(const row_params<BITS> &given, void *shared)
        : params(given), row((BITS *)shared), length(given.length),
          results(given.k < given.length ? given.k : given.length)
    {
    }

    static const unsigned WORDS = K * sizeof(BITS) / 8;

    __device__ __forceinline__ void load(unsigned place, BITS (&values)[K]) const
    {
        if constexpr (WORDS == 1) {
            const uint2 raw = *(const uint2 *)(row + place);
            memcpy(values, &raw, sizeof raw);
        } else {
            uint4 raw[(WORDS + 1) / 2];
#pragma unroll
            for (unsigned w = 0; w < WORDS / 2; w++)
                raw[w] = ((const uint4 *)(row + place))[w];
            memcpy(values, raw, sizeof values);
        }
    }

    __device__ __forceinline__ void store(unsigned place, const BITS (&values)[K]) const
    {
        if constexpr (WORDS == 1) {
            uint2 raw;
            memcpy(&raw, values, sizeof raw);
            *(uint2 *)(row + place) = raw;
        } else {
            uint4 raw[(WORDS + 1) / 2];
            memcpy(raw, values, sizeof values);
#pragma unroll
            for (unsigned w = 0; w < WORDS / 2; w++)
                ((uint4 *)(row + place))[w] = raw[w];
        }
    }

    /* Leaves ranks in place of elements, the last one behind the row. Returns the rank of the last result. */
    __device__ __forceinline__ RANK last_rank() const
    {
        RANK best[K];
#pragma unroll 1
        for (unsigned first = 0; first < length; first += K) {
            BITS keys[K];
            RANK ranks[K];
            load(first, keys);
            BITS greatest = 0;
#pragma unroll
            for (unsigned e = 0; e < K; e++) {
                const BITS size = params.ranks.size(keys[e]);
                greatest = size > greatest ? size : greatest;
                ranks[e] = params.ranks.number_rank(keys[e]);
            }
            if (params.ranks.exceeds(greatest))
#pragma unroll
                for (unsigned e = 0; e < K; e++)
                    ranks[e] = params.ranks.with_nan(ranks[e]);
            if (first + K > length)
#pragma unroll
                for (unsigned e = 0; e < K; e++)
                    ranks[e] = first + e < length ? ranks[e] : (RANK)(BITS) ~(BITS)0;
#pragma unroll
            for (unsigned e = 0; e < K; e++)
                keys[e] = (BITS)ranks[e];
            store(first, keys);
            order_by_network(ranks);
            if (first == 0)
                memcpy(best, ranks, sizeof best);
            else if (first + K < length || results < K)
                merge_least(best, ranks);
            else
                return last_of_least(best, ranks);
        }
        RANK last = best[0];
#pragma unroll
        for (unsigned j = 1; j < K; j++)
            last = j < results ? best[j] : last;
        return last;
    }

    /* The results' places, a bit each. */
    __device__ __forceinline__ uint64_t taken(RANK last) const
    {
        uint64_t among = 0, equal = 0;
#pragma unroll 1
        for (unsigned first = 0; first < length; first += K) {
            BITS ranks[K];
            uint32_t bits = 0;
            load(first, ranks);
#pragma unroll
            for (unsigned e = 0; e < K; e++)
                if ((RANK)ranks[e] <= last)
                    bits |= (uint32_t)1 << e;
            among |= (uint64_t)bits << first;
        }
        if (length < 64)
            among &= ((uint64_t)1 << length) - 1;
        if ((unsigned)__popcll((long long)among) == results)
            return among;
        /* Of those with the last rank the first ones. */
        for (uint64_t left = among; left != 0; left &= left - 1) {
            const unsigned place = (unsigned)__ffsll((long long)left) - 1;
            equal |= (uint64_t)((RANK)row[place] == last) << place;
        }
        uint64_t chosen = among & ~equal;
        for (unsigned j = (unsigned)__popcll((long long)chosen); j < results; j++) {
            chosen |= equal & (0 - equal);
            equal &= equal - 1;
        }
        return chosen;
    }

    /* The codes of the results in order, and last ones behind them. */
    __device__ __forceinline__ void choose(CODE (&codes)[K]) const
    {
        uint64_t left = taken(last_rank());
#pragma unroll
        for (unsigned j = 0; j < K; j++) {
            codes[j] = of::last();
            if (left != 0) {
                const unsigned place = (unsigned)__ffsll((long long)left) - 1;
                codes[j] = of::make((typename of::PART)row[place], (typename of::PART)place);
                left &= left - 1;
            }
        }
        order_by_network(codes);
    }
};

/* A warp copies its rows to shared memory. */
template <typename BITS>
static __device__ __forceinline__ void copy_rows(const row_params<BITS> &params, size_t first,
                                                 unsigned rows, unsigned char *shared,
                                                 unsigned lane)
{
    const BITS *const from = params.in + first * params.length;
    if (params.pieces != 0) {
#pragma unroll 4
        for (unsigned i = lane; i < rows * params.pieces; i += 32) {
            const unsigned row = i * params.inverse >> 20, piece = i - row * params.pieces;
            copy_piece(shared + row * params.stride + piece * 16, (const uint4 *)from + i);
        }
        pieces_wait();
    } else {
        for (unsigned row = 0; row < rows; row++)
            for (unsigned e = lane; e < params.length; e += 32)
                ((BITS *)(shared + row * params.stride))[e] = from[row * params.length + e];
    }
    __syncwarp();
}

/* Stores one array of a row's results: 16 bytes at a time if its K results are whole such. */
template <unsigned K, typename V>
static __device__ __forceinline__ void store_results(V *to, const V (&values)[K], unsigned results)
{
    if constexpr (K * sizeof(V) % 16 == 0)
        if (results == K && (uintptr_t)to % 16 == 0) {
            uint4 raw[K * sizeof(V) / 16];
            memcpy(raw, values, sizeof values);
#pragma unroll
            for (unsigned w = 0; w < K * sizeof(V) / 16; w++)
                ((uint4 *)to)[w] = raw[w];
            return;
        }
#pragma unroll
    for (unsigned j = 0; j < K; j++)
        if (j < results)
            to[j] = values[j];
}

template <unsigned K, typename INDEX, typename CODE>
static __device__ __forceinline__ void store_places(INDEX *to, const CODE (&codes)[K],
                                                    unsigned results)
{
    INDEX places[K];
#pragma unroll
    for (unsigned j = 0; j < K; j++)
        places[j] = (INDEX)code_of<CODE>::place(codes[j]);
    store_results(to, places, results);
}

template <unsigned K, typename BITS>
static __global__ void __launch_bounds__(ROWS_THREADS, 4)
    top_k_choose_by_threads(const __grid_constant__ row_params<BITS> params)
{
    typedef typename row_choice<K, BITS>::CODE CODE;
    extern __shared__ __align__(16) unsigned char row_memory[];
    wait_for_previous_kernel();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t warps = (size_t)gridDim.x * (ROWS_THREADS / 32);
    unsigned char *const shared = row_memory + warp * 32 * params.stride;
    if (blockIdx.x == 0 && threadIdx.x == 0 && params.to.count != NULL)
        *params.to.count = params.rows;
#pragma unroll 1
    for (size_t part = blockIdx.x * (size_t)(ROWS_THREADS / 32) + warp; part * 32 < params.rows;
         part += warps) {
        const size_t first = part * 32, segment = first + lane;
        const unsigned rows = params.rows - first < 32 ? (unsigned)(params.rows - first) : 32;
        copy_rows(params, first, rows, shared, lane);
        if (lane < rows) {
            const row_choice<K, BITS> choice(params, shared + lane * params.stride);
            CODE codes[K];
            choice.choose(codes);
            if (params.to.counts != NULL)
                params.to.counts[segment] = choice.results;
            if (params.to.values != NULL) {
                BITS values[K];
#pragma unroll
                for (unsigned j = 0; j < K; j++)
                    values[j] =
                        j < choice.results
                            ? params.to.value_of((BITS)code_of<CODE>::rank(codes[j]), params.ranks,
                                                 segment * params.length +
                                                     (size_t)code_of<CODE>::place(codes[j]))
                            : BITS{};
                store_results(params.to.values + segment * params.k, values, choice.results);
            }
            if (params.to.indices != NULL && params.to.wide)
                store_places((uint64_t *)params.to.indices + segment * params.k, codes,
                             choice.results);
            else if (params.to.indices != NULL)
                store_places((uint32_t *)params.to.indices + segment * params.k, codes,
                             choice.results);
        }
        __syncwarp(); /* the rows have been read */
    }
}

#endif
