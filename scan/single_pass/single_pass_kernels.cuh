/*
 * The fast path of the CUDA engine: one pass over memory by blocks whose warps have roles.
 *
 *     load      one warp copies tiles, in bulk, into STAGES of shared memory
 *     reduce    REDUCERS warps reduce a tile the moment it lands, and publish its aggregate
 *     prefix    one warp looks back (tile_prefix.cuh) and learns what comes before the tile
 *     scan      SCANNERS warps scan their parts of the tile and store them
 *
 * Nobody who loads waits for anybody who looks back, and a tile's aggregate is out before anybody
 * waits for its prefix: so memory stays busy while prefixes travel.
 *
 * Tiles are cut so that those of the output begin at aligned addresses: before the first element of
 * the first tile, and after the last of the last, are positions that the array does not have. The
 * input's tiles are then off by `skew` bytes, in memory and in the stage alike.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH
#define PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH

#include "scan/block/block_cuda.h"
#include "scan/single_pass/pipeline.cuh"
#include "scan/single_pass/tile_prefix.cuh"

/* How a block is made; the choices, by the width of an element, are in tuning_cuda.cuh. */
template <typename In_, typename T_, unsigned SCANNERS_, unsigned REDUCERS_, unsigned VECTORS_,
          unsigned STAGES_>
struct single_pass_shape {
    typedef In_ In;
    typedef T_ T;
    enum : unsigned {
        SCANNERS = SCANNERS_,
        REDUCERS = REDUCERS_,
        VECTORS = VECTORS_, /* that a lane of a scanning warp has of a tile */
        STAGES = STAGES_,
        THREADS = (SCANNERS + REDUCERS + 2) * 32,
        LANE = 16 / sizeof(T), /* elements of a vector */
        PART = 32 * VECTORS * LANE,
        TILE = SCANNERS * PART,
        STAGE_BYTES = TILE * sizeof(In) + 128, /* bulk copies are fastest to multiples of 128 */
        SHARED_BYTES = STAGES * STAGE_BYTES
    };
};

template <typename S>
struct single_pass_call {
    const typename S::In *in;
    typename S::T *out;
    size_t n, tiles;
    unsigned lead;         /* positions before the first element of the first tile in memory */
    unsigned skew;         /* bytes */
    typename S::T start;   /* init, or the identity */
    typename S::T first;   /* the first element of an exclusive scan */
    bool exclusive, keeps; /* keeps: the first element of an inclusive scan is the input's */
    tile_chain chain;
};

template <typename S>
struct single_pass_shared {
    uint64_t full[S::STAGES], reduced[S::STAGES], prefixed[S::STAGES], freed[S::STAGES];
    typename S::T sums[S::STAGES][S::SCANNERS], before[S::STAGES];
    uint32_t tag;
};

/* The tiles of a block, with the stage that each passes through. */
template <typename S>
struct tile_walk {
    size_t tile;
    unsigned stage, parity;
    __device__ tile_walk() : tile(blockIdx.x), stage(0), parity(0) {}
    __device__ void next()
    {
        tile += gridDim.x;
        if (++stage == S::STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* A tile in memory, and which of its positions the array has. */
template <typename S, bool REVERSE>
struct tile_place {
    size_t at;
    unsigned begin, end;
    __device__ tile_place(const single_pass_call<S> &call, size_t tile)
        : at(REVERSE ? call.tiles - 1 - tile : tile), begin(at == 0 ? call.lead : 0)
    {
        const size_t rest = call.lead + call.n - at * S::TILE;
        end = rest < S::TILE ? (unsigned)rest : (unsigned)S::TILE;
    }
    __device__ bool partial() const { return begin != 0 || end != S::TILE; }
};

/* Where a vector lies in its tile. Vectors are counted in the order of combination. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ unsigned position_of(unsigned vector)
{
    return REVERSE ? S::TILE - (vector + 1) * S::LANE : vector * S::LANE;
}

/* A vector of a tile, in the order of combination. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void load_vector(const typename S::In *tile, bool aligned,
                                                   unsigned vector, typename S::T (&x)[S::LANE])
{
    typedef typename S::In In;
    typedef typename S::T T;
    const unsigned first = position_of<S, REVERSE>(vector);
    In raw[S::LANE];
    if (!aligned) {
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++)
            raw[e] = tile[first + e];
    } else if (sizeof raw == 16) {
        *(uint4 *)raw = *(const uint4 *)(tile + first);
    } else if (sizeof raw == 8) {
        *(uint2 *)raw = *(const uint2 *)(tile + first);
    } else if (sizeof raw == 4) {
        *(uint32_t *)raw = *(const uint32_t *)(tile + first);
    } else {
        *(uint16_t *)raw = *(const uint16_t *)(tile + first);
    }
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++)
        x[e] = (T)raw[REVERSE ? S::LANE - 1 - e : e];
}

template <typename S>
static __device__ __forceinline__ const typename S::In *stage_of(unsigned char *stages,
                                                                 unsigned stage, unsigned skew)
{
    return (const typename S::In *)(stages + (size_t)stage * S::STAGE_BYTES + skew);
}

/* Bytes begin to end - 1 of a tile, a whole number of elements, one by one. */
template <typename In>
static __device__ __forceinline__ void load_edge(unsigned char *to, const char *from,
                                                 unsigned begin, unsigned end, unsigned lane)
{
#pragma unroll 1
    for (unsigned byte = begin + lane * sizeof(In); byte < end; byte += 32 * sizeof(In))
        *(In *)(to + byte) = *(const In *)(from + byte);
}

/* The same, filled with one value. */
template <typename In>
static __device__ __forceinline__ void fill(unsigned char *to, unsigned begin, unsigned end,
                                            In value, unsigned lane)
{
    __align__(16) In values[16 / sizeof(In)];
#pragma unroll
    for (In &each : values)
        each = value;
    const unsigned whole_begin = (begin + 15) / 16 * 16, whole_end = end / 16 * 16;
#pragma unroll 1
    for (unsigned byte = whole_begin + lane * 16; byte < whole_end; byte += 32 * 16)
        *(uint4 *)(to + byte) = *(const uint4 *)values;
    const unsigned head_end = whole_begin < end ? whole_begin : end;
    const unsigned tail_begin = whole_end > head_end ? whole_end : head_end;
#pragma unroll 1
    for (unsigned byte = begin + lane * sizeof(In); byte < head_end; byte += 32 * sizeof(In))
        *(In *)(to + byte) = value;
#pragma unroll 1
    for (unsigned byte = tail_begin + lane * sizeof(In); byte < end; byte += 32 * sizeof(In))
        *(In *)(to + byte) = value;
}

/* Positions that the array does not have get the identity. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void load_tiles(OPERATOR op, const single_pass_call<S> &call,
                                                  single_pass_shared<S> &shared,
                                                  unsigned char *stages, unsigned lane)
{
    typedef typename S::In In;
    const char *const base = (const char *)call.in - call.lead * sizeof(In) - call.skew;
    bool reused = false;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        reused = reused || walk.parity == 1;
        if (reused)
            barrier_wait(&shared.freed[walk.stage], walk.parity ^ 1);
        const tile_place<S, REVERSE> place(call, walk.tile);
        const char *const from = base + place.at * (S::TILE * sizeof(In));
        unsigned char *const to = stages + (size_t)walk.stage * S::STAGE_BYTES;
        const unsigned begin = call.skew + place.begin * sizeof(In),
                       end = call.skew + place.end * sizeof(In);
        const unsigned bulk_begin = (begin + 15) / 16 * 16, bulk_end = end / 16 * 16;
        const bool bulk = bulk_begin < bulk_end;
        load_edge<In>(to, from, begin, bulk ? bulk_begin : end, lane);
        if (bulk)
            load_edge<In>(to, from, bulk_end, end, lane);
        if (place.partial()) {
            fill<In>(to, call.skew, begin, identity(op), lane);
            fill<In>(to, end, call.skew + S::TILE * sizeof(In), identity(op), lane);
        }
        fence_async_proxy();
        __syncwarp();
        if (lane != 0)
            continue;
        barrier_arrive_expecting(&shared.full[walk.stage], bulk ? bulk_end - bulk_begin : 0);
        if (bulk)
            bulk_load(to + bulk_begin, from + bulk_begin, bulk_end - bulk_begin,
                      &shared.full[walk.stage]);
    }
}

/* The sum of one scanning warp's part of a tile, at lane 0. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ typename S::T reduce_part(OPERATOR op,
                                                            const typename S::In *tile,
                                                            bool aligned, unsigned part,
                                                            unsigned lane)
{
    typedef typename S::T T;
    T sum = identity(op);
#pragma unroll 4
    for (unsigned v = 0; v < S::VECTORS; v++) {
        T x[S::LANE];
        load_vector<S, REVERSE>(tile, aligned, (part * S::VECTORS + v) * 32 + lane, x);
        T local = x[0];
#pragma unroll
        for (unsigned e = 1; e < S::LANE; e++)
            local = combine(op, local, x[e]);
        sum = combine(op, sum, OPERATOR::commutes ? local : warp_reduce(op, local));
    }
    return OPERATOR::commutes ? warp_reduce(op, sum) : sum;
}

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void reduce_tiles(OPERATOR op, const single_pass_call<S> &call,
                                                    single_pass_shared<S> &shared,
                                                    unsigned char *stages, unsigned reducer,
                                                    unsigned lane)
{
    typedef typename S::T T;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        T *const sums = shared.sums[walk.stage];
        barrier_wait(&shared.full[walk.stage], walk.parity);
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            const T sum = reduce_part<S, REVERSE>(
                op, stage_of<S>(stages, walk.stage, call.skew), call.skew == 0, part, lane);
            if (lane == 0)
                sums[part] = sum;
        }
        asm volatile("bar.sync 1, %0;" ::"n"(S::REDUCERS * 32) : "memory");
        if (reducer == 0) {
            T sum = identity(op);
            if (lane < S::SCANNERS)
                sum = sums[lane];
            sum = warp_reduce(op, sum);
            if (lane == 0)
                tile_publish(call.chain, shared.tag, walk.tile, sum);
        }
        if (lane == 0)
            barrier_arrive(&shared.reduced[walk.stage]);
    }
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void learn_prefixes(OPERATOR op, const single_pass_call<S> &call,
                                                      single_pass_shared<S> &shared, unsigned lane)
{
    typename S::T before = call.start;
    size_t known = 0; /* tiles that are in it */
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        before = combine(op, before,
                         tile_look_back<OPERATOR, typename S::T>(op, call.chain, shared.tag, known,
                                                                 walk.tile, lane));
        known = walk.tile;
        /* The stage is this tile's: what stood in before[] has been read. */
        barrier_wait(&shared.full[walk.stage], walk.parity);
        if (lane == 0) {
            shared.before[walk.stage] = before;
            barrier_arrive(&shared.prefixed[walk.stage]);
        }
    }
}

/* Scans GROUP vectors of each lane that follow each other, after `before`, and stores them. Returns
   what comes after them. */
template <typename S, bool REVERSE, unsigned GROUP, typename OPERATOR>
static __device__ __forceinline__ typename S::T
scan_vectors(OPERATOR op, const single_pass_call<S> &call, const tile_place<S, REVERSE> &place,
             const typename S::In *tile, typename S::T *out, unsigned vector, typename S::T before,
             unsigned lane)
{
    typedef typename S::T T;
    T x[GROUP][S::LANE], through[GROUP];
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        load_vector<S, REVERSE>(tile, call.skew == 0, vector + g * 32 + lane, x[g]);
        through[g] = x[g][0];
#pragma unroll
        for (unsigned e = 1; e < S::LANE; e++)
            through[g] = combine(op, through[g], x[g][e]);
    }
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            const T up = warp_shuffle_up(through[g], delta);
            if (lane >= delta)
                through[g] = combine(op, up, through[g]);
        }
    }
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        const T up = warp_shuffle_up(through[g], 1);
        T mine = lane == 0 ? before : combine(op, before, up);
        before = combine(op, before, warp_shuffle(through[g], 31));
        __align__(16) T y[S::LANE];
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const T after = combine(op, mine, x[g][e]);
            y[REVERSE ? S::LANE - 1 - e : e] = call.exclusive ? mine : after;
            mine = after;
        }
        const unsigned first = position_of<S, REVERSE>(vector + g * 32 + lane);
        if (!place.partial()) {
            __stcs((uint4 *)(out + first), *(uint4 *)y);
            continue;
        }
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++)
            if (first + e >= place.begin && first + e < place.end)
                out[first + e] = y[e];
    }
    return before;
}

/* The first element in the order of combination is what the caller gave, to the bit: floats lose
   bits of a NaN, or a sign of a zero, when the identity is combined with them. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void store_first(const single_pass_call<S> &call,
                                                   const tile_place<S, REVERSE> &place,
                                                   const typename S::In *tile,
                                                   typename S::T *out, unsigned part,
                                                   unsigned lane)
{
    const unsigned first = REVERSE ? place.end - 1 : place.begin;
    const unsigned order = REVERSE ? S::TILE - 1 - first : first;
    if (order / S::PART != part || !(call.exclusive || call.keeps))
        return;
    __syncwarp();
    if (lane == 0)
        out[first] = call.exclusive ? call.first : (typename S::T)tile[first];
}

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void scan_tiles(OPERATOR op, const single_pass_call<S> &call,
                                                  single_pass_shared<S> &shared,
                                                  unsigned char *stages, unsigned part,
                                                  unsigned lane)
{
    typedef typename S::T T;
    const unsigned GROUP = S::VECTORS < 4 ? S::VECTORS : 4;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        const tile_place<S, REVERSE> place(call, walk.tile);
        const typename S::In *const tile = stage_of<S>(stages, walk.stage, call.skew);
        T *const out = call.out + place.at * S::TILE - call.lead;
        barrier_wait(&shared.full[walk.stage], walk.parity);
        barrier_wait(&shared.reduced[walk.stage], walk.parity);
        T local = identity(op);
#pragma unroll
        for (unsigned p = 0; p + 1 < S::SCANNERS; p++) {
            const T sum = shared.sums[walk.stage][p];
            if (p < part)
                local = combine(op, local, sum);
        }
        barrier_wait(&shared.prefixed[walk.stage], walk.parity);
        T before = combine(op, (T)shared.before[walk.stage], local);
#pragma unroll 1
        for (unsigned v = 0; v < S::VECTORS; v += GROUP)
            before = scan_vectors<S, REVERSE, GROUP>(op, call, place, tile, out,
                                                     (part * S::VECTORS + v) * 32, before, lane);
        if (walk.tile == 0)
            store_first<S, REVERSE>(call, place, tile, out, part, lane);
        __syncwarp();
        if (lane == 0)
            barrier_arrive(&shared.freed[walk.stage]);
    }
}

template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, 1)
    single_pass_scan(const __grid_constant__ single_pass_call<S> call)
{
#if __CUDA_ARCH__ >= 900
    const OPERATOR op = OPERATOR();
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ single_pass_shared<S> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < S::STAGES; s++) {
            barrier_init(&shared.full[s], 1);
            barrier_init(&shared.reduced[s], S::REDUCERS);
            barrier_init(&shared.prefixed[s], 1);
            barrier_init(&shared.freed[s], S::SCANNERS);
        }
        barriers_are_initialised();
    }
    if (threadIdx.x == 32)
        shared.tag = tile_chain_begin(call.chain);
    __syncthreads();
    if (warp == 0)
        load_tiles<S, REVERSE>(op, call, shared, stages, lane);
    else if (warp == 1)
        learn_prefixes(op, call, shared, lane);
    else if (warp < 2 + S::REDUCERS)
        reduce_tiles<S, REVERSE>(op, call, shared, stages, warp - 2, lane);
    else
        scan_tiles<S, REVERSE>(op, call, shared, stages, warp - 2 - S::REDUCERS, lane);
    tile_chain_end(call.chain, shared.tag);
#endif
}

#endif
